# SPDX-License-Identifier: Apache-2.0
"""A program that starts another one: the other program is recorded, also by a collector that works
in both."""

import os
import shutil
import stat
import unittest

from support import PYTHON, StrobeTest, needs_python, program

FAKE = "fake:threads=0,records=100"


class LauncherTest(StrobeTest):
    def assertRecords(self, name, *command, collect=(FAKE,)):
        """There is one result, which is complete and belongs to the program."""
        shutil.rmtree(self.out, ignore_errors=True)
        done = self.record(*command, collect=collect)
        words = self.command_of(self.result()).split()
        self.assertEqual(os.path.basename(words[0]), name, words)
        self.assertNotIn("without closing", done.stderr)
        self.assertNothingLeft()

    def test_launchers(self):
        for words in (
            ["env", "A=b"],
            ["nice", "-n", "1"],
            ["timeout", "50"],
            ["env", "timeout", "50", "nice"],
        ):
            with self.subTest(words):
                self.assertRecords("cat", *words, "cat", "/dev/null")

    def test_executed_in_the_same_process(self):
        self.assertRecords("cat", "sh", "-c", "exec cat /dev/null")
        self.assertRecords("cat", "sh", "-c", "/bin/true; exec sh -c 'exec nice cat /dev/null'")
        self.assertRecords("cat", "sh", "-c", "exec cat /dev/null", collect=[FAKE, "gc"])

    def test_a_shell_that_starts_others_is_recorded(self):
        self.record("sh", "-c", "cat /dev/null; exit 0")
        self.assertTrue(self.command_of(self.result()).startswith("sh"))

    @needs_python
    def test_script_by_env(self):
        script = self.script("script", "#!/usr/bin/env -S %s\nimport gc; gc.collect()\n" % PYTHON)
        script.chmod(0o755)
        for collect in ([FAKE], [FAKE, "gc"], ["gc"]):
            with self.subTest(collect):
                self.assertRecords(os.path.basename(PYTHON), script, collect=collect)

    @needs_python
    def test_shim(self):
        """Shell scripts that execute each other, as pyenv makes them."""
        shim = self.script("shim", '#!/bin/sh\nname=$(basename "$0")\nexec "$PWD/second" "$@"\n')
        second = self.script("second", '#!/bin/sh\nexec %s "$@"\n' % PYTHON)
        for each in (shim, second):
            each.chmod(0o755)
        self.assertRecords(os.path.basename(PYTHON), shim, "-c", "pass")


class UnreachedTest(StrobeTest):
    def assertNothingRecorded(self, *command, says):
        done = self.record(*command)
        self.assertEqual(self.results(), [])
        self.assertRegex(done.stderr, "Nothing was recorded: .*%s" % says)

    def test_empty_environment(self):
        for words in (["-i"], ["-"], ["-i", "A=b"], ["-u", "LD_PRELOAD"]):
            with self.subTest(words):
                self.assertNothingRecorded("env", *words, "/bin/true", says="env .* /bin/true")

    @unittest.skipUnless(os.path.exists(program("static-program")), "no static C library")
    def test_static_program(self):
        for words in (["nice"], ["timeout", "50"], ["env", "nice", "-n", "1"]):
            with self.subTest(words):
                self.assertNothingRecorded(
                    *words, program("static-program"), says="static-program is linked statically"
                )

    @unittest.skipUnless(os.geteuid() == 0, "needs root to make a setuid program")
    def test_setuid_program(self):
        path = self.work / "true"
        self.work.chmod(0o755)
        shutil.copy("/bin/true", path)
        os.chown(path, 65534, 65534)
        path.chmod(stat.S_ISUID | 0o755)
        self.assertNothingRecorded("nice", path, says="setuid")

    def test_launcher_of_nothing(self):
        self.assertNothingRecorded("env", says="env is there to start another program")
