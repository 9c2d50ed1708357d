# SPDX-License-Identifier: Apache-2.0
"""Tables in a narrow terminal: a row takes several lines, and the terminal need not wrap any of
them."""

import json
import unittest

import kineto
from terminal import WIDTH, TerminalTest


class TerminalWidthTest(TerminalTest):
    def setUp(self):
        super().setUp()
        self.environment["TERM"] = "dumb"

    def trace(self, name, duration):
        """An operator inside of another one with a long name."""
        events = [{"ph": "X", "cat": "cpu_op", "name": op, "pid": 1, "tid": 1, "ts": begin,
                   "dur": length, "args": {"External id": 1}}
                  for op, begin, length in (("mm", 10, duration), ("layer_" * 8, 0, 900))]
        path = self.work / (name + ".pt.trace.json")
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events,
                                    "baseTimeNanoseconds": kineto.BASE}))
        return path

    def test_diff(self):
        a, b = self.trace("a", 100), self.trace("b", 200)
        path = "mm < " + "layer_" * 8
        wide = self.strobe("diff", a, b).stdout
        self.assertRegex(wide, r"\n +\+100\.000 .* %s\n" % path)
        text = self.in_terminal("diff", a, b)
        table = text.split("\n\n")[2]
        lines = [line for line in text.splitlines() if not line.startswith(("A: ", "B: "))]
        self.assertEqual([line for line in lines if len(line) > WIDTH], [])
        self.assertRegex(table, r"\n-{40,80}\n")
        self.assertRegex(table, r"\n +\+100\.000 .*\n    (?:.* )?%s\n" % path)

    def test_show(self):
        """No cell is lost: the lines of a row have all cells that a file has in one line."""
        a = self.trace("a", 100)
        self.strobe("import", a, "-o", self.work / "out")
        words = ("show", self.work / "out", "--table", "cpu_op")
        text = self.in_terminal(*words)
        self.assertEqual([line for line in text.splitlines() if len(line) > WIDTH], [])
        self.assertEqual([word for word in text.split() if set(word) != {"-"}],
                         [word for word in self.strobe(*words).stdout.split() if set(word) != {"-"}])


if __name__ == "__main__":
    unittest.main()
