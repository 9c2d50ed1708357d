# SPDX-License-Identifier: Apache-2.0
"""A program writes arbitrary data into its pool. The writer, built with AddressSanitizer and UBSan,
reports no fault, and ends when the program has ended."""

import os
import random
import shutil
import sys
import time
import unittest

from support import BUILD, TIMEOUT, StrobeTest, program

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import tap  # noqa: E402

WRITER = BUILD / "tests" / "functional" / "strobe-writer"
LOG = "sanitizer"


@unittest.skipUnless(WRITER.exists(), "no sanitizers here")
class HostilePoolTest(StrobeTest):
    def setUp(self):
        super().setUp()
        options = "log_path=%s:abort_on_error=0:exitcode=99" % (self.work / LOG)
        self.n_seen = 0
        self.use_writer(WRITER, ASAN_OPTIONS=options, UBSAN_OPTIONS=options + ":print_stacktrace=1")

    @staticmethod
    def executable(pid):
        """The file that a process executes; None if it has ended."""
        try:
            return os.readlink("/proc/%s/exe" % pid)
        except OSError:
            return None

    def bear_once(self, seed, ms, policy):
        config = self.script("config.json", '{"buffer": {"size": "8MB", "policy": "%s", "flush_interval": "1ms"}%s}'
                             % (policy, "" if policy == "ring" else ', "rotate": {"size": "1MB", "keep": 2}'))
        # Any message about such a capture is allowed, but `strobe` must not crash.
        process = self.start("run", "-o", self.out, "-c", config, "--collect", "fake:records=0", "--export",
                             "stacks", "--", program("scribbling-program"), seed, ms)
        pid = int(process.stdout.readline())
        writer = self.executable(self.writer_of(pid))
        if writer or self.executable(pid):  # otherwise both ended before this process looked
            self.assertEqual(writer, str(WRITER))
            self.n_seen += 1
        _, errors = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, errors)
        self.wait_until(lambda: self.writer_of(pid) is None, "the end of the writer")
        self.assertEqual([path.read_text() for path in self.work.glob(LOG + ".*")], [])
        pool = [path for path in os.listdir("/dev/shm") if path.startswith("strobe-%d-" % pid)]
        for path in pool:
            os.unlink("/dev/shm/" + path)
        shutil.rmtree(self.out, ignore_errors=True)

    def bear(self, seconds, ms):
        end, n = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            seed = random.randrange(1 << 32)
            policy = ("drop", "block", "ring")[n % 3]
            with self.subTest(seed=seed, ms=ms, policy=policy):
                self.bear_once(seed, ms, policy)
            n += 1
        self.assertGreater(self.n_seen, 0)
        print("# %d pools of which the writer made what it could" % n)

    def test_shortly(self):
        self.bear(5, 300)

    @tap.long_test
    def test_for_ten_minutes(self):
        self.bear(600, 1000)
