# SPDX-License-Identifier: Apache-2.0
"""An interrupted command leaves nothing incomplete; a long command shows its progress."""

import functools
import os
import pty
import re
import select
import signal
import subprocess
import time

from made_capture import THREAD, MadeCapture
from support import BUILD, PYTHON, STROBE, StrobeTest, needs_python

N_RECORDS = 300000
BAR_AFTER_S = 1  # shorter work shows no bar


class TooLate(Exception):
    """The machine let the command end before the test could interrupt or stop it."""


def again_if_late(check):
    """Repeats a check in new folders if it was too late."""
    @functools.wraps(check)
    def repeat(self, *words):
        for _ in range(5):
            try:
                return check(self, *words)
            except TooLate:
                self.setUp()
        self.fail("too late in each of 5 tries")
    return repeat


class Interrupted(StrobeTest):
    capture = None  # made once

    def setUp(self):
        super().setUp()
        self.directory = self.out / "made_ascend_pt"
        path = self.directory / "FRAMEWORK" / "capture.strobe"
        if Interrupted.capture is None:
            made = MadeCapture(N_RECORDS * 100)
            track = made.track(THREAD, 1001)
            for i in range(N_RECORDS):
                made.operator(track, "operator %d" % (i % 1000), i * 100, i * 100 + 50)
            Interrupted.capture = made.write(path).read_bytes()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(Interrupted.capture)

    def entries(self, folder):
        return sorted(str(path.relative_to(self.work)) for path in folder.rglob("*"))

    def interrupt(self, number, *words, is_making):
        """Starts the command, and sends the signal when `is_making` returns true. Returns the
        command's output."""
        process = self.start(*words, preexec_fn=self.take_signals)
        if not self.stop_when(process, is_making):
            raise TooLate
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -number, errors)
        return errors

    @staticmethod
    def take_signals():
        """Sets default signal handling, because the caller of the tests may ignore a signal, as
        nohup does."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    def half_made(self, folder):
        """Finds incomplete files with os.walk, which ignores a folder that disappears during the
        search."""
        return [name for _, names, _ in os.walk(folder) for name in names
                if name.startswith(".") and "ASCEND_PROFILER_OUTPUT" in name]


class SignalCleanupTest(Interrupted):
    def test_analysis(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.check_analysis(number)

    @again_if_late
    def check_analysis(self, number):
        before = self.entries(self.out)
        said = self.interrupt(number, "analyse", self.directory, is_making=lambda: self.half_made(self.out))
        self.assertIn("interrupted, nothing half made is left", said)
        self.assertEqual(self.entries(self.out), before)

    @again_if_late
    def test_results_made_before_stay(self):
        self.strobe("analyse", self.directory, "--export", "stacks")
        before = {path: path.read_bytes() for path in self.directory.rglob("*") if path.is_file()}
        self.interrupt(signal.SIGINT, "analyse", self.directory,
                       is_making=lambda: self.half_made(self.out))
        self.assertEqual(
            {path: path.read_bytes() for path in self.directory.rglob("*") if path.is_file()}, before)

    @again_if_late
    def test_export(self):
        cut = self.work / "cut"
        self.interrupt(signal.SIGTERM, "export", self.directory, "-o", cut,
                       is_making=lambda: cut.exists() and self.half_made(cut))
        self.assertEqual(list(cut.iterdir()), [])

    @again_if_late
    def test_import(self):
        self.strobe("analyse", self.directory, "--export", "chrome_trace")
        trace = self.directory / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        source = self.work / "plain.json"
        source.write_bytes(trace.read_bytes())
        parent = self.work / "imported"
        self.interrupt(signal.SIGINT, "import", source, "-o", parent, is_making=parent.exists)
        self.assertEqual([path for path in parent.rglob("*") if path.is_file()], [])

    def test_signal_that_was_ignored(self):
        """The signal is ignored, as under nohup."""
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        process = self.start("analyse", self.directory, "--export", "csv", preexec_fn=ignore)
        while not self.half_made(self.out) and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGHUP)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, errors)


class BarTest(Interrupted):
    """The progress bar, with the same capture, on a terminal, and a processor that is often
    stopped."""

    def on_terminal(self, *words, folder=None, program=STROBE):
        """Runs the command on a terminal, and stops it repeatedly. Returns everything that it
        printed."""
        leader, follower = pty.openpty()
        process = subprocess.Popen([program, *map(str, words)], stdin=follower, stdout=follower,
                                   stderr=follower, env=self.environment, cwd=self.work,
                                   start_new_session=True)
        os.close(follower)
        self.addCleanup(self.end_of, process)
        shown = b""
        while process.poll() is None and not self.half_made(folder or self.out):
            time.sleep(0.001)
        begin = time.monotonic()
        while process.poll() is None:
            pause = b"left" not in shown  # stop the command until the bar is shown
            os.killpg(process.pid, signal.SIGSTOP if pause else signal.SIGCONT)
            ready, _, _ = select.select([leader], [], [], 0.3 if pause else 0.05)
            os.killpg(process.pid, signal.SIGCONT)
            time.sleep(0.004)
            try:
                shown += os.read(leader, 65536) if ready else b""
            except OSError:  # the other end is closed
                break
        self.assertEqual(process.wait(60), 0)
        os.close(leader)
        if b"left" not in shown and time.monotonic() - begin < BAR_AFTER_S + 0.5:
            raise TooLate
        return shown.decode()

    @staticmethod
    def end_of(process):
        if process.poll() is None:
            process.kill()
            process.wait()

    @again_if_late
    def test_rate_and_time_left(self):
        shown = self.on_terminal("analyse", self.directory, "--export", "csv")
        self.assertRegex(shown, r"analysing \[#* *\] +\d+%  \S+ M records/s  \S+ \S+ left")
        self.assertIn("\r\x1b[K", shown)

    @again_if_late
    def test_export(self):
        cut = self.work / "cut"
        shown = self.on_terminal("export", self.directory, "-o", cut, "--export", "csv",
                                 "--to", "10s", folder=cut)
        self.assertRegex(shown, r"analysing \[#* *\] +\d+%  \S+ M records/s  \S+ \S+ left")

    @again_if_late
    def test_what_comes_behind_the_records_counts(self):
        """Files are finished only after all records have been read, and this time is part of the
        progress."""
        shown = self.on_terminal("analyse", self.directory, "--export", "csv")
        shares = [int(share) for share in re.findall(r"\] +(\d+)%", shown)]
        self.assertTrue(shares)
        self.assertEqual(shares, sorted(shares))
        self.assertLess(shares[-1], 100)

    @needs_python
    @again_if_late
    def test_analysis_of_a_script(self):
        """The analysis that a script starts uses the script's terminal only for the bar."""
        script = self.script("script.py", "import sys; from strobe import profiler; "
                                          "profiler.analyse(sys.argv[1], export_type='text')")
        self.environment["PYTHONPATH"] = str(BUILD / "python")
        shown = self.on_terminal(script, self.directory, program=PYTHON)
        self.assertRegex(shown, r"analysing \[#* *\] +\d+%  \S+ M records/s  \S+ \S+ left")
        self.assertIn("All profiling data parsed", shown)
        self.assertNotIn("records, files in", shown)

    def test_what_is_quick_shows_none(self):
        errors = self.strobe("analyse", self.directory, "--export", "stacks").stderr
        self.assertNotIn("analysing", errors)
