# SPDX-License-Identifier: Apache-2.0
"""Samples by timers in the program, if perf_event_open is refused."""

import subprocess
import unittest

from support import PYTHON, STROBE, StrobeTest, needs_python, program

PROGRAM = program("cpu-program")


class TimerSamplesTest(StrobeTest):
    def run_refused(self, *command, flags=(), code=0):
        """Runs `strobe run` under a filter that refuses perf, with the default collectors."""
        words = [program("without-perf"), STROBE, "run", "-o", self.out, *flags, "--", *command]
        self.done = subprocess.run(list(map(str, words)), cwd=self.work, env=self.environment,
                                   capture_output=True, text=True, timeout=60)  # fmt: skip
        self.assertEqual(self.done.returncode, code, self.done.stderr)
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, self.result())
        return table["rows"]

    def times(self, rows, text, key="name"):
        """The processor time, in s, of samples whose stack has this text."""
        times = {}
        for row in rows:
            if text in (row["stack"] or ""):
                times[row[key]] = times.get(row[key], 0) + row["time"] / 1e9
        return times

    def test_shares(self):
        """A message says what is missing; functions, callers and times are right."""
        rows = self.run_refused(PROGRAM, "plain", 0.8)
        self.assertRegex(self.done.stderr, "samples by timers .*SIGPROF.*perf_event_open is not")
        self.assertEqual(self.done.stderr.count("\n"), 2, self.done.stderr)
        large = sum(self.times(rows, "work_large (").values())
        small = sum(self.times(rows, "work_small (").values())
        # five times the spread of 200 samples, one for each tick of 4 ms
        self.assertAlmostEqual(large / (large + small), 0.75, delta=0.15)
        self.assertAlmostEqual(large + small, float(self.done.stdout), delta=0.15)
        self.assertGreater(sum(self.times(rows, ";main (").values()), 0.6)
        self.assertNothingLeft()

    def test_threads(self):
        times = self.times(self.run_refused(PROGRAM, "threads", 1), "work_")
        self.assertEqual(set(times), {"large", "small"})
        self.assertAlmostEqual(times["large"], 0.75, delta=0.15)
        self.assertAlmostEqual(times["small"], 0.25, delta=0.1)

    def test_children(self):
        """Forked children, and programs that they execute."""
        script = "%s fork 0.8; %s plain 0.4; exit 3" % (PROGRAM, PROGRAM)
        times = self.times(self.run_refused("sh", "-c", script, code=3), "work_", "process")
        self.assertEqual(len(times), 3)
        self.assertAlmostEqual(sum(times.values()), 1.2, delta=0.3)

    def test_own_child_apart(self):
        """With --follow each recording process has only its own samples."""
        words = [program("without-perf"), STROBE, "run", "-o", str(self.out), "--follow", "--",
                 "sh", "-c", "%s plain 0.3; exit 0" % PROGRAM]  # fmt: skip
        subprocess.run(words, cwd=self.work, env=self.environment, check=True, timeout=60,
                       capture_output=True)  # fmt: skip
        found = [name for name in self.results() if self.times(self.rows_of(name), "work_")]
        self.assertEqual((len(self.results()), len(found)), (2, 1))

    def rows_of(self, result):
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, result)
        return table["rows"]

    @needs_python
    def test_own_handler(self):
        """If the program handles the signal itself, it gets its own signals, and the samples
        end."""
        script = self.script(
            "own.py",
            "import signal, threading, time\n"
            "def burn(seconds):\n"
            "    begin = time.thread_time()\n"
            "    while time.thread_time() - begin < seconds: pass\n"
            "thread = threading.Thread(target=burn, args=(1,))\n"
            "thread.start()\n"
            "burn(0.2)\n"
            "print(signal.getsignal(signal.SIGPROF) == signal.SIG_DFL)\n"
            "counted = []\n"
            "signal.signal(signal.SIGPROF, lambda *words: counted.append(1))\n"
            "burn(0.2)\n"
            "print(len(counted))\n"
            "signal.raise_signal(signal.SIGPROF)\n"
            "print(len(counted))\n"
            "thread.join()\n",
        )
        rows = self.run_refused(PYTHON, script)
        self.assertEqual(self.done.stdout.split(), ["True", "0", "1"])
        self.assertGreater(len(rows), 0)
        self.assertIn("has set its own handler for SIGPROF", self.done.stderr)

    @needs_python
    def test_default_action(self):
        """A timer does not end a program that sets the default action of every signal."""
        script = self.script(
            "default.py",
            "import signal, time\n"
            "for number in signal.valid_signals() - {9, 19}:\n"
            "    signal.signal(number, signal.SIG_DFL)\n"
            "while time.process_time() < 0.5: pass\n"
            "print('end')\n",
        )
        self.run_refused(PYTHON, script)
        self.assertEqual(self.done.stdout, "end\n")

    def test_asked_for(self):
        """Timers are used on request, even if perf is permitted."""
        self.record(PROGRAM, "plain", 0.4, collect=["cpu_sample:source=timer,frequency=100"])
        times = self.times(self.rows_of(self.result()), "work_")
        self.assertAlmostEqual(sum(times.values()), 0.4, delta=0.15)


if __name__ == "__main__":
    unittest.main()
