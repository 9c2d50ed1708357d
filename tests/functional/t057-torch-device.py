# SPDX-License-Identifier: Apache-2.0
"""PyTorch operators that work on an OpenCL device: the operator that caused each task, and its
duration.

The expected values come from the device's reports to the program itself, from the records of calls
and tasks, and from the rules of the formats, which are computed here again.
"""

import atexit
import collections
import csv
import functools
import os
import pathlib
import shutil
import sqlite3
import tempfile
import unittest

from support import (
    PYTHON,
    StrobeTest,
    find_torch_device,
    has_torch,
    needs_python,
    program,
)
from trace_file import trace_events

EXTENSION = find_torch_device()
HAS_POCL = os.path.exists(EXTENSION) and pathlib.Path("/etc/OpenCL/vendors/pocl.icd").exists()
SCALE, OUTER = "strobe_test::scale", "strobe_test::outer"
ACTIVE = (1, 2)
TASKS = 3  # tasks of an operator: a copy to the device, a kernel, a copy back

TRAINING = """
import sys, threading, torch
torch.ops.load_library(sys.argv[1])
ops = torch.ops.strobe_test

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return ops.scale(x, 2.0)

    @staticmethod
    def backward(ctx, gradient):
        return ops.scale(gradient, 2.0)

x = torch.ones(4096, requires_grad=True)
optimizer = torch.optim.SGD([x], lr=0.001)
for step in range(4):
    other = threading.Thread(target=ops.outer, args=(torch.ones(64),))
    other.start()
    Scale.apply(x).sum().backward()
    ops.outer(x.detach())
    other.join()
    print("step", step, flush=True)
    optimizer.step()
"""


class Told:
    """An operator as the program reports it."""

    def __init__(self, name, thread, step):
        self.name, self.thread, self.step = name, thread, step
        self.tasks, self.inner = [], []  # tasks: (command, begin, end) on the device's clock

    @property
    def self_ns(self):
        return sum(end - begin for _, begin, end in self.tasks)

    @property
    def total_ns(self):
        return self.self_ns + sum(op.self_ns for op in self.inner)


def read_told(text):
    """The operators in the order of their ends, with the step to which each belongs."""
    waiting, told = [], []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["task"]:
            _, name, command, thread, begin, end = words
            if command == "write":
                waiting.append(Told(name, int(thread), None))
            op = next(op for op in reversed(waiting) if op.thread == int(thread))
            op.tasks.append((command, int(begin), int(end)))
        elif words[:1] == ["step"]:
            for op in waiting:
                op.step = int(words[1])
            told += waiting
            waiting = []
    threads = collections.defaultdict(list)
    for op in told:
        threads[op.thread].append(op)
    # an outer operator has one inner operator before and one after its own work
    for ops in threads.values():
        for i, op in enumerate(ops):
            if op.name == OUTER:
                op.inner = [ops[i - 1], ops[i + 1]]
    return told


def union(spans):
    """Sorts the spans and joins those that touch."""
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


