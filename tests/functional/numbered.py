# SPDX-License-Identifier: Apache-2.0
"""Checks the records of numbered-program, thread by thread."""

import csv
import os
import pathlib
import signal
import struct

from support import TIMEOUT, StrobeTest, program

NUMBERED = program("numbered-program")


class NumberedTest(StrobeTest):
    """A test that checks each record of numbered-program."""

    def setUp(self):
        super().setUp()
        self.progress = self.work / "progress"

    def told(self):
        """The program's report: its process id, and the number of records that each thread
        committed."""
        data = self.progress.read_bytes() if self.progress.exists() else b""
        return struct.unpack_from("<65Q", data.ljust(8 * 65, b"\0"))

    def committed(self, n_threads):
        """The number of records that each thread knows to be committed."""
        return list(self.told()[1 : 1 + n_threads])

    def start_numbered(self, *words, flags=(), collect="fake:records=0"):
        """Starts the program under strobe run, and waits until it records; self.pid is its process
        id."""
        process = self.start("run", "-o", self.out, "--collect", collect, *flags, "--", NUMBERED,
                             "-p", self.progress, *words)
        self.wait_until(lambda: self.committed(1)[0], "the first record", process)
        self.pid = self.told()[0]
        return process

    def finish(self, process, code=0):
        """Waits until the program ends by itself. Returns the messages of strobe run."""
        errors = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual(process.returncode, code, errors)
        return errors

    def kill_all(self, process):
        """Kills `strobe run` first, so that it cannot finish the capture."""
        process.kill()
        process.wait()
        os.kill(self.pid, signal.SIGKILL)
        self.wait_until(lambda: not os.path.exists("/proc/%d" % self.pid), "the end")

    def numbers(self, path):
        """The numbers of each thread's records in a result or segment, in the order of the table.
        "open" has the number of records of the range of this name."""
        parent = self.work / "tables"
        answer = self.json("analyse", path, "--export", "csv:kinds=marker", "-o", parent)[0]
        self.assertIsNotNone(answer["output"])
        found = {}
        table = pathlib.Path(answer["output"]) / "marker.csv"
        if not table.exists():
            return found
        with open(table, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found.setdefault(row["Name"], []).append(int(row["argument"] or -1))
        return found

    def assertWithoutGap(self, numbers, first=0):
        self.assertEqual(numbers, list(range(first, first + len(numbers))))
