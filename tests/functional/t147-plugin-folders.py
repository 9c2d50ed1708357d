# SPDX-License-Identifier: Apache-2.0
"""Folders above a plugin to which other users can write."""

import shutil
import subprocess

from support import STROBE, StrobeTest


class PluginFoldersTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.bundled = self.json("plugins", "fake")[0]["file"]
        self.above = self.work / "above"
        self.folder = self.above / "plugins"
        self.folder.mkdir(parents=True)
        for each in (self.above, self.folder):
            each.chmod(0o755)
        shutil.copy(self.bundled, self.folder / "fake.so")

    def error(self):
        """The reason why the plugin of the folder is refused; None if it is accepted."""
        files = self.json("plugins", "fake", "--plugin-path", self.folder)
        (found,) = [file for file in files if file["file"] == str(self.folder / "fake.so")]
        return found.get("error")

    def test_folder_above(self):
        self.assertIsNone(self.error())
        self.above.chmod(0o777)
        self.assertEqual(self.error(), "%s is writable by everybody" % self.above)
        done = self.strobe("run", "--plugin-path", self.folder, "-o", self.out, "--collect",
                           "fake.fake", "--", "true", code=4)
        self.assertIn("%s is writable by everybody" % self.above, done.stderr)
        self.above.chmod(0o1777)
        self.assertIsNone(self.error())

    def test_folder_above_strobe(self):
        """Users who can write to a folder above Strobe can change Strobe itself."""
        strobe = self.above / "strobe"
        shutil.copy(STROBE, strobe)
        self.above.chmod(0o777)
        for program, is_refused in ((STROBE, True), (strobe, False)):
            done = subprocess.run(
                [program, "plugins", "fake", "--plugin-path", self.folder],
                env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=60)
            self.assertEqual("writable by everybody" in done.stdout, is_refused, done)
