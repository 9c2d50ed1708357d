# SPDX-License-Identifier: Apache-2.0
"""Code that a compiler makes at run time, with the lists that the compiler writes."""

import glob
import os
import platform
import unittest

from support import StrobeTest, needs_symbols, program

PROGRAM = program("jit-program")


@needs_symbols
@unittest.skipUnless(platform.machine() in ("x86_64", "aarch64"), "no code for this machine")
class RunTimeCodeTest(StrobeTest):
    def shares(self, kind, options, seconds):
        """The shares of both functions, and the object of their frames."""
        self.record(PROGRAM, kind, seconds, self.work, collect=["cpu_sample" + options])
        for path in glob.glob("/tmp/perf-%s.map" % self.json("info", self.result())[0]["metadata"]["pid"]):
            self.addCleanup(os.unlink, path)
        table, = self.json("show", "--table", "function", "--limit", 100000, self.result())
        return {row["name"]: row["self_share"] for row in table["rows"] if "made_" in row["name"]}

    def check(self, kind, options, prefix, suffix, seconds=0.5, delta=0.1):
        """The share differs by at most five times the spread that this number of samples has."""
        shares = self.shares(kind, options, seconds)
        names = sorted(shares)
        self.assertEqual([name.split(" (")[0] for name in names], ["made_large", "made_small"])
        for name in names:
            self.assertIn(" (" + prefix, name)
            self.assertTrue(name.endswith(suffix + ")"), name)
        large, small = (shares[name] for name in names)
        self.assertAlmostEqual(large / (large + small), 0.75, delta=delta)
        self.assertGreater(large + small, 80)

    def test_map(self):
        self.check("map", "", "perf-", ".map")

    def test_dump(self):
        """The list is mapped after the code."""
        self.check("dump", "", "jit-", ".dump")

    def test_mappings_read(self):
        """The mappings are read if no event reports them. Timers sample once per tick of the kernel,
        which may be 4 ms."""
        self.check("map", ":source=timer", "perf-", ".map", seconds=1, delta=0.14)


if __name__ == "__main__":
    unittest.main()
