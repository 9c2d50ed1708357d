# SPDX-License-Identifier: Apache-2.0
"""Memory of programs that allocate where that is awkward."""

import csv
import unittest

from support import StrobeTest, program


class HeapCasesTest(StrobeTest):
    def cases(self, *words, options="", flags=()):
        self.done = self.record(program("heap-cases"), *words, collect=["heap" + options],
                                flags=("--export", "csv", *flags))  # fmt: skip

    def table(self, name):
        path = self.result() / "ASCEND_PROFILER_OUTPUT" / name
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def path(self, function):
        """The rows of call paths whose innermost function it is."""
        return [row for row in self.table("heap_path.csv") if row["Name"].split(" (")[0] == function]

    def test_a_constructor_waits_for_a_thread_that_allocates(self):
        self.cases("late", program("late-library.so"), options=":stacks=true")
        self.assertIn("loaded", self.done.stdout)
        row, = self.path("take_late")
        self.assertEqual(row["live_bytes(B)"], "1234")
        self.assertIn("late-library.so", row["Name"])


if __name__ == "__main__":
    unittest.main()
