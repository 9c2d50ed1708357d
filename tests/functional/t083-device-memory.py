# SPDX-License-Identifier: Apache-2.0
"""Memory of devices in a plain Python profile, without a preloaded library. The device is a test
double that reports like the allocators of devices."""

import csv
import subprocess
import unittest

from support import BUILD, PYTHON, StrobeTest, find_account, has_torch, needs_python
from trace_file import trace_events

LIBRARY = find_account()
SCRIPT = """
import ctypes, sys, torch
from torch.autograd import profiler as own
from strobe import profiler

report = ctypes.CDLL(%r).account_report
report.argtypes = [ctypes.c_size_t] + [ctypes.c_long] * 3 + [ctypes.c_int]
out = sys.argv[1]

def work():
    with torch.profiler.record_function("on the double"):
        report(64, 1 << 20, 1 << 20, 2 << 20, 1)
        report(128, 1 << 19, 3 << 19, 2 << 20, 1)
        report(64, -(1 << 20), 1 << 19, 2 << 20, 1)

with profiler.profile(profile_memory=True, record_shapes=True,
                      on_trace_ready=profiler.tensorboard_trace_handler(out)) as prof:
    with own.profile(profile_memory=True) as theirs:
        work()
print([each.nbytes() for each in theirs.kineto_results.events() if each.name() == "[memory]" and abs(each.nbytes()) > 4096])
print(next(row.self_device_memory_usage for row in prof.key_averages() if row.key == "on the double"))
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
@unittest.skipUnless(LIBRARY.exists(), "built without libtorch")
class DeviceMemoryTest(StrobeTest):
    def rows(self, name):
        with open(self.result() / "ASCEND_PROFILER_OUTPUT" / name, newline="") as file:
            return [row for row in csv.DictReader(file) if row["Device Type"] != "CPU"]

    def setUp(self):
        super().setUp()
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"), OMP_NUM_THREADS="1")
        script = self.script("double.py", SCRIPT % str(LIBRARY))
        done = subprocess.run([PYTHON, script, str(self.out)], env=environment,
                              capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.first, self.usage = done.stdout.splitlines()

    def test_results(self):
        # the program's profiler keeps PyTorch's slot
        self.assertEqual(self.first, "[1048576, 524288, -1048576]")
        pta = [row for row in self.rows("memory_record.csv") if row["Component"] == "PTA"]
        self.assertEqual(
            [(row["Total Allocated(MB)"], row["Total Reserved(MB)"], row["Device Type"])
             for row in pta],
            [("1.0", "2.0", "NPU:1"), ("1.5", "2.0", "NPU:1"), ("0.5", "2.0", "NPU:1")],
        )  # fmt: skip
        blocks = self.rows("operator_memory.csv")
        self.assertEqual(
            [(row["Name"], row["Size(KB)"], row["Release Total Allocated(MB)"]) for row in blocks],
            [("on the double", "1024.0", "0.5"), ("on the double", "512.0", "")],
        )
        output = self.result() / "ASCEND_PROFILER_OUTPUT"
        events = trace_events((output / "trace_view.json").read_text())
        counters = [each["args"] for each in events if each["name"] == "PyTorch Memory NPU 1"]
        self.assertEqual([each["Allocated(MB)"] for each in counters], [1.0, 1.5, 0.5])
        self.assertEqual(self.usage, "524288")


if __name__ == "__main__":
    unittest.main()
