# SPDX-License-Identifier: Apache-2.0
"""Databases of Strobe's own recordings: by default in addition to the text files, or alone on
request."""

import sqlite3
import unittest

from support import BUILD, StrobeTest, program

OUTPUT = "ASCEND_PROFILER_OUTPUT"
PROFILER = "ascend_pytorch_profiler.db"


@unittest.skipUnless((BUILD / "exporters" / "db.so").exists(), "built without SQLite")
class DatabasesTest(StrobeTest):
    def files(self, *flags):
        """The names of the result files of a program that marks ranges."""
        self.record(program("marked-program"), "10", collect=["fake:records=0"], flags=flags)
        return sorted(path.name for path in (self.result() / OUTPUT).iterdir())

    def ask(self, sql, path=None):
        database = sqlite3.connect("file:%s?mode=ro" % (path or self.result() / OUTPUT / PROFILER),
                                   uri=True)
        self.addCleanup(database.close)
        return database.execute(sql).fetchall()

    def test_default(self):
        names = self.files()
        self.assertIn(PROFILER, names)
        self.assertIn("trace_view.json", names)

    def test_alone(self):
        self.assertEqual(self.files("--export", "db"), ["analyse.done", PROFILER])
        path = self.result() / OUTPUT / PROFILER
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.assertEqual(self.ask("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.ask("SELECT eventType, count(*) FROM MSTX_EVENTS GROUP BY 1"),
                         [(0, 10), (2, 20)])
        self.assertEqual(self.ask("SELECT count(*) FROM STEP_TIME"), [(10,)])
        self.assertEqual(self.ask("SELECT count(*) FROM PYTORCH_API"), [(10,)]) # the steps
        self.assertEqual(self.ask("SELECT count(*), sum(value < 1) FROM counter"), [(10, 9)])
        self.assertEqual(self.ask("SELECT value FROM META_DATA WHERE name = 'SCHEMA_VERSION'"),
                         [("1.2.0",)])

    def test_losses_are_told(self):
        self.record(collect=("fake:threads=0,records=100,loss=7",), flags=("--export", "db"))
        ((lost,),) = self.ask("SELECT sum(count) FROM loss")
        self.assertEqual(lost, 7)

    def test_imported_again(self):
        self.files("--export", "db")
        first = self.result() / OUTPUT
        paths = [first]
        for name in ("again", "third"):
            out = self.work / name
            self.strobe("import", "-o", out, "--export", "db", paths[-1])
            (made,) = out.glob("*_ascend_pt/" + OUTPUT)
            paths.append(made)
        self.assertEqual((paths[1] / PROFILER).read_bytes(), (paths[2] / PROFILER).read_bytes())
        count = "SELECT count(*) FROM MSTX_EVENTS"
        self.assertEqual(self.ask(count, paths[0] / PROFILER), self.ask(count, paths[1] / PROFILER))


if __name__ == "__main__":
    unittest.main()
