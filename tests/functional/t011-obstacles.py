# SPDX-License-Identifier: Apache-2.0
"""If Strobe cannot be loaded into the command, the command still runs, and a message on stderr
gives the reason."""

import os
import shutil
import unittest

from support import PYTHON, StrobeTest, needs_python, program


class ObstacleTest(StrobeTest):
    def assertNothingRecorded(self, *command, says, collect=("fake",), code=0):
        done = self.record(*command, collect=collect, code=code)
        self.assertEqual(self.results(), [])
        self.assertRegex(done.stderr, "Nothing was recorded: .*%s" % says)
        self.assertNothingLeft()
        return done

    @unittest.skipUnless(os.path.exists(program("static-program")), "no static C library")
    def test_static_program(self):
        done = self.assertNothingRecorded(program("static-program"), says="linked statically")
        self.assertEqual(done.stdout, "static\n")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to make a setuid program")
    def test_setuid_program(self):
        path = self.work / "true"
        self.work.chmod(0o755)
        shutil.copy("/bin/true", path)
        os.chown(path, 65534, 65534)
        path.chmod(0o4755)
        self.assertNothingRecorded(path, says="setuid")

    @needs_python
    def test_isolated_python(self):
        for words in (
            ["-I", "-c"],
            ["-E", "-c"],
            ["-S", "-c"],
            ["-Ic"],
            ["-BE", "-c"],
            ["-W", "ignore", "-I", "-c"],
        ):
            with self.subTest(words):
                self.assertNothingRecorded(
                    PYTHON, *words, "print(1)", collect=["gc"], says="python3 -[IES]"
                )

    @needs_python
    def test_isolated_python_in_the_first_line(self):
        script = self.script("script", "#!%s -E\nprint(1)\n" % PYTHON)
        script.chmod(0o755)
        done = self.assertNothingRecorded(script, collect=["gc"], says="-E")
        self.assertEqual(done.stdout, "1\n")

    @needs_python
    def test_switches_behind_the_script_are_its_own(self):
        script = self.script("script.py", "import gc; gc.collect()\n")
        self.record(PYTHON, script, "-I", collect=["gc"])
        self.assertGreaterEqual(self.records_of(self.result(), "gc"), 1)

    def test_no_program_in_which_a_collector_can_work(self):
        done = self.assertNothingRecorded("true", collect=["gc", "cpu_op"], says="gc, cpu_op")
        self.assertIn("no process of the command", done.stderr)

    def test_strict(self):
        self.record("true", collect=["gc"], flags=["--strict"], code=6)
