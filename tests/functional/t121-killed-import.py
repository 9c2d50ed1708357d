# SPDX-License-Identifier: Apache-2.0
"""The next import removes everything that a killed import left."""

import json
import os
import shutil
import signal
import time

from support import StrobeTest

N_EVENTS = 150000


class KilledImportTest(StrobeTest):
    source = None  # written once

    def setUp(self):
        super().setUp()
        self.parent = self.work / "imported"
        self.trace = self.work / "plain.json"
        if KilledImportTest.source is None:
            events = [{"ph": "X", "cat": "cpu_op", "name": "op %d" % (i % 500), "pid": 1, "tid": 1,
                       "ts": i * 10, "dur": 5} for i in range(N_EVENTS)]
            KilledImportTest.source = json.dumps({"traceEvents": events})
        self.trace.write_text(KilledImportTest.source)

    def hidden(self):
        """Finds hidden folders with os.walk, which ignores a folder that disappears during the
        search."""
        return [os.path.join(folder, name) for folder, names, files in os.walk(self.parent)
                for name in names + files if name.startswith(".")]

    def results(self):
        return sorted(path.name for path in self.parent.iterdir() if path.name[0] != ".")

    def is_writing(self):
        """A folder with content is locked, because the import locks it first."""
        return any(os.listdir(path) for path in self.hidden() if os.path.isdir(path))

    def is_reading(self):
        return self.is_writing() and not self.results()

    def is_analysing(self):
        return any("ASCEND_PROFILER_OUTPUT" in path for path in self.hidden())

    def start_import(self, *exporters):
        words = [word for name in exporters for word in ("--export", name)]
        return self.start("import", self.trace, "-o", self.parent, *words)

    def stop_import(self, condition, *exporters):
        """Starts an import, and stops it while the condition holds. Tries again if the import ended before, because
        this test was preempted."""
        def try_once():
            shutil.rmtree(self.parent, ignore_errors=True)
            process = self.start_import(*exporters)
            return process if self.stop_when(process, condition) else None
        return self.wait_until(try_once, "an import that can be stopped")

    def kill(self, process):
        """Returns whether the signal has ended the import; it may have ended before."""
        process.kill()
        process.communicate(timeout=60)
        return process.returncode == -signal.SIGKILL

    def clear(self):
        self.strobe("import", self.trace, "-o", self.parent, "--export", "stacks")
        self.assertEqual(self.hidden(), [])
        for name in self.results():  # each result is complete
            rows = self.json("info", self.parent / name)
            self.assertTrue(rows[0]["sealed"])

    def test_while_it_reads(self):
        self.assertTrue(self.kill(self.stop_import(self.is_reading, "chrome_trace", "csv")))
        self.assertEqual(self.results(), [], "half of a result is to be seen")
        self.clear()
        self.assertEqual(len(self.results()), 1)

    def test_while_it_analyses(self):
        self.assertTrue(self.kill(self.stop_import(self.is_analysing, "chrome_trace", "csv")))
        self.assertEqual(len(self.results()), 1)
        self.assertNotEqual(self.hidden(), [])
        self.clear()
        self.assertEqual(len(self.results()), 2)

    def test_at_any_time(self):
        n_killed = 0
        for i in range(12):
            process = self.start_import("chrome_trace", "csv")
            time.sleep(0.02 + 0.03 * i)
            n_killed += self.kill(process)
        self.assertGreater(n_killed, 0)
        self.clear()

    def test_one_that_is_at_work_is_left_alone(self):
        process = self.stop_import(self.is_writing, "csv")
        before = self.hidden()
        self.strobe("import", self.trace, "-o", self.parent, "--export", "stacks")
        self.assertEqual(self.hidden(), before)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(self.hidden(), [])
        self.assertEqual(len(self.results()), 2)
