# SPDX-License-Identifier: Apache-2.0
"""Variations of a known database come back row by row: with other texts, ids, devices, ranks,
columns and rows, as other versions and machines write them.

A database made by hand is always varied; a real one needs STROBE_DATA, the folder with ascend/ in
it (default: ../shared/data next to the source tree).
"""

import json
import pathlib
import shutil
import sqlite3
import unittest

import cells
import made_ascend
import tap
from databases import VIEWER, VIEWER_COLUMNS
from support import BUILD, DATA, StrobeTest

OUTPUT = "ASCEND_PROFILER_OUTPUT"
PROFILER = "ascend_pytorch_profiler_0.db"
REAL = DATA / "ascend" / "db_level1_rank0_ascend_pt"
MADE = pathlib.Path(__file__).with_name("made-database.sql")
# Columns that contain a row's own id, its time, or the id of another row.
KEYS = {"id", "name", "value", "startNs", "endNs", "timestampNs", "timestamp", "type", "component",
        "globalTaskId", "opId", "opName", "opType", "connectionId", "groupName", "deviceId",
        "taskType", "globalTid", "callchainId", "sequenceNumber", "fwdThreadId", "rankId", "stack",
        "stackDepth"}
# Columns that determine the generation, or distinguish a copy from other tasks.
TELLING = {("COMPUTE_TASK_INFO", "blockNum"), ("MEMCPY_INFO", "size")}
# Tables to which others refer, that are made from others, or that are always the same.
REFERRED = {"STRING_IDS", "CONNECTION_IDS", "PYTORCH_CALLCHAINS", "META_DATA", "SESSION_TIME_INFO",
            "HOST_INFO", "NPU_INFO", "RANK_DEVICE_MAP", "TASK"}
# Tables whose additional columns are left out, see docs/ascend-formats.md.
PLAIN = {"SAMPLE_PMU_TIMELINE", "SAMPLE_PMU_SUMMARY", "DPU_TASK", "UB", "CCU", "HOST_DISK_USAGE",
         "HOST_MEM_USAGE", "HOST_NETWORK_USAGE"}
# Tables that an import divides: an unknown column changes the division.
TAKEN_APART = {"PYTORCH_API", "TASK_PMU_INFO", "MSTX_EVENTS", "MEMORY_RECORD"}


def tables_of(database):
    return [name for (name,) in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]


def columns_of(database, table):
    return [(name, kind) for _, name, kind, *_ in
            database.execute('PRAGMA table_info("%s")' % table)]


def drop_columns(database, table, names):
    """Makes the table again without columns, because SQLite does not drop columns that have an
    index."""
    kept = [column for column in columns_of(database, table) if column[0] not in names]
    quoted = ['"%s"' % name.replace('"', '""') for name, _ in kept]
    database.execute("CREATE TABLE kept (%s)" % ", ".join(
        "%s %s" % (name, kind) for name, (_, kind) in zip(quoted, kept)))
    database.execute("INSERT INTO kept SELECT %s FROM %s" % (", ".join(quoted), table))
    database.execute("DROP TABLE " + table)
    database.execute("ALTER TABLE kept RENAME TO " + table)


# ---- variations: each changes a database of the folder ----


def give_texts(database, more):
    """Gives operators, Python calls and kernels longer names, except for names with a rule: the
    memory of "empty_tensor" belongs to the operator around it."""
    names = ("SELECT name FROM PYTORCH_API WHERE type IN (50001, 50003) UNION"
             " SELECT stack FROM PYTORCH_CALLCHAINS UNION SELECT name FROM COMPUTE_TASK_INFO")
    if "PYTORCH_API" in tables_of(database):
        database.execute("UPDATE STRING_IDS SET value = value || ? WHERE value IN (SELECT value"
                         " FROM STRING_IDS WHERE id IN (%s)) AND value NOT LIKE 'ProfilerStep#%%'"
                         " AND value <> 'empty_tensor'" % names, (more,))


def give_unicode_texts(database):
    give_texts(database, ' 算子 ☃ "x", a\\b\t')


