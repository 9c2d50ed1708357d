# SPDX-License-Identifier: Apache-2.0
"""clpeak, an existing program that measures OpenCL devices, on PoCL."""

import collections
import csv
import pathlib
import re
import shutil
import unittest

from support import PROGRAMS, StrobeTest

HAS_POCL = pathlib.Path("/etc/OpenCL/vendors/pocl.icd").exists()
HAS_COLLECTOR = (PROGRAMS.parents[1] / "plugins" / "opencl.so").exists()


@unittest.skipUnless(HAS_COLLECTOR, "built without the OpenCL headers")
@unittest.skipUnless(HAS_POCL, "PoCL (pocl-opencl-icd) is not installed")
@unittest.skipUnless(shutil.which("clpeak"), "clpeak is not installed")
class ClpeakTest(StrobeTest):
    def test_kernel_latency(self):
        """clpeak prints the mean time from QUEUED to START of its launches, from its own events."""
        done = self.record(
            "clpeak", "--use-event-timer", "--kernel-latency", collect=["opencl"]
        )
        printed = float(re.search(r"launch latency : ([\d.]+) us", done.stdout).group(1))
        shown = self.json("show", self.out, "--table", "device_task", "--limit", "100000",
                          "--columns", "opencl.start,opencl.queued_ns,connection,is_kernel")
        tasks = sorted(shown[0]["rows"], key=lambda row: row["opencl.start"])
        kernels = [row for row in tasks if row["is_kernel"]]
        # Two launches come before the measured ones.
        measured = [row["opencl.queued_ns"] for row in kernels[2:]]
        self.assertGreaterEqual(len(measured), 1000)
        self.assertAlmostEqual(sum(measured) / len(measured) / 1000, printed, delta=0.02 * printed)

        path = self.result() / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
        with open(path, newline="") as file:
            names = collections.Counter(row["Name"] for row in csv.DictReader(file))
        self.assertEqual(sum(names.values()), len(kernels))
        with open(path.parent / "api_statistic.csv", newline="") as file:
            calls = {row["API Name"]: int(row["Count"]) for row in csv.DictReader(file)}
        self.assertEqual(calls["clEnqueueNDRangeKernel"], len(kernels))
        self.assertEqual(len({row["connection"] for row in tasks}), len(tasks))
