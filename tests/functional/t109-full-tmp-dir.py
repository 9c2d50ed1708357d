# SPDX-License-Identifier: Apache-2.0
"""The folder for temporary files is full: every error about it names the folder."""

import os
import subprocess
import unittest

import tap
from support import BUILD, StrobeTest, without_sanitizer

HOSTILE = str(BUILD / "bench" / "hostile")


KERNELS = 500000
KERNEL = ('{"ph": "X", "cat": "kernel", "name": "k", "ts": %d, "dur": 1, "pid": 0, "tid": 7, '
          '"args": {"device": 0, "stream": 7, "correlation": %d}}')


class FullTmpDir(StrobeTest):
    def make_result(self, trace):
        """Makes a result of the trace, and a small disk for temporary files."""
        self.strobe("import", trace, "-o", self.out, "--export", "stacks")
        self.disk = self.work / "disk"
        self.disk.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", self.disk]
        if os.geteuid() or subprocess.run(words, capture_output=True).returncode:
            self.skipTest("no file system can be mounted")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk])

    def errors(self, exporter, *more):
        done = self.strobe("analyse", self.result(), "-o", self.work / exporter, "--export",
                           exporter, "--tmp-dir", self.disk, *more, code=6)
        self.assertEqual(list(self.disk.iterdir()), [])
        return done.stderr


class DatabaseTest(FullTmpDir):
    @tap.long_test
    def test_index(self):
        """SQLite sorts an index that is larger than its memory in this folder too."""
        trace = self.work / "kernels.json"
        with trace.open("w", encoding="utf-8") as file:
            file.write('{"traceEvents": [')
            file.write(",".join(KERNEL % (1736410576000000 + 2 * i, i) for i in range(KERNELS)))
            file.write("]}")
        self.make_result(trace)
        self.assertRegex(self.errors("db"), r"temporary files: %s: file=.*\.db\": No space left"
                         % self.disk)
        self.assertEqual([p for p in (self.work / "db").rglob("*") if p.is_file()], [])


CALL = ('{"ph": "X", "cat": "python_function", "name": "f", "ts": %d, "dur": 1, "pid": 1, "tid": 1, '
        '"args": {"Python id": %d}}')


@without_sanitizer
class ExporterTest(FullTmpDir):
    def test_calls(self):
        """No pass derives anything; the trace has Python calls that must be sorted."""
        trace = self.work / "calls.json"
        with trace.open("w", encoding="utf-8") as file:
            file.write('{"traceEvents": [')
            file.write(",".join(CALL % (1736410576000000 + 2 * i, i) for i in range(200000)))
            file.write("]}")
        self.make_result(trace)
        self.assertRegex(
            self.errors("chrome_trace", "--max-mem", "96M"),
            r'trace: file="trace_view\.json", folder=".*", or its data in the folder for '
            r"temporary files: %s: No space left on device" % self.disk)


@without_sanitizer
@unittest.skipUnless(os.path.exists(HOSTILE), "no benchmarks here")
class PassTest(FullTmpDir):
    def test_pass(self):
        trace = self.work / "hostile.json"
        subprocess.run([HOSTILE, trace, "300000"], check=True)
        self.make_result(trace)
        self.assertRegex(
            self.errors("csv", "--max-mem", "160M"),
            r"pass \w+: Cannot keep derived records in the folder for temporary files: %s: No space "
            r"left on device" % self.disk)


if __name__ == "__main__":
    unittest.main()
