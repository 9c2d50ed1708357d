#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which outputs the comparison treats as equal, and which not."""

import contextlib
import gzip
import io
import os
import pathlib
import sqlite3
import sys
import tempfile
import unittest

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)),
                os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]

import compare  # noqa: E402
import tap  # noqa: E402


def make_database(path, rows, column="INTEGER"):
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE t (a %s, b)" % column)
        base.executemany("INSERT INTO t VALUES (?, ?)", rows)
        base.commit()


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kept, self.new = pathlib.Path(folder.name, "kept"), pathlib.Path(folder.name, "new")
        self.kept.mkdir()
        self.new.mkdir()

    def differences(self):
        """The number of files that differ, and the printed text."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            return compare.compare_case(self.kept, self.new, "case"), printed.getvalue()

    def test_text(self):
        for folder in self.kept, self.new:
            (folder / "same.csv").write_text("a\r\nb\n")
            (folder / "messages").write_text("%s/outputs/x: 3 records\n" % folder)
        self.assertEqual(self.differences()[0], 0)
        (self.new / "same.csv").write_text("a\nb\n")
        n, printed = self.differences()
        self.assertEqual(n, 1)
        self.assertIn("same.csv: line 1", printed)

    def test_gzip(self):
        for level, folder in (1, self.kept), (9, self.new):
            (folder / "t.json.gz").write_bytes(gzip.compress(b"[1,\n2]" * 99, level, mtime=level))
        self.assertEqual(self.differences()[0], 0)
        (self.new / "t.json.gz").write_bytes(gzip.compress(b"[1,\n2]" * 98))
        self.assertEqual(self.differences()[0], 1)

    def test_missing_file(self):
        (self.kept / "a").write_text("a")
        self.assertIn("only in the kept build", self.differences()[1])

    def test_database(self):
        make_database(self.kept / "d.db", [(1, "a"), (2, b"b")])
        make_database(self.new / "d.db", [(2, b"b"), (1, "a")])
        self.assertEqual(self.differences()[0], 0)

    def test_different_databases(self):
        make_database(self.kept / "d.db", [(1, "a")])
        for rows, column in ([(2, "a")], "INTEGER"), ([(1, "a")], ""), ([(1, b"a")], "INTEGER"), \
                            ([(1.5, "a")], "INTEGER"), ([], "INTEGER"):
            (self.new / "d.db").unlink(missing_ok=True)
            make_database(self.new / "d.db", rows, column)
            self.assertEqual(self.differences()[0], 1, (rows, column))


if __name__ == "__main__":
    tap.main()
