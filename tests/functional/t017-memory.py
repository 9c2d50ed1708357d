# SPDX-License-Identifier: Apache-2.0
"""The largest resident memory of commands on long captures, including mapped files.

STROBE_TEST_RECORDS sets the number of records. A capture of millions takes seconds to make, and 40
bytes of disk for each record."""

import os
import subprocess

from support import BUILD, STROBE, StrobeTest, program

RECORDS = int(os.environ.get("STROBE_TEST_RECORDS", "2000000"))
MAKE = str(BUILD / "tests" / "unit" / "make-capture")
MB = 1 << 20


class MemoryTest(StrobeTest):
    def make(self, records):
        path = self.work / ("load-%d.strobe" % records)
        self.assertEqual(os.spawnv(os.P_WAIT, MAKE, [MAKE, str(path), str(records)]), 0)
        return path

    def peak(self, *words):
        """The peak memory, in bytes, of a command that succeeds."""
        done = subprocess.run([program("peak"), STROBE, *map(str, words)], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout) * 1024

    def assertPeak(self, megabytes, *words):
        path = self.make(RECORDS)
        peak = self.peak(*words[:1], path, *words[1:])
        print("# %s, %d records: %.1f MB" % (" ".join(words), RECORDS, peak / MB))
        self.assertLess(peak, megabytes * MB)

    def test_info(self):
        self.assertPeak(32, "info")

    def test_info_does_not_grow(self):
        little, much = (self.peak("info", self.make(n)) for n in (RECORDS // 4, RECORDS))
        self.assertLess(much, little + 2 * MB)

    # This includes the batches in the queues and, for each thread, 16,384 operators that a longer
    # operator may still enclose. Measured: 98 and 107 MB with 20 million records, 106 and 108 MB
    # with 60 million.

    def test_show(self):
        self.assertPeak(112, "show")

    def test_show_steps(self):
        self.assertPeak(112, "show", "--table", "step_summary")

    def test_stacks(self):
        self.assertPeak(64, "analyse", "--export", "stacks", "-o", str(self.work / "out"))

    def test_chrome_trace(self):
        self.assertPeak(128, "analyse", "--export", "chrome_trace", "-o", str(self.work / "out"))

    def test_csv(self):
        self.assertPeak(144, "analyse", "--export", "csv", "-o", str(self.work / "out"))

    def test_all_at_once(self):
        words = [word for name in ("chrome_trace", "csv", "stacks") for word in ("--export", name)]
        self.assertPeak(256, "analyse", *words, "-o", str(self.work / "out"))
