# SPDX-License-Identifier: Apache-2.0
"""The page of memory over time, in a real Chromium."""

import base64
import gzip
import json
import re
import struct
import unittest

import chromium
import tap
from support import PYTHON, StrobeTest, has_torch, needs_python

SCRIPT = """
import time
import torch
torch.set_num_threads(1)
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad(set_to_none=True)
    loss = model(torch.randn(128, 256)).square().mean()
    time.sleep(0.2) # activations are held long enough to be drawn
    loss.backward()
    optimizer.step()
# So are gradients, until the last allocation.
time.sleep(0.5)
torch.ones(4)
"""
NAMES = ("Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient",
         "Autograd detail", "Unknown")  # fmt: skip


def read_size(text):
    number, unit = text.split()
    return float(number) * 1024 ** ["B", "KiB", "MiB", "GiB"].index(unit)


@tap.once_test
@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class MemoryPageTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.strobe("run", "-o", self.out, "--collect", "memory:tensors=true",
                    "--collect", "cpu_op", "--", PYTHON, self.script("train.py", SCRIPT))  # fmt: skip

    def export(self, name):
        folder = self.work / "exported"
        self.strobe("analyse", self.result(), "--export", "memory_timeline:file=" + name, "-o", folder)
        return next(folder.rglob(name))

    def test_forms_agree(self):
        """The forms agree if the program reports nothing, and everything comes from its
        operators."""
        with gzip.open(self.export("m.raw.json.gz"), "rt") as file:
            rows = json.load(file)
        times, sizes = json.loads(self.export("m.json").read_text())
        self.assertEqual(len(times), len(sizes))
        held = [0] * 8
        for _, _, size, category in rows:
            held[category] += size
        self.assertEqual(sizes[-1], [0] + held)
        parameters = 4 * (256 * 512 + 512 + 512 * 64 + 64)
        last = dict(zip(NAMES, sizes[-1][1:]))
        self.assertEqual(last["Parameter"], parameters)
        self.assertEqual(last["Gradient"], parameters)
        # plus the counters of four steps
        self.assertEqual(last["Optimizer state"], 2 * parameters + 4 * 4)

    def read_data(self, path):
        return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.S).group(1))

    def test_report(self):
        """The report has the same chart with the same data; for a chosen step it shows the step."""
        path = self.work / "report.html"
        self.strobe("report", self.result(), "-o", path)
        (device,) = self.read_data(path)["memory"]["devices"]
        self.assertEqual(device, self.read_data(self.export("m.html")))
        self.assertLess(device["begin"], 100e9)
        if not chromium.PROGRAM:
            return
        with chromium.Page(path) as page:
            page.wait_for("document.body.dataset.ready === 'yes'")
            said = page.value("document.querySelector('#memory .memory-summary').textContent")
            self.assertTrue(said.startswith("Peak "), said)
            self.assertIn("Parameter", page.value("document.querySelector('#memory .memory-shares').textContent"))
            self.assertEqual(page.complaints, [])

    @unittest.skipUnless(chromium.PROGRAM, "no chromium")
    def test_page(self):
        times, sizes = json.loads(self.export("m.json").read_text())
        peak = max(sum(each) for each in sizes)
        with chromium.Page(self.export("m.html")) as page:
            self.check_summary(page, peak)
            self.check_hover(page, times, sizes)
            self.check_legend(page)
            self.check_zoom(page)
            self.check_drawn(page)
            self.check_picture(page)
            self.assertEqual(page.complaints, [])

    def check_summary(self, page, peak):
        self.assertEqual(page.value("document.title"), "Memory of cpu")
        words = page.value("document.querySelector('.memory-summary').textContent").split()
        self.assertEqual(words[0], "Peak")
        self.assertAlmostEqual(read_size(" ".join(words[1:3])) / peak, 1, delta=0.01)
        self.assertGreater(page.value("document.querySelectorAll('.memory-blocks tr').length"), 5)
        self.assertIn("Parameter", page.value("document.querySelector('.memory-shares').textContent"))
        self.assertEqual(page.value("performance.getEntriesByType('resource').length"), 0)

    def check_picture(self, page):
        """The button saves the plot, with the allocator's values above it."""
        said = page.value("document.querySelector('.memory-allocator').textContent")
        self.assertTrue(said.startswith("Max memory allocated: "), said)
        page.value("window.saved = [];"
                   "HTMLAnchorElement.prototype.click = function () { saved.push(this.download, this.href) }")
        page.value("chart.save.click()")
        name, link = page.value("saved")
        head = "data:image/png;base64,"
        self.assertEqual((name, link[:len(head)]), ("memory_timeline.png", head))
        picture = base64.b64decode(link[len(head):])
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        width, height = struct.unpack(">II", picture[16:24])
        self.assertEqual([width, height - 76], page.value("[chart.back.width, chart.back.height]"))
        (self.work / "plot.png").write_bytes(picture)

    def hover(self, page, share):
        """The text of the tooltip when the pointer is at this share of the chart's width."""
        box = page.value("(b => [b.left, b.top, b.width, b.height])("
                         "chart.front.getBoundingClientRect())")
        x = box[0] + 78 + share * (box[2] - 92)
        page.mouse("Moved", x, box[1] + box[3] / 2)
        return x, box, page.value("chart.tip.innerText")

    def check_hover(self, page, times, sizes):
        # The middle of the longest period without a change, because the pointer is at a whole pixel.
        sample = max(range(len(times) - 1), key=lambda i: times[i + 1] - times[i])
        at = (times[sample] + times[sample + 1]) / 2
        share = (at - times[0]) / (times[-1] - times[0])
        _, _, text = self.hover(page, share)
        lines = [line.split("\t") for line in text.strip().splitlines()]
        self.assertAlmostEqual(read_size(lines[0][1]) / sum(sizes[sample]), 1, delta=0.02)
        self.assertIn("Parameter", text)
        page.mouse("Moved", 5, 5)
        self.assertEqual(page.value("chart.tip.style.display"), "none")

    def check_legend(self, page):
        self.assertIn("Gradient", page.value("chart.legend.innerText"))
        self.assertIn("Parameter", self.hover(page, 0.6)[2])
        page.value("chart.legend.querySelector('input').click()")
        self.assertNotIn("Parameter", self.hover(page, 0.6)[2])
        page.value("chart.legend.querySelector('input').click()")

    def check_zoom(self, page):
        x, box, _ = self.hover(page, 0.3)
        y = box[1] + box[3] / 2
        page.mouse("Pressed", x, y, button="left", buttons=1, clickCount=1)
        page.mouse("Moved", x + 200, y, button="left", buttons=1)
        page.mouse("Released", x + 200, y, button="left", clickCount=1)
        self.assertLess(page.value("(chart.view[1] - chart.view[0]) / (chart.whole[1] - chart.whole[0])"), 0.3)
        self.assertFalse(page.value("chart.reset.hidden"))
        page.value("chart.reset.click()")
        self.assertTrue(page.value("chart.reset.hidden"))

    def check_drawn(self, page):
        """Each category with memory has its colour on the canvas."""
        found = page.value("""(() => {
            const back = chart.back, c = back.getContext("2d"), seen = new Set();
            const all = c.getImageData(0, 0, back.width, back.height).data;
            for (let i = 0; i < all.length; i += 4)
                seen.add("#" + [all[i], all[i + 1], all[i + 2]]
                    .map(n => n.toString(16).padStart(2, "0")).join(""));
            return memoryNames.filter((name, k) => seen.has(memoryColors[k]));
        })()""")
        for name in ("Parameter", "Optimizer state", "Activation", "Gradient"):
            self.assertIn(name, found)
        self.assertGreater(len(page.screenshot(self.work / "page.png")), 10000)


if __name__ == "__main__":
    unittest.main()
