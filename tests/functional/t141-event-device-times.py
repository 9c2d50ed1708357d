# SPDX-License-Identifier: Apache-2.0
"""Device times of prof.events() and prof.key_averages(): of an NPU, with the test double of MSPTI,
and of OpenCL."""

import collections
import csv
import importlib.util
import json
import os
import pathlib
import subprocess
import unittest

from npu import HOME, MARK
from support import BUILD, PYTHON, TIMEOUT, StrobeTest, has_torch, needs_python

_spec = importlib.util.spec_from_file_location(
    "torch_device", pathlib.Path(__file__).with_name("t057-torch-device.py")
)
torch_device = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(torch_device)

DESCRIBE = """
def describe(prof, **options):
    def row(event):
        return {"name": event.key, "self": round(event.self_device_time_total, 3),
                "total": round(event.device_time_total, 3),
                "cuda": round(event.self_cuda_time_total, 3),
                "device": str(event.device_type), "count": event.count}
    averages = prof.key_averages()
    print("FOUND " + json.dumps({
        "events": [dict(row(event), kernels=event.kernels, index=event.device_index,
                        kind=event.activity_type) for event in prof.events()],
        "averages": [row(event) for event in averages],
        "table": averages.table(sort_by="self_cuda_time_total"),
        "per_event": prof.events().table(row_limit=-1),
        "sum": averages.total_average().self_device_time_total}), flush=True)
"""

NPU = (
    """
import ctypes, json, os, sys, threading, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
import torch
from strobe import profiler
Activity, record_function = profiler.ProfilerActivity, profiler.record_function
"""
    + DESCRIBE
    + """
def launch(name, us, device=0):
    mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    base, thread = ctypes.c_uint64(time.time_ns()), threading.get_native_id()
    for line in ("launch %d %d 3 KERNEL_AICORE %s 200 %d" % (thread, device, name, us * 1000),
                 "call 11 %d launch 0 100" % thread):
        assert mspti.mspti_double_play(line.encode(), base) == 0
    time.sleep(0.001)  # what is told has happened
handler = profiler.tensorboard_trace_handler(sys.argv[1])
activities = [Activity.CPU, Activity[sys.argv[2]]]
with profiler.profile(activities=activities, on_trace_ready=handler) as prof:
    for _ in range(2):
        with record_function("outer"):
            launch("a", 150)
            with record_function("inner"):
                launch("b", 100, 1)
describe(prof)
"""
)

OPENCL = (
    """
import json, sys, torch
from strobe import profiler
Activity = profiler.ProfilerActivity
"""
    + DESCRIBE
    + """
with profiler.profile(activities=[Activity.CPU, Activity.PrivateUse1]) as prof:
    torch.ops.load_library(sys.argv[1])
    for _ in range(3):
        torch.ops.strobe_test.outer(torch.ones(64))
print("step 0", flush=True)
describe(prof)
"""
)


class DeviceTimesTest(StrobeTest):
    def run_script(self, text, *arguments, **variables):
        environment = dict(
            self.environment,
            PYTHONPATH=str(BUILD / "python"),
            STROBE_PLUGIN_PATH=str(BUILD / "plugins"),
            **variables,
        )
        done = subprocess.run(
            [PYTHON, self.script("script.py", text), *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        found = next(line for line in done.stdout.splitlines() if line.startswith("FOUND "))
        return json.loads(found[len("FOUND ") :]), done.stdout


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class NpuTest(DeviceTimesTest):
    def check(self, found):
        rows = {row["name"]: row for row in found["averages"]}
        times = {name: (row["self"], row["total"], row["count"]) for name, row in rows.items()}
        self.assertEqual(times["outer"], (300.0, 500.0, 2))
        self.assertEqual(times["inner"], (200.0, 200.0, 2))
        self.assertEqual(times[MARK + "a"], (300.0, 300.0, 2))
        self.assertEqual(times[MARK + "b"], (200.0, 200.0, 2))
        self.assertEqual(rows["outer"]["cuda"], 300.0)
        self.assertNotEqual(rows[MARK + "a"]["device"], rows["outer"]["device"])
        kernels = {event["name"]: event["kernels"] for event in found["events"]}
        self.assertEqual(kernels["inner"], [[MARK + "b", 1, 100.0]])
        indices = {e["name"]: e["index"] for e in found["events"] if e["kind"] == "kernel"}
        self.assertEqual(indices, {MARK + "a": 0, MARK + "b": 1})

    def check_table(self, text):
        lines = text.splitlines()
        self.assertRegex(lines[1], r"Self (CUDA|NPU) +Self (CUDA|NPU) % +(CUDA|NPU) total")
        self.assertIn("300.000us        60.00%     500.000us     250.000us", lines[3] + lines[4])
        self.assertRegex(lines[-1], r"Self (CUDA|NPU) time total: 500.000us")

    def test_operators_and_kernels(self):
        found, _ = self.run_script(NPU, self.out, "NPU", ASCEND_HOME_PATH=str(HOME))
        self.check(found)
        self.check_table(found["table"])
        (path,) = self.out.glob("*/ASCEND_PROFILER_OUTPUT/operator_details.csv")
        with open(path, newline="") as file:
            totals = [
                (row["Name"], float(row["Device Self Duration(us)"]),
                 float(row["Device Total Duration(us)"]))
                for row in csv.DictReader(file)
                if row["Name"] in ("outer", "inner")
            ]
        own = [
            (event["name"], event["self"], event["total"])
            for event in found["events"]
            if event["name"] in ("outer", "inner")
        ]
        self.assertEqual(sorted(own), sorted(totals))
        self.assertIn(("outer", 150.0, 250.0), own)

    def test_by_another_name(self):
        found, _ = self.run_script(NPU, self.out, "CUDA", ASCEND_HOME_PATH=str(HOME))
        self.check(found)


@needs_python
@unittest.skipUnless(torch_device.HAS_POCL, "no PoCL, or no libtorch-dev or ocl-icd-opencl-dev")
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class OpenclTest(DeviceTimesTest):
    def test_times_are_those_of_the_device(self):
        cache = {"POCL_CACHE_DIR": torch_device.kernel_cache()}
        found, output = self.run_script(OPENCL, torch_device.EXTENSION, **cache)
        told = torch_device.read_told(output)
        expected = collections.Counter(
            (op.name, round(op.self_ns / 1000, 3), round(op.total_ns / 1000, 3)) for op in told
        )
        own = collections.Counter(
            (event["name"], round(event["self"], 3), round(event["total"], 3))
            for event in found["events"]
            if event["name"].startswith("strobe_test::")
        )
        self.assertEqual(own, expected)
        total_us = sum(op.self_ns for op in told) / 1000
        on_device = [event for event in found["events"] if event["kind"] in ("kernel", "gpu_memcpy")]
        self.assertAlmostEqual(sum(event["total"] for event in on_device), total_us, places=3)
        self.assertEqual(len(on_device), sum(len(op.tasks) for op in told))
        calls = [event for event in found["events"] if event["kind"] == "privateuse1_runtime"]
        self.assertIn("clEnqueueNDRangeKernel", {event["name"] for event in calls})
        totals = collections.Counter()  # PoCL's kernels run on the processors that are free
        for op in told:
            totals[op.name] += op.self_ns
        self.assertEqual(found["table"].splitlines()[3].split()[0], totals.most_common(1)[0][0])


if __name__ == "__main__":
    unittest.main()
