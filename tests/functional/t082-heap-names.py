# SPDX-License-Identifier: Apache-2.0
"""Every exporter writes C++ functions in call paths as they are written in the source."""

import csv
import json
import os
import sqlite3
import unittest

from support import StrobeTest, needs_symbols, program
from trace_file import trace_events

NAMES = ["void shapes::keep_block<long>(long)", "void shapes::keep_block<int>(int)"]


@needs_symbols
@unittest.skipUnless(os.path.exists(program("heap-named")), "built without C++ or libiberty")
class HeapNamesTest(StrobeTest):
    def test_every_exporter(self):
        self.record(program("heap-named"), collect=["heap:threshold=32KB,stacks=true"],
                    flags=("--export", "csv", "--export", "chrome_trace", "--export", "db"))  # fmt: skip
        output = self.result() / "ASCEND_PROFILER_OUTPUT"
        for table in ("heap.block.csv", "heap_path.csv"):
            with open(output / table, newline="") as file:
                self.check(table, [row["stack"] for row in csv.DictReader(file)])
        trace = trace_events((output / "trace_view.json").read_text())
        stacks = [event["args"]["stack"] for event in trace if "stack" in event.get("args", {})]
        self.check("trace_view.json", stacks)
        database, = output.glob("*.db")
        with sqlite3.connect(database) as connection:
            stacks = [row[0] for row in connection.execute('select stack from "heap.block"')]
        self.check(database.name, stacks)
        shown = self.strobe("show", "--table", "heap.block", self.result(), "--json").stdout
        self.check("show", [row["stack"] for row in json.loads(shown)[0]["rows"]])

    def check(self, where, stacks):
        for name in NAMES:
            self.assertTrue(any(name + " (heap-named)" in each for each in stacks), (where, stacks))
        self.assertFalse([each for each in stacks if "_ZN" in each], where)


if __name__ == "__main__":
    unittest.main()
