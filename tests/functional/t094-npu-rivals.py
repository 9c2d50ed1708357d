# SPDX-License-Identifier: Apache-2.0
"""Other profilers in the process of npu_task: which ones Strobe notices, and its messages about
them."""

import shutil
import unittest

from npu import NpuTest
from support import PROGRAMS

KERNEL = ["sleep 2", "kernel 0 3 1 KERNEL_AICORE mm 100000 400"]
MARKS = ["sleep 1", "mark tick 0", "sleep 1"]


class RivalTest(NpuTest):
    def setUp(self):
        super().setUp()
        for name in ("PROFILER_SAMPLECONFIG", "PROFILING_MODE", "MSTX_INJECTION_PATH"):
            self.environment.pop(name, None)

    def refused(self, message, options=""):
        """Strobe does not use MSPTI: the program finds that it is not loaded."""
        done, _ = self.play(KERNEL, options, collect=["gc"])
        self.assertIn("alone", done.stdout)
        self.assertIn(message, done.stderr + self.log())
        shutil.rmtree(self.out)

    def test_under_msprof(self):
        for name in ("PROFILER_SAMPLECONFIG", "PROFILING_MODE"):
            with self.subTest(name=name):
                self.environment[name] = "true"
                self.refused(name + " is set")
                self.refused(name + " is set", ":backend=aclprof")
                self.environment.pop(name)

    def test_the_profiler_of_torch_npu(self):
        self.preload(PROGRAMS / "libtorch_npu.so")
        self.environment["TORCH_NPU_DOUBLE"] = "runs"
        self.refused("the profiler of torch_npu runs in this process")
        self.refused("the profiler of torch_npu runs in this process", ":backend=aclprof")
        self.environment["TORCH_NPU_DOUBLE"] = "idle"
        self.play(KERNEL)
        self.assertEqual(self.records_of(self.result(), "device_task"), 1)
        self.assertNotIn("torch_npu", self.log())

    def test_nothing_is_told(self):
        """All calls succeed, but there are no records."""
        self.play(["sleep 1"])
        self.assertIn("MSPTI has reported nothing: if the program used an NPU, CANN reports to "
                      "another profiler", self.log())

    def test_another_tool_of_mstx(self):
        tool = self.work / "tool.so"
        tool.write_text("no library\n")
        self.environment["MSTX_INJECTION_PATH"] = str(tool)
        self.play(KERNEL)
        self.assertIn('they go to another tool of mstx: MSTX_INJECTION_PATH="%s"' % tool, self.log())
        shutil.rmtree(self.out)
        self.play(KERNEL, ":activities=kernel")
        self.assertNotIn("mstx", self.log())
        shutil.rmtree(self.out)
        self.environment["MSTX_INJECTION_PATH"] = str(self.work / "none.so")
        self.play(KERNEL)
        self.assertNotIn("mstx", self.log())

    def test_our_own_tool_of_mstx(self):
        self.play(MARKS, collect=["marker"])
        self.assertNotIn("another tool", self.log())

    def test_the_hook_of_operator_tools(self):
        self.preload("libascend_kernel_hook.so")
        self.play(KERNEL)
        self.assertIn("torch_npu makes no marks", self.log())


if __name__ == "__main__":
    unittest.main()