def give_long_texts(database):
    give_texts(database, "x" * 5000)


def give_device(database):
    for table in tables_of(database):
        if "deviceId" in [name for name, _ in columns_of(database, table)]:
            database.execute("UPDATE %s SET deviceId = 13 WHERE deviceId >= 0" % table)
    if "NPU_INFO" in tables_of(database):
        database.execute("UPDATE NPU_INFO SET id = 13")


def give_rank(database):
    if "RANK_DEVICE_MAP" in tables_of(database):
        database.execute("UPDATE RANK_DEVICE_MAP SET rankId = 131")


def give_large_ids(database):
    """Ids of tasks, operations and connections beyond 32 bits, streams beyond 16."""
    for table in tables_of(database):
        for name, _ in columns_of(database, table):
            if name in ("globalTaskId", "opId"):
                more, end = 1 << 40, 1 << 32
            elif name == "connectionId" and table != "PYTORCH_API":
                more, end = 1 << 40, (1 << 28) - 1  # ids of the queue are numbered anew
            elif name == "streamId":
                more, end = 1 << 20, 1 << 16
            else:
                continue
            database.execute("UPDATE %s SET %s = %s + ? WHERE %s >= 0 AND %s < ?" % (
                table, name, name, name, name), (more, end))


def add_rows(database):
    """Adds each sample ten times, with later times."""
    for table in {"NPU_MODULE_MEM", "HBM", "LLC", "NPU_MEM"}.intersection(tables_of(database)):
        names = [name for name, _ in columns_of(database, table)]
        again = ", ".join("timestampNs + number * 10000000" if name == "timestampNs" else name
                          for name in names)
        database.execute(
            "INSERT INTO %s WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1"
            " FROM numbers WHERE number < 9) SELECT %s FROM %s, numbers" % (table, again, table))


def add_columns(database):
    others = (REFERRED - {"TASK"}) | TAKEN_APART | PLAIN
    for table in tables_of(database):
        if table not in others and not table.startswith("ENUM_"):
            database.execute('ALTER TABLE %s ADD COLUMN "novelty" TEXT' % table)
            database.execute("UPDATE %s SET novelty = 'ü, \"' || rowid" % table)


VARIATIONS = (give_unicode_texts, give_long_texts, give_device, give_rank, give_large_ids, add_rows)


class Unseen(StrobeTest):
    maxDiff = 3000
    count = 0
    has_unknown = False  # tables for which there is no kind
    modes = (("--derived", "source"), ())

    def export(self, source, *flags):
        """The output folder of an import of the result as a database, and the messages of the
        command."""
        self.count += 1
        done = self.strobe("import", "--json", "-o", self.work / ("out%d" % self.count),
                           "--export", "db", *flags, source)
        (made,) = json.loads(done.stdout)
        return pathlib.Path(made["output"]), made

    def copy(self):
        """A copy of a result, whose databases are then changed."""
        self.count += 1
        source = self.work / ("source%d" % self.count) / "made_ascend_pt"
        shutil.copytree(self.base(), source, copy_function=shutil.copyfile)
        for folder in (source, source / OUTPUT):
            folder.chmod(0o700)
        return source

    def vary(self, change):
        """A result with changed databases."""
        source = self.copy()
        for path in (source / OUTPUT).glob("*.db"):
            database = sqlite3.connect(path)
            for table in VIEWER.intersection(tables_of(database)) - {"sqlite_sequence"}:
                database.execute("DROP TABLE " + table)
            for table in tables_of(database):
                if VIEWER_COLUMNS.intersection(dict(columns_of(database, table))):
                    drop_columns(database, table, VIEWER_COLUMNS)
            change(database)
            database.commit()
            database.close()
        return source

    def check(self, source, modes=None, is_listed=False):
        """Compares the stored derived data, and the data that is derived anew."""
        for flags in modes or self.modes:
            output, made = self.export(source, *flags)
            self.assertEqual(made["damaged"], [])
            self.assertEqual(bool(made["unknown"]), is_listed or self.has_unknown)
            found = cells.compare_databases(output, source / OUTPUT,
                                            cells.limits("database", not flags), has_viewers=True)
            self.assertEqual(cells.few(found), {}, flags)


