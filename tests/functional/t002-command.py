# SPDX-License-Identifier: Apache-2.0
"""The caller of `strobe run` sees how the command is found and how it ends."""

import os
import signal

from support import StrobeTest


class CommandTest(StrobeTest):
    def test_exit_code_is_the_commands(self):
        for code in (0, 1, 7, 127, 255):
            with self.subTest(code):
                self.record("sh", "-c", "exit %d" % code, code=code)
        self.assertNothingLeft()

    def test_signal_is_the_commands(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT):
            with self.subTest(number):
                self.record("sh", "-c", "kill -%d $$" % number, code=-number)
        self.assertNothingLeft()

    def test_not_found(self):
        for name in ("nonesuch-command", "./nonesuch"):
            with self.subTest(name):
                done = self.record(name, code=127)
                self.assertIn(name, done.stderr)
        self.assertEqual(self.results(), [])
        self.assertNothingLeft()

    def test_not_executable(self):
        text = self.script("text", "echo\n")
        self.assertIn("text", self.record(text, code=126).stderr)
        self.record(self.work, code=126)
        self.assertNothingLeft()

    def test_words_arrive_as_they_are(self):
        words = ["-x", "--", "a b", "", "--help", "*", "é\n"]
        done = self.record("printf", "[%s]", *words)
        self.assertEqual(done.stdout, "".join("[%s]" % word for word in words))

    def test_options_of_the_command_are_its_own(self):
        done = self.strobe("run", "-o", self.out, "--collect", "fake", "cat", "--version")
        self.assertIn("GNU coreutils", done.stdout)

    def test_input_output_and_folder_are_the_commands(self):
        done = self.record("sh", "-c", "cat; pwd; echo oops >&2", input="given\n")
        self.assertEqual(done.stdout, "given\n%s\n" % self.work)
        self.assertIn("oops\n", done.stderr)

    def test_signal_settings_are_the_callers(self):
        done = self.record("sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status")
        alone = self.run_alone("sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status")
        self.assertEqual(done.stdout, alone)

    def run_alone(self, *words):
        import subprocess

        return subprocess.run(
            words, stdout=subprocess.PIPE, text=True, env=self.environment, stdin=subprocess.DEVNULL
        ).stdout

    def test_no_descriptor_is_leaked(self):
        show = "ls /proc/self/fd | wc -l"
        self.assertEqual(self.record("sh", "-c", show).stdout, self.run_alone("sh", "-c", show))

    def test_user_preload_and_python_path_are_kept(self):
        self.environment["PYTHONPATH"] = "/somewhere:/else"
        text = self.record("sh", "-c", "echo $PYTHONPATH; echo $STROBE_RUN_OLD_PYTHONPATH").stdout
        path, old = text.splitlines()
        self.assertTrue(path.endswith(":/somewhere:/else"), path)
        self.assertEqual(old, "/somewhere:/else")

    def test_unwritable_output(self):
        marker = self.work / "ran"
        self.script("plain", "")
        for folder in (self.work / "plain" / "out", "/proc/nonesuch"):
            with self.subTest(folder):
                done = self.strobe(
                    "run", "-o", folder, "--collect", "fake", "--", "touch", marker, code=6
                )
                self.assertIn(str(folder), done.stderr)
        self.assertFalse(marker.exists())
        self.assertNothingLeft()

    def test_output_folder_is_made_with_parents(self):
        folder = self.work / "a" / "b"
        self.strobe("run", "-o", folder, "--collect", "fake", "--", "true")
        self.assertEqual(len(list(folder.glob("*_ascend_pt"))), 1)
        self.assertEqual(os.stat(folder).st_mode & 0o027, 0)
