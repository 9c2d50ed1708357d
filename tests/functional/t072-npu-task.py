# SPDX-License-Identifier: Apache-2.0
"""From the test double of MSPTI to all results, compared with the script that the double plays."""

import json
import os
import sqlite3
import subprocess
import unittest

import tap
from launching_operator import LAUNCHING_OPERATOR
from npu import MARK, TYPES, NpuTest, Script
from support import BUILD, PYTHON, TIMEOUT, has_torch, program

# A kernel is launched within each operator but the first.
OPERATORS = """
import ctypes, os, threading
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
""" + LAUNCHING_OPERATOR + """
mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
def play(line, base):
    assert mspti.mspti_double_play(line.encode(), ctypes.c_uint64(base)) == 0
time_within_operator()
for i in range(1, 6):
    at = time_within_operator()
    play("api 11 %d %d launch 0 100" % (threading.get_native_id(), i), at)
    kind = "KERNEL_AICORE" if i % 2 else "KERNEL_AIVEC"
    play("kernel 0 3 %d %s mm 0 %d" % (i, kind, 1000 * i), time.time_ns())
"""

EXPORTS = ["--export", "csv", "--export", "chrome_trace", "--export", "db"]


def nanoseconds(text):
    whole, part = text.strip().split(".")
    return int(whole) * 1000 + int(part)


def microseconds(ns):
    return float(ns // 1000) + ns % 1000 / 1000.0


def merged(spans):
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def length(spans):
    return sum(end - begin for begin, end in spans)


def common(a, b):
    return sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x in a for y in b)


