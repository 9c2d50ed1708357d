# SPDX-License-Identifier: Apache-2.0
"""The device of a memory timeline if none is named. The device is a test double that reports like
the allocators of devices."""

import gzip
import json
import subprocess
import unittest

from support import BUILD, PYTHON, StrobeTest, find_account, has_torch, needs_python

LIBRARY = find_account()
SCRIPT = """
import ctypes, sys, torch
from strobe import profiler

report = ctypes.CDLL(%r).account_report
report.argtypes = [ctypes.c_size_t] + [ctypes.c_long] * 3 + [ctypes.c_int]

with profiler.profile(profile_memory=True, record_shapes=True, with_modules=True) as prof:
    kept = torch.ones(1000)
    if sys.argv[1] == "npu":
        report(64, 1 << 20, 1 << 20, 2 << 20, 0)
for device in (None, "cpu", "npu:0"):
    prof.export_memory_timeline("%%s.raw.json.gz" %% device, device)
"""


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
@unittest.skipUnless(LIBRARY.exists(), "built without libtorch")
class DeviceTimelineTest(StrobeTest):
    def export(self, which):
        """The sizes of the exported blocks, by the device that was named."""
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"), OMP_NUM_THREADS="1")
        script = self.script("double.py", SCRIPT % str(LIBRARY))
        subprocess.run([PYTHON, script, which], cwd=self.work, env=environment, check=True,
                       capture_output=True)  # fmt: skip
        found = {}
        for device in ("None", "cpu", "npu:0"):
            path = self.work / ("%s.raw.json.gz" % device)
            if path.exists():
                with gzip.open(path) as file:
                    found[device] = [size for _, action, size, _ in json.load(file) if action == 1]
        return found

    def test_npu_memory(self):
        self.assertEqual(self.export("npu"),
                         {"None": [1 << 20], "cpu": [4000], "npu:0": [1 << 20]})

    def test_none(self):
        self.assertEqual(self.export("cpu"), {"None": [4000], "cpu": [4000]})


if __name__ == "__main__":
    unittest.main()
