# SPDX-License-Identifier: Apache-2.0
"""Compares the records of the host collectors with the test's own measurements."""

import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from support import PYTHON, STROBE, StrobeTest, needs_python, program
from trace_file import trace_events

WAITING = program("waiting-program")
ITEMS = "cpu+mem+disk+network+pressure+throttle"

# Sends this number of bytes over loopback, and prints the system's counters before and after.
LOOPBACK = """
import socket, sys, threading
def counted():
    for line in open("/proc/net/dev"):
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[0])
server = socket.create_server(("127.0.0.1", 0))
def take():
    peer, _ = server.accept()
    while peer.recv(65536):
        pass
before = counted()
thread = threading.Thread(target=take)
thread.start()
client = socket.create_connection(server.getsockname())
client.sendall(b"x" * int(sys.argv[1]))
client.close()
thread.join()
print(before, counted())
"""


def loopback_bytes():
    """The number of bytes that the system has received over loopback."""
    for line in pathlib.Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[0])
    return 0


class HostTest(StrobeTest):
    def rows(self, kind):
        """The table of a kind, as the exporter csv writes it."""
        files = list(self.result().glob("ASCEND_PROFILER_OUTPUT/%s.csv" % kind))
        if not files:
            return []
        with open(files[0], encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def shell(self, text, **options):
        collect = options.pop("collect")
        flags = ["--export", "csv", "--export", "chrome_trace"]
        return self.record("sh", "-c", text, collect=[collect], flags=flags, **options)

    def test_calls_are_counted_exactly(self):
        for n in (3, 200):
            with self.subTest(n=n):
                self.out = self.work / ("out%d" % n)
                collect = ["osrt:threshold=0s", "host_sys:items=cpu"]
                self.record(WAITING, n, collect=collect, flags=["--export", "csv"])
                names = [row["Name"] for row in self.rows("os_call")]
                counts = {name: names.count(name) for name in set(names) - {"sched_yield"}}
                self.assertEqual(
                    counts,
                    {
                        "write": n, "read": n + 1, "futex": n + 1, "nanosleep": n + 2,
                        "pthread_mutex_lock": n + 3, "pthread_create": 1, "pthread_join": 1,
                    },
                )
                failed = [row for row in self.rows("os_call") if row["status"] == "-1"]
                self.assertEqual(len(failed), n + 2)

    def test_calls_that_the_kernel_tells_of(self):
        """Runs in a separate mount namespace, in which trace points are visible."""
        collect = "osrt:threshold=0s,source=perf,interval=5ms"
        words = [STROBE, "run", "--no-default-collectors", "-o", self.out, "--collect", collect, "--export", "csv"]
        script = "mount -t tracefs none /sys/kernel/tracing || exit 77; exec \"$@\""
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", script, "sh", *map(str, words), "--", WAITING, "50"],
            cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=60,
        )
        if done.returncode or not self.results() or not self.rows("os_call"):
            self.skipTest("trace points cannot be opened here: " + done.stderr.strip()[:200])
        calls = [(row["Name"], row["status"]) for row in self.rows("os_call")]
        self.assertEqual(calls.count(("write", "1")), 50)
        self.assertEqual(calls.count(("read", "1")), 50)
        self.assertEqual(calls.count(("read", "-9")), 1)
        self.assertEqual(calls.count(("clock_nanosleep", "0")), 52)
        # a contended mutex may be free again by the time of its call, which then fails like these
        # calls
        slept = min(float(row["Begin(us)"]) for row in self.rows("os_call")
                    if row["Name"] == "clock_nanosleep")
        early = [row for row in self.rows("os_call") if float(row["Begin(us)"]) < slept]
        self.assertEqual([(row["Name"], row["status"]) for row in early].count(("futex", "-11")), 51)
        if not shutil.which("strace"):
            return
        report = self.work / "strace"
        subprocess.run(["strace", "-f", "-c", "-o", report, WAITING, "50"], check=True, timeout=60)
        counted = {
            line.split()[-1]: int(line.split()[3])
            for line in report.read_text().splitlines()
            if line.split()[-1:] and line.split()[-1] in ("write", "clock_nanosleep", "pipe2")
        }
        names = [name for name, _ in calls]
        self.assertEqual({name: names.count(name) for name in counted}, counted)

    def test_short_calls_are_left_out(self):
        collect = "osrt:threshold=30us"
        self.record(WAITING, 20, collect=[collect], flags=["--export", "csv"])
        rows = self.rows("os_call")
        self.assertGreaterEqual(min(float(row["Duration(us)"]) for row in rows), 29.9)
        # it sleeps 1 us plus mostly the 50 us of the kernel's timer slack, or less if another timer
        # expires
        n_sleeps = [row["Name"] for row in rows].count("nanosleep")
        self.assertGreater(n_sleeps, 11)
        self.assertLessEqual(n_sleeps, 22)

    def test_nobody_asks_for_calls(self):
        self.record("sh", "-c", "echo $LD_PRELOAD", collect=["host_sys:items=cpu"])
        done = self.record("sh", "-c", "echo $LD_PRELOAD", collect=["host_sys:items=cpu"])
        self.assertNotIn("osrt", done.stdout)
        done = self.record("sh", "-c", "echo $LD_PRELOAD", collect=["host_sys:items=cpu", "osrt"])
        self.assertIn("osrt-preload.so", done.stdout)

    def test_counters_are_in_tables_and_trace(self):
        self.shell("i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; sleep 0.3",
                   collect="host_sys:items=%s,interval=20ms,loopback=true" % ITEMS)
        for kind in ("host_cpu", "host_thread", "host_core", "host_mem", "host_net", "usage"):
            self.assertTrue(self.rows(kind), kind)
        trace = trace_events(
            (self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text()
        )
        layers = {event["args"]["name"] for event in trace if event["name"] == "process_name"}
        self.assertLessEqual({"CPU Usage", "Memory Usage", "Network Usage"}, layers)
        counters = {event["name"] for event in trace if event["ph"] == "C"}
        self.assertLessEqual(
            {"CPU Usage", "Machine All", "Process Memory", "Memory Usage", "Interface lo"},
            counters,
        )
        self.assertNotIn("NaN", json.dumps(trace))

    def test_calls_have_a_layer(self):
        self.record(WAITING, 3, collect=["osrt:threshold=0s"],
                    flags=["--export", "chrome_trace"])
        trace = trace_events(
            (self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text()
        )
        layers = {
            event["pid"]: event["args"]["name"] for event in trace if event["name"] == "process_name"
        }
        calls = [event for event in trace if event["name"] == "nanosleep"]
        self.assertEqual({layers[event["pid"]] for event in calls}, {"OS Runtime API"})
        self.assertEqual(len(calls), 5)

    def test_loopback_bytes(self):
        script = self.script("loopback.py", LOOPBACK)
        collect = "host_sys:items=network,interval=10ms,loopback=true"
        start = loopback_bytes()
        done = self.shell("%s %s 3000000; sleep 0.1" % (PYTHON, script), collect=collect)
        most = loopback_bytes() - start
        before, after = map(int, done.stdout.split())
        counted = sum(
            int(row["rx_bytes(B)"]) for row in self.rows("host_net") if row["Name"] == "lo"
        )
        # Other programs may use loopback too, before and after the script's own measurement.
        self.assertGreaterEqual(counted, after - before)
        self.assertGreaterEqual(after - before, 3000000)
        self.assertLessEqual(counted, most)

    def count_rows(self):
        """The number of rows that are in the capture so far."""
        if not list(self.out.glob("*/FRAMEWORK/capture.strobe")):
            return 0
        return self.json("info", self.out)[0]["kinds"].get("host_mem", 0)

    @needs_python
    def suspend(self, find, condition):
        """Runs a program, and suspends the process that `find` returns for its process id, for half
        a second and until the condition holds. Returns the begins of the rows in us."""
        words = ["run", "-o", self.out, "--collect", "host_sys:items=mem,interval=10ms",
                 "--buffer", "flush_interval=50ms"]
        code = "import os; print(os.getpid(), flush=True); input()"
        process = self.start(*words, "--export", "csv", "--", PYTHON, "-c", code,
                             stdin=subprocess.PIPE)
        pid = find(int(process.stdout.readline()))
        self.wait_until(lambda: self.count_rows() > 3, "the first samples", process)
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(0.5)
            self.wait_until(condition, "what is to happen meanwhile", process)
        finally:
            os.kill(pid, signal.SIGCONT)
        n_rows = self.count_rows()
        self.wait_until(lambda: self.count_rows() > n_rows + 3, "the last samples", process)
        process.communicate("\n", timeout=60)
        return [float(row["Begin(us)"].strip()) for row in self.rows("host_mem")]

    @staticmethod
    def find_writer(pid):
        """Finds the process that writes the program's records, by the name of its pool."""
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue
            if b"strobe-writer" in words and b"strobe-%d-" % pid in words:
                return int(path.parent.name)
        raise AssertionError("no writer")

    def test_suspended_program_is_sampled(self):
        before = []

        def has_more():
            before.append(self.count_rows())
            return before[-1] > before[0] + 30  # more rows than were already on their way

        self.suspend(lambda pid: pid, has_more)

    def test_suspended_sampler_is_a_gap(self):
        begins = self.suspend(self.find_writer, lambda: True)
        longest = max(b - a for a, b in zip(begins, begins[1:]))
        self.assertGreater(longest, 450000)
        gaps = [row for row in self.rows("sampling") if row["ticks"] == "0"]
        self.assertGreaterEqual(max(int(row["missed"]) for row in gaps), 45)
        whole = [row for row in self.rows("sampling") if row["ticks"] != "0"]
        self.assertEqual(len(whole), 1)
        self.assertGreaterEqual(int(whole[0]["missed"]), 45)
        # a tick right after a late one takes no sample, so a busy machine has fewer rows
        ticks = int(whole[0]["ticks"])
        self.assertLessEqual(len(begins), ticks + 2)
        self.assertGreaterEqual(2 * len(begins), ticks)

    def test_ports_of_this_host(self):
        self.shell("sleep 0.3", collect="sys_io:interval=20ms,dcmi=/nonexistent/libdcmi.so")
        folder = pathlib.Path("/sys/class/net")
        expected = {
            (port / "ifindex").read_text().strip()
            for port in folder.iterdir()
            if port.name != "lo" and (port / "operstate").read_text().strip() in ("up", "unknown")
        } if folder.is_dir() else set()
        self.assertEqual({row["funcId"] for row in self.rows("nic")}, expected)

    def test_links_without_a_device(self):
        root = self.work / "sys"
        root.mkdir()
        options = "dcmi=/nonexistent/libdcmi.so,sys_root=%s" % root
        done = self.record("true", collect=["interconnect:" + options, "host_sys:items=mem"])
        self.assertEqual(len(self.results()), 1)
        self.assertIn("DCMI is missing", done.stderr)
