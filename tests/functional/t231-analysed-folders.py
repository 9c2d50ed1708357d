# SPDX-License-Identifier: Apache-2.0
"""An analysis leaves its log in a result, next to its output, and removes or moves the data of a
platform's tool."""

import re
import unittest

from support import StrobeTest

LINE = r"\[\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\] \[(INFO|WARNING|ERROR)\] \[analyse\] .+"


class AnalysedFoldersTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.record()
        self.directory = self.result()
        self.before = set(self.directory.glob("logs/*"))

    def made(self):
        """The logs of analyses since the recording."""
        return sorted(set(self.directory.glob("logs/*")) - self.before)

    # ---- the log ----

    def test_log(self):
        done = self.strobe("analyse", self.directory)
        (path,) = self.made()
        self.assertRegex(path.name, r"\Aprofiler_\d{14}_\d+_Analyse\.log\Z")
        lines = path.read_text().splitlines()
        for line in lines:
            self.assertRegex(line, LINE)
        self.assertTrue(lines[0].endswith("Start parsing profiling data at: %s" % self.directory))
        self.assertRegex(lines[-1], r"parsed in a total time of 0:00:\d\d\.\d{6}$")
        n_records = re.search(r": (\d+) records, files in", done.stderr)[1]
        self.assertTrue(any(line.endswith("] %s records" % n_records) for line in lines), lines)
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)

    def test_each_has_its_own(self):
        for _ in range(2):
            self.strobe("analyse", self.directory)
        self.assertEqual(len(self.made()), 2)

    def test_failure(self):
        """An exporter fails: its message is in the log too."""
        (self.directory / "FRAMEWORK" / "capture.strobe").write_bytes(b"no capture")
        done = self.strobe("analyse", self.directory, code=5)
        (path,) = self.made()
        (failure,) = re.findall(r"\[ERROR\] \[analyse\] (.+)", path.read_text())
        self.assertIn(failure, done.stderr)

    def test_elsewhere(self):
        """A result that is only read gets no log."""
        self.strobe("analyse", self.directory, "-o", self.work / "elsewhere")
        self.assertEqual(self.made(), [])

    def test_no_folder(self):
        """The result of another profiler may have no folder for logs; a link is not followed."""
        for path in self.before:
            path.unlink()
        (self.directory / "logs").rmdir()
        self.strobe("analyse", self.directory)
        (path,) = self.directory.glob("logs/*_Analyse.log")
        path.unlink()
        (self.directory / "logs").rmdir()
        (self.directory / "logs").symlink_to(self.work)
        done = self.strobe("analyse", self.directory)
        self.assertIn("Cannot write logs/profiler_", done.stderr)
        self.assertEqual(list(self.work.glob("profiler_*")), [])

    # ---- PLATFORM ----

    def put_platform(self, name="PLATFORM_20250102", text="numa"):
        folder = self.directory / name
        folder.mkdir()
        if text:
            (folder / "data").write_text(text)
        return folder

    def test_platform_is_moved(self):
        folder = self.put_platform()
        self.strobe("analyse", self.directory)
        self.assertFalse(folder.exists())
        time = self.directory.name.split("_")[-3]
        moved = self.directory.parent / ("PLATFORM_" + time)
        self.assertEqual((moved / "data").read_text(), "numa")
        self.strobe("analyse", self.directory)
        self.assertEqual((moved / "data").read_text(), "numa")

    def test_empty_platform_is_removed(self):
        self.put_platform(text="")
        self.strobe("analyse", self.directory)
        self.assertEqual([path for path in self.out.rglob("PLATFORM*")], [])

    def test_platform_stays(self):
        """The folder stays if its new name exists, the result has no time, or the analysis only
        reads."""
        folder = self.put_platform()
        self.strobe("analyse", self.directory, "-o", self.work / "elsewhere")
        self.assertTrue(folder.exists())
        taken = self.directory.parent / ("PLATFORM_" + self.directory.name.split("_")[-3])
        taken.mkdir()
        (taken / "other").write_text("kept")
        done = self.strobe("analyse", self.directory)
        self.assertIn("PLATFORM_20250102 stays there: File exists", done.stderr)
        self.assertEqual([path.name for path in taken.iterdir()], ["other"])
        renamed = self.directory.rename(self.directory.parent / "renamed")
        done = self.strobe("analyse", renamed)
        self.assertIn("PLATFORM_20250102 stays there: the result's name has no time", done.stderr)
        self.assertTrue((renamed / "PLATFORM_20250102" / "data").exists())

    def test_other_names(self):
        for name in ("PLATFORM", "PLATFORM_x", "PLATFORM_123456789012345678901", "XPLATFORM_1"):
            self.put_platform(name)
        outside = self.work / "outside"
        outside.mkdir()
        (self.directory / "PLATFORM_7").symlink_to(outside)
        done = self.strobe("analyse", self.directory)
        self.assertNotIn("stays", done.stderr)
        self.assertEqual(len(list(self.directory.glob("*PLATFORM*"))), 5)


if __name__ == "__main__":
    unittest.main()
