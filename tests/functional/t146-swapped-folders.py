# SPDX-License-Identifier: Apache-2.0
"""A user replaces folders by links while root analyses: no file of root is changed."""

import os

from other_user import (OTHER, OUTPUT, OtherUser, changes, entries, exchange, give, make_result,
                        needs_other_user)
from support import StrobeTest

ROUNDS = 12
SECRET = {"chrome_trace": {"file": "passwd"}}


@needs_other_user
class SwappedFoldersTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.work.chmod(0o755)
        self.home = self.work / "home"
        self.home.mkdir()
        # Files of root elsewhere, with the names that an analysis uses.
        self.precious = self.work / "precious"
        make_result(self.precious, name="made_ascend_pt", **{"host": "precious"})
        self.strobe("analyse", self.precious)
        for folder in (self.precious, self.precious / "made_ascend_pt" / OUTPUT):
            (folder / "passwd").write_text("keep")
        (self.precious / "trace_view.json").write_text("keep")
        self.before = entries(self.precious)

    def assertNothingChanged(self):
        self.assertEqual(changes(self.before, self.precious), [])

    def swap(self, name):
        """`name` in the user's home is alternately the original and a link to a file of root."""
        self.link = self.home / "link"
        self.link.symlink_to(self.precious)
        os.chown(self.link, OTHER, OTHER, follow_symlinks=False)
        return OtherUser(lambda: exchange(self.home / name, self.link))

    def analyse(self, *words):
        """The exit code does not matter; only root's files must stay unchanged."""
        process = self.start(*words)
        _, errors = process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, 2, 5, 6), errors)
        return process.returncode

    def test_hidden_folder_of_a_result(self):
        """A name that is stored in the capture, in a folder by which the user replaces the hidden
        folder."""
        theirs = make_result(self.home, 20000, exporters=SECRET)
        give(self.home)

        def plant():
            for name in os.listdir(theirs):
                path = str(theirs / name)
                if name.startswith(".") and not os.path.islink(path):
                    os.rename(path, str(theirs / ("caught" + name)))
                    os.symlink(self.precious, path)

        with OtherUser(plant):
            codes = {self.analyse("analyse", theirs) for _ in range(ROUNDS)}
        self.assertNothingChanged()
        self.assertEqual(codes, {2})

    def test_output_folder(self):
        theirs = make_result(self.home, exporters=SECRET)
        (self.home / "out").mkdir()
        give(self.home)
        with self.swap("out"):
            codes = [self.analyse("analyse", theirs, "-o", self.home / "out") for _ in range(ROUNDS)]
        self.assertNothingChanged()
        self.assertNotIn(2, codes)

    def test_folder_above_the_output(self):
        theirs = make_result(self.home, exporters=SECRET)
        (self.home / "deep" / "out").mkdir(parents=True)
        give(self.home)
        with self.swap("deep"):
            for _ in range(ROUNDS):
                self.analyse("analyse", theirs, "-o", self.home / "deep" / "out")
        self.assertNothingChanged()

    def test_parts_that_are_discarded(self):
        """An export that divides its output removes parts that became too large."""
        theirs = make_result(self.home, 20000)
        (self.home / "out").mkdir()
        for name in ("made_ascend_pt", "made.part001_ascend_pt"):
            folder = self.precious / name / OUTPUT
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "precious").write_text("keep")
        self.before = entries(self.precious)
        give(self.home)
        with self.swap("out"):
            for _ in range(4):
                self.analyse("export", theirs, "-o", self.home / "out", "--max-file-mb", "1",
                             "--export", "chrome_trace")
        self.assertNothingChanged()

    def test_own_result_in_a_folder_of_theirs(self):
        """The user makes the path lead to another result of root."""
        parent = self.home / "results"
        own = make_result(parent)
        os.chown(self.home, OTHER, OTHER)
        os.chown(parent, OTHER, OTHER)
        with self.swap("results"):
            for _ in range(ROUNDS):
                self.analyse("analyse", own)
        self.assertNothingChanged()
        if parent.is_symlink():
            exchange(parent, self.link)
        self.strobe("analyse", own)
        self.assertTrue((own / OUTPUT / "analyse.done").exists())

    def test_import(self):
        source = self.work / "trace.json"
        source.write_text('{"traceEvents": [{"ph": "X", "name": "a", "cat": "cpu_op", "pid": 1, '
                          '"tid": 1, "ts": 1, "dur": 1}]}')
        (self.home / "out").mkdir()
        give(self.home)
        with self.swap("out"):
            for _ in range(ROUNDS):
                self.analyse("import", source, "-o", self.home / "out", "--export", "chrome_trace")
        self.assertNothingChanged()
