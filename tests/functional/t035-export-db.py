# SPDX-License-Identifier: Apache-2.0
"""Makes databases from databases: `strobe import` reads a profiler's database and writes it again.

Cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data next
to the source tree), and are skipped without it.
"""

import pathlib
import sqlite3
import unittest

import cells
from databases import Database
from support import BUILD, DATA, StrobeTest

REAL = DATA / "ascend" / "db_level1_rank0_ascend_pt"
REAL_TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
PROFILER = "ascend_pytorch_profiler_0.db"
MADE = pathlib.Path(__file__).with_name("made-database.sql")


class ExportDb(StrobeTest):
    def export(self, source, name, *flags):
        """The files that an import of the source makes."""
        out = self.work / name
        self.strobe("import", "-o", out, "--export", "db", *flags, source)
        (output,) = out.glob("*_ascend_pt/" + OUTPUT)
        return output

    def compare(self, theirs, mine, without=(), is_anew=False):
        """Compares declarations and rows of every table, except for the differences that
        docs/ascend-formats.md lists."""
        self.assertEqual(set(theirs.tables) - set(without), set(mine.tables) - set(without))
        self.assertEqual(theirs.indexes(), mine.indexes())
        may_differ = cells.limits("database", is_anew)
        for table in sorted(set(theirs.tables) - set(without)):
            self.assertEqual(theirs.declaration(table), mine.declaration(table))
            found = cells.compare_table(mine, theirs, table, may_differ[table])
            self.assertEqual(found[:3], [], table)

    def same_bytes(self, one, other):
        names = sorted(path.name for path in one.glob("*.db"))
        self.assertEqual(names, sorted(path.name for path in other.glob("*.db")))
        for name in names:
            self.assertEqual((one / name).read_bytes(), (other / name).read_bytes(), name)


@unittest.skipUnless((BUILD / "exporters" / "db.so").exists(), "built without SQLite")
@unittest.skipUnless(REAL.is_dir(), "no real results here (STROBE_DATA)")
class RealDbTest(ExportDb):
    def open(self, name, output):
        pair = (Database(REAL / OUTPUT / name, has_viewers=True), Database(output / name))
        for database in pair:
            self.addCleanup(database.close)
        return pair

    def test_source(self):
        output = self.export(REAL, "own", "--derived", "source")
        for name in (PROFILER, "analysis.db"):
            self.compare(*self.open(name, output))

    def test_new(self):
        output = self.export(REAL, "new")
        for name in (PROFILER, "analysis.db"):
            self.compare(*self.open(name, output), is_anew=True)

    def test_again(self):
        for flags in (["--derived", "source"], []):
            first = self.export(REAL, "1%d" % len(flags), *flags)
            self.same_bytes(first, self.export(first, "2%d" % len(flags), *flags))

    def test_text(self):
        """A text result as a database has as many rows as the text has events, and a second export
        changes nothing."""
        first = self.export(REAL_TEXT, "text1")
        second = self.export(first, "text2")
        self.same_bytes(second, self.export(second, "text3"))
        (name,) = (path.name for path in first.glob("ascend_*.db"))
        theirs, mine = Database(first / name), Database(second / name)
        # no database says which of several blocks of the same size was released
        self.compare(theirs, mine, without={"OP_MEMORY"})
        counts = {"TASK": 535, "COMPUTE_TASK_INFO": 187, "CANN_API": 707, "PYTORCH_API": 2460,
                  "COMMUNICATION_OP": 4, "COMMUNICATION_TASK_INFO": 296, "ACC_PMU": 688, "LLC": 26,
                  "NPU_MEM": 28, "NPU_MODULE_MEM": 1078, "STEP_TIME": 1, "l2_cache": 179}
        for table, count in counts.items():
            self.assertEqual(len(mine.ask(table, "1")), count, table)
        self.assertEqual(mine.ask("COMMUNICATION_TASK_INFO",
                                  "count(*), count(globalTaskId), count(opId)"), [(296, 296, 296)])
        theirs.close()
        mine.close()


@unittest.skipUnless((BUILD / "exporters" / "db.so").exists(), "built without SQLite")
class MadeDbTest(ExportDb):
    """A small database of the newest generation, with a row in every possible table."""

    def make(self, *statements):
        path = self.work / "made" / OUTPUT / PROFILER
        path.parent.mkdir(parents=True)
        database = sqlite3.connect(path)
        database.executescript(MADE.read_text(encoding="utf-8") + ";".join(statements))
        database.close()
        return path

    def check_table(self, table, path):
        """The table that an import of the database writes has the same rows."""
        theirs, mine = Database(path), Database(self.export(path, "own") / PROFILER)
        self.addCleanup(theirs.close)
        self.addCleanup(mine.close)
        self.assertTrue(theirs.rows(table))
        self.assertEqual(theirs.rows(table), mine.rows(table))

    def test_every_table(self):
        path = self.make()
        output = self.export(path, "own", "--derived", "source")
        theirs, mine = Database(path), Database(output / PROFILER)
        self.compare(theirs, mine, {name for name in mine.tables if name.startswith("ENUM_")})
        theirs.close()
        mine.close()
        self.same_bytes(output, self.export(output, "again", "--derived", "source"))

    def test_sentinels(self):
        """At level 0 the communication tasks have neither plane nor size."""
        path = self.make("UPDATE COMMUNICATION_TASK_INFO SET planeId = 4294967295, size = -1")
        self.check_table("COMMUNICATION_TASK_INFO", path)

    def test_tasks_without_operation(self):
        self.check_table("COMMUNICATION_TASK_INFO", self.make("DELETE FROM COMMUNICATION_OP"))

    def test_tasks_without_table_of_operations(self):
        self.check_table("COMMUNICATION_TASK_INFO", self.make("DROP TABLE COMMUNICATION_OP"))

    def test_enum_of_memory(self):
        """Older databases use an enumeration for the names of actions."""
        path = self.make("CREATE TABLE ENUM_MEMORY (id INTEGER PRIMARY KEY,name TEXT)",
                         "INSERT INTO ENUM_MEMORY VALUES(5,'allocate'),(6,'release')",
                         "UPDATE NPU_OP_MEM SET type = CASE type WHEN 19 THEN 5 ELSE 6 END")
        done = self.strobe("import", "-o", self.out, "--export", "db", path)
        self.assertNotIn("damaged", done.stderr)
        (output,) = self.out.glob("*_ascend_pt/" + OUTPUT)
        mine = Database(output / PROFILER)
        self.addCleanup(mine.close)
        self.assertEqual([(mine.texts[word], size) for word, size in
                          mine.ask("NPU_OP_MEM", "type, size")],
                         [("allocate", 512), ("release", 512)])

    def test_older_form(self):
        output = self.export(self.make(), "older", "--generation", "1")
        mine = Database(output / PROFILER)
        self.assertIn("blockDim", mine.columns("COMPUTE_TASK_INFO"))
        self.assertNotIn("blockNum", mine.columns("COMPUTE_TASK_INFO"))
        self.assertNotIn("isMaster", mine.columns("COMMUNICATION_TASK_INFO"))
        self.assertNotIn("OVERLAP_ANALYSIS", mine.tables)
        self.assertIn(("SCHEMA_VERSION", "1.0.0"), mine.ask("META_DATA", "name, value"))
        self.assertEqual([row for row in mine.ask("ENUM_API_TYPE", "id, name") if row[0] == 5500],
                         [(5500, "hccl")])
        mine.close()


if __name__ == "__main__":
    unittest.main()
