# SPDX-License-Identifier: Apache-2.0
"""The folder for temporary files is full: what cannot be kept there names it, whoever kept it."""

import os
import subprocess
import unittest

from support import BUILD, StrobeTest

HOSTILE = str(BUILD / "bench" / "hostile")


@unittest.skipUnless(os.path.exists(HOSTILE), "no benchmarks here")
class FullTmpDirTest(StrobeTest):
    def setUp(self):
        super().setUp()
        trace = self.work / "hostile.json"
        subprocess.run([HOSTILE, trace, "300000"], check=True)
        self.strobe("import", trace, "-o", self.out, "--export", "stacks")
        self.disk = self.work / "disk"
        self.disk.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", self.disk]
        if os.geteuid() or subprocess.run(words, capture_output=True).returncode:
            self.skipTest("no file system can be mounted")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk])

    def errors(self, exporter, *more):
        done = self.strobe("analyse", self.result(), "-o", self.work / exporter, "--export",
                           exporter, "--max-mem", "96M", "--tmp-dir", self.disk, *more, code=6)
        self.assertEqual(list(self.disk.iterdir()), [])
        return done.stderr

    def test_exporter(self):
        self.assertRegex(
            self.errors("chrome_trace", "--generation", "1"),  # whose events are put in order
            r'trace: file="trace_view\.json", folder=".*", or what is kept of it in the folder for '
            r"temporary files: %s: No space left on device" % self.disk)

    def test_pass(self):
        self.assertIn(
            "Cannot put allocations in order in the folder for temporary files: %s: No space left on "
            "device" % self.disk, self.errors("csv"))


if __name__ == "__main__":
    unittest.main()
