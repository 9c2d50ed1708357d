# SPDX-License-Identifier: Apache-2.0
"""Kernels of the test double of MSPTI that begin after the window in which they were launched: they
belong to this window, once, in all results."""

import subprocess
import unittest

from npu import MARK, NpuTest
from support import BUILD, PYTHON, TIMEOUT

# Two windows with a pause between them. Devices report 100 ms late; `behind` begins 40 ms after its
# launch, when the launching thread has ended the window.
PROGRAM = """
import ctypes, json, os, sys, time
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
from strobe import _strobe
session = _strobe.Session(json.dumps({
    "collectors": {"npu_task": {}}, "exporters": {}, "output": {"directory": sys.argv[1]},
    "schedule": {"wait": 1, "active": 1, "repeat": 2}}), "test")
session.start()
def launch(name, delay_ms=0):
    mspti = ctypes.CDLL(home + "libmspti.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    base = ctypes.c_uint64(time.time_ns())
    for line in ("launch 7 0 3 KERNEL_AICORE %s %d 500" % (name, delay_ms * 10 ** 6 + 200),
                 "call 11 7 launch 0 100"):
        assert mspti.mspti_double_play(line.encode(), base) == 0
def window(number, end):
    session.step()
    launch("inside%d" % number)
    launch("behind%d" % number, 40)
    end()
window(1, session.step)
launch("between")
time.sleep(.3)
window(2, session.stop)
session.close()
"""


class BehindTest(NpuTest):
    def test_the_window_of_the_launch(self):
        self.out.mkdir()
        environment = dict(self.environment, PYTHONPATH=str(BUILD / "python"),
                           STROBE_PLUGIN_PATH=str(BUILD / "plugins"), MSPTI_DOUBLE="lag=100")
        done = subprocess.run([PYTHON, self.script("behind.py", PROGRAM), self.out],
                              env=environment, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = self.results()
        self.assertEqual(len(results), 2)
        for number, result in enumerate(sorted(results), 1):
            self.strobe("analyse", "--export", "csv", "--export", "chrome_trace", result)
            own = {MARK + "inside%d" % number, MARK + "behind%d" % number}
            rows = self.rows("device_task", result)
            self.assertEqual((len(rows), {row["name"] for row in rows}), (2, own))
            table = (result / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv").read_text()
            trace = (result / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").read_text()
            for name in own:
                self.assertEqual(table.count(name), 1, table)
                self.assertIn(name, trace)
            links = next(row for row in self.rows("correlation", result)
                         if row["name"] == "api_to_task")
            self.assertEqual((links["linked"], links["orphan_cause"], links["orphan_effect"]),
                             (2, 0, 0))
            info = self.json("info", result)[0]
            self.assertEqual(sum(info["lost"].values()), 0, info["lost"])
            self.assertEqual(info["device_outside"], 0)


if __name__ == "__main__":
    unittest.main()
