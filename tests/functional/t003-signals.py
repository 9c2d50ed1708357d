# SPDX-License-Identifier: Apache-2.0
"""Signals to `strobe run`: TERM, HUP, USR1 and USR2 are passed on to the command, INT and QUIT are
not."""

import os
import signal

from support import PYTHON, StrobeTest

# Prints the signals that it gets, and exits with 5 when a second file appears.
WATCHER = """
import os, signal, sys, time
def note(number, frame):
    with open("got", "a") as file:
        file.write("%d\\n" % number)
for number in (1, 2, 3, 10, 12, 15):
    signal.signal(number, note)
open("ready", "w").close()
while not os.path.exists("stop"):
    time.sleep(0.01)
sys.exit(5)
"""


class SignalTest(StrobeTest):
    def start_watcher(self, **options):
        script = self.script("watcher.py", WATCHER)
        process = self.start(
            "run", "-o", self.out, "--collect", "fake", "--", PYTHON, script, **options
        )
        self.wait_for_file(self.work / "ready", process)
        return process

    def finish(self, process):
        (self.work / "stop").touch()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 5)
        got = self.work / "got"
        return [int(line) for line in got.read_text().split()] if got.exists() else []

    def test_signals_that_go_on(self):
        process = self.start_watcher()
        numbers = [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2]
        for i, number in enumerate(numbers):
            process.send_signal(number)
            self.wait_until(
                lambda n=i: (self.work / "got").exists()
                and len((self.work / "got").read_text().split()) > n,
                "signal %d" % number,
            )
        self.assertEqual(self.finish(process), numbers)
        self.assertNothingLeft()

    def test_signals_of_the_terminal_are_left_to_the_command(self):
        process = self.start_watcher()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGQUIT)
        process.send_signal(signal.SIGUSR1)
        self.wait_for_file(self.work / "got", process)
        self.assertEqual(self.finish(process), [signal.SIGUSR1])

    def test_interrupt_from_the_keyboard_reaches_the_command_once(self):
        process = self.start_watcher(start_new_session=True)
        os.killpg(process.pid, signal.SIGINT)
        self.wait_for_file(self.work / "got", process)
        self.assertEqual(self.finish(process), [signal.SIGINT])

    def test_command_that_is_interrupted_leaves_a_result(self):
        process = self.start(
            "run", "-o", self.out, "--collect", "fake", "--", "sh", "-c",
            "touch ready; while :; do sleep 0.01; done", start_new_session=True,
        )
        self.wait_for_file(self.work / "ready", process)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())
