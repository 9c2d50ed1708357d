# SPDX-License-Identifier: Apache-2.0
"""`strobe show` on imported results: titles with units, names of metrics, derived tables."""

import unittest

from made_ascend import BEGIN, make_database
from support import BUILD, StrobeTest


@unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")
class ShowDeviceTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.strobe("import", "-o", self.out, make_database(self.work))

    def table(self, name, *flags):
        """The head and rows of a table that is a text, divided at the columns' borders."""
        lines = self.strobe("show", self.out, "--table", name, *flags).stdout.splitlines()
        return lines[0].split("  "), lines[2:]

    def test_every_table_can_be_shown(self):
        tables = [entry["table"] for entry in self.json("show", self.out, "--list")]
        self.assertGreater(len(tables), 20)
        for name in tables:
            with self.subTest(name):
                rows = self.json("show", self.out, "--table", name)[0]["rows"]
                self.assertTrue(rows)
                head, lines = self.table(name)
                self.assertTrue(lines)
                for field in rows[0]:
                    self.strobe("show", self.out, "--table", name, "--sort", field + ":asc")

    def test_units(self):
        head = " ".join(self.table("memory_event")[0])
        self.assertIn("size(B)", head)
        self.assertIn("total_allocated(B)", head)
        self.assertIn("bandwidth(B/s)", " ".join(self.table("hbm")[0]))

    def test_numbers_are_in_line(self):
        lines = self.strobe("show", self.out, "--table", "op_statistic").stdout.splitlines()
        self.assertRegex(lines[0], r"^Type +Core +Count +Total us +Share % +Min us")
        self.assertEqual([line.split()[0] for line in lines[2:]], ["Add", "MatMulV2"])
        self.assertEqual(lines[2].split()[3], "2.261")
        end = lines[0].index("Total us") + len("Total us")
        for line in lines[2:]:
            self.assertRegex(line[:end], r"\d\.\d{3}$")

    def test_metrics_have_names(self):
        head, lines = self.table("kernel_detail", "--sort", "aic_total_time", "--columns",
                                 "name,aic_total_time,aic_total_cycles")
        self.assertEqual([word.strip() for word in head if word],
                         ["Name", "aic_total_time", "aic_total_cycles"])
        self.assertEqual(lines[0].split(), ["MatMul", "1000.5", "1800"])

    def test_values_that_are_not_there(self):
        """Missing values are empty for people and null for programs, never 0."""
        row = self.json("show", self.out, "--table", "memory_block", "--sort", "name")[0]["rows"][0]
        self.assertEqual((row["name"], row["release_active"]), ("MatMul", None))
        self.assertEqual(row["duration"], 100)
        self.assertEqual(row["begin"], BEGIN + 3550)

    def test_blocks(self):
        rows = self.json("show", self.out, "--table", "memory_block", "--sort", "begin:asc")
        found = [(row["name"], row["size"], row["duration"], row["component"])
                 for row in rows[0]["rows"]]
        self.assertEqual(found, [("aten::add", 2048, 3051, "PTA"), ("MatMul", 512, 100, "GE")])


if __name__ == "__main__":
    unittest.main()
