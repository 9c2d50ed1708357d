# SPDX-License-Identifier: Apache-2.0
"""`strobe import` of the raw data of CANN: counters as text or small records, in slices."""

import json
import pathlib
import random
import shutil
import struct
import subprocess

from support import StrobeTest, program

NAME = "PROF_000001_20250101000000000_ABCDEF"
RAW, BEGIN_US = 1000000000000, 1764246878131995
BEGIN = 1000 * BEGIN_US
INFO = {"pid": 4711, "sysClockFreq": 100, "cpuNums": 4, "memoryTotal": 1000000,
        "netCard": [{"netCardName": "eth0", "speed": 1000}, {"netCardName": "eth1", "speed": 0}]}


def stat(thread, user, system, cpu, name="py) (thon"):
    fields = ["0"] * 50
    fields[0], fields[11], fields[12], fields[36] = "S", str(user), str(system), str(cpu)
    return "%d (%s) %s" % (thread, name, " ".join(fields))


class ProfRawTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.top = self.work / NAME
        start = {"collectionTimeBegin": str(BEGIN_US), "clockMonotonicRaw": str(RAW)}
        for folder, suffix in (("host", ""), ("device_3", ".3")):
            data = self.top / folder / "data"
            data.mkdir(parents=True)
            (self.top / folder / ("start_info" + suffix)).write_text(json.dumps(start))
        (self.top / "host" / "info.json").write_text(json.dumps(INFO))

    def put(self, name, data, folder="device_3", cuts=()):
        """Writes a file in slices, divided at these places."""
        data = data.encode() if isinstance(data, str) else data
        ends = list(cuts) + [len(data)]
        for i, begin in enumerate([0] + list(cuts)):
            path = self.top / folder / "data" / ("%s.slice_%d" % (name, i))
            path.write_bytes(data[begin:ends[i]])
            (path.parent / (path.name + ".done")).write_bytes(b"")

    def rows(self, kind=None):
        """The records as dictionaries; times count from the begin of the collection."""
        done = self.strobe("import", "--json", "-o", self.out, "--export", "chrome_trace", self.top)
        self.made = json.loads(done.stdout)[0]
        capture = pathlib.Path(self.made["directory"]) / "FRAMEWORK" / "capture.strobe"
        text = subprocess.run([program("dump-capture"), capture], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        shutil.rmtree(self.out)
        rows = []
        for line in text.splitlines():
            name, begin, end, group, pid, number, label, *fields = line.split("\t")
            if kind in (None, name) and name != "diagnostic":
                rows.append(dict((field.split("=", 1) for field in fields), kind=name, name=label,
                                 begin=int(begin) - BEGIN, end=int(end) - BEGIN, group=group,
                                 pid=int(pid), number=int(number)))
        return rows

    def damage(self):
        found = {}
        for item in self.made["damaged"]:
            found.setdefault(item["part"], []).append(item["name"])
        return {part: "; ".join(reasons) for part, reasons in found.items()}

    # ---- a device's links ----

    def test_hccs(self):
        lines = ["%d: %d %d" % (RAW + 20000000 * i, tx, rx) for i, (tx, rx) in enumerate(
            ((1000, 0), (3000, 500), (2000, 600), (4000, 800)))]
        text = "\n".join(lines) + "\nnoise\n"
        self.put("hccs.data.3", text, cuts=(7, len(lines[0]) + 1, 60))
        rows = self.rows()
        self.assertEqual([(row["begin"], float(row["tx"]), float(row["rx"])) for row in rows],
                         [(20000000, 100000, 25000), (60000000, 100000, 10000)])
        self.assertEqual({row["device"] for row in rows}, {"3"})
        self.assertEqual({row["group"] for row in rows}, {"HCCS"})
        told = self.damage()["device_3/hccs.data.3"]
        self.assertIn("1 lines do not have the expected form", told)
        self.assertIn("1 samples with impossible values", told)

    def test_many_slices_are_in_order_of_their_numbers(self):
        lines = ["%d: %d 0\n" % (RAW + 1000000 * i, 100 * i) for i in range(30)]
        text = "".join(lines)
        step = len(text) // 12
        self.put("hccs.data.3", text, cuts=[step * i for i in range(1, 12)])
        self.assertEqual([row["begin"] for row in self.rows()],
                         [1000000 * i for i in range(1, 30)])
        self.assertEqual(self.made["damaged"], [])

    def lose(self, name, number, folder="device_3"):
        (self.top / folder / "data" / ("%s.slice_%d" % (name, number))).unlink()

    def test_lines_beside_a_missing_slice(self):
        lines = ["%d: %d 0\n" % (RAW + 1000000 * i, 100 * i) for i in range(9)]
        text = "".join(lines)
        ends = [len("".join(lines[:i])) for i in (3, 5)]
        self.put("hccs.data.3", text, cuts=(ends[0] + 4, ends[1] + 4))
        self.lose("hccs.data.3", 1)
        # otherwise the halves of lines 3 and 5 would form a line
        self.assertEqual([row["begin"] // 1000000 for row in self.rows()], [1, 2, 6, 7, 8])
        self.assertEqual(self.damage()["device_3/hccs.data.3"],
                         "1 slices are missing; 2 lines next to them that may be incomplete")

    def test_long_line_beside_a_missing_slice(self):
        """The end of the line is in the missing slice, and the next slice begins with the begin of
        another line."""
        lines = ["%d: %d 0\n" % (RAW + 1000000 * i, 100 * i) for i in range(9)]
        long = "x" * 100000 + "\n"
        text = "".join(lines[:3]) + long + "".join(lines[3:])
        begin = len("".join(lines[:3]))
        self.put("hccs.data.3", text, cuts=(begin + 80000, begin + len(long) + 4))
        self.lose("hccs.data.3", 1)
        self.assertEqual([row["begin"] // 1000000 for row in self.rows()], [1, 2, 4, 5, 6, 7, 8])
        self.assertEqual(self.damage()["device_3/hccs.data.3"],
                         "1 slices are missing; 1 lines next to them that may be incomplete; "
                         "1 lines of over 64 KiB")

    def test_first_slices_are_missing(self):
        lines = ["%d: %d 0\n" % (RAW + 1000000 * i, 100 * i) for i in range(9)]
        self.put("hccs.data.3", "".join(lines), cuts=(5, 20))
        self.lose("hccs.data.3", 0)
        self.lose("hccs.data.3", 1)
        self.assertIn("2 slices are missing; 1 lines", str(self.rows() and self.damage()))

    def test_slices_of_whole_lines(self):
        lines = ["%d: %d 0\n" % (RAW + 1000000 * i, 100 * i) for i in range(9)]
        ends = [sum(map(len, lines[:3])), sum(map(len, lines[:6]))]
        self.put("hccs.data.3", "".join(lines), cuts=ends)
        self.lose("hccs.data.3", 1)
        self.assertEqual([row["begin"] // 1000000 for row in self.rows()], [1, 2, 6, 7, 8])
        self.assertEqual(self.damage()["device_3/hccs.data.3"], "1 slices are missing")

    def test_records_beside_a_missing_slice(self):
        data = b"".join(struct.pack("<QI21I", RAW + i, 3, *range(1, 22)) for i in range(9))
        self.put("pcie.data.3", data, cuts=(100, 250, 400))
        self.lose("pcie.data.3", 1)
        self.assertEqual([row["begin"] for row in self.rows("pcie")], [0])
        self.assertIn("1 slices are missing; it is not known where records begin after them",
                      self.damage()["device_3/pcie.data.3"])

    def test_slices_of_whole_records(self):
        data = b"".join(struct.pack("<QI21I", RAW + i, 3, *range(1, 22)) for i in range(9))
        self.put("pcie.data.3", data, cuts=(96, 192))
        self.lose("pcie.data.3", 0)
        self.lose("pcie.data.3", 1)
        self.assertEqual([row["begin"] for row in self.rows("pcie")], list(range(2, 9)))
        self.assertEqual(self.damage()["device_3/pcie.data.3"], "2 slices are missing")

    def test_pcie(self):
        values = list(range(1, 22))
        data = b"".join(struct.pack("<QI21I", RAW + time, 3, *numbers) for time, numbers in (
            (5, values), (6, [9, 8] + values[2:]), (7, [4300] * 21)))
        self.put("pcie.data.3", data + b"torn", cuts=(100,))
        first, second = self.rows("pcie")
        self.assertEqual((first["begin"], second["begin"]), (5, 7))
        self.assertEqual(float(first["tx_post_max"]), 2e6)
        self.assertEqual(float(first["tx_nonpost_latency_avg"]), 12)
        self.assertEqual(float(first["rx_cpl_avg"]), 21e6)
        self.assertEqual(float(second["tx_post_avg"]), 4.3e9, "over 32 bits")
        self.assertIn("4 bytes", self.damage()["device_3/pcie.data.3"])

    def test_ports(self):
        line = "%d: 100 1.5 2.5 3 4 5 6 7.5 8.5 9 10 11 12" % RAW
        self.put("nic.data.3", "timestamp bandwidth heading\n" + line + "\n")
        self.put("roce.data.3", line + " 1 roce\n" + line + " x\n")
        nic, = self.rows("nic")
        self.assertEqual(float(nic["bandwidth"]), 104857600)
        self.assertEqual((nic["rx_packets"], nic["tx_dropped"], nic["port"]), ("3", "12", "0"))
        self.assertEqual((float(nic["rx_byte_rate"]), float(nic["tx_packet_rate"])), (2.5, 7.5))
        self.assertNotIn("rx_efficiency", nic)
        roce, = self.rows("roce")
        self.assertEqual((roce["port"], roce["group"]), ("1", "RoCE"))

    def test_l2_cache(self):
        record = struct.pack("<4H8Q", 1, 7, 9, 0, 60, 40, 30, 20, 10, 0, 0, 0)
        self.put("l2_cache.data.3", record)
        row, = self.rows("l2_cache")
        self.assertEqual((row["stream"], row["task_id"], row["begin"]), ("7", "9", 0))
        self.assertNotIn("hit_rate", row)
        self.assertIn("rates are left out", self.damage()["device_3/l2_cache.data.3"])
        (self.top / "device_3" / "info.json.3").write_text('{"platform_version": "5"}')
        (self.top / "device_3" / "sample.json").write_text(
            '{"l2CacheTaskProfilingEvents": "0xfb,0xfc,0x90,0x91,0x9c"}')
        row, = self.rows("l2_cache")
        self.assertEqual((float(row["hit_rate"]), float(row["victim_rate"])), (0.5, 0.1))

    # ---- the host ----

    def test_cpu(self):
        samples = []
        for i, (one, two, uptime) in enumerate(((0, 0, 10), (10, 50, 11), (20, 900, 12))):
            samples += ["time %d" % (RAW + 1000 * i), "%d.00 99.00" % uptime,
                        stat(11, one, 0, 0), stat(12, two, two, 2)]
        self.put("host_cpu.data", "\n".join(samples) + "\n", "host")
        rows = self.rows("usage")
        seen = [(row["begin"], row["name"], row.get("processor"),
                 round(float(row["usage"]), 6)) for row in rows]
        self.assertEqual(sorted(seen, key=str), sorted([
            (1000, "CPU", "0", 10.0), (1000, "CPU", "2", 100.0), (1000, "CPU Avg", None, 27.5),
            (2000, "CPU", "0", 10.0), (2000, "CPU", "2", 100.0), (2000, "CPU Avg", None, 27.5)],
            key=str))
        self.assertEqual({row["pid"] for row in rows}, {4711})

    def test_memory(self):
        """The first sample makes no row."""
        self.put("host_mem.data", "%d 900 7 3\n%d 900 250 3\nnoise\n" % (RAW, RAW + 5), "host")
        row, = self.rows("usage")
        self.assertEqual((row["name"], row["begin"], float(row["usage"])), ("Memory", 5, 0.1))

    def test_network(self):
        text = ""
        for i, received in enumerate((1000, 626000)):
            text += "time %d\n" % (RAW + i * 10000000)
            text += "    lo: 5 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n"
            text += "  eth0: %d 1 0 0 0 0 0 0 %d 1 0 0 0 0 0 0\n" % (received, received)
            text += "  eth1: %d 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0\n" % (7 * received)
        self.put("host_network.data", text, "host")
        row, = self.rows("usage")
        self.assertEqual(float(row["speed"]), 125000000)
        self.assertEqual(float(row["usage"]), 100)

    def test_disk(self):
        self.put("host_disk.data", "start_time %d\n"
                 "Total DISK READ: 0.00 B/s | Total DISK WRITE: 0.00 B/s\n"
                 "  TID  PRIO  USER  DISK READ  DISK WRITE  SWAPIN  IO  COMMAND\n"
                 " 4711 be/4 root  2.00 K/s  1.50 M/s  0.00 %%  7.50 %% python\n"
                 " 4711 be/4 root  1.00 B/s  0.00 B/s  ?unavailable?  python\n" % RAW, "host")
        one, two = self.rows("usage")
        self.assertEqual((one["begin"], float(one["read_rate"]), float(one["write_rate"]),
                          float(one["usage"])), (0, 2048, 1572864, 7.5))
        self.assertEqual(two["begin"], 20000000)
        self.assertNotIn("usage", two)

    def test_calls(self):
        self.put("host_syscall.data",
                 " 1000000.125 ( 0.003 ms): my python/4712 futex(uaddr: 0x1, op: 2) = -110\n"
                 " 1000001.000 (         ): python/4712 read(fd: 3) ...\n"
                 "nonsense\n", "host")
        self.put("host_pthreadcall.data",
                 "4713 %d.131995123 pthread_mutex_init(0x1, 0) = 0 <0.000012>\n"
                 "4713 %d.131995200 pthread_once(0x1, 0) = 0 <0.000001>\n" % (
                     BEGIN_US // 1000000, BEGIN_US // 1000000), "host")
        rows = self.rows("os_call")
        self.assertEqual([(row["name"], row["number"], row.get("status")) for row in rows],
                         [("pthread_mutex_init", 4713, "0"), ("futex", 4712, "-110"),
                          ("read", 4712, None)])
        self.assertEqual((rows[1]["begin"], rows[1]["end"]), (125000, 128000))
        self.assertEqual(rows[0]["end"] - rows[0]["begin"], 12000)

    def test_times_of_calls_are_exact(self):
        """Seconds since the epoch have more digits than a double."""
        second = BEGIN_US // 1000000
        texts = ["%d.%s" % (second, digits) for digits in (
            "131995123", "131995124", "1319951245", "131996", "132", "999999999")]
        self.put("host_pthreadcall.data", "".join(
            "4713 %s pthread_create(0x1) = 0 <0.000012345>\n" % text for text in texts), "host")
        self.put("host_syscall.data", " 9007199254.740993 ( 0.000001 ms): a/1 read(fd: 3) = 1\n",
                 "host")
        rows = self.rows("os_call")
        begins = [row["begin"] + BEGIN - second * 10**9 for row in rows if row["number"] == 4713]
        self.assertEqual(begins, [131995123, 131995124, 131995125, 131996000, 132000000, 999999999])
        self.assertEqual({row["end"] - row["begin"] for row in rows}, {12345, 1})
        call, = (row for row in rows if row["number"] == 1)
        self.assertEqual(call["begin"], 9007199254740993 - RAW)

    def test_calls_in_two_lines(self):
        second = BEGIN_US // 1000000
        self.put("host_pthreadcall.data", "".join(line % second for line in (
            "11 %d.200000 pthread_join(0x1, 0 <unfinished ...>\n",
            "12 %d.200100 pthread_mutex_init(0x2, 0) = 0 <0.000003>\n",
            "13 %d.200200 pthread_create(0x2, 0 <unfinished ...>\n",
            "12 %d.200300 --- SIGCHLD (Child exited) ---\n",
            "11 %d.208200 <... pthread_join resumed> ) = 3 <0.008005>\n",
            "14 %d.300000 <... pthread_join resumed> ) = 0 <0.100000>\n",
            "12 %d.400000 +++ exited (status 0) +++\n")), "host")
        rows = sorted(self.rows("os_call"), key=lambda row: row["number"])
        first = second * 10**9 - BEGIN
        self.assertEqual(
            [(row["number"], row["name"], row["begin"] - first, row["end"] - first,
              row.get("status")) for row in rows],
            [(11, "pthread_join", 200000000, 208005000, "3"),
             (12, "pthread_mutex_init", 200100000, 200103000, "0"),
             (13, "pthread_create", 200200000, 200200000, None),
             (14, "pthread_join", 200000000, 300000000, "0")])
        self.assertEqual(self.made["damaged"], [])
        (self.top / "host" / "data" / "host_pthreadcall.data.slice_0").unlink()
        self.put("host_syscall.data",
                 " 1000000.100 (         ): a/11 futex(uaddr: 0x1, op: 2) ...\n"
                 " 1000000.200 ( 0.003 ms): b/12 read(fd: 3) = 1\n"
                 " 1000000.100 ( 5.000 ms): a/11  ... [continued]: futex()) = -110\n", "host")
        rows = sorted(self.rows("os_call"), key=lambda row: row["number"])
        self.assertEqual([(row["number"], row["name"], row["begin"], row["end"], row["status"])
                          for row in rows],
                         [(11, "futex", 100000, 5100000, "-110"), (12, "read", 200000, 203000, "1")])

    # ---- the rest ----

    def test_others_are_listed(self):
        self.put("hccs.data.3", "%d: 1 1\n%d: 2 2\n" % (RAW, RAW + 10))
        self.put("stars_soc.data.3", b"x" * 50, cuts=(20, 30))
        self.assertEqual(len(self.rows()), 1)
        self.assertEqual(self.made["unknown"], [{"part": "device_3/stars_soc.data.3",
                                                 "name": "not decoded, 50 bytes", "count": 1}])
        self.assertEqual(self.made["importer"], "prof_raw")

    def test_links_and_devices_without_start(self):
        self.put("hccs.data.3", "%d: 1 1\n%d: 2 2\n" % (RAW, RAW + 10))
        (self.top / "device_3" / "data" / "pcie.data.3.slice_0").symlink_to("/dev/zero")
        (self.top / "device_3" / "start_info.3").unlink()
        self.assertEqual([row["begin"] for row in self.rows()], [10], "the host's clock")
        (self.top / "host" / "start_info").unlink()
        self.assertEqual([row["begin"] + BEGIN for row in self.rows()], [RAW + 10])
        self.assertIn("device_3", self.damage())

    def test_nothing_known(self):
        self.put("stars_soc.data.3", b"x")
        done = self.strobe("import", "-o", self.out, self.top, code=5)
        self.assertIn("without a file that can be read", done.stderr)

    def test_random_bytes(self):
        maker = random.Random(1)
        for name in ("hccs", "pcie", "nic", "roce", "l2_cache"):
            self.put(name + ".data.3", maker.randbytes(70000))
        for name in ("cpu", "mem", "network", "disk", "syscall", "pthreadcall"):
            self.put("host_%s.data" % name, maker.randbytes(70000), "host", (1, 2, 30000))
        self.assertTrue(self.rows())
        self.assertIn("not have the expected form", self.damage()["host/host_cpu.data"])
