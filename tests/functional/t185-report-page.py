# SPDX-License-Identifier: Apache-2.0
"""The report page in a real Chromium: clicks, filters, search, hostile names, many rows."""

import os
import pathlib
import unittest

import chromium
from made_capture import STEPS, THREAD, MadeCapture
from support import StrobeTest

MS = 1000000
STEP = 100 * MS
HOSTILE = "</script><img src=x onerror=alert(1)>"
D3 = pathlib.Path("/usr/share/nodejs/d3/dist/d3.min.js")
SHOTS = pathlib.Path(os.environ.get("STROBE_BUILD", ".")) / "screenshots"


@unittest.skipUnless(chromium.PROGRAM, "no chromium")
class ReportPageTest(StrobeTest):
    def make_page(self, *flags):
        """Ten steps with a slow loader, and ten thousand operators with a thousand names."""
        made = MadeCapture(10 * STEP)
        steps, main = made.track(STEPS, 1), made.track(THREAD, 1)
        for number in range(10):
            at = number * STEP
            made.operator(main, "enumerate(DataLoader)#next", at, at + 30 * MS)
            made.operator(main, HOSTILE, at + 31 * MS, at + 39 * MS)
            for i in range(1000):
                begin = at + 40 * MS + i * 10000
                made.operator(main, "op-%d" % i, begin, begin + 1000 + i)
            if number == 4:
                made.operator(main, "only-here", at + 60 * MS, at + 80 * MS)
            made.step(steps, number, at, at + STEP)
        capture = made.write(self.work / "made" / "capture.strobe")
        self.strobe("analyse", capture, "--export", ":".join(("report",) + flags), "-o",
                    self.work / "out")  # fmt: skip
        (path,) = (self.work / "out").rglob("report.html")
        return path

    def open(self, path, width=1200, theme="light"):
        page = chromium.Page(path, width=width)
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, mobile=width < 500,
                  deviceScaleFactor=1)  # fmt: skip
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": theme}])  # fmt: skip
        page.call("Page.reload")
        page.wait_for("document.body && document.body.dataset.ready === 'yes'")
        return page

    def names(self, page, table="operator_average"):
        return page.value("[...document.querySelectorAll('#table-%s tbody tr td:first-child')]"
                          ".map(e => e.textContent)" % table)  # fmt: skip

    def search(self, page, place, word):
        page.value("(e => { e.value = '%s'; e.dispatchEvent(new Event('input')); })"
                   "(document.querySelector('%s'))" % (word, place))  # fmt: skip

    @unittest.skipUnless(D3.exists(), "no node-d3")
    def test_page(self):
        path = self.make_page()
        with self.open(path) as page:
            self.check_findings(page)
            self.check_table(page)
            self.check_step(page)
            self.check_canvases(page)
            self.assertEqual(page.value("performance.getEntriesByType('resource').length"), 0)
            self.assertEqual(page.complaints, [])

    def check_findings(self, page):
        first = page.value("document.querySelector('.finding').innerText")
        self.assertIn("Steps wait for the next batch of data", first)
        self.assertIn("30 % of step time", first)
        self.assertIn("num_workers", first)

    def check_table(self, page):
        names = self.names(page)
        self.assertEqual(len(names), 501)
        self.assertIn(HOSTILE, names)
        self.assertIn("503 more rows", names[-1])
        self.assertEqual(page.value("document.querySelectorAll('img').length"), 0)
        self.search(page, "#tables input", "OP-99")
        found = self.names(page)
        self.assertTrue(found and all("op-99" in name for name in found), found)
        self.search(page, "#tables input", "")
        page.value("document.querySelector('#table-operator_average th button').click()")
        names = self.names(page)[:-1]
        self.assertEqual(names, sorted(names))

    def check_step(self, page):
        self.assertEqual(page.value("document.querySelectorAll('.step').length"), 10)
        page.value("document.querySelector('.step[data-number=\"4\"]')"
                   ".dispatchEvent(new Event('click'))")  # fmt: skip
        self.assertIn("only-here", self.names(page))
        self.assertIn("step 4", page.value("document.getElementById('filter').innerText"))
        self.check_flame_of_step(page)
        view = page.value("document.getElementById('time').view()")
        self.assertEqual(view, [4 * STEP, 5 * STEP])
        page.value("document.querySelector('.step[data-number=\"5\"]').dispatchEvent("
                   "new KeyboardEvent('keydown', {key: 'Enter'}))")  # fmt: skip
        self.assertNotIn("only-here", self.names(page))
        page.value("document.querySelector('#filter button').click()")
        self.assertEqual(len(self.names(page)), 501)

    def check_flame_of_step(self, page):
        """Step 4 alone: its operators, and no others."""
        children = ("Object.fromEntries([...document.getElementById('flame').state.root.children"
                    ".values()].map(node => [node.name, node.value]))")  # fmt: skip
        frames = page.value(children)
        self.assertEqual(frames["only-here"], 20 * MS)
        self.assertEqual(frames["enumerate(DataLoader)#next"], 30 * MS)

    def check_canvases(self, page):
        self.search(page, "#time-search", "only-here")
        page.value("document.getElementById('time-all').click()")
        self.assertEqual(page.value("document.getElementById('time-found').innerText"), "1 in view")
        self.search(page, "#flame-search", "only-here")
        self.assertRegex(page.value("document.getElementById('flame-found').innerText"),
                         r"^Found: [\d.]+ %$")  # fmt: skip
        value = "document.getElementById('flame').state.zoom"
        page.value("document.getElementById('flame').dispatchEvent("
                   "new KeyboardEvent('keydown', {key: 'ArrowDown'}))")  # fmt: skip
        self.assertNotEqual(page.value(value + ".name"), "all")
        page.value("document.getElementById('flame').dispatchEvent("
                   "new KeyboardEvent('keydown', {key: 'Escape'}))")  # fmt: skip
        self.assertEqual(page.value(value + ".name"), "all")

    @unittest.skipUnless(D3.exists(), "no node-d3")
    def test_looks(self):
        """Nothing is wider than the screen; the pictures are kept for people to look at."""
        path = self.make_page()
        SHOTS.mkdir(exist_ok=True)
        for name, width, theme in (("light", 1200, "light"), ("dark", 1200, "dark"),
                                   ("phone", 390, "light")):  # fmt: skip
            with self.open(path, width, theme) as page:
                self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)
                self.assertEqual(page.complaints, [])
                page.call("Emulation.setDeviceMetricsOverride", width=width, height=3000,
                          mobile=width < 500, deviceScaleFactor=1)  # fmt: skip
                page.screenshot(SHOTS / ("report-%s.png" % name))

    @unittest.skipUnless(D3.exists(), "no node-d3")
    def test_comparison(self):
        """The second result is shown; a click colours the flame graph by the difference."""
        sides = []
        for name, size in (("before", 5), ("after", 25)):
            made = MadeCapture(10 * STEP)
            steps, main = made.track(STEPS, 1), made.track(THREAD, 1)
            for number in range(10):
                at = number * STEP
                made.operator(main, "aten::mm", at + 10 * MS, at + (10 + size) * MS + number)
                made.operator(main, "aten::add", at + 50 * MS, at + 60 * MS + number)
                made.step(steps, number, at, at + STEP)
            sides.append(made.write(self.work / name / "capture.strobe"))
        path = self.work / "compared.html"
        self.strobe("report", *sides, "-o", path)
        with self.open(path) as page:
            row = page.value("document.querySelector('#table-comparison tbody tr').innerText")
            self.assertIn("aten::mm", row)
            self.assertIn("20 ms", row)
            self.assertIn("400 %", row)
            said = page.value("document.getElementById('compared').innerText")
            self.assertIn("15 ms in A, 35 ms in B (slower). 1 of 2 rows changed beyond chance", said)
            page.value("document.getElementById('flame-isDifference').click()")
            colors = page.value("['aten::mm', 'aten::add'].map(colorOfDifference)")
            self.assertTrue(colors[0].startswith("hsl(0 "), colors)
            self.assertFalse(colors[1].startswith("hsl"), colors)
            self.assertEqual(page.complaints, [])

    @unittest.skipUnless(D3.exists(), "no node-d3")
    def test_samples_of_a_step(self):
        """The flame graph and the functions of one step have only the samples of this step."""
        made = MadeCapture(2 * STEP)
        steps, main = made.track(STEPS, 1), made.track(THREAD, 1)
        for number, names in enumerate((("inner", "outer"), ("other", "outer"))):
            made.operator(main, "aten::mm", number * STEP, number * STEP + MS)
            for i in range(10):
                made.sample(main, "main", names, number * STEP + i * MS, MS)
            made.step(steps, number, number * STEP, (number + 1) * STEP)
        path = self.work / "samples.html"
        self.strobe("report", made.write(self.work / "samples" / "capture.strobe"), "-o", path)
        with self.open(path) as page:
            self.assertEqual({"inner", "outer", "other"}, set(self.functions(page)))
            page.value("document.querySelector('.step[data-number=\"1\"]')"
                       ".dispatchEvent(new Event('click'))")  # fmt: skip
            self.assertEqual({"outer", "other"}, set(self.functions(page)))
            self.search(page, "#flame-search", "other")
            self.assertEqual("Found: 100 %",
                             page.value("document.getElementById('flame-found').innerText"))  # fmt: skip
            self.search(page, "#flame-search", "inner")
            self.assertEqual("Found: 0 %",
                             page.value("document.getElementById('flame-found').innerText"))  # fmt: skip
            self.assertEqual(page.complaints, [])

    def functions(self, page):
        page.value("document.getElementById('tab-function').click()")
        return self.names(page, "function")

    def test_losses(self):
        """A band at the top of the page, and the first finding."""
        made = MadeCapture(STEP)
        process, main = made.track(STEPS, 1), made.track(THREAD, 1)
        made.operator(main, "aten::mm", 0, 50 * MS)
        made.step(process, 1, 0, STEP)
        made.loss(process, 7, 1, main, 60 * MS, 70 * MS)
        path = self.work / "lost.html"
        self.strobe("report", made.write(self.work / "lost" / "capture.strobe"), "-o", path)
        with self.open(path) as page:
            self.assertIn("7 records were lost", page.value("document.querySelector('.lost').innerText"))
            self.assertIn("7 records were lost",
                          page.value("document.querySelector('.finding').innerText"))  # fmt: skip
            self.assertEqual(page.complaints, [])

    def test_without_library(self):
        path = self.make_page("library=/nonexistent/d3.js")
        with self.open(path) as page:
            self.assertIn("node-d3", page.value("document.getElementById('no-charts').innerText"))
            self.assertEqual(len(self.names(page, "step_part")), 10)
            self.assertEqual(page.complaints, [])


if __name__ == "__main__":
    unittest.main()
