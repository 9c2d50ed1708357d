# SPDX-License-Identifier: Apache-2.0
"""Root runs a program as another user: Strobe samples it from outside until it ends."""

import shutil
import subprocess
import unittest

from other_user import OTHER, needs_other_user
from support import STROBE, SYSTEM_PYTHON, StrobeTest, needs_symbols, program

PROGRAM = program("cpu-program")
CHANGE = ["setpriv", "--reuid=%d" % OTHER, "--regid=%d" % OTHER, "--clear-groups"]
SCRIPT = """
import sys
import time

def work_here():
    return sum(i * i for i in range(20000))

end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    work_here()
"""


def may_sample():
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


@needs_other_user
@unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")
@unittest.skipUnless(shutil.which("setpriv"), "no setpriv")
class OtherUserTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.work.chmod(0o755)

    def run_alone(self, *command):
        self.done = self.record(*command, collect=())
        table, = self.json("show", "--limit", 100000, self.result())
        self.assertEqual(table["table"], "function")
        return table["rows"]

    def assertSampled(self, rows):
        """There are samples for more than half of the program's 0.5 s, so sampling did not end at
        its begin."""
        times = {row["name"].split(" (")[0]: row["self"] for row in rows}
        large, small = times["work_large"], times["work_small"]
        self.assertGreater(large + small, 250e6)
        self.assertAlmostEqual(large / (large + small), 0.75, delta=0.1)

    @needs_symbols
    def test_launcher(self):
        for words in (CHANGE, ["nice", "-n", "1", *CHANGE], ["setpriv", "--reuid", "nobody"]):
            with self.subTest(words):
                shutil.rmtree(self.out, ignore_errors=True)
                self.assertSampled(self.run_alone(*words, PROGRAM, "plain", 0.5))
                self.assertRegex(self.done.stderr, r"Recorded from outside only: .*cpu-program runs as "
                                 r"user (65534|nobody), .*setpriv \.\.\. strobe run -- ")  # fmt: skip
                self.assertIn("cpu-program plain", self.command_of(self.result()))

    @needs_symbols
    def test_executed_by_a_recorded_process(self):
        """The session of the recorded process continues, because the new program cannot begin
        one."""
        change = " ".join(CHANGE)
        self.assertSampled(self.run_alone("sh", "-c", "exec %s %s plain 0.5" % (change, PROGRAM)))

    @needs_symbols
    @unittest.skipUnless(shutil.which("chroot"), "no chroot")
    def test_chroot(self):
        self.assertSampled(self.run_alone("chroot", "--userspec=%d:%d" % (OTHER, OTHER), "/",
                                          PROGRAM, "plain", 0.5))  # fmt: skip

    @needs_symbols
    @unittest.skipUnless(shutil.which("runuser"), "no runuser")
    def test_child(self):
        self.assertSampled(self.run_alone("runuser", "-u", "nobody", "--", PROGRAM, "plain", 0.5))

    def test_python(self):
        script = self.script("work.py", SCRIPT)
        script.chmod(0o644)
        seconds = 0.8
        while True:
            rows = self.run_alone(*CHANGE, SYSTEM_PYTHON, script, seconds)
            totals = {row["name"]: row["total"] for row in rows}
            # All of its Python stacks begin in the module. On a busy machine few samples have any; the script is
            # then run again for longer.
            whole = max((time for name, time in totals.items() if "<module>" in name), default=0)
            if whole > 100e6 or seconds > 8:
                break
            shutil.rmtree(self.out)
            seconds *= 2
        self.assertGreater(max((time for name, time in totals.items() if "work_here" in name),
                               default=0), whole * 0.7, totals)  # fmt: skip

    def test_same_user(self):
        """The program with the same user records itself, as without setpriv."""
        self.record("setpriv", "--reuid=0", "cat", "/dev/null", collect=("fake:threads=0,records=10",))
        self.assertTrue(self.command_of(self.result()).startswith("cat"))

    def test_named_collectors(self):
        """None of the named collectors can work from outside: nothing is recorded, and a message
        gives the reason."""
        done = self.record(*CHANGE, "cat", "/dev/null", collect=("gc",))
        self.assertEqual(self.results(), [])
        self.assertRegex(done.stderr, "Nothing was recorded: .*cat runs as user 65534")


if __name__ == "__main__":
    unittest.main()