@unittest.skipUnless((BUILD / "exporters" / "db.so").exists(), "built without SQLite")
class MadeTest(Unseen):
    """A small synthetic result, which was exported once, so that it has the original's forms."""

    def base(self):
        if not hasattr(self, "made"):
            output, _ = self.export(made_ascend.make_database(self.work / "made"))
            self.made = output.parent
            shutil.rmtree(self.made / "FRAMEWORK")
        return self.made

    def test_variations(self):
        for change in VARIATIONS:
            with self.subTest(change.__name__):
                self.check(self.vary(change))

    def test_other_rank(self):
        """Names of files contain the rank's number too."""
        source = self.vary(give_rank)
        (path,) = (source / OUTPUT).glob("ascend_pytorch_profiler*.db")
        path.rename(path.with_name("ascend_pytorch_profiler_131.db"))
        for path in source.glob("profiler_info*.json"):
            info = json.loads(path.read_text(encoding="utf-8"))
            path.unlink()
            (source / "profiler_info_131.json").write_text(json.dumps({**info, "rank_id": 131}))
        self.check(source)

    def test_further_columns(self):
        """Tables that are derived anew do not have the added columns."""
        self.check(self.vary(add_columns), modes=[("--derived", "source")], is_listed=True)

    def parts(self):
        """Returns (table, column that may be missing) for the profiler's database."""
        database = sqlite3.connect(next((self.base() / OUTPUT).glob("ascend_*.db")))
        for table in tables_of(database):
            if table not in VIEWER and table != "STRING_IDS" and not table.startswith("ENUM_"):
                yield table, [name for name, _ in columns_of(database, table)
                              if name not in KEYS | VIEWER_COLUMNS
                              and (table, name) not in TELLING]
        database.close()

    @tap.long_test
    def test_without_columns(self):
        """A missing column becomes NULL or the column's value for absent data. Derived data may
        need the column."""
        for table, names in self.parts():
            for name in names if table not in REFERRED else ():
                with self.subTest(table, column=name):
                    source = self.vary(lambda database: table in tables_of(database)
                                       and drop_columns(database, table, {name}))
                    self.check(source, modes=[("--derived", "source")])

    def test_without_rows(self):
        """An empty table is not written; all others come back unchanged."""
        for table, _ in self.parts():
            if table in REFERRED | {"CANN_API", "PYTORCH_API"}:
                continue
            with self.subTest(table):
                source = self.vary(lambda database: table in tables_of(database)
                                   and database.execute("DELETE FROM " + table))
                output, made = self.export(source, "--derived", "source")
                self.assertEqual(made["damaged"], [])
                found = cells.compare_databases(output, source / OUTPUT,
                                                cells.limits("database", False), has_viewers=True)
                for name in (table, "STRING_IDS"):  # together with the texts of its rows
                    found.pop(name, None)
                self.assertEqual(cells.few(found), {})


@unittest.skipUnless(REAL.is_dir(), "no real results here (STROBE_DATA)")
class RealTest(MadeTest):
    """A real result of the first generation."""

    test_without_rows = tap.long_test(MadeTest.test_without_rows)

    def base(self):
        return REAL


class NewestTest(MadeTest):
    """A row in every possible table of the newest generation."""

    has_unknown = True
    modes = (("--derived", "source"),)  # its sums are invented
    test_without_rows = tap.long_test(MadeTest.test_without_rows)

    def base(self):
        if not hasattr(self, "made"):
            path = self.work / "newest" / OUTPUT / PROFILER
            path.parent.mkdir(parents=True)
            database = sqlite3.connect(path)
            database.executescript(MADE.read_text(encoding="utf-8"))
            database.close()
            output, _ = self.export(path, "--derived", "source")
            self.made = output.parent
            shutil.rmtree(self.made / "FRAMEWORK")
        return self.made


if __name__ == "__main__":
    unittest.main()
