# SPDX-License-Identifier: Apache-2.0
"""Findings for a capture with known faults, and for one without."""

import re
import unittest

from made_capture import STEPS, THREAD, MadeCapture
from support import StrobeTest, program

MS = 1000000
STEP = 100 * MS


class FindingsTest(StrobeTest):
    def made(self, load, thread=1):
        """Ten steps of 100 ms; in each of them, loading the next batch takes `load` ms."""
        made = MadeCapture(10 * STEP)
        steps, main = made.track(STEPS, 1), made.track(THREAD, thread)
        for number in range(10):
            at = number * STEP
            made.operator(main, "enumerate(DataLoader)#next", at, at + load * MS)
            made.operator(main, "aten::mm", at + 60 * MS, at + 70 * MS)
            made.operator(main, "aten::linear", at + 55 * MS, at + 95 * MS)
            made.step(steps, number, at, at + STEP)
        return made.write(self.work / ("made-%d" % load) / "capture.strobe")

    def rows(self, path, table):
        return self.json("show", path, "--table", table, "--limit", 100)[0]["rows"]

    def test_slow_loader(self):
        path = self.made(30)
        (found,) = self.rows(path, "finding")
        self.assertEqual(found["name"], "data_loading")
        self.assertEqual(found["severity"], "high")
        self.assertAlmostEqual(found["share"], 30)
        self.assertEqual(found["count"], 10)
        self.assertIn("enumerate(DataLoader)#next, 300.00 ms", found["evidence"])
        self.assertIn("num_workers", found["advice"])
        text = self.strobe("show", path, "--table", "finding").stdout
        self.assertIn("data_loading", text)

    def test_parts_add_up(self):
        rows = self.rows(self.made(30), "step_part")
        self.assertEqual([row["number"] for row in rows], list(range(10)))
        for row in rows:
            self.assertEqual(row["data"], 30 * MS)
            self.assertEqual(row["operators"], 40 * MS)
            self.assertEqual(row["other"], 30 * MS)
            self.assertEqual(row["duration"], STEP)

    def record_locks(self, *arguments):
        """The findings for four threads that use a lock."""
        self.strobe("run", "-o", self.out, "--no-default-collectors", "--collect", "osrt", "--",
                    program("convoy-program"), *arguments)  # fmt: skip
        return {row["name"]: row for row in self.rows(self.result(), "finding")}

    def test_lock_convoy(self):
        """Each thread waits for the three others; the page says which threads wait."""
        found = self.record_locks()["lock_contention"]
        self.assertEqual(found["severity"], "high")
        self.assertEqual(found["table"], "os_call")
        self.assertIn("4 threads wait for a lock", found["summary"])
        self.assertEqual(len(re.findall(r"thread [^;]*\d+\)? [\d.]+ % in pthread_mutex_lock", found["evidence"])), 4)
        page = self.work / "page.html"
        self.strobe("report", self.result(), "-o", page)
        self.assertIn(found["evidence"], page.read_text())

    def test_locks_apart(self):
        self.assertNotIn("lock_contention", self.record_locks("apart"))

    def test_clean(self):
        text = self.strobe("show", self.made(2), "--table", "finding").stdout
        self.assertNotIn("data_loading", text)


if __name__ == "__main__":
    unittest.main()
