# SPDX-License-Identifier: Apache-2.0
"""The command checks exporters and importers that the user names before it begins anything."""

import json

from support import StrobeTest


class NamedComponentsTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.trace = self.work / "trace.json"
        event = {"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
        self.trace.write_text(json.dumps({"traceEvents": [event]}))

    def assertRefused(self, *words, code, says):
        done = self.strobe(*words, code=code)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_import(self):
        """The check comes first, because reading the source may take minutes."""
        for words, code, says in (
            (["--export", "nonesuch"], 4, 'no exporter "nonesuch"'),
            (["--export", "csv:nonesuch=1"], 3, 'no option "nonesuch"'),
            (["--format", "chrome_trace:nonesuch=1"], 3, 'no option "nonesuch"'),
            (["--format", "nonesuch"], 4, 'no importer "nonesuch"'),
        ):
            with self.subTest(words):
                self.assertRefused(
                    "import", "-o", self.out, "--json", *words, self.trace, code=code, says=says)
                self.assertFalse(self.out.exists())

    def test_analyse_and_export(self):
        """Components that the result does not need are checked too."""
        self.record()
        result, elsewhere = self.result(), self.work / "elsewhere"
        for command in ("analyse", "export"):
            for words, code, says in (
                (["--export", "nonesuch"], 4, 'no exporter "nonesuch"'),
                (["--export", "csv:nonesuch=1"], 3, 'no option "nonesuch"'),
                (["--also", "csv:nonesuch=1"], 3, 'no option "nonesuch"'),
                (["--import", "chrome_trace:nonesuch=1"], 3, 'no option "nonesuch"'),
                (["--import", "nonesuch"], 4, 'no importer "nonesuch"'),
            ):
                if command == "export" and words[0] != "--export":
                    continue
                with self.subTest((command, words)):
                    self.assertRefused(command, "-o", elsewhere, "--json", *words, result,
                                       code=code, says=says)
                    self.assertFalse(elsewhere.exists())
