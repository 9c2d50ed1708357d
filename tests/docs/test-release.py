#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`.ci/release-check.py` finds each reason against a release; the first section of NEWS.md is that
of the present version."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

SPEC = importlib.util.spec_from_file_location("release_check", TOP / ".ci" / "release-check.py")
release_check = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(release_check)


class NewsTest(unittest.TestCase):
    def test_the_present_version_is_first(self):
        version = release_check.version_of(TOP)
        first = next(line for line in (TOP / "NEWS.md").read_text().splitlines()
                     if line.startswith("## "))
        self.assertRegex(first, r"^## %s \((in work|\d{4}-\d\d-\d\d)\)$" % version.replace(".", r"\."))


@unittest.skipUnless(shutil.which("git"), "no git")
class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="strobe-release-"))
        self.addCleanup(shutil.rmtree, self.top)
        self.git("init", "-q")
        self.write("1.2.0", "## 1.2.0 (2026-01-31)")

    def git(self, *words):
        identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"]
        subprocess.run(["git", "-C", str(self.top), *identity, *words], check=True,
                       capture_output=True)

    def write(self, version, heading, entry=None):
        (self.top / "debian").mkdir(exist_ok=True)
        (self.top / "debian" / "changelog").write_text((entry or "strobe (%s) unstable;" % version) + " urgency=low\n")
        (self.top / "meson.build").write_text("project('x', 'c',\n  version: '%s',\n)" % version)
        (self.top / "NEWS.md").write_text("# News\n\n%s\n\nText.\n\n## 1.1.0 (2025-12-31)\n" % heading)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def check(self, *expected):
        self.assertEqual(release_check.faults(self.top), list(expected))

    def test_ready(self):
        self.git("tag", "v1.1.0")
        self.check()

    def test_uncommitted(self):
        (self.top / "left.c").write_text("")
        self.check("uncommitted: ?? left.c")

    def test_no_date(self):
        self.write("1.2.0", "## 1.2.0 (in work)")
        self.check('NEWS.md: expected the date of 1.2.0, found "in work"')

    def test_no_section(self):
        self.write("1.3.0", "## 1.2.0 (2026-01-31)")
        self.check("NEWS.md: the first section is not that of 1.3.0")

    def test_debian(self):
        self.write("1.2.0", "## 1.2.0 (2026-01-31)", "strobe (1.1.0) unstable;")
        self.check("debian/changelog: the first entry is not that of 1.2.0")
        self.write("1.2.0", "## 1.2.0 (2026-01-31)", "strobe (1.2.0) UNRELEASED;")
        self.check('debian/changelog: expected a release of Debian, found "UNRELEASED"')

    def test_tags(self):
        self.git("tag", "v1.2.0")
        self.check("the tag v1.2.0 is there already")
        self.git("tag", "-d", "v1.2.0")
        self.git("tag", "v1.10.0")
        self.check("1.2.0 is older than the tag v1.10.0")


if __name__ == "__main__":
    tap.main()
