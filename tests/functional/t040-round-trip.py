# SPDX-License-Identifier: Apache-2.0
"""Import, export, import, export: the second export has the same bytes. And tools that people use
accept the output (acceptance.py).

The cases on real results need STROBE_DATA, the folder with ascend/ in it (default: ../shared/data
next to the source tree), and are skipped without it.
"""

import json
import os
import pathlib
import shutil
import sqlite3
import unittest

import acceptance
import made_ascend
from support import BUILD, TOP, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
DATABASE = DATA / "ascend" / "db_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"

# Exports in one form each; only those that this build has are used.
FORMS = {"text": ["chrome_trace", "csv", "comm_json"], "db": ["db"]}
FORMS = {form: [name for name in names if (BUILD / "exporters" / (name + ".so")).exists()]
         for form, names in FORMS.items()}


@unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")
class RoundTrip(StrobeTest):
    def export(self, source, form, *flags):
        """Imports and exports in one form; returns the result directory."""
        self.count = getattr(self, "count", 0) + 1
        words = [word for name in FORMS[form] for word in ("--export", name)]
        done = self.strobe("import", "--json", "-o", self.work / ("out%d" % self.count), *words,
                           *flags, source)
        return pathlib.Path(json.loads(done.stdout)[0]["output"]).parent

    def files(self, result):
        return {path.name: path.read_bytes() for path in (result / OUTPUT).iterdir()}

    def assertSameFiles(self, first, second):
        mine, theirs = self.files(first), self.files(second)
        self.assertEqual(sorted(mine), sorted(theirs))
        other = [name for name in mine if mine[name] != theirs[name]]
        self.assertEqual(other, [], "%s and %s" % (first, second))

    def twice(self, source, form, *flags):
        """In the form of the source, the second export equals the first."""
        first = self.export(source, form, *flags)
        self.assertTrue(any(name != "analyse.done" for name in self.files(first)))
        self.assertSameFiles(first, self.export(first, form, *flags))

    def across(self, source, form, *flags):
        """Another form does not contain everything, but keeps what it contains."""
        first = self.export(self.export(source, form, *flags), form)
        self.assertSameFiles(first, self.export(first, form))

    def accept(self, source):
        for form in FORMS:
            if FORMS[form]:
                found = acceptance.check_result(self.export(source, form) / OUTPUT)
                self.assertEqual({name: said for name, said in found.items() if said}, {}, form)


class MadeTest(RoundTrip):
    def test_text(self):
        self.twice(made_ascend.make_text(self.work), "text")

    def test_text_as_every_generation(self):
        source = made_ascend.make_text(self.work)
        for generation in "123":
            with self.subTest(generation):
                self.across(source, "text", "--generation", generation)

    def test_database(self):
        self.twice(made_ascend.make_database(self.work), "db")

    def test_database_as_every_generation(self):
        source = made_ascend.make_database(self.work)
        for generation in "123":
            with self.subTest(generation):
                self.across(source, "db", "--generation", generation)

    def test_text_to_database(self):
        self.across(made_ascend.make_text(self.work), "db")

    def test_database_to_text(self):
        self.across(made_ascend.make_database(self.work), "text")

    def test_accepted(self):
        self.accept(made_ascend.make_text(self.work))

    def test_accepted_from_database(self):
        self.accept(made_ascend.make_database(self.work))


@unittest.skipUnless(TEXT.is_dir() and DATABASE.is_dir(), "no real results here (STROBE_DATA)")
class RealTest(RoundTrip):
    def test_text(self):
        self.twice(TEXT, "text")

    def test_text_stored(self):
        self.twice(TEXT, "text", "--derived", "source")

    def test_what_the_source_derived(self):
        """Stored derived rows are in the files that are made from them, and in no others."""
        derived = self.files(self.export(TEXT, "text"))
        stored = self.files(self.export(TEXT, "text", "--derived", "source"))
        self.assertEqual(sorted(stored), sorted(derived))
        count = [json.loads(files["trace_view.json"]) for files in (derived, stored)]
        self.assertEqual(len(count[0]), len(count[1]))

    def test_database(self):
        self.twice(DATABASE, "db")

    def test_database_stored(self):
        self.twice(DATABASE, "db", "--derived", "source")

    def test_text_to_database(self):
        self.across(TEXT, "db")

    def test_database_to_text(self):
        self.across(DATABASE, "text")

    def test_accepted(self):
        self.accept(TEXT)
        self.accept(DATABASE)

    def test_text_without_what_was_derived(self):
        """Every file is the same as with the derived files in the source."""
        source = self.work / "bare" / TEXT.name
        shutil.copytree(TEXT, source)
        for name in ("operator_details.csv", "op_statistic.csv", "api_statistic.csv",
                     "step_trace_time.csv", "communication_matrix.json"):
            (source / OUTPUT / name).unlink()
        path = source / OUTPUT / "trace_view.json"
        events = json.loads(path.read_text(encoding="utf-8"))
        overlap = {event["pid"] for event in events if event["ph"] == "M"
                   and event["args"].get("name") == "Overlap Analysis"}
        kept = [event for event in events
                if event["pid"] not in overlap and event.get("cat") != "async_npu"]
        self.assertGreater(len(events), len(kept))
        path.write_text(json.dumps(kept), encoding="utf-8")
        for form in FORMS:
            self.assertSameFiles(self.export(source, form), self.export(TEXT, form))

    def test_database_without_what_was_derived(self):
        source = self.work / "bare" / DATABASE.name
        shutil.copytree(DATABASE, source)
        (source / OUTPUT / "analysis.db").unlink()
        database = sqlite3.connect(next((source / OUTPUT).glob("ascend_pytorch_profiler*.db")))
        database.execute("DROP TABLE OP_MEMORY")
        database.execute("DROP TABLE OVERLAP_ANALYSIS")
        database.commit()
        database.close()
        for form in FORMS:
            self.assertSameFiles(self.export(source, form), self.export(DATABASE, form))

    def test_stacks(self):
        for metric in ("self_cpu_time_total", "self_npu_time_total"):
            done = self.strobe("import", "--json", "-o", self.work / metric, "--export",
                               "stacks:metric=" + metric, TEXT)
            output = pathlib.Path(json.loads(done.stdout)[0]["output"])
            text = (output / "stacks.log").read_text(encoding="utf-8")
            self.assertGreater(len(text.splitlines()), 20)
            self.assertEqual(acceptance.check_folded(text), [])


class AcceptanceTest(unittest.TestCase):
    """The checks find faults."""

    def test_folded(self):
        self.assertEqual(acceptance.check_folded("a;b c 12\nx 1"), [])
        for text in ("", "a", "a 0", "a;;b 3", "a 1\n", "a -1", "a 1.5", "a\r 1"):
            with self.subTest(text):
                self.assertTrue(acceptance.check_folded(text))

    def test_events(self):
        good = {"ph": "X", "name": "a", "pid": 1, "ts": "1.5", "dur": 2, "args": {}}
        self.assertIsNone(acceptance.check_event(good))
        for change in ({"ph": "Y"}, {"ts": "x"}, {"dur": "2"}, {"ph": "s"},
                       {"ph": "C", "args": {"a": "1"}}, {"ph": "M", "args": 1}):
            with self.subTest(change):
                self.assertTrue(acceptance.check_event({**good, **change}))


if __name__ == "__main__":
    unittest.main()
