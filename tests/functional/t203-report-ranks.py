# SPDX-License-Identifier: Apache-2.0
"""strobe report for the results of several ranks: one page with a row for each rank, and kernels
with the operators that launched them."""

import json
import pathlib
import re
import unittest

import chromium
import made_ascend
from support import StrobeTest

FIELDS = ("stage", "computing", "overlapped", "communication_not_overlapped", "free")
D3 = pathlib.Path("/usr/share/nodejs/d3/dist/d3.min.js")


class ReportRanksTest(StrobeTest):
    def make_job(self, *ranks):
        for number, rank in enumerate(ranks):
            folder = self.work / ("source-%d" % number)
            folder.mkdir()
            self.strobe("import", made_ascend.make_text(folder), "-o", self.out)
            latest = sorted(self.out.iterdir())[-1]
            (latest / ("profiler_info_%d.json" % rank)).write_text("{}")
        return sorted(self.out.iterdir())

    def report(self, path, code=0):
        page = self.work / "page.html"
        done = self.strobe("report", path, "-o", page, code=code)
        if code:
            return done.stderr
        text = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
        return json.loads(text.group(1))

    def test_rows(self):
        results = self.make_job(3, 1)
        data = self.report(self.out)
        self.assertEqual([row["rank"] for row in data["ranks"]], [1, 3])
        self.assertEqual(data["metadata"]["rank"], 1)
        for row in data["ranks"]:
            steps = self.json("show", results[row["rank"] == 1], "--table", "step_trace")[0]["rows"]
            self.assertEqual(row["steps"], len(steps))
            self.assertGreater(row["computing"], 0)
            for field in FIELDS:
                self.assertAlmostEqual(row[field], sum(step[field] or 0 for step in steps))

    def test_one_rank_twice(self):
        self.make_job(1, 1)
        self.assertIn("holds 2 results: name one of them", self.report(self.out, code=2))

    def test_kernels_of_devices(self):
        """The sum of the kernel times in all bins equals the time of the kernels."""
        (result,) = self.make_job(0)
        series, = (each for each in self.report(result)["series"] if each["group"] == "Devices")
        busy = sum(value for _, value, _ in series["bins"]) / 100 * series["width"]
        kernels = self.json("show", result, "--table", "op_statistic")[0]["rows"]
        self.assertAlmostEqual(busy, sum(row["total"] for row in kernels), delta=2)

    def test_names_of_kernels(self):
        """The kernels have their full names, and all of their time."""
        (result,) = self.make_job(0)
        names = {row[0]: row for row in self.report(result)["percentiles"]["device_task"]}
        tasks = self.json("show", result, "--table", "device_task", "--limit", 100000)[0]["rows"]
        self.assertEqual(set(names), {task["name"] for task in tasks})
        for name, (_, _, _, count, total) in names.items():
            own = [task["duration"] for task in tasks if task["name"] == name]
            self.assertEqual((count, total), (len(own), sum(own)))

    @unittest.skipUnless(chromium.PROGRAM and D3.exists(), "no chromium or no node-d3")
    def test_page(self):
        self.make_job(0, 1)
        self.report(self.out)
        with chromium.Page(self.work / "page.html") as page:
            page.wait_for("document.body.dataset.ready === 'yes'")
            rows = page.value("[...document.querySelectorAll('#table-ranks tbody tr')]"
                              ".map(row => row.firstChild.textContent)")  # fmt: skip
            self.assertEqual(rows, ["0", "1"])
            self.assertEqual(page.value("document.querySelectorAll('#rank-bars .step').length"), 2)
            launchers = page.value("[...findLaunchers()].map(each => each[1].path.join())")
            self.assertTrue(launchers and all("aten::" in each for each in launchers), launchers)
            page.value("document.getElementById('tab-op_statistic').click()")
            self.assertIn("launched by", page.value("document.getElementById('table-op_statistic').innerText"))
            self.check_timeline(page)
            self.assertIn("shows device 0 in the step", page.value("document.getElementById('steps').innerText"))
            self.assertEqual(page.value("document.querySelector('#step-bars .step').dataset.number"), "5")
            self.assertEqual(page.complaints, [])

    def check_timeline(self, page):
        """Arrows end at the right spans; values over time are below the spans."""
        self.assertGreater(page.value("document.getElementById('time').counters.length"), 0)
        page.value("document.getElementById('time-all').click()")
        self.assertGreater(page.value("document.getElementById('time').arrows"), 0)
        self.assertTrue(page.value("layLinks(layTracks()).every(each => each.above >= 0 && each.below >= 0)"))


if __name__ == "__main__":
    unittest.main()