@tap.once_test
class ChainTest(NpuTest):
    """One run, whose results are all checked."""

    def run_chain(self):
        self.made = Script(400)
        _, base = self.play(self.made.lines(), ":profiler_level=Level2", flags=EXPORTS)
        self.base = base
        self.made.kernels = self.take_recorded_begins("device_task", self.made.kernels, 4, 5)
        self.made.comms = self.take_recorded_begins("comm_op", self.made.comms, 3, 8)
        self.made.calls = self.take_recorded_begins("api_call", self.made.calls, 3, 4)

    def take_recorded_begins(self, table, made, name, begin):
        """Returns the script's events with the begins of the table; `name` and `begin` are positions in an event, and
        the duration follows the begin. The begins may differ by the time between two reads of
        clocks, and by a ns each ms: the rates of the clocks are measured."""
        rows = sorted((row["name"], row["duration"], row["begin"] - self.base) for row in self.rows(table))
        made = sorted(made, key=lambda event: (event[name], event[begin + 1], event[begin]))
        self.assertEqual([row[:2] for row in rows], [(MARK + event[name], event[begin + 1]) for event in made])
        for row, event in zip(rows, made):
            self.assertAlmostEqual(row[2], event[begin], delta=2000)
        return [event[:begin] + (row[2],) + event[begin + 1:] for row, event in zip(rows, made)]

    def test_results(self):
        self.run_chain()
        metadata = {row["name"]: row["value"] for row in self.rows("metadata")}
        self.assertEqual(metadata["npu_task.backend"], "mspti")
        self.assertIn("only backend=aclprof records these", metadata["npu_task.absent"])
        self.assertEqual(list(self.result().glob("PROF_*")), [])
        self.check_kernel_details()
        self.check_step_trace()
        self.check_api_statistic()
        self.check_links()
        self.check_trace()
        self.check_database()

    def expected_rows(self):
        rows = []
        for device, stream, _, kind, name, begin, duration in self.made.kernels:
            rows.append((device, self.base + begin, 0, duration, MARK + name, TYPES[kind],
                         str(stream)))
        for device, _, _, name, _, _, _, _, begin, duration in self.made.comms:
            rows.append((device, self.base + begin, 1, duration, MARK + name, "COMMUNICATION",
                         "N/A"))
        return sorted(rows, key=lambda row: row[:3])

    def check_kernel_details(self):
        expected, before = [], None
        for row in self.expected_rows():
            device, begin, _, duration, name, core, stream = row
            wait = "0"
            if before and before[0] == device:
                waited = (microseconds(begin) - microseconds(before[1])
                          - round(before[3] / 1000, 3))
                wait = "%.6f" % max(waited, 0)
            before = row
            expected.append({
                "Device_id": str(device), "Stream ID": stream, "Name": name,
                "Accelerator Core": core, "Start Time(us)": begin,
                "Duration(us)": "%.3f" % (duration / 1000), "Wait Time(us)": wait,
                "Type": "N/A", "Block Num": "0", "Task ID": "N/A", "Input Shapes": "N/A",
            })
        rows = [
            {key: nanoseconds(value) if key.startswith("Start") else value
             for key, value in row.items() if key in expected[0]}
            for row in self.csv("kernel_details")
        ]
        key = lambda row: (row["Device_id"], row["Start Time(us)"], row["Name"])  # noqa: E731
        self.assertEqual(sorted(rows, key=key), sorted(expected, key=key))

    def check_step_trace(self):
        for row in self.csv("step_trace_time"):
            device = int(row["Device_id"])
            computing = merged((k[5], k[5] + k[6]) for k in self.made.kernels if k[0] == device)
            comm = merged((c[8], c[8] + c[9]) for c in self.made.comms if c[0] == device)
            both = common(computing, comm)
            all_of = merged(map(tuple, computing + comm))
            stage = all_of[-1][1] - all_of[0][0]
            for column, value in {
                "Computing": length(computing), "Communication": length(comm), "Overlapped": both,
                "Communication(Not Overlapped)": length(comm) - both,
                "Stage": stage, "Free": stage - length(all_of),
            }.items():
                # each span has two doubles of microseconds, which have a resolution of a quarter
                self.assertAlmostEqual(float(row[column]), value / 1000,
                                       delta=0.25 * (len(computing) + len(comm)), msg=column)
        self.assertEqual(len(self.csv("step_trace_time")), 2)

    def check_api_statistic(self):
        counts = {}
        for kind, _, _, name, _, duration in self.made.calls:
            level = {10: "acl", 11: "node", 12: "runtime"}[kind]
            count, total = counts.get((level, MARK + name), (0, 0))
            counts[level, MARK + name] = count + 1, total + duration
        rows = {
            (row["Level"], row["API Name"]): (int(row["Count"]), float(row["Time(us)"]) * 1000)
            for row in self.csv("api_statistic")
        }
        self.assertEqual(set(rows), set(counts))
        for key, (count, total) in counts.items():
            self.assertEqual(rows[key][0], count)
            self.assertAlmostEqual(rows[key][1], total, delta=1)

    def check_links(self):
        """The id of each kernel is that of the three calls that launched it, and of no other
        call."""
        calls = {}
        for row in self.rows("api_call"):
            calls.setdefault(row["connection"], []).append((row["level"], row["begin"] - self.base))
        by_number = {}
        for kind, _, number, name, begin, _ in self.made.calls:
            if name != "aclrtQueryStream":
                level = {10: "acl", 11: "node", 12: "runtime"}[kind]
                by_number.setdefault(number, []).append((level, begin))
        numbers = {(k[1], k[5]): k[2] for k in self.made.kernels}
        tasks = self.rows("device_task")
        self.assertEqual(len(numbers), len(self.made.kernels), "the script is ambiguous")
        self.assertEqual(len(tasks), len(self.made.kernels))
        for row in tasks:
            number = numbers[row["stream"], row["begin"] - self.base]
            self.assertEqual(sorted(calls[row["connection"]]), sorted(by_number[number]))
        counted = next(row for row in self.rows("correlation") if row["name"] == "api_to_task")
        self.assertEqual(counted["linked"], len(self.made.kernels) + len(self.made.comms))
        for trouble in ("orphan_effect", "ambiguous", "violations", "unchecked"):
            self.assertEqual(counted[trouble], 0, trouble)

    def check_trace(self):
        events = self.trace()
        layers = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        kernels = [e for e in events if e["ph"] == "X" and layers[e["pid"]] == "Ascend Hardware"]
        told = sorted(((nanoseconds(e["ts"]), e["name"], e["args"].get("Task Type")) for e in kernels), key=repr)
        expected = sorted((
            (self.base + k[5], MARK + k[4],
             None if k[3] == "-" else k[3] if TYPES[k[3]] == "N/A" else TYPES[k[3]])
            for k in self.made.kernels
        ), key=repr)
        self.assertEqual(told, expected)
        calls = [e for e in events if e["ph"] == "X" and layers[e["pid"]] == "CANN"]
        self.assertEqual(len(calls), len(self.made.calls))
        for phase in "sf":
            flow_events = [e for e in events if e["ph"] == phase and e["cat"] == "HostToDevice"]
            self.assertEqual(len(flow_events), len(self.made.kernels) + len(self.made.comms), phase)

    def check_database(self):
        path = next(self.result().glob("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler*.db"))
        with sqlite3.connect(path) as database:
            tasks = database.execute(
                "select t.startNs, t.endNs, t.deviceId, t.streamId, n.value from TASK t "
                "join COMPUTE_TASK_INFO c on c.globalTaskId = t.globalTaskId "
                "join STRING_IDS n on n.id = c.name"
            ).fetchall()
            ops = database.execute("select startNs, endNs, count from COMMUNICATION_OP").fetchall()
            n_calls, = database.execute("select count(*) from CANN_API").fetchone()
        expected = [(self.base + k[5], self.base + k[5] + k[6], k[0], k[1], MARK + k[4])
                    for k in self.made.kernels]
        self.assertEqual(sorted(tasks), sorted(expected))
        self.assertEqual(sorted(ops), sorted((self.base + c[8], self.base + c[8] + c[9], c[7])
                                             for c in self.made.comms))
        self.assertEqual(n_calls, len(self.made.calls))


