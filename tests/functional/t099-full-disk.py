# SPDX-License-Identifier: Apache-2.0
"""A full disk, by a small file system (as root) or a limit of the file size: the error names the
file, no file is incomplete, and the same command succeeds when there is room."""

import os
import resource
import shutil
import subprocess
import sys
import unittest

from support import ANALYSIS_LOG, BUILD, STROBE, StrobeTest, TOP, without_sanitizer

sys.path.insert(0, str(TOP / "bench"))
from raw_files import RawFiles  # noqa: E402

HOSTILE = str(BUILD / "bench" / "hostile")
OPERATORS = 40000
EXPORTS = [word for name in ("chrome_trace", "csv", "db") for word in ("--export", name)]


def small_disk(path, megabytes):
    """Mounts a file system of this number of megabytes. Returns false if that is not allowed."""
    path.mkdir()
    return os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=%dm" % megabytes, "none", path],
        capture_output=True).returncode == 0


class FullDiskTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.raw = self.work / "raw"
        self.raw.mkdir()
        RawFiles(str(self.raw)).make(OPERATORS)

    def disk(self, megabytes):
        path = self.work / "disk"
        if not small_disk(path, megabytes):
            self.skipTest("no file system can be mounted")
        self.addCleanup(subprocess.run, ["umount", "-l", path])
        return path

    def files(self, folder):
        return sorted(str(p.relative_to(folder)) for p in folder.rglob("*")
                      if p.is_file() and not p.name.endswith(ANALYSIS_LOG))

    def make_room(self, disk):
        subprocess.run(["mount", "-o", "remount,size=200m", disk], check=True)

    def reference(self):
        out = self.work / "reference"
        self.strobe("import", self.raw, "-o", out, *EXPORTS)
        return {p.name: p.read_bytes() for p in out.glob("*/ASCEND_PROFILER_OUTPUT/*")}

    def assertComplete(self, out):
        found = {p.name: p.read_bytes() for p in out.glob("*/ASCEND_PROFILER_OUTPUT/*")}
        expected = self.reference()
        self.assertEqual(sorted(found), sorted(expected))
        for name in expected:
            if not name.endswith(".db"):
                self.assertTrue(found[name] == expected[name], name)

    @without_sanitizer
    def test_temporary_files(self):
        """If temporary files do not fit, the command ends with a message and without output."""
        disk = self.disk(1)
        words = ("import", self.raw, "-o", self.out, *EXPORTS, "--max-mem", "96M",
                 "--tmp-dir", disk)
        done = subprocess.run([STROBE, *map(str, words)], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertIn(str(disk), done.stderr)
            self.assertEqual(self.files(self.out), [])
        self.assertEqual(list(disk.iterdir()), [])
        self.make_room(disk)
        self.strobe(*words)
        self.assertComplete(self.out)

    @without_sanitizer
    @unittest.skipUnless(os.path.exists(HOSTILE), "no benchmarks here")
    def test_records(self):
        """If the records of an import fit neither into memory nor on the disk, there is no
        result."""
        disk = self.disk(1)
        trace = self.work / "hostile.json"
        subprocess.run([HOSTILE, trace, "600000"], check=True)
        errors = self.strobe("import", trace, "-o", self.out, "--export", "csv", "--max-mem",
                             "96M", "--tmp-dir", disk, code=6).stderr
        self.assertIn("Cannot sort records in the folder for temporary files: %s: No space" % disk,
                      errors)
        self.assertEqual(self.files(self.out), [])
        self.assertEqual(list(disk.iterdir()), [])

    def test_output(self):
        """The disk is full at each block of each exporter's output, from the first to the last."""
        disk = self.disk(8)
        self.strobe("import", self.raw, "-o", disk, "--export", "stacks")
        result = next(disk.iterdir())
        before = self.files(disk)
        for exporter in ("chrome_trace", "csv", "db"):
            with self.subTest(exporter):
                errors = self.strobe("analyse", result, "--export", exporter, code=6).stderr
                self.assertIn("No space left on device", errors)
                self.assertRegex(errors, r"trace_view\.json|\.csv|\.db")
                self.assertEqual(self.files(disk), before)
        self.make_room(disk)
        self.strobe("analyse", result, *EXPORTS)
        self.assertComplete(disk)

    def test_capture(self):
        disk = self.disk(2)
        errors = self.strobe("import", self.raw, "-o", disk, "--export", "csv", code=6).stderr
        self.assertIn("capture.strobe", errors)
        self.assertIn("No space left on device", errors)
        self.assertEqual(self.files(disk), [])
        self.make_room(disk)
        self.strobe("import", self.raw, "-o", disk, *EXPORTS)
        self.assertComplete(disk)

    def test_file_size(self):
        """The same without a mounted file system: no file may be larger than this limit."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 19, 3 << 19))
        process = self.start("import", self.raw, "-o", self.out, *EXPORTS, preexec_fn=limit)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 6, errors)
        self.assertIn("capture.strobe", errors)
        self.assertEqual(self.files(self.out), [])
        self.strobe("import", self.raw, "-o", self.out, *EXPORTS)
        self.assertComplete(self.out)


if __name__ == "__main__":
    unittest.main()
