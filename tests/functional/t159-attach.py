# SPDX-License-Identifier: Apache-2.0
"""strobe attach: records a process that Strobe has not started."""

import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from support import STROBE, StrobeTest, program

PROGRAM = program("cpu-program")
ENOUGH = 400  # samples, whose share has a spread of 0.022
SHARED = pathlib.Path("/dev/shm")
OTHER_USER = 65534


def may_sample():
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


needs_perf = unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")


class AttachTest(StrobeTest):
    def start_program(self, *words):
        process = subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def attach(self, process, *words, **options):
        return self.strobe("attach", process.pid, "-o", self.out, *words, **options)

    def attach_for(self, process, ms):
        """On a busy machine the process has little processor time within the duration; it is then
        recorded again for longer."""
        while True:
            self.attach(process, "--duration", "%dms" % ms)
            if self.records_of(self.result(), "cpu_sample") >= ENOUGH or ms > 16 * 800:
                return
            shutil.rmtree(self.out)
            ms *= 2

    def shares(self):
        table, = self.json("show", "--limit", 100000, self.result())
        self.assertEqual(table["table"], "function")
        return {row["name"].split(" (")[0]: row["self_share"] for row in table["rows"]}

    @needs_perf
    def test_duration(self):
        """The process continues; the result has the process's own data."""
        process = self.start_program("plain", 60)
        self.attach_for(process, 800)
        self.assertIsNone(process.poll())
        shares = self.shares()
        both = shares["work_large"] + shares["work_small"]
        self.assertAlmostEqual(shares["work_large"] / both, 0.75, delta=0.1)
        metadata = self.json("info", self.result())[0]["metadata"]
        self.assertEqual((metadata["pid"], metadata["command"]), (process.pid, PROGRAM + " plain 60"))
        self.assertIn("_%d_" % process.pid, self.result().name)
        self.assertGreater(self.records_of(self.result(), "host_mem"), 0)
        self.assertNothingLeft()

    @needs_perf
    def test_end_of_the_process(self):
        process = self.start_program("plain", 3)
        self.attach(process, "--no-default-collectors", "--collect", "cpu_sample:frequency=499")
        self.assertEqual(process.wait(10), 0)
        shares = self.shares()
        self.assertGreater(shares["work_large"], 0)
        self.assertGreater(shares["work_small"], 0)
        self.assertEqual(self.records_of(self.result(), "host_mem"), 0)

    @needs_perf
    def test_interrupted(self):
        """The result is complete after an interruption too."""
        process = self.start_program("plain", 60)
        attached = self.start("attach", process.pid, "-o", self.out)
        self.wait_until(self.results, "its result", attached)
        attached.send_signal(signal.SIGINT)
        self.assertEqual(attached.wait(60), 0, attached.stderr.read())
        self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())
        self.assertIsNone(process.poll())

    def assertRefused(self, code, says, *words):
        done = self.strobe("attach", *words, "-o", self.out, code=code)
        self.assertRegex(done.stderr, says)
        self.assertEqual(self.results(), [])

    def test_no_such_process(self):
        process = self.start_program("plain", 0)
        process.wait()
        self.assertRefused(5, "There is no process %d" % process.pid, process.pid)
        self.assertRefused(2, "number of one process", "cpu-program")
        self.assertRefused(2, "number of one process")
        self.assertRefused(2, "expected a time", os.getpid(), "--duration", "soon")

    def test_collector_inside(self):
        self.assertRefused(3, "\"gc\" works inside the program", os.getpid(), "--collect", "gc")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to be another user")
    def test_other_user(self):
        done = subprocess.run([STROBE, "attach", str(os.getpid())], cwd=self.work, user=OTHER_USER,
                              env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("another user's", done.stderr)

    def test_without_perf(self):
        """A message says what is missing, and no result is left."""
        process = self.start_program("plain", 60)
        before = sorted(SHARED.glob("strobe-%d-*" % process.pid))
        done = subprocess.run(
            [program("without-perf"), STROBE, "attach", str(process.pid), "-o", self.out],
            cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, "cpu_sample.*cannot work here: .*perf_event_open is not permitted")
        self.assertEqual(self.results(), [])
        self.assertEqual(sorted(SHARED.glob("strobe-%d-*" % process.pid)), before)


if __name__ == "__main__":
    unittest.main()
