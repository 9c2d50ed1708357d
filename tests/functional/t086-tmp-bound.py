# SPDX-License-Identifier: Apache-2.0
"""Temporary files take at most twice the size of the input: raw files, a trace, a database,
Kineto's trace and the hostile one, each exported to a trace, every table and the database.

STROBE_TEST_RAW_OPERATORS sets how long the inputs are."""

import os
import subprocess
import sys
import threading
import unittest

from support import BUILD, STROBE, StrobeTest, TOP

sys.path.insert(0, str(TOP / "bench"))
from raw_files import RawFiles  # noqa: E402
import kineto_trace  # noqa: E402

HOSTILE = str(BUILD / "bench" / "hostile")
OPERATORS = int(os.environ.get("STROBE_TEST_RAW_OPERATORS", "60000"))
EXPORTS = [word for name in ("chrome_trace", "csv", "db") for word in ("--export", name)]
TIMES = 2
# Small inputs also need this: the heap of libraries, buffers of files, pages of a database.
ONCE = 36 << 20


class Watch:
    """Measures the largest disk space of a process's files below a folder, including files without
    a name."""

    def __init__(self, pid, folder):
        self.pid, self.folder, self.most, self.is_over = pid, str(folder), 0, threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self):
        while not self.is_over.wait(0.005):
            self.most = max(self.most, self.bytes())

    def bytes(self):
        files = {}
        try:
            for name in os.listdir("/proc/%d/fd" % self.pid):
                path = "/proc/%d/fd/%s" % (self.pid, name)
                if os.readlink(path).startswith(self.folder):
                    status = os.stat(path)
                    files[status.st_ino] = status.st_blocks * 512
        except OSError:  # the process is ending
            pass
        return sum(files.values())

    def end(self):
        self.is_over.set()
        self.thread.join()
        return self.most


class TmpBoundTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.temporary = self.work / "temporary"
        self.temporary.mkdir()

    def size(self, path):
        return sum(p.stat().st_size for p in [path, *path.rglob("*")] if p.is_file())

    def assertBounded(self, source, *exports):
        process = subprocess.Popen(
            [STROBE, "import", source, "-o", self.out, *(exports or EXPORTS), "--max-mem", "96M",
             "--tmp-dir", self.temporary],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        watch = Watch(process.pid, self.temporary)
        errors = process.communicate()[1].decode()
        most, size = watch.end(), self.size(source)
        self.assertEqual(process.returncode, 0, errors)
        print("# %.1f MB of temporary files for %.1f MB" % (most / 1e6, size / 1e6))
        self.assertLessEqual(most, TIMES * size + ONCE)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return most

    def raw(self):
        folder = self.work / "raw"
        folder.mkdir()
        RawFiles(str(folder)).make(OPERATORS)
        return folder

    def test_raw_files(self):
        self.assertBounded(self.raw())

    def test_trace_and_database(self):
        made = self.work / "made"
        self.strobe("import", self.raw(), "-o", made, *EXPORTS)
        self.assertBounded(next(made.glob("*/*/trace_view.json")))
        self.assertBounded(next(made.glob("*/*/*.db")))

    def test_kineto(self):
        trace = self.work / "one.pt.trace.json"
        kineto_trace.write(trace, OPERATORS // 5000)
        self.assertBounded(trace)

    @unittest.skipUnless(os.path.exists(HOSTILE), "no benchmarks here")
    def test_hostile(self):
        trace = self.work / "hostile.json"
        subprocess.run([HOSTILE, trace, str(3 * OPERATORS)], check=True)
        self.assertBounded(trace, "--export", "csv")


if __name__ == "__main__":
    unittest.main()
