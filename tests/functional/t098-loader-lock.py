# SPDX-License-Identifier: Apache-2.0
"""Preloaded libraries must not need the loader's lock in a call of the program."""

import subprocess
import sys
import unittest

from support import BUILD, StrobeTest

SCRIPT = """
import ctypes
library = ctypes.CDLL(%r)
print("error", ctypes.c_int.in_dll(library, "waiting_constructor_error").value)
"""


class LoaderLockTest(StrobeTest):
    def check(self, preload):
        script = SCRIPT % str(BUILD / "tests" / "functional" / "waiting-constructor.so")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              env={"LD_PRELOAD": preload}, timeout=60)  # fmt: skip
        self.assertEqual(done.stdout, "error 0\n", done.stderr)

    def test_calls_that_may_wait(self):
        self.check(str(BUILD / "plugins" / "osrt-preload.so"))

    def test_heap(self):
        self.check(str(BUILD / "plugins" / "heap-preload.so"))

    def test_all_of_a_run(self):
        script = SCRIPT % str(BUILD / "tests" / "functional" / "waiting-constructor.so")
        done = self.record(sys.executable, "-c", script,
                           collect=["heap", "osrt", "memory"])  # fmt: skip
        self.assertIn("error 0\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
