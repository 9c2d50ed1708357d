# SPDX-License-Identifier: Apache-2.0
"""Devices that report late: the end of a window waits for them. And marks that two collectors
report, one on the host and the other on the device."""

import subprocess
import unittest

from npu import MARK, NpuTest
from support import BUILD, PYTHON, TIMEOUT, StrobeTest, needs_python, program

KERNELS = 1000
LATE_MS = 800


class LateTest(NpuTest):
    def stop(self, lag_ms, n_windows):
        """Runs npu-stop. Returns the ms from each window's launches to its end."""
        self.out.mkdir()
        environment = dict(self.environment, STROBE_PLUGIN_PATH=str(BUILD / "plugins"),
                           MSPTI_DOUBLE="lag=%d" % lag_ms)
        done = subprocess.run([program("npu-stop"), self.out, str(n_windows)], env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(map(int, done.stdout.split()))

    def test_the_end_of_a_window_waits_for_the_device(self):
        """Each window is complete; the process ends without freeing the session."""
        for ms in self.stop(LATE_MS, 3):
            self.assertGreaterEqual(ms, LATE_MS)
        results = self.results()
        self.assertEqual(len(results), 3)
        for result in results:
            info = self.json("info", result)[0]
            self.assertEqual((info["sealed"], info["recovered"]), (True, False))
            self.assertEqual(info["kinds"].get("device_task"), KERNELS)
            self.assertEqual(sum(info["lost"].values()), 0, info["lost"])

    def test_a_device_that_tells_too_late(self):
        """stop() waits for 2 s, not until the device has reported; the result names the records
        that arrived."""
        ms, = self.stop(60000, 1)
        self.assertGreater(ms, 1500)
        self.assertLess(ms, 30000)
        info = self.json("info", self.result())[0]
        self.assertEqual((info["sealed"], info["recovered"]), (True, False))
        self.assertEqual(info["kinds"].get("device_task", 0), 0)


LATE = """
import json, sys
from strobe import _strobe
session = _strobe.Session(json.dumps({
    "collectors": {"fake": {"records": 10, "late": 1000, "drain": "1s"}}, "exporters": {},
    "output": {"directory": sys.argv[1]}}), "test")
session.start()
session.stop()
session.close()
"""


@needs_python
class AnalysisTest(StrobeTest):
    def test_an_analysis_waits_for_late_records(self):
        """The analysis begins when the window has ended and its collector has reported half of the
        records."""
        script = self.script("late.py", LATE)
        self.out.mkdir()
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"),
                           STROBE_PLUGIN_PATH=str(BUILD / "plugins"))
        with subprocess.Popen([PYTHON, script, self.out], env=environment) as process:
            self.wait_until(lambda: any("end_info" in path.read_text() for path
                                        in self.out.glob("*/profiler_info.json")), "the end")
            self.strobe("analyse", self.out)
            self.assertEqual(self.records_of(self.result(), "marker"), 1010)
            self.assertEqual(process.wait(TIMEOUT), 0)


class MarkTest(NpuTest):
    def test_marks_of_both_collectors_are_joined(self):
        """Strobe passes the marks on to the vendor's tool, which reports the device's side with the
        id that both know."""
        script = ["sleep 1", "range forward 5", "sleep 2", "end", "range alone 0", "sleep 1", "end",
                  "mark tick 5", "sleep 3"]
        self.play(script, ":profiler_level=Level_none", collect=["marker"])
        marks = self.rows("marker")
        host = {row["name"]: row for row in marks if not row["name"].startswith(MARK)}
        device, = [row for row in marks if row["name"].startswith(MARK)]
        self.assertEqual(sorted(host), ["alone", "forward"])
        self.assertEqual(device["name"], MARK + "forward")
        self.assertEqual(device["marker.connection"], host["forward"]["marker.connection"])
        self.assertGreaterEqual(device["begin"], host["forward"]["begin"])
        self.assertIn(host["alone"]["marker.connection"], (None, ""))
        links = {(row["name"], row["source"]): row for row in self.rows("correlation")}
        linked = links["host_to_device_marker", "npu_task"]
        self.assertEqual((linked["linked"], linked["orphan_cause"]), (1, 0))
        # A tool does not get the id of an instant, so instants that cannot be joined are counted.
        self.assertEqual(linked["orphan_effect"], 1)
        self.assertEqual(links["host_to_device_marker", "marker"]["orphan_cause"], 1)


if __name__ == "__main__":
    unittest.main()
