# SPDX-License-Identifier: Apache-2.0
"""msprof-analyze reports the same about results that Strobe imported and exported as about the
originals.

The cases on real results need the data that support.DATA names, and are skipped without them.
"""

import concurrent.futures
import csv
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import unittest

import made_ascend
import tap
import workbook
from support import BUILD, DATA, VENV, StrobeTest, needs_torch2

TOOL = VENV / "bin" / "msprof-analyze"
ORIGINALS = {"text": DATA / "ascend" / "text_level1_rank0_ascend_pt",
             "db": DATA / "ascend" / "db_level1_rank0_ascend_pt"}
EXPORTERS = {"text": ("chrome_trace", "csv", "comm_json"), "db": ("db",)}
COMPARISON = "performance_comparison_result_.xlsx"
COMPLAINT = re.compile(r"\[(?:WARNING|ERROR)\]\[.*")
MEMORY_SHEETS = ("MemoryCompare", "MemoryCompareStatistic")


real = unittest.skipUnless(all(path.is_dir() for path in ORIGINALS.values()),
                           "no real results in %s" % DATA)


def read_database(path):
    with sqlite3.connect(path) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: sorted(map(list, database.execute('SELECT * FROM "%s"' % name)), key=repr)
                for (name,) in tables}


READERS = {
    ".xlsx": workbook.read,
    ".csv": lambda path: list(csv.reader(path.open())),
    ".json": lambda path: json.loads(path.read_text()),
    ".html": lambda path: path.read_text().splitlines(),
    ".db": read_database,
}


def as_number(value):
    """Converts a text to a number, because all cells of a CSV file are texts."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


@needs_torch2
@unittest.skipUnless((BUILD / "plugins" / "ascend_db.so").exists(), "built without SQLite")
class MsprofAnalyzeTest(StrobeTest):
    def setUp(self):
        super().setUp()
        # path of a result, its folder or a report -> the word that replaces the path
        self.roles = {}

    # ---- results ----

    def copy(self, form):
        """Copies an original to a separate folder."""
        folder = self.work / "original" / form
        result = folder / ORIGINALS[form].name
        shutil.copytree(ORIGINALS[form], result, copy_function=shutil.copyfile)
        for path in (result, *filter(pathlib.Path.is_dir, result.rglob("*"))):
            path.chmod(0o755)
        self.note(result, form)
        return result

    def export(self, source, form, name, *flags):
        """Strobe's export of an original, in the same form."""
        words = [word for exporter in EXPORTERS[form] for word in ("--export", exporter)]
        done = self.strobe("import", "--json", "-o", self.work / name / form, *words, *flags, source)
        result = pathlib.Path(json.loads(done.stdout)[0]["output"]).parent
        self.note(result, form)
        return result

    def note(self, result, form):
        self.roles.update({str(result): form, str(result.parent): "folder of " + form})

    # ---- reports ----

    def analyze(self, name, *words):
        """Runs the tool. Returns the content of its reports."""
        out = self.work / "reports" / name
        out.mkdir(parents=True)
        done = subprocess.run([TOOL, *words, "-o", out], cwd=out, env=self.environment, text=True,
                              capture_output=True, timeout=170)
        self.assertEqual(done.returncode, 0, "%s\n%s" % (done.stdout, done.stderr))
        paths = [path for path in out.rglob("*") if path.suffix in READERS]
        self.assertTrue(paths, done.stdout)
        self.roles[str(out)] = "reports"
        # Some names of reports contain the time.
        reports = {path.stem.rstrip("0123456789") + path.suffix: READERS[path.suffix](path)
                   for path in paths}
        reports["complaints"] = sorted(set(COMPLAINT.findall(done.stdout + done.stderr)))
        return reports

    def analyze_all(self, jobs):
        """Returns name -> reports, from name -> arguments."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            running = {name: pool.submit(self.analyze, name, *words) for name, words in jobs.items()}
            return {name: each.result() for name, each in running.items()}

    def assertAlike(self, ours, original, where):
        """The reports are equal except for the last digits of numbers and the paths of the
        results."""
        number, wanted = as_number(ours), as_number(original)
        if isinstance(original, dict):
            self.assertEqual(sorted(ours), sorted(original), where)
            for key, value in original.items():
                self.assertAlike(ours[key], value, "%s/%s" % (where, key))
        elif isinstance(original, list):
            self.assertEqual(len(ours), len(original), where)
            for index, value in enumerate(original):
                self.assertAlike(ours[index], value, "%s[%d]" % (where, index))
        elif wanted is not None and number is not None:
            self.assertAlmostEqual(number, wanted, delta=max(1e-4, 5e-5 * abs(wanted)), msg=where)
        else:
            self.assertEqual(self.comparable(ours), self.comparable(original), where)

    def comparable(self, value):
        """The text without paths, with sorted lines or rows, because the tool lists sets in any
        order."""
        if not isinstance(value, str):
            return value
        for path, role in self.roles.items():
            value = value.replace(path, role)
        return sorted(re.split("\n|<tr>", value))

    # ---- cases ----

    def test_made_results(self):
        text = self.export(made_ascend.make_text(self.work), "text", "made")
        database = self.export(made_ascend.make_database(self.work), "db", "made")
        report = self.analyze("made", "compare", "-d", text, "-bp", database)[COMPARISON]
        self.assertEqual(report["OverallMetrics"][2][0], "Computing Time")
        for sheet in ("KernelCompare", "ApiCompare", "MemoryCompare"):
            self.assertGreater(len(report[sheet]), 2, sheet)

    @real
    @tap.long_test
    def test_compare(self):
        results = {"original": {form: self.copy(form) for form in ORIGINALS}}
        for name, flags in (("anew", ()), ("kept", ("--derived", "source"))):
            results[name] = {form: self.export(path, form, name, *flags)
                             for form, path in results["original"].items()}
        reports = self.analyze_all({name: ("compare", "-d", each["text"], "-bp", each["db"])
                                    for name, each in results.items()})
        original, anew, kept = (reports[name][COMPARISON] for name in ("original", "anew", "kept"))
        self.assertGreater(len(original["KernelCompare"]), 100)
        self.assertAlike(kept, original, "compare, with what the source derived")
        # A database's totals do not show which of several blocks of the same size was released.
        for sheet in MEMORY_SHEETS:
            self.assertEqual(len(anew.pop(sheet)), len(original.pop(sheet)), sheet)
        self.assertAlike(anew, original, "compare, derived anew")

    def check_form(self, form):
        """The cluster analysis and the advice are the same as for the original."""
        original = self.copy(form)
        jobs = {}
        for name, result in (("original", original), ("ours", self.export(original, form, "ours"))):
            jobs["cluster " + name] = ("cluster", "-d", result.parent)
            jobs["advisor " + name] = ("advisor", "all", "-l", "en", "-d", result)
        reports = self.analyze_all(jobs)
        for what in ("cluster ", "advisor "):
            self.assertAlike(reports[what + "ours"], reports[what + "original"], what + form)

    @real
    @tap.long_test
    def test_text(self):
        self.check_form("text")

    @real
    @tap.long_test
    def test_database(self):
        self.check_form("db")


if __name__ == "__main__":
    unittest.main()
