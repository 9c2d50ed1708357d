# SPDX-License-Identifier: Apache-2.0
"""strobe report: compares the page's data with the tables of the same result, and checks refused
arguments."""

import csv
import json
import re
import unittest

from made_capture import STEPS, THREAD, MadeCapture
from support import StrobeTest

MS = 1000000
STEP = 100 * MS


def read_data(path):
    """The data in the page, and the page."""
    page = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found.group(1)), page


class ReportTest(StrobeTest):
    def made(self, name="made", slower=1, n_names=3):
        made = MadeCapture(10 * STEP)
        steps, main = made.track(STEPS, 1), made.track(THREAD, 1)
        for number in range(10):
            at = number * STEP
            made.operator(main, "enumerate(DataLoader)#next", at, at + 30 * MS)
            for i in range(n_names):
                begin = at + 40 * MS + i * 10000
                made.operator(main, "op-%d" % i, begin, begin + (i + 1) * slower + 10 * number)
            made.step(steps, number, at, at + STEP)
        return made.write(self.work / name / "capture.strobe")

    def report(self, *paths, **more):
        page = self.work / "page.html"
        done = self.strobe("report", *paths, "-o", page, **more)
        return done, page

    def table(self, data, kind):
        table = data["tables"][kind]
        names = ["name", "begin", "end", "incomplete"] + [each["name"] for each in table["columns"]]
        return [dict(zip(names, row)) for row in table["rows"]]

    def test_numbers_equal_csv(self):
        capture = self.made()
        data, _ = read_data(self.report(capture)[1])
        rows = {row["name"]: row for row in self.table(data, "operator_average")}
        folder = self.work / "tables"
        self.strobe("analyse", capture, "--export", "csv:kinds=operator_average", "-o", folder)
        (path,) = folder.rglob("operator_average.csv")
        with open(path, newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual({line["Name"] for line in lines}, set(rows))
        for line in lines:
            row = rows[line["Name"]]
            for field in ("calls", "host_self(ns)", "host_total(ns)", "host_min(ns)", "host_max(ns)"):
                self.assertEqual(int(line[field]), row[field.partition("(")[0]], (line, field))
            self.assertAlmostEqual(float(line["self_share(%)"]), row["self_share"])
        self.assertEqual(data["steps"], {"count": 10, "median": STEP, "p95": STEP})
        self.assertEqual([row["name"] for row in self.table(data, "finding")], ["data_loading"])

    def test_many_rows(self):
        data, page = read_data(self.report(self.made(n_names=700))[1])
        table = data["tables"]["operator_average"]
        self.assertEqual((table["total_rows"], len(table["rows"])), (701, 500))
        kept = sum(row["calls"] for row in self.table(data, "operator_average"))
        place = [each["name"] for each in table["columns"]].index("calls")
        self.assertEqual(kept + table["rest"][place], 7010)
        self.assertLess(len(page), 5000000)

    def test_long_names(self):
        """With distinct names and deep stacks the page stays small, and says which data it leaves
        out."""
        made = MadeCapture(10 * STEP)
        steps, main = made.track(STEPS, 1), made.track(THREAD, 1)
        for number in range(10):
            at = number * STEP
            for i in range(1300):
                begin, which = at + i * 60000, number * 1300 + i
                made.operator(main, "%d-%s" % (which, "name" * 250), begin, begin + 50000 + i)
                stack = tuple("%d-%d-%s" % (which, depth, "frame" * 10) for depth in range(16))
                made.sample(main, "main", stack, begin, MS)
            made.step(steps, number, at, at + STEP)
        capture = made.write(self.work / "long" / "capture.strobe")
        data, page = read_data(self.report(capture)[1])
        self.assertLess(len(page.encode()), 5000000)
        self.assertFalse(data["has_all_texts"])
        self.assertEqual(len(data["tables"]["operator_average"]["rows"]), 500)
        self.assertTrue(all(len(row["name"]) > 300 for row in self.table(data, "operator_average")))
        for source in data["flames"]["sources"]:
            self.assertGreater(source["left_out"], 0)

    def test_source(self):
        """The files and the configuration of the result; the clock of an import is unknown."""
        folder = self.work / "result_ascend_pt"
        capture = self.made()
        (folder / "FRAMEWORK").mkdir(parents=True)
        capture.rename(folder / "FRAMEWORK" / "capture.strobe")
        (folder / "profiler_info.json").write_text('{"with": "</script>"}')
        (folder / "link.json").symlink_to("/etc/passwd")
        data, _ = read_data(self.report(folder)[1])
        size = (folder / "FRAMEWORK" / "capture.strobe").stat().st_size
        self.assertEqual(data["source"]["files"],
                         [["FRAMEWORK/capture.strobe", size], ["profiler_info.json", 21]])  # fmt: skip
        self.assertEqual(data["source"]["configuration"], [["profiler_info.json", '{"with": "</script>"}']])
        self.assertTrue(data["has_all_texts"])

    def test_comparison(self):
        before, after = self.made("before"), self.made("after", slower=100000)
        data, _ = read_data(self.report(before, after)[1])
        diff = self.json("diff", before, after, "--all", "--limit", 500)
        self.assertEqual(data["comparison"]["rows"], diff["rows"])
        self.assertTrue(any(row["regression"] or row["changed"] for row in diff["rows"]))

    def test_without_library(self):
        done = self.strobe("analyse", self.made(), "--export", "report:library=/nonexistent/d3.js",
                           "-o", self.work / "out")  # fmt: skip
        self.assertIn("install Debian's node-d3", done.stderr)
        (path,) = (self.work / "out").rglob("report.html")
        self.assertIn("<script></script>", path.read_text())

    def test_refusals(self):
        capture = self.made()
        self.assertIn("expected one, or two", self.strobe("report", code=2).stderr)
        done = self.strobe("report", capture, "-o", self.work / "none" / "page.html", code=6)
        self.assertIn("none", done.stderr)
        self.strobe("report", capture, "-o", "folder/", code=2)
        self.strobe("report", self.work / "absent", code=5)


if __name__ == "__main__":
    unittest.main()
