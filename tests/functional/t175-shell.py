# SPDX-License-Identifier: Apache-2.0
"""Completion in bash, zsh and fish, and the manual pages."""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import time
import unittest

from support import BUILD, STROBE, TIMEOUT, StrobeTest

COMPLETION = pathlib.Path(__file__).resolve().parents[2] / "tools" / "completion"
PAGES = BUILD / "tools"


def needs(program):
    return unittest.skipUnless(shutil.which(program), "not installed: %s" % program)


class CompletionTest(StrobeTest):
    def setUp(self):
        super().setUp()
        folder = os.path.dirname(STROBE)
        self.environment["PATH"] = folder + os.pathsep + self.environment["PATH"]

    def output(self, *command):
        done = subprocess.run(command, env=self.environment, cwd=self.work, text=True,
                              capture_output=True, timeout=TIMEOUT, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1]

    def in_bash(self, *words):
        script = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strobe; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return self.output("bash", "-c", script, COMPLETION / "strobe.bash", "strobe", *words)

    def test_bash(self):
        self.assertEqual(self.in_bash("d"), ["diff", "doctor"])
        self.assertEqual(self.in_bash("show", "--so"), ["--sort="])
        self.assertEqual(self.in_bash("run", "--collect", "=", "hos"), ["host_sys"])
        self.assertEqual(self.in_bash("run", "--export", "csv"), ["csv"])
        self.assertEqual(self.in_bash("show", "--color", "=", "al"), ["always"])
        self.assertIn("import", self.in_bash("help", ""))

    @needs("fish")
    def test_fish(self):
        def complete(line):
            script = "source $argv[1]; complete -C $argv[2]"
            return self.output("fish", "-c", script, COMPLETION / "strobe.fish", line)

        self.assertEqual([line.split("\t")[0] for line in complete("strobe d")],
                         ["diff", "doctor"])
        self.assertIn("--sort=", complete("strobe show --so")[0])
        self.assertEqual(complete("strobe run --collect=hos"), ["--collect=host_sys"])
        self.assertEqual(complete("strobe show --color=al"), ["--color=always"])

    @needs("zsh")
    def test_zsh(self):
        """Completes in a terminal, because no other method shows the result."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.work)
            os.execvpe("zsh", ["zsh", "-f"], dict(self.environment, TERM="dumb"))
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.write, terminal, b"\x15exit\n")
        setup = "fpath=(%s $fpath); autoload -Uz compinit; compinit -D -u; echo rea''dy\n" % COMPLETION
        os.write(terminal, setup.encode())
        self.read_until(terminal, "ready")
        for line, found in (("strobe d\t\t", "doctor"), ("strobe show --so\t", "--sort="),
                            ("strobe run --collect=hos\t", "--collect=host_sys")):
            os.write(terminal, line.encode())
            self.read_until(terminal, found)
            os.write(terminal, b"\x15")

    def read_until(self, terminal, wanted):
        text, end = "", time.monotonic() + TIMEOUT
        while wanted not in text:
            if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
                self.fail("%r is not in %r" % (wanted, text))
            text += os.read(terminal, 65536).decode(errors="replace")


class ManualTest(StrobeTest):
    @unittest.skipUnless((PAGES / "strobe-run.1").exists(), "built without help2man")
    def test_a_page_for_each_command(self):
        for command in ("run", "attach", "show", "analyse", "export", "import", "diff", "info",
                        "plugins", "doctor"):
            text = (PAGES / ("strobe-%s.1" % command)).read_text()
            self.assertRegex(text, r"\nstrobe\\?-%s \\- \w" % command)
            self.assertIn("Show help options", text)
        self.assertIn("strobe COMMAND", (PAGES / "strobe.1").read_text())


if __name__ == "__main__":
    unittest.main()
