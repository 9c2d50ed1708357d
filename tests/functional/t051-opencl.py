# SPDX-License-Identifier: Apache-2.0
"""Unchanged OpenCL programs on PoCL: they see the same as without Strobe, and their work is
recorded."""

import collections
import csv
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import TIMEOUT, StrobeTest, program
from trace_file import trace_events

PROGRAM = program("opencl-program")
ICDS = pathlib.Path("/etc/OpenCL/vendors")
HAS_POCL = os.path.exists(PROGRAM) and (ICDS / "pocl.icd").exists()


@unittest.skipUnless(HAS_POCL, "PoCL (pocl-opencl-icd) or ocl-icd-opencl-dev is not installed")
class OpenclTest(StrobeTest):
    @classmethod
    def setUpClass(cls):
        # All tests keep compiled kernels, because compiling them takes most of the time.
        cls.cache = tempfile.mkdtemp(prefix="strobe-pocl-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.cache, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.environment["POCL_CACHE_DIR"] = self.cache
        self.environment.pop("OPENCL_LAYERS", None)

    def alone(self, case):
        return subprocess.run(
            [PROGRAM, case], env=self.environment, capture_output=True, text=True, timeout=TIMEOUT
        )

    def both(self, case, options="", flags=(), exports=("csv",)):
        """Runs the program without Strobe and then with it: everything that the program sees is the
        same."""
        alone = self.alone(case)
        self.assertGreaterEqual(alone.returncode, 0, case)
        for name in exports:
            flags = [*flags, "--export", name]
        done = self.record(
            PROGRAM, case, collect=["opencl" + options], flags=flags, code=alone.returncode
        )
        kept = [
            [line for line in text.splitlines() if not line.startswith("time ")]
            for text in (alone.stdout, done.stdout)
        ]
        self.assertEqual(kept[0], kept[1])
        return done

    def kernels(self):
        """The rows of kernel_details.csv."""
        path = self.result() / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def counts(self):
        return collections.Counter((row["Name"], int(row["Stream ID"])) for row in self.kernels())

    def rows(self, table):
        return self.json("show", self.out, "--table", table, "--limit", "100000")[0]["rows"]

    def check_links(self):
        """Each task has one call, and begins no earlier than this call."""
        calls = {row["connection"]: row for row in self.rows("api_call") if row["connection"]}
        tasks = self.rows("device_task")
        clock = self.json("info", self.result())[0]["device_clocks"][0]
        error = clock["error_ns"] + clock["host_error_ns"]
        self.assertEqual(len({task["connection"] for task in tasks}), len(tasks))
        for task in tasks:
            call = calls[task["connection"]]
            self.assertRegex(call["name"], "^clEnqueue")
            if task["is_kernel"]:
                self.assertEqual(call["item"], task["name"])
            self.assertGreaterEqual(task["begin"], call["begin"] - error, task)


class WhatIsRecordedTest(OpenclTest):
    def test_times_of_the_program_itself(self):
        done = self.both("times")
        wanted = collections.Counter()
        for line in done.stdout.splitlines():
            if line.startswith("time "):
                _, name, queue, start, end = line.split()
                wanted[name, int(queue), int(end) - int(start)] += 1
        found = collections.Counter(
            (row["Name"], int(row["Stream ID"]), int(row["Duration(us)"].replace(".", "")))
            for row in self.kernels()
        )
        self.assertEqual(sum(wanted.values()), 8)
        self.assertEqual(found, wanted)
        self.check_links()
        starts = {int(row["opencl.start"]) for row in self.rows("device_task") if row["is_kernel"]}
        self.assertEqual(
            starts,
            {int(line.split()[3]) for line in done.stdout.splitlines() if line[:5] == "time "},
        )

    def test_work_sizes_and_waits(self):
        self.both("out-of-order")
        tasks = sorted(self.rows("device_task"), key=lambda row: row["opencl.start"])
        kernels = [row for row in tasks if row["is_kernel"]]
        self.assertEqual([row["name"] for row in kernels], ["scale", "grid", "scale"])
        grid = kernels[1]
        self.assertEqual(
            [grid[name] for name in ("opencl.global_size", "grid_dim", "block_dim", "block_num")],
            ["64,64,1", "8,16,1", "8,4,1", 128],
        )
        for row in tasks:
            self.assertGreaterEqual(row["opencl.queued_ns"], row["opencl.submit_ns"])
        self.check_links()

    def test_copies(self):
        self.both("copies")
        tasks = [
            (row["name"], row["copy_bytes"], row["copy_direction"])
            for row in sorted(self.rows("device_task"), key=lambda row: row["connection"])
        ]
        self.assertEqual(
            tasks,
            [
                ("MEMCPY_H2D", 16384, "host to device"),
                ("MEMSET", 1024, None),
                ("MEMCPY_D2D", 4096, "device to device"),
                ("MEMCPY_D2H", 1024, "device to host"),
                ("MAP", 512, None),
                ("UNMAP", None, None),
                ("MIGRATE", 16384, None),
                ("MEMCPY_H2D", 4096, "host to device"),
                ("MEMCPY_D2H", 4096, "device to host"),
                ("MAP", 4096, None),
                ("UNMAP", None, None),
            ],
        )
        output = self.result() / "ASCEND_PROFILER_OUTPUT"
        self.assertFalse((output / "kernel_details.csv").exists())
        self.check_links()

    def test_shared_memory(self):
        self.both("svm")
        names = [row["name"] for row in self.rows("device_task")]
        self.assertEqual(
            sorted(names), ["SVM_MAP", "SVM_MEMCPY", "SVM_MEMSET", "SVM_UNMAP"], names
        )

    def test_two_threads(self):
        self.both("threads")
        self.assertEqual(self.counts(), {("scale", 0): 50, ("scale", 1): 50})
        launches = collections.Counter(
            row["track"] for row in self.rows("api_call") if row["name"] == "clEnqueueNDRangeKernel"
        )
        self.assertEqual(sorted(launches.values()), [50, 50])
        self.check_links()

    def test_handles_that_are_used_again(self):
        self.both("churn")
        wanted = {("scale" if i % 2 == 0 else "add", i): 1 for i in range(40)}
        self.assertEqual(self.counts(), wanted)

    def test_tables(self):
        self.both("times", exports=("csv", "chrome_trace"))
        output = self.result() / "ASCEND_PROFILER_OUTPUT"
        with open(output / "op_statistic.csv", newline="") as file:
            rows = {row["OP Type"]: row for row in csv.DictReader(file)}
        total = {"add": 0, "scale": 0}
        for row in self.kernels():
            total[row["Name"]] += int(row["Duration(us)"].replace(".", ""))
        self.assertEqual({name: row["Count"] for name, row in rows.items()},
                         {"add": "5", "scale": "3"})
        for name, ns in total.items():
            self.assertEqual(round(float(rows[name]["Total Time(us)"]) * 1000), ns)
        with open(output / "api_statistic.csv", newline="") as file:
            calls = {row["API Name"]: row for row in csv.DictReader(file)}
        self.assertEqual(calls["clEnqueueNDRangeKernel"]["Count"], "8")
        self.assertEqual({row["Level"] for row in calls.values()}, {"opencl"})
        tracks = {track["name"] for track in self.json("info", self.result())[0]["tracks"]}
        self.assertLessEqual({"stream 0 (Queue 0)", "stream 1 (Queue 1)"}, tracks)
        trace = trace_events((output / "trace_view.json").read_text())
        layers = {
            event["args"]["name"]: event["pid"] for event in trace if event["name"] == "process_name"
        }
        own = [pid for name, pid in layers.items() if name.startswith("OpenCL ")]
        self.assertEqual(len(own), 1, layers)
        labels = {event["args"]["labels"] for event in trace if event["name"] == "process_labels"}
        self.assertEqual(labels, {"CPU", "Device 0"})  # there is no NPU
        drawn = [event["name"] for event in trace if event["ph"] == "X" and event["pid"] == own[0]]
        self.assertEqual(drawn.count("add"), 5)
        flow_events = [event for event in trace if event["ph"] == "f" and event["pid"] == own[0]]
        self.assertEqual(len(flow_events), len(drawn))


class WhatTheProgramSeesTest(OpenclTest):
    def test_queues_that_did_not_ask(self):
        self.both("unasked")
        self.assertEqual(self.counts(), {("scale", i): 2 for i in range(5)})

    def test_user_events_and_callbacks(self):
        self.both("user-event")
        self.assertEqual(self.counts(), {("scale", 0): 1})

    def test_context_that_is_released_early(self):
        self.both("early-release")
        self.assertEqual(self.counts(), {("add", 0): 21})

    def test_never_waits(self):
        self.both("never-waits")
        self.assertEqual(self.counts(), {("scale", 0): 1000})
        self.check_links()

    def test_never_asks(self):
        self.both("never-asks")
        self.assertEqual(self.counts(), {("scale", 0): 10})

    def test_exit_in_the_middle(self):
        done = self.both("exit")
        self.assertEqual(self.counts(), {("scale", 0): 10})
        self.assertIn("1 commands had not finished", done.stderr)

    def test_sudden_exit(self):
        self.both("sudden-exit")
        self.assertEqual(self.counts(), {("scale", 0): 10})

    def test_forked_child(self):
        self.both("fork")
        self.assertEqual(self.counts(), {("scale", 0): 2})

    def test_child_that_begins_by_itself(self):
        self.both("fork-first", flags=["--follow"])
        tasks = [self.json("info", path)[0]["kinds"]["device_task"] for path in self.results()]
        self.assertEqual(sorted(tasks), [2, 5])

    def test_functions_by_name(self):
        self.both("extension")
        self.assertEqual(self.counts(), {("scale", 0): 1})


class OptionsTest(OpenclTest):
    def test_no_profiling(self):
        done = self.both("unasked", ":profiling=off")
        self.assertEqual(self.counts(), {("scale", 3): 2})
        self.assertIn("8 commands of queues without profiling", done.stderr)

    def test_no_calls(self):
        self.both("times", ":calls=off")
        self.assertEqual(self.rows("api_call"), [])
        self.assertEqual(sum(self.counts().values()), 8)


class LayersTest(OpenclTest):
    """With a layer of the user, in child processes, and without a session."""

    def count_of(self, path):
        return int(path.read_text()) if path.exists() else None

    def test_layer_of_the_user(self):
        counted = self.work / "counted"
        self.environment["OPENCL_LAYERS"] = program("counting-layer.so")
        self.environment["COUNTING_LAYER_FILE"] = str(counted)
        self.alone("times")
        self.assertEqual(self.count_of(counted), 8)
        counted.unlink()
        self.both("times")
        self.assertEqual(self.count_of(counted), 8)
        self.assertEqual(sum(self.counts().values()), 8)

    def test_children(self):
        text = "%s times >times && %s svm >svm" % (PROGRAM, PROGRAM)
        self.record("sh", "-c", text, collect=["opencl"], flags=["--follow"])
        self.assertEqual(len(self.results()), 2)
        kernels = [self.json("info", path)[0]["kinds"]["device_task"] for path in self.results()]
        self.assertEqual(sorted(kernels), [4, 10])

    def test_layer_without_a_session(self):
        layer = pathlib.Path(PROGRAM).parents[2] / "plugins" / "opencl.so"
        alone = self.alone("unasked")
        self.environment["OPENCL_LAYERS"] = str(layer)
        self.assertEqual(self.alone("unasked").stdout, alone.stdout)

    def test_program_without_opencl(self):
        done = self.strobe("run", "-o", self.out, "--collect", "opencl", "--", "true")
        self.assertEqual(self.results(), [])
        self.assertIn("Nothing was recorded", done.stderr)


class ScheduleTest(OpenclTest):
    def test_flight_recorder(self):
        self.record(PROGRAM, "never-waits", collect=["opencl"], flags=["--buffer", "policy=ring"])
        self.assertEqual(self.counts(), {("scale", 0): 1000})
