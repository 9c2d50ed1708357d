# SPDX-License-Identifier: Apache-2.0
"""An import and export of an Ascend host's results gives the same cells, except for the differences
that docs/ascend-formats.md lists.

The cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data
next to the source tree), and are skipped without it.
"""

import decimal
import json
import pathlib
import unittest

import cells
import made_ascend
from support import BUILD, DATA, StrobeTest

OUTPUT = "ASCEND_PROFILER_OUTPUT"
TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
DATABASE = DATA / "ascend" / "db_level1_rank0_ascend_pt"
EXPORTERS = {"text": ("chrome_trace", "csv", "comm_json"), "database": ("db",)}


class CellsTest(StrobeTest):
    maxDiff = 3000

    def export(self, source, form, *flags):
        """The output folder of an import in the source's own form."""
        words = [word for name in EXPORTERS[form] for word in ("--export", name)]
        self.count = getattr(self, "count", 0) + 1
        done = self.strobe("import", "--json", "-o", self.work / ("out%d" % self.count), *words,
                           *flags, source)
        (made,) = json.loads(done.stdout)
        self.assertEqual(made["damaged"], [])
        return pathlib.Path(made["output"])

    def check(self, source, form, **options):
        """Compares the stored derived data, and the data that is derived anew."""
        for flags in (("--derived", "source"), ()):
            output = self.export(source, form, *flags)
            may_differ = cells.limits(form, not flags)
            found = cells.compare(form, output, source / OUTPUT, may_differ, **options)
            self.assertEqual(cells.few(found), {}, flags)
        self.check_limits(form, output, source / OUTPUT, **options)

    def check_limits(self, form, mine, theirs, **options):
        """Each row of the table of exceptions is needed: without it there is a difference."""
        for of_form, _, name, columns, _ in cells.rows_of_page():
            for column in columns if of_form == form else ():
                may_differ = cells.limits(form, True)
                del may_differ[name][column]
                only = name.partition(",")[0]
                found = cells.compare(form, mine, theirs, may_differ, only=only, **options)
                self.assertEqual(list(found), [only], column)


@unittest.skipUnless(TEXT.is_dir(), "no real results here (STROBE_DATA)")
class RealTest(CellsTest):
    def test_text(self):
        self.check(TEXT, "text")

    @unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")
    def test_database(self):
        self.check(DATABASE, "database", has_viewers=True)


class PageTest(unittest.TestCase):
    def test_rows(self):
        """Limits are numbers; each form has some, and fewer if the source's values are kept."""
        for form in EXPORTERS:
            kept, anew = (sum(map(len, cells.limits(form, is_anew).values()))
                          for is_anew in (False, True))
            self.assertLess(kept, anew)
        self.assertTrue(all(columns and limit > 0 for *_, columns, limit in cells.rows_of_page()))

    def test_limit(self):
        for mine, theirs, limit, is_near in (
                ("1.002", "1.000", "0.002", True), ("1.0021", "1.000", "0.002", False),
                ("1736408883732241.564\t", "1736408883732241.563\t", "0.001", True),
                ("N/A", "1.0", "0.1", False), ("", "", "0.1", True), (None, 7, "0.1", False)):
            limit = decimal.Decimal(limit)
            self.assertIs(cells.is_within(mine, theirs, limit), is_near, (mine, theirs))
        self.assertFalse(cells.is_within("1.0", "1", None))


if __name__ == "__main__":
    unittest.main()
