# SPDX-License-Identifier: Apache-2.0
"""Memory of programs that allocate in unusual situations."""

import csv
import glob
import os
import re
import unittest

from support import StrobeTest, needs_symbols, program


class HeapCasesTest(StrobeTest):
    def operators(self, *command):
        """Returns the program's report for each function, and the recorded values: blocks and bytes
        that were allocated, and those that are still allocated."""
        if not os.path.exists(program("heap-operators")):
            self.skipTest("built without C++")
        done = self.record(*command, collect=["heap:stacks=true"], flags=("--export", "csv"))
        told = {name: tuple(map(int, numbers))
                for name, *numbers in map(str.split, done.stdout.splitlines()) if numbers}
        self.assertIn("caught", told)
        del told["caught"]
        found = {}
        for name in told:
            rows = self.path(name)
            found[name] = tuple(
                sum(int(row[column]) for row in rows)
                for column in ("allocated_blocks", "allocated_bytes(B)", "live_blocks", "live_bytes(B)"))
        return told, found

    def cases(self, *words, options="", flags=()):
        self.done = self.record(program("heap-cases"), *words, collect=["heap" + options],
                                flags=("--export", "csv", *flags))  # fmt: skip

    def table(self, name):
        path = self.result() / "ASCEND_PROFILER_OUTPUT" / name
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def path(self, function):
        """The rows of call paths with this function as the innermost one, ignoring frames of an
        allocator whose operators call its C functions."""
        rows = []
        for row in self.table("heap_path.csv"):
            frames = row["stack"].split(";")
            while frames and re.search(r"malloc(_minimal)?\.so|heap-preload\.so", frames[0]):
                del frames[0]
            if frames and frames[0].startswith(function + " ("):
                rows.append(row)
        return rows

    @needs_symbols
    def test_a_constructor_waits_for_a_thread_that_allocates(self):
        self.cases("late", program("late-library.so"), options=":stacks=true")
        self.assertIn("loaded", self.done.stdout)
        row, = self.path("take_late")
        self.assertEqual(row["live_bytes(B)"], "1234")
        self.assertIn("late-library.so", row["Name"])

    def test_operators_of_cpp(self):
        told, found = self.operators(program("heap-operators"))
        self.assertEqual(len(told), 9)
        self.assertEqual(found, told)

    @needs_symbols
    def test_operators_of_a_library_loaded_late(self):
        """The library brings the C++ runtime, which the program did not have at its start."""
        told, found = self.operators(program("heap-cases"), "late", program("late-operators.so"))
        self.assertEqual(len(told), 9)
        self.assertEqual(found, told)

    @needs_symbols
    def test_operators_of_another_allocator(self):
        libraries = [path for name in ("jemalloc", "tcmalloc_minimal", "tcmalloc")
                     for path in glob.glob("/usr/lib/*/lib%s.so.[0-9]" % name)]  # fmt: skip
        if not libraries:
            self.skipTest("neither jemalloc nor tcmalloc is installed")
        for number, path in enumerate(libraries):
            self.out = self.work / ("out%d" % number)
            self.environment["LD_PRELOAD"] = path
            told, found = self.operators(program("heap-operators"))
            self.assertEqual(len(told), 9)
            self.assertEqual(found, told, path)

    @needs_symbols
    def test_fork_handlers(self):
        """Allocations of the program's own fork handlers in the parent, before and after a fork."""
        self.cases("forks", "20", options=":stacks=true")
        rows = self.path("take_at_fork")
        self.assertEqual(sum(int(row["allocated_blocks"]) for row in rows), 40)
        self.assertEqual({row["live_blocks"] for row in rows}, {"0"})
        self.assertNotIn("lost", self.done.stderr)

    def lost_of_many(self, options):
        """The number of lost records of a program that keeps a million and a half blocks; a busy
        disk causes no loss."""
        self.done = self.record(program("heap-cases"), "many", "1500000", collect=["heap" + options],
                                flags=["--buffer", "policy=block"])
        return {cause: n for cause, n in self.json("info", self.result())[0]["lost"].items() if n}

    def test_many_blocks_at_once(self):
        self.assertEqual(self.lost_of_many(""), {})

    def test_more_blocks_than_there_is_room_for(self):
        lost = self.lost_of_many(":blocks=1000")["collector_dropped"]
        self.assertGreater(lost, 500000)
        self.assertLess(lost, 600000)
        self.assertRegex(self.done.stderr, r"room for 1064960 blocks at once.*threshold=.*sampling=")


if __name__ == "__main__":
    unittest.main()
