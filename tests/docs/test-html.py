#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/make-html makes all pages, without a dead link, and a link to a missing page is an error."""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402


class Page(html.parser.HTMLParser):
    """The links, anchors and text of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places, self.text = [], set(), ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.links += [values[name] for name in ("href", "src") if name in values]
        if "id" in values:
            if values["id"] in self.places:
                raise AssertionError("two places of the name " + values["id"])
            self.places.add(values["id"])

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.text += "comment: " + data


def make(top, folder):
    return subprocess.run([top / "docs" / "make-html", "--depfile", folder.with_suffix(".d"), folder],
                          capture_output=True, text=True)


@unittest.skipUnless(shutil.which("cmark-gfm"), "no cmark-gfm")
class HtmlTest(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="strobe-html-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.folder = self.work / "html"

    def make_pages(self):
        done = make(TOP, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {path: Page(path) for path in self.folder.rglob("*.html")}

    def test_no_link_is_dead(self):
        pages = self.make_pages()
        n = 0
        for path, page in pages.items():
            for link in page.links:
                if "://" in link:
                    continue
                target, _, anchor = link.partition("#")
                found = (path.parent / target).resolve() if target else path
                self.assertTrue(found.is_file(), "%s: %s" % (path, link))
                if anchor:
                    self.assertIn(anchor, pages[found].places, "%s: %s" % (path, link))
                n += 1
        self.assertGreater(n, 3000)  # the pages have lists of each other

    def test_each_page_is_there_and_in_the_contents(self):
        pages = self.make_pages()
        start = pages[self.folder / "index.html"]
        for path in [*TOP.glob("docs/*.md"), *TOP.glob("docs/topics/*.md")]:
            place = path.relative_to(TOP).with_suffix(".html").as_posix()
            self.assertIn(place.replace("README.html", "index.html"), start.links)

    def test_nothing_is_left_out(self):
        """cmark-gfm would leave raw HTML out, and would keep tables and code that it does not
        understand as text."""
        for path, page in self.make_pages().items():
            self.assertNotIn("raw HTML omitted", page.text, path)
            self.assertNotRegex(page.text, r"(?m)^\|[-: ]*--|```", path)

    def copy_tree(self):
        """Copies only the pages and the files that make HTML of them."""
        top = self.work / "tree"
        for name in ("README.md", "docs/make-html", "docs/page.css"):
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, top / name)
        return top

    def test_a_dead_link_is_an_error(self):
        top = self.copy_tree()
        for target in ("docs/nowhere.md", "core/nowhere.c"):
            (top / "README.md").write_text("# Top\n\nSee [there](%s).\n" % target)
            done = make(top, self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("README.md: there is no %s" % target, done.stderr)
            self.assertFalse(self.folder.exists())

    def test_links_of_each_sort(self):
        top = self.copy_tree()
        (top / "README.md").write_text(
            "# Top\n\n[a](docs/a.md#two--parts) [rules](docs/page.css) [out](https://example.org/x.md)\n\n"
            "## Same\n\n## Same\n\n`[no](docs/nowhere.md)`\n")
        (top / "docs" / "a.md").write_text("# A `page`\n\n## Two & parts\n\n[back](../README.md)\n")
        done = make(top, self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        start, page = Page(self.folder / "index.html"), Page(self.folder / "docs" / "a.html")
        self.assertIn("docs/a.html#two--parts", start.links)
        self.assertIn("two--parts", page.places)
        self.assertIn("https://example.org/x.md", start.links)
        # only the style
        self.assertEqual([link for link in start.links if "page.css" in link], ["page.css"])
        self.assertLessEqual({"same", "same-1"}, start.places)
        self.assertIn("../index.html", page.links)
        names = self.folder.with_suffix(".d").read_text()
        self.assertTrue(re.match(r"%s: .*README\.md" % re.escape(str(self.folder)), names), names)


if __name__ == "__main__":
    tap.main()
