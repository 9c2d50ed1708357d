# SPDX-License-Identifier: Apache-2.0
"""Temporary files: their total size, and that none is left, however a command ends."""

import os
import shutil
import signal
import subprocess
import time
import unittest

from support import BUILD, StrobeTest

HOSTILE = str(BUILD / "bench" / "hostile")
EVENTS = int(os.environ.get("STROBE_TEST_EVENTS", "300000"))
# A part of a short trace belongs to its 10,000 threads.
TIMES = 2 if EVENTS > 1000000 else 4


def nameless_bytes(pid, folder):
    """The disk space of the process's files below the folder, including files without a name."""
    total, seen = 0, set()
    try:
        names = os.listdir("/proc/%d/fd" % pid)
    except OSError:
        return 0
    for name in names:
        try:
            path = "/proc/%d/fd/%s" % (pid, name)
            target, status = os.readlink(path), os.stat(path)
        except OSError:
            continue
        if target.startswith(str(folder)) and status.st_ino not in seen:
            seen.add(status.st_ino)
            total += status.st_blocks * 512
    return total


@unittest.skipUnless(os.path.exists(HOSTILE), "no benchmarks here")
class TmpDirTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.trace = self.work / "hostile.json"
        self.temporary = self.work / "temporary"
        self.temporary.mkdir()
        subprocess.run([HOSTILE, self.trace, str(EVENTS)], check=True)

    def words(self):
        # 32 million hostile events do not fit into the default limit of 512 MB.
        limit = "8GB" if TIMES == 2 else "256MB"
        return ("import", self.trace, "-o", self.out, "--export", "csv", "--max-mem", limit,
                "--tmp-dir", self.temporary)

    def start_import(self):
        return self.start(*self.words(), preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL))

    def used(self, process):
        return nameless_bytes(process.pid, self.temporary)

    def test_no_more_than_a_multiple_of_the_input(self):
        process = self.start_import()
        most = 0
        while process.poll() is None:
            most = max(most, self.used(process))
            time.sleep(0.01)
        self.assertEqual(process.returncode, 0, process.communicate()[1])
        size = self.trace.stat().st_size
        print("# %.1f MB of temporary files for %.1f MB" % (most / 1e6, size / 1e6))
        self.assertGreater(most, 0)
        self.assertLess(most, TIMES * size)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def stop_import(self):
        """Starts an import, and stops it while it has temporary files. None: it ended before, because this test was
        preempted."""
        shutil.rmtree(self.out, ignore_errors=True)
        process = self.start_import()
        return process if self.stop_when(process, lambda: self.used(process) > 1 << 20) else None

    def interrupt(self, number):
        process = self.wait_until(self.stop_import, "temporary files")
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -number)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_interrupted(self):
        self.interrupt(signal.SIGINT)
        self.assertEqual(self.results(), [])
        self.assertEqual([path for path in self.out.glob(".*")], [])

    def test_killed(self):
        self.interrupt(signal.SIGKILL)
        self.strobe(*self.words())
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())
