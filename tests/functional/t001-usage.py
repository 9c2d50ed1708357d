# SPDX-License-Identifier: Apache-2.0
"""Arguments of the command line: help, versions, usage errors."""

import os

from support import PYTHON, StrobeTest, needs_python

COMMANDS = ("run", "attach", "show", "analyse", "diff", "info", "plugins", "torch", "doctor")


def without_rights():
    """Runs the test as another user, because root may read every file."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


class UsageTest(StrobeTest):
    def assertUsageError(self, *words, says):
        done = self.strobe(*words, code=2)
        self.assertEqual(done.stdout, "")
        self.assertIn(says, done.stderr)
        self.assertIn("--help", done.stderr)

    def test_help_names_every_command(self):
        text = self.strobe("--help").stdout
        for command in COMMANDS:
            self.assertIn("\n  %s " % command, text)
        self.assertIn("strobe run -- python3 train.py", text)

    def test_help_of_each_command_has_examples(self):
        for command in COMMANDS + ("analyze",):
            with self.subTest(command):
                text = self.strobe(command, "--help").stdout
                self.assertIn("Examples:", text)
                self.assertEqual(text, self.strobe("help", command).stdout)

    def test_version(self):
        self.assertRegex(self.strobe("--version").stdout, r"^strobe \d+\.\d+\.\d+\n$")

    def test_without_words(self):
        self.assertUsageError(says="A command is needed")

    def test_unknown_command_gives_the_nearest(self):
        self.assertUsageError("shwo", says='did you mean "show"')

    def test_unknown_option(self):
        for command in COMMANDS:
            with self.subTest(command):
                self.assertUsageError(command, "--nonesuch", says="--nonesuch")

    def test_missing_arguments(self):
        self.assertUsageError("run", says="A command is needed")
        self.assertUsageError("run", "--", says="A command is needed")
        for command in ("show", "analyse", "info"):
            with self.subTest(command):
                self.assertUsageError(command, says="is needed")
        self.assertUsageError("diff", "a", says="Two results are needed")
        self.assertUsageError("torch", says="strobe torch build")
        self.assertUsageError("plugins", "a", "b", says="One name")

    def test_options_without_a_text(self):
        """Arguments from shell variables that are not set."""
        for words in (
            ("run", "-o", "", "true"),
            ("run", "--step-on=", "true"),
            ("run", "--collect", "gc", "--collect", "", "true"),
            ("export", "x", "--output", ""),
            ("show", "--plugin-path", "", "x"),
        ):
            with self.subTest(words):
                self.assertUsageError(*words, says=" is empty, expected ")
        self.assertUsageError("run", "-o", "", "true", says="--output is empty, expected DIR")

    def test_limit_out_of_range(self):
        self.assertUsageError("show", ".", "--limit", "0", says="--limit is 0")
        self.assertUsageError("show", ".", "--limit", "100001", says="--limit is 100001")

    def test_output_that_cannot_be_written(self):
        for words in (["--help"], ["show", "--help"], ["help", "show"]):
            with self.subTest(words), open("/dev/full", "w") as full:
                done = self.strobe(*words, code=6, stdout=full)
                self.assertIn("Cannot write", done.stderr)

    @needs_python
    def test_an_interpreter_without_torch(self):
        """If the user's interpreter has no PyTorch, there is no traceback."""
        (self.work / "torch.py").write_text("raise ModuleNotFoundError(name='torch')\n")
        self.environment["PYTHONPATH"] = str(self.work)
        done = self.strobe("torch", "build", "--python", PYTHON, "-o", self.work / "x", code=1)
        self.assertRegex(done.stderr, r'^strobe: ".*" has no PyTorch: .* --python\n$')

    def test_a_file_that_is_no_capture(self):
        path = self.script("train.py", "import torch\n")
        for command in ("show", "info", "analyse"):
            done = self.strobe(command, path, code=5)
            self.assertTrue(done.stderr.startswith("strobe: %s: not a capture" % path), done.stderr)

    def test_a_name_that_is_near_none_gives_none(self):
        for name in ("", "kg"):
            done = self.strobe("plugins", name, code=4)
            self.assertNotIn("did you mean", done.stderr)

    def test_folders_that_cannot_be_read(self):
        """Another user reads a result that root recorded."""
        closed = self.work / "results" / "one_ascend_pt"
        closed.mkdir(parents=True)
        closed.chmod(0)
        self.addCleanup(closed.chmod, 0o700)
        self.work.chmod(0o755)
        for path in (closed, closed.parent):
            for command in ("show", "info", "analyse"):
                with self.subTest(path=path, command=command):
                    done = self.strobe(command, path, code=5, preexec_fn=without_rights)
                    self.assertIn("Cannot read %s: Permission denied" % closed, done.stderr)
