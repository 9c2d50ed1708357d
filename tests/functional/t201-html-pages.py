# SPDX-License-Identifier: Apache-2.0
"""The HTML documentation in a real Chromium: light and dark, wide and narrow, with working
links."""

import re
import shutil
import subprocess
import unittest

import chromium
from support import TOP, StrobeTest

PAGES = ("index.html", "docs/cli.html", "docs/kinds.html", "docs/plugin-guide.html")


@unittest.skipUnless(chromium.PROGRAM, "no chromium")
@unittest.skipUnless(shutil.which("cmark-gfm"), "no cmark-gfm")
class HtmlPagesTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.folder = self.work / "html"
        subprocess.run([TOP / "docs" / "make-html", self.folder], check=True)

    def open(self, name, width=1200, theme="light"):
        page = chromium.Page(self.folder / name, width=width)
        self.addCleanup(page.close)
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, mobile=width < 500,
                  deviceScaleFactor=1)  # fmt: skip
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": theme}])  # fmt: skip
        return page

    def colours(self, page, place):
        """The brightness (mean of red, green and blue) of the text and of its background."""
        style = "getComputedStyle(document.querySelector('%s'))" % place
        return [sum(map(int, re.findall(r"\d+", page.value("%s.%s" % (style, name)))[:3])) / 3
                for name in ("color", "backgroundColor")]

    def test_no_page_is_wider_than_the_window(self):
        for name in PAGES:
            for width in (1200, 400):
                with self.subTest(name=name, width=width):
                    page = self.open(name, width=width)
                    self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)
                    self.assertEqual(page.complaints, [])

    def test_light_and_dark(self):
        for theme, sign in (("light", 1), ("dark", -1)):
            page = self.open("index.html", theme=theme)
            for place in ("body", "pre", "th"):
                text, back = self.colours(page, place)
                if place == "th":
                    text, _ = self.colours(page, "body")
                self.assertGreater(sign * (back - text), 100, (theme, place, text, back))

    def test_links_lead_on(self):
        page = self.open("index.html")
        page.follow('main a[href="docs/release.html"]')
        self.assertTrue(page.value("document.title.startsWith('Releasing')"))
        self.assertEqual(page.value("document.querySelector('nav [aria-current]').textContent"),
                         "Releasing a version")
        page.follow("nav .home")
        self.assertEqual(page.value("document.title"), "Strobe")
        self.assertTrue(page.wait_for("[...document.images].every(i => i.complete && i.naturalWidth > 0)"))
