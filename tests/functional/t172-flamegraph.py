# SPDX-License-Identifier: Apache-2.0
"""The flame graph of a program with known shares, in a real Chromium."""

import subprocess
import unittest
import xml.etree.ElementTree as xml

import chromium
from support import STROBE, StrobeTest, program

SVG = "{http://www.w3.org/2000/svg}"


def may_sample():
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


@unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")
class FlamegraphTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.record(program("cpu-program"), "threads", 0.6, collect=["cpu_sample:kernel=false"],
                    flags=("--export", "flamegraph"))  # fmt: skip
        self.path = self.result() / "ASCEND_PROFILER_OUTPUT" / "flamegraph.svg"

    def test_picture(self):
        """Frames lie within the width of their callers, and threads are next to each other."""
        frames = []
        for group in xml.parse(self.path).iter(SVG + "g"):
            rect = group.find(SVG + "rect")
            title = group.find(SVG + "title").text
            x, y, width = (float(rect.get(name)) for name in ("x", "y", "width"))
            frames.append((title.rpartition(" (")[0], y, x, x + width))
        bottom = max(y for _, y, _, _ in frames)
        threads = {name: end - x for name, y, x, end in frames if y == bottom}
        self.assertAlmostEqual(sum(threads.values()), 1180, delta=3)
        share = threads["large"] / (threads["large"] + threads["small"])
        self.assertAlmostEqual(share, 0.75, delta=0.1)
        for name, y, x, end in frames:
            self.assertTrue(y == bottom or [each for each in frames if each[1] == y + 16 and
                            each[2] <= x + 0.01 and each[3] >= end - 0.01], name)  # fmt: skip

    @unittest.skipUnless(chromium.PROGRAM, "no chromium")
    def test_zoom_and_search(self):
        of_small = "[...document.querySelectorAll('g.f')].find(g => g.textContent.startsWith('small'))"
        width = "+%s.querySelector('rect').getAttribute('width')" % of_small
        with chromium.Page(self.path) as page:
            self.assertAlmostEqual(page.value(width), 295, delta=70)
            page.value("window.prompt = () => '^small$', 1")
            page.value("document.getElementById('search').dispatchEvent(new Event('click'))")
            found = page.value("document.getElementById('result').textContent")
            self.assertRegex(found, r"^Found: (1[89]|2\d|3[012])\.\d\d %$")
            self.assertEqual(page.value("document.querySelectorAll('g.found').length"), 1)
            page.value("%s.dispatchEvent(new Event('click'))" % of_small)
            self.assertAlmostEqual(page.value(width), 1180, delta=0.01)
            page.value("document.getElementById('reset').dispatchEvent(new Event('click'))")
            self.assertAlmostEqual(page.value(width), 295, delta=70)


if __name__ == "__main__":
    unittest.main()
