# SPDX-License-Identifier: Apache-2.0
"""Each system call of the writer fails once: the program does not notice, and each of its records
is in the capture or counted as lost."""

import errno
import os
import shutil
import signal
import sys

from numbered import NumberedTest
from support import BUILD, PROGRAMS, without_sanitizer

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import tap  # noqa: E402

WRITER = BUILD / "core" / "strobe-writer"
RECORDS, THREADS = 4000, 2
NUMBERS = (errno.EIO, errno.ENOSPC, errno.ENOMEM, errno.EINTR)


@without_sanitizer
class FailingCallsTest(NumberedTest):
    def setUp(self):
        super().setUp()
        self.log = self.work / "failed"

    def fail_at(self, number, error):
        """The call with this number fails in the writer of the next recording."""
        self.log.unlink(missing_ok=True)
        (self.work / "end").unlink(missing_ok=True)
        shutil.rmtree(self.out, ignore_errors=True)
        self.progress.unlink(missing_ok=True)
        self.use_writer(WRITER, LD_PRELOAD=PROGRAMS / "failing-calls.so", FAIL_AT=number, FAIL_WITH=error,
                        FAIL_LOG=self.log)

    def failed(self):
        """The call that failed; None if there were fewer calls."""
        return self.log.read_text() if self.log.exists() else None

    def check(self, errors, is_ring):
        """Returns the lost records, by cause."""
        committed = sum(self.committed(THREADS))
        if not self.results():  # the window could not begin
            self.assertIn("Cannot write", errors)
            return {"all": committed}
        self.strobe("analyse", self.out, "--export", "stacks")
        lost, found = {}, []
        for result in self.results():
            info = self.json("info", result)[0]
            self.assertTrue(info["sealed"], info)
            self.assertFalse(os.path.exists(info["metadata"]["pool"]), "the pool is left behind")
            if "dump_reason" in info["metadata"]:
                continue
            lost = {cause: n for cause, n in info["lost"].items() if n}
            for name in ("t0", "t1"):
                numbers = self.numbers(result).get(name, [])
                self.assertEqual(len(numbers), len(set(numbers)), "a record is there twice")
                found += numbers
        if not is_ring:
            self.assertGreaterEqual(len(found) + sum(lost.values()), committed)
        self.assertLessEqual(len(found), committed + THREADS)
        return lost

    def fail_each(self, record, name, step=1, numbers=NUMBERS, is_ring=False):
        """Calls record(), which returns the messages of strobe, until no call is left to fail."""
        n_runs, all_lost = 0, {}
        for error in numbers:
            number = 1
            while True:
                self.fail_at(number, error)
                with self.subTest(name=name, number=number, error=errno.errorcode[error]):
                    errors = record()
                    failed = self.failed()
                    try:
                        lost = self.check(errors, is_ring)
                    except AssertionError as failure:
                        raise AssertionError("%s failed: %s" % (failed, failure)) from failure
                    for cause in lost:
                        all_lost.setdefault(failed, set()).add(cause)
                if self.failed() is None:
                    break
                n_runs += 1
                number += step
        print("# %s: %d calls failed, losses after %s" % (name, n_runs, all_lost))
        self.assertGreater(n_runs, 30 // step)

    # ---- what is recorded meanwhile ----

    def record_plainly(self):
        process = self.start_numbered("-t", THREADS, "-n", RECORDS, flags=[
            "--buffer", "size=8MB,flush_interval=2ms,sync=interval", "--export", "stacks"])
        return self.finish(process)

    def record_segments(self):
        process = self.start_numbered("-t", THREADS, "-n", 10 * RECORDS, flags=[
            "--buffer", "size=8MB,flush_interval=20ms", "--rotate", "size=1MB", "--export", "stacks"])
        return self.finish(process)

    def record_ring(self):
        process = self.start_numbered("-t", THREADS, "-n", RECORDS, "-w", self.work / "end", flags=[
            "--buffer", "size=8MB,policy=ring,sync=window", "--dump", "signal=SIGUSR2", "--export", "stacks"])
        if self.results():  # otherwise there is no session, and the signal would end the program
            os.kill(self.pid, signal.SIGUSR2)
        self.wait_until(lambda: self.committed(THREADS) == [RECORDS] * THREADS, "all records", process)
        (self.work / "end").touch()
        return self.finish(process)

    def record_killed(self):
        process = self.start_numbered("-t", THREADS, "-n", RECORDS, "-w", self.work / "end", flags=[
            "--buffer", "size=8MB,flush_interval=1s", "--export", "stacks"])
        self.wait_until(lambda: self.committed(THREADS) == [RECORDS] * THREADS, "all records", process)
        os.kill(self.pid, signal.SIGKILL)
        return self.finish(process, -signal.SIGKILL)

    def test_some(self):
        self.fail_each(self.record_plainly, "plain", step=7, numbers=(errno.EIO,))

    @tap.long_test
    def test_plain(self):
        self.fail_each(self.record_plainly, "plain")

    @tap.long_test
    def test_segments(self):
        self.fail_each(self.record_segments, "segments")

    @tap.long_test
    def test_ring(self):
        self.fail_each(self.record_ring, "ring", is_ring=True)

    @tap.long_test
    def test_killed(self):
        self.fail_each(self.record_killed, "killed")