@functools.lru_cache(maxsize=None)
def kernel_cache():
    """Compiled kernels are kept for all tests, because compiling them takes most of the time."""
    folder = tempfile.mkdtemp(prefix="strobe-pocl-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class DeviceTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.environment["POCL_CACHE_DIR"] = kernel_cache()


@needs_python
@unittest.skipUnless(HAS_POCL, "no PoCL, or no libtorch-dev or ocl-icd-opencl-dev at the build")
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class AloneTest(DeviceTest):
    def test_no_other_collector(self):
        """The device's collector alone makes Strobe record a process with PyTorch."""
        script = self.work / "once.py"
        script.write_text(
            "import sys, torch\n"
            "torch.ops.load_library(sys.argv[1])\n"
            "torch.ops.strobe_test.scale(torch.ones(4), 2.0)\n"
        )
        self.record(PYTHON, script, EXTENSION, collect=["opencl"])
        info = self.strobe("info", self.result()).stdout
        self.assertEqual(self.records_of(self.result(), "device_task"), TASKS, info)


@needs_python
@unittest.skipUnless(HAS_POCL, "no PoCL, or no libtorch-dev or ocl-icd-opencl-dev at the build")
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class TorchDeviceTest(DeviceTest):
    def setUp(self):
        super().setUp()
        script = self.work / "train.py"
        script.write_text(TRAINING)
        done = self.record(
            PYTHON,
            script,
            EXTENSION,
            collect=["opencl", "cpu_op"],
            flags=["--schedule", "wait=1,active=2,repeat=1"],
        )
        self.told = [op for op in read_told(done.stdout) if op.step in ACTIVE]
        self.output = self.result() / "ASCEND_PROFILER_OUTPUT"

    def rows(self, table):
        return self.json("show", self.out, "--table", table, "--limit", "100000")[0]["rows"]

    def csv(self, name):
        with open(self.output / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_all(self):
        """One run for all checks, because loading PyTorch takes long."""
        self.assertEqual(len(self.told), 16)
        tasks = {row["opencl.start"]: row for row in self.rows("device_task")}
        calls = {row["connection"]: row for row in self.rows("api_call") if row["connection"]}
        trace = trace_events((self.output / "trace_view.json").read_text())
        self.check_tasks(tasks)
        self.check_links()
        self.check_flow_events(tasks, calls, trace)
        self.check_operators()
        ranges = self.step_ranges(tasks, calls)
        self.check_kernels(tasks, ranges)
        self.check_steps(tasks, ranges)
        self.check_statistics()
        self.check_database()

    def check_tasks(self, tasks):
        """Each command occurs once, with the duration that the device reported."""
        self.assertEqual(
            {
                (start, row["duration"]) for start, row in tasks.items()
            },
            {(begin, end - begin) for op in self.told for _, begin, end in op.tasks},
        )

    def check_links(self):
        rows = {row["name"]: row for row in self.json("info", self.out)[0]["correlation"]}
        n = TASKS * len(self.told)
        for name in ("api_to_task", "operator_to_api"):
            counts = [
                rows[name][key]
                for key in ("linked", "orphan_effect", "ambiguous", "violations", "unchecked")
            ]
            self.assertEqual(counts, [n, 0, 0, 0, 0], name)
        self.assertEqual(rows["api_to_task"]["source"], "opencl")

    def check_flow_events(self, tasks, calls, trace):
        """Arrows lead from the operator and from the call to each task; the call lies in this
        operator, on its thread."""
        spans = collections.defaultdict(list)
        for event in trace:
            if event["ph"] == "X":
                spans[event["pid"], event["tid"], event["ts"]].append(event)
        flows = collections.defaultdict(dict)
        for event in trace:
            if event["ph"] in "sf" and event["cat"] in ("async_npu", "HostToDevice"):
                place = event["pid"], event["tid"], event["ts"]
                key = event["cat"], str(event["id"])
                self.assertNotIn(event["ph"], flows[key])
                flows[key][event["ph"]] = place
        causes = {"async_npu": {}, "HostToDevice": {}}
        for (category, _), ends in flows.items():
            self.assertEqual(set(ends), {"s", "f"}, category)
            causes[category][ends["f"]] = ends["s"]
        seen = collections.Counter()
        for event in trace:
            place = event.get("pid"), event.get("tid"), event.get("ts")
            if event["ph"] != "X" or place not in causes["async_npu"]:
                continue
            ops = spans[causes["async_npu"][place]]
            launches = spans[causes["HostToDevice"][place]]
            op = next(op for op in ops if op["name"].startswith("strobe_test::"))
            launch = next(call for call in launches if call["name"].startswith("clEnqueue"))
            self.assertEqual(op["tid"], launch["tid"])
            self.assertLessEqual(float(op["ts"]), float(launch["ts"]))
            # Present times are doubles with a resolution of 0.25 us, in JavaScript and here.
            self.assertGreaterEqual(
                float(op["ts"]) + op["dur"] + 0.5, float(launch["ts"]) + launch["dur"]
            )
            seen[op["name"], op["tid"]] += 1
        expected = collections.Counter()
        for op in self.told:
            expected[op.name, op.thread] += TASKS
        self.assertEqual(seen, expected)
        self.assertEqual(len(calls), TASKS * len(self.told))
        self.assertEqual({row["connection"] for row in tasks.values()}, set(calls))

    def check_operators(self):
        found = collections.Counter(
            (
                row["Name"],
                round(float(row["Device Self Duration(us)"]), 3),
                round(float(row["Device Total Duration(us)"]), 3),
            )
            for row in self.csv("operator_details.csv")
            if row["Name"].startswith("strobe_test::")
        )
        expected = collections.Counter(
            (op.name, round(op.self_ns / 1000, 3), round(op.total_ns / 1000, 3))
            for op in self.told
        )
        self.assertEqual(found, expected)
        others = [
            row
            for row in self.csv("operator_details.csv")
            if row["Name"].startswith("aten::") and float(row["Device Total Duration(us)"])
        ]
        self.assertEqual(others, [])

    def step_ranges(self, tasks, calls):
        """Returns number -> (begin, end, begin on the host). A range reaches from the task of the
        first launch to the task of the last launch, or to the step's own end."""
        ranges = {}
        by_call = {row["connection"]: row for row in tasks.values()}
        for step in self.rows("step"):
            begin, end = step["begin"], step["begin"] + step["duration"]
            within = sorted(
                (call["begin"], connection)
                for connection, call in calls.items()
                if begin <= call["begin"] < end
            )
            first, last = by_call[within[0][1]], by_call[within[-1][1]]
            ranges[step["number"]] = (
                first["begin"],
                max(end, last["begin"] + last["duration"]),
                begin,
            )
        self.assertEqual(sorted(ranges), list(ACTIVE))
        return ranges

    def check_kernels(self, tasks, ranges):
        """Each kernel occurs once in kernel_details.csv, in its step, with the duration that the
        program saw."""
        found = collections.Counter(
            (row["Name"], row["Duration(us)"], row["Step Id"])
            for row in self.csv("kernel_details.csv")
        )
        expected = collections.Counter(
            (command, "%d.%03d" % divmod(end - begin, 1000), str(op.step))
            for op in self.told
            for command, begin, end in op.tasks
            if command in ("scale", "shift")
        )
        self.assertEqual(found, expected)
        for op in self.told:
            for _, begin, _ in op.tasks:
                low, high, _ = ranges[op.step]
                self.assertTrue(low <= tasks[begin]["begin"] <= high)

    def check_steps(self, tasks, ranges):
        spans = [(row["begin"], row["begin"] + row["duration"]) for row in tasks.values()]
        busy = union(
            (row["begin"], row["begin"] + row["duration"])
            for row in tasks.values()
            if row["is_kernel"]
        )
        low, high = min(begin for begin, _ in spans), max(end for _, end in spans)
        edges = [low] + [edge for span in busy for edge in span] + [high]
        free = [(a, b) for a, b in zip(edges[::2], edges[1::2]) if b > a]
        rows = {int(row["Step"]): row for row in self.csv("step_trace_time.csv")}
        self.assertEqual(sorted(rows), list(ACTIVE))
        for number, (begin, end, host_begin) in ranges.items():
            computing = [span for span in busy if begin <= span[0] < end]
            idle = [span for span in free if begin <= span[0] < end]
            both = computing + idle
            expected = {
                "Computing": sum(b - a for a, b in computing),
                "Free": sum(b - a for a, b in idle),
                "Stage": max(b for _, b in both) - min(a for a, _ in both),
                "Preparing": min(a for a, _ in computing) - host_begin,
                "Communication": 0,
                "Overlapped": 0,
                "Bubble": 0,
            }
            for name, value in expected.items():
                # The format's times are doubles with a resolution of 0.25 us.
                self.assertAlmostEqual(float(rows[number][name]), value / 1000, delta=0.6, msg=name)
            told = sum(
                end - begin
                for op in self.told
                if op.step == number
                for command, begin, end in op.tasks
                if command in ("scale", "shift")
            )
            self.assertAlmostEqual(float(rows[number]["Computing"]), told / 1000, places=3)

    def check_statistics(self):
        kernels = collections.Counter(
            command for op in self.told for command, _, _ in op.tasks if command in ("scale", "shift")
        )
        found = {row["OP Type"]: int(row["Count"]) for row in self.csv("op_statistic.csv")}
        self.assertEqual(found, kernels)
        api = {row["API Name"]: int(row["Count"]) for row in self.csv("api_statistic.csv")}
        self.assertEqual(api["clEnqueueNDRangeKernel"], len(self.told))

    def check_database(self):
        path = self.output / "ascend_pytorch_profiler.db"
        if not path.exists():
            return  # Strobe was built without SQLite
        base = sqlite3.connect("file:%s?immutable=1" % path, uri=True)

        def values(query):
            return [row[0] for row in base.execute(query)]

        n = TASKS * len(self.told)
        self.assertEqual(values("SELECT count(*) FROM TASK"), [n])
        self.assertEqual(
            values(
                "SELECT count(*) FROM TASK JOIN CANN_API USING (connectionId) "
                "JOIN STRING_IDS ON STRING_IDS.id = CANN_API.name WHERE value LIKE 'clEnqueue%'"
            ),
            [n],
        )
        self.assertEqual(
            collections.Counter(
                values(
                    "SELECT value FROM COMPUTE_TASK_INFO JOIN TASK USING (globalTaskId) "
                    "JOIN STRING_IDS ON STRING_IDS.id = COMPUTE_TASK_INFO.name"
                )
            ),
            collections.Counter(
                command
                for op in self.told
                for command, _, _ in op.tasks
                if command in ("scale", "shift")
            ),
        )
        self.assertEqual(
            sorted(values("SELECT endNs - startNs FROM TASK")),
            sorted(end - begin for op in self.told for _, begin, end in op.tasks),
        )


if __name__ == "__main__":
    unittest.main()