class OperatorTest(NpuTest):
    @unittest.skipUnless(has_torch(), "needs PyTorch")
    def test_kernels_are_their_operators(self):
        script = self.script("operators.py", OPERATORS)
        self.record(PYTHON, script, collect=["npu_task", "cpu_op"], flags=["--export", "csv"])
        told = [
            tuple(float(row[column]) for column in
                  ("Device Self Duration(us)", "Device Self Duration With AICore(us)"))
            for row in self.csv("operator_details") if row["Name"] == "launching::sleep"
        ]
        self.assertEqual(told, [(0, 0)] + [(i, i if i % 2 else 0) for i in range(1, 6)])


@tap.once_test
class WindowsTest(NpuTest):
    def test_windows(self):
        """Each kernel is in its own window, once, and the process does not grow."""
        n = int(os.environ.get("STROBE_TEST_KERNELS", "200000"))
        n_windows = int(os.environ.get("STROBE_TEST_WINDOWS", "20"))
        self.out.mkdir()
        environment = dict(self.environment, STROBE_PLUGIN_PATH=str(BUILD / "plugins"))
        done = subprocess.run(
            [program("npu-windows"), self.out, str(n), str(n_windows)], env=environment,
            capture_output=True, text=True, timeout=TIMEOUT,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        words = done.stdout.split()
        self.assertEqual(int(words[1]), n)
        early, late = map(int, words[3:])
        self.assertLess(late - early, 16 << 20)


@tap.once_test
class RecordsTest(NpuTest):
    def kernels_of(self, made, base):
        return sorted((base + k[5], base + k[5] + k[6], MARK + k[4]) for k in made.kernels)

    def check_all_there(self, wrong, options=""):
        made = Script(300, seed=3)
        lines = list(made.lines())
        _, base = self.play(lines, options, wrong=wrong)
        rows = sorted((row["begin"], row["begin"] + row["duration"], row["name"])
                      for row in self.rows("device_task"))
        shift = rows[0][0] - self.kernels_of(made, base)[0][0]
        kernels = self.kernels_of(made, base + shift)
        self.assertEqual([row[2] for row in rows], [kernel[2] for kernel in kernels])
        for row, kernel in zip(rows, kernels):  # the clocks drift by a ns if this takes long
            self.assertAlmostEqual(row[0], kernel[0], delta=1000)
            self.assertAlmostEqual(row[1], kernel[1], delta=1000)
        self.assertEqual(len(self.rows("comm_op")), len(made.comms))

    def test_buffers_half_full(self):
        self.check_all_there("half", ":buffer_size=64KB")

    def test_buffers_from_another_thread(self):
        self.check_all_there("thread")

    def test_told_late(self):
        """The tasks are reported after the window's end, but before it is sealed."""
        self.check_all_there("lag=300")

    def test_told_too_late(self):
        """No task is in the window, and the result says so."""
        # The window's end waits for 2 s, and on a busy machine it takes longer.
        self.play(Script(50).lines(), ":profiler_level=Level0", wrong="lag=20000")
        self.assertEqual(self.records_of(self.result(), "device_task"), 0)
        self.assertEqual(self.records_of(self.result(), "api_call"), 50)
        info = self.json("info", self.result())[0]
        self.assertEqual(info["lost"]["late"], 50)
        self.assertIn("The tasks of 50 launches were not reported within the time", self.log())

    def test_marks(self):
        made = [
            "sleep 3",
            "marker 16 0 7 4711 70001 forward train 800000",
            "marker 16 1 7 1 3 - - 1490000",
            "marker 32 0 7 4711 70002 - - 1250000",
            "marker 32 1 7 1 3 - - 1700000",
            "marker 1 0 8 4711 70001 tick default 820000",
            "marker 2 0 9 4711 70001 open default 830000",
            "marker 4 0 10 4711 70001 - - 840000",
        ]
        _, base = self.play(made, ":profiler_level=Level_none")
        marks = {row["begin"] - base: row for row in self.rows("marker")}
        shift = min(marks) - 800000
        self.assertLess(abs(shift), 2000)
        # in us, because the rates of the clocks are measured
        marks = {round(begin - shift, -3): row for begin, row in marks.items()}
        self.assertEqual(sorted(marks), [800000, 830000, 1490000])
        self.assertEqual({marks[at]["name"] for at in (800000, 1490000)}, {MARK + "forward"})
        self.assertEqual({marks[at]["marker.domain"] for at in (800000, 1490000)}, {"train"})
        self.assertEqual(marks[800000]["duration"], 450000)
        self.assertEqual(marks[1490000]["duration"], 210000)
        self.assertEqual(marks[800000]["marker.connection"], marks[1490000]["marker.connection"])
        instant, = self.rows("marker_instant")
        self.assertEqual((instant["name"], instant["marker.domain"]), (MARK + "tick", "default"))
        self.assertIn("1 ends of marks have no begin", self.log())

    def test_beside_the_collector_marker(self):
        """Both collectors declare the kinds of marks; npu_task leaves the host's marks to the
        collector marker."""
        made = ["sleep 2", "marker 2 0 7 4711 70001 forward train 800000",
                "marker 4 0 7 4711 70001 - - 900000"]
        self.play(made, collect=["marker"])
        self.assertEqual(self.records_of(self.result(), "marker"), 0)
        self.assertNotIn("Cannot declare", self.log())

    def test_external_ids(self):
        made = ["sleep 2", "api 11 70001 1 launch 100000 1000", "external 2 4711 1",
                "kernel 0 3 1 KERNEL_AICORE mm 200000 1000"]
        self.play(made, ":external_ids=true")
        row, = self.rows("npu_task.external_id")
        task, = self.rows("device_task")
        self.assertEqual((row["id"], row["sort"], row["connection"]),
                         (4711, 2, task["connection"]))

    def test_external_ids_of_two_threads_are_refused(self):
        made = ["sleep 2", "api 11 70001 1 launch 100000 1000", "api 11 70002 2 launch 100000 1000",
                "external 2 4711 1", "external 2 4712 2"]
        self.play(made, ":external_ids=true")
        self.assertEqual(self.records_of(self.result(), "npu_task.external_id"), 0)
        self.assertIn("2 external ids are not recorded: more than one thread launches", self.log())

    def test_collectives_are_told_once(self):
        made = ["sleep 2", "comm 0 9 2 hcom_send group0 RING 4 16 100000 5000",
                "hccl 0 9 hcom_send group0 12.5 100000 5000"]
        self.play(made, ":activities=hccl+communication,backend=auto")
        self.assertEqual(len(self.rows("comm_op")), 1)
        self.assertIn("hccl is ignored", self.log())

    def test_tables_of_what_is_known(self):
        """MSPTI does not report the operator types of kernels and the transfers of operations."""
        made = ["sleep 2", "kernel 0 3 1 KERNEL_AICORE mm 200000 1000",
                "kernel 0 3 2 KERNEL_AICORE mm 300000 3000",
                "kernel 0 3 3 KERNEL_AIVEC add 310000 500",
                "kernel 0 3 5 KERNEL_MIX_AIC attention 320000 200",
                "comm 0 9 4 hcom_allReduce__1 group0 RING 4 16 400000 5000"]
        self.play(made, flags=["--export", "csv", "--export", "comm_json"])
        self.assertEqual(
            [(row["OP Type"], row["Core Type"], row["Count"], float(row["Total Time(us)"]))
             for row in self.csv("op_statistic")],
            [(MARK + "mm", "AI_CORE", "2", 4.0), (MARK + "add", "AI_VECTOR_CORE", "1", 0.5),
             (MARK + "attention", "MIX_AIC", "1", 0.2)])
        mixed = {row["Name"][len(MARK):]: row["Mix Block Num"] for row in self.csv("kernel_details")}
        self.assertEqual(mixed, {"mm": "0", "add": "0", "attention": "N/A",
                                 "hcom_allReduce__1": "N/A"})
        with open(self.result() / "ASCEND_PROFILER_OUTPUT" / "communication.json") as file:
            (step,) = json.load(file).values()
        (name, told), (_, total) = step["collective"].items()
        self.assertTrue(name.startswith(MARK + "hcom_allReduce__1@"), name)
        for times in told, total:
            times = times["Communication Time Info"]
            self.assertEqual((times["Elapse Time(ms)"], times["Transit Time(ms)"]), (0.005, 0))

    def test_memory_where_preloaded(self):
        self.preload(self.environment["ASCEND_HOME_PATH"] + "/lib64/libmspti.so")
        made = ["sleep 2", "memory 0 1 4294967295 4096 1000 100000 5000",
                "memory 1 1 4294967295 4096 1000 200000 5000",
                "memcpy 1 3 5 2 4096 1 300000 7000", "memset 1 3 6 255 512 0 400000 8000",
                "hccl 1 3 hcom_send group0 12.5 500000 9000"]
        self.play(made, ":activities=memory+memset+memcpy+hccl")
        events = self.rows("memory_event")
        self.assertEqual([(row["address"], row["size"], row["action"], row["device"])
                          for row in events], [(4096, 1000, 0, 1), (4096, -1000, 1, 1)])
        copy, = self.rows("npu_task.memcpy")
        self.assertEqual((copy["bytes"], copy["direction"], copy["duration"], copy["is_async"]),
                         (4096, "host to device", 7000, True))
        settled, = self.rows("npu_task.memset")
        self.assertEqual((settled["value"], settled["bytes"]), (255, 512))
        op, = self.rows("comm_op")
        self.assertEqual((op["name"], op["group"]), (MARK + "hcom_send", "group0"))


if __name__ == "__main__":
    import unittest

    unittest.main()
