#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints how often the data that Strobe derives equals the data that the original wrote: the table
V1 to V23.

Needs STROBE_DATA, the folder with ascend/ in it (default: ../shared/data next to the source tree);
without it every row is "no data here". The table is printed as comments of the test.
"""

import json
import os
import pathlib
import re
import shutil
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests" / "functional")]

import rows as verification
import tap
from support import BUILD, StrobeTest

DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
TEXT = DATA / "ascend" / "text_level1_rank0_ascend_pt"
DATABASE = DATA / "ascend" / "db_level1_rank0_ascend_pt"
OUTPUT = "ASCEND_PROFILER_OUTPUT"
HAS_DB = (BUILD / "exporters" / "db.so").exists()
KINDS = (
    "operator_device kernel_link operator_link step_range kernel_detail overlap step_trace "
    "op_statistic api_statistic communication_time communication_bandwidth communication_matrix "
    "memory_block memory_total"
).split()

# The least counts on these data for rows whose importer and pass exist; a smaller count is a fault.
LEAST = {
    "V1": (7731, 7731), "V2": (210, 210), "V3": (54, 54), "V4": (44, 44), "V5": (191, 191),
    "V6": (191, 191), "V7": (9, 9), "V8": (292, 292), "V9": (90, 90), "V10": (264, 264),
    "V11": (57, 57), "V12": (161, 161), "V13": (232, 232), "V15": (552, 552), "V16": (495, 495),
    "V22": (5, 5),
}
# The same, if there is an importer for the database.
LEAST_DATABASE = {
    "V14": (1, 1), "V17": (9, 9), "V18": (24, 28), "V19": (487, 487), "V20": (1576, 1597),
}


class Results:
    """The original's data, and Strobe's data that was made from it."""

    def __init__(self, test):
        self.text = TEXT / OUTPUT
        self.analysis = DATABASE / OUTPUT / "analysis.db"
        self.database = DATABASE / OUTPUT / "ascend_pytorch_profiler_0.db"
        self.text_out = self.imported(test, TEXT, "text")
        self.text_stored = self.imported(test, self.layers(test), "stored", "--derived", "source")
        tables = self.copy(test, "tables", "trace_view.json")
        self.tables_out = self.imported(test, tables, "alone")
        self.db_out = self.imported(test, DATABASE, "db")
        self.has_database = self.db_out.is_dir()
        self.own_database = self.db_out / "ascend_pytorch_profiler_0.db"
        self.events, self.processes = verification.trace_of(self.text / "trace_view.json")
        self.own_events, _ = verification.trace_of(self.text_out / "trace_view.json")

    @staticmethod
    def layers(test):
        """The source without its stored step trace, so that this table is derived."""
        return Results.copy(test, "layers", "step_trace_time.csv")

    @staticmethod
    def copy(test, name, *without):
        source = test.work / name
        if TEXT.is_dir():
            shutil.copytree(TEXT, source, ignore=shutil.ignore_patterns(*without),
                            copy_function=shutil.copyfile)
            source.joinpath(OUTPUT).chmod(0o700)
        return source

    @staticmethod
    def imported(test, source, name, *flags):
        out = test.work / name
        if not source.is_dir():
            return out / "none"
        process = test.start(
            "import", "--json", "-o", out, *flags,
            "--export", "csv:kinds=" + "+".join(KINDS), "--export", "comm_json",
            "--export", "chrome_trace", *(["--export", "db"] if HAS_DB else []), source,
        )
        text = process.communicate()[0]
        if process.returncode or not text.strip():
            return out / "none"
        return pathlib.Path(json.loads(text)[0]["output"])


def print_table(figures):
    print("# %-4s %-45s %s" % ("row", "rule", "equal"))
    for row, label in verification.LABELS.items():
        value = figures.get(row)
        text = "%d of %d" % value if value else "no data here"
        print("# %-4s %-45s %-13s case: %s" % (row, label, text, verification.CASES[row]))
    sys.stdout.flush()


class VerifyTest(StrobeTest):
    def test_table(self):
        results = Results(self)
        figures = {row: compare(results) for row, compare in verification.ROWS.items()}
        print_table(figures)
        self.assertEqual(list(figures), ["V%d" % number for number in range(1, 24)])
        expected = dict(LEAST if TEXT.is_dir() else {})
        expected.update(LEAST_DATABASE if results.has_database else {})
        for row, least in expected.items():
            self.assertEqual(figures[row], least, row)

    def test_cases_exist(self):
        """The synthetic case of every row is a test that exists."""
        sources = {
            path.stem.removeprefix("test-").replace("-", "_"): path.read_text()
            for path in (TOP / "exporters").rglob("test-*.c")
        }
        for row, cases in verification.CASES.items():
            for case in cases.split(", "):
                program, _, path = case.partition(" ")
                with self.subTest(row=row, case=case):
                    if program == "db" and program not in sources:
                        continue  # this tree lacks a pass or an exporter
                    self.assertIn(program, sources)
                    self.assertTrue(re.search(re.escape(path), sources[program]))


if __name__ == "__main__":
    sys.exit(tap.main())
