# SPDX-License-Identifier: Apache-2.0
"""Names of the program that a spreadsheet would take for formulas, in the tables of `strobe export
csv`."""

import csv

from support import PYTHON, StrobeTest, needs_python

PROGRAM = """
import strobe
for name in ("=1+1", "+a", "-a", "@a", "\\ta", "\\ra", "plain"):
    with strobe.range(name):
        pass
"""
RISKY = ("=", "+", "-", "@", "\t", "\r")


class FormulasTest(StrobeTest):
    def names(self, *words):
        """The names of the ranges, as a spreadsheet reads them."""
        out = self.work / ("tables" + str(len(words)))
        exporter = "csv:" + ",".join(("kinds=marker", *words))
        self.strobe("export", self.result(), "--export", exporter, "-o", out)
        (path,) = out.rglob("marker.csv")
        with open(path, newline="") as file:
            return [row["Name"] for row in csv.DictReader(file)]

    @needs_python
    def test_names(self):
        self.record(PYTHON, self.script("program.py", PROGRAM), collect=("gc",))
        kept = self.names("formulas=keep")
        self.assertEqual(sorted(kept), sorted((*(each + "a" for each in RISKY[1:]), "=1+1", "plain")))
        self.assertEqual(self.names(), [("'" + each if each[0] in RISKY else each) for each in kept])
