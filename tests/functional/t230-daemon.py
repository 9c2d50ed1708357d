# SPDX-License-Identifier: Apache-2.0
"""MSMONITOR_USE_DAEMON: unchanged training scripts are profiled when the daemon dynolog requests
it. A test double of msMonitor's module replaces the daemon (tests/ipc-monitor-double)."""

import json
import os
import unittest

from support import PYTHON, STROBE, TOP, has_torch, needs_python
from training import PROGRAM, TrainingTest

DOUBLE = TOP / "tests" / "ipc-monitor-double"


@needs_python
@unittest.skipUnless(has_torch(), "no PyTorch")
class DaemonTest(TrainingTest):
    def setUp(self):
        super().setUp()
        self.daemon = self.work / "daemon"
        self.daemon.mkdir()
        self.environment.update(IPC_MONITOR_DOUBLE=str(self.daemon), PYTHONPATH=str(DOUBLE),
                                MSMONITOR_USE_DAEMON="1", OMP_NUM_THREADS="1")

    def put_request(self, keys):
        """Makes the daemon answer with this request. The script polls, so the file must appear as a whole."""
        new = self.daemon / "new"
        new.write_text("".join("%s=%s\n" % pair for pair in keys.items()))
        os.replace(new, self.daemon / "request")

    def ask(self, **keys):
        """Makes the daemon answer with this request, and waits until the script has read it."""
        n_before = self.read_errors().count("load json success")
        self.put_request({"PROFILE_ACTIVITIES": "CPU", "ACTIVITIES_LOG_FILE": str(self.out), **keys})
        self.wait_until(lambda: self.read_errors().count("load json success") > n_before,
                        "the watch", self.process)

    def await_state(self, *expected):
        """Waits for the state, the current step, the first step, and the step that ends the
        profile."""
        path = self.daemon / "status"
        self.wait_until(
            lambda: path.exists() and tuple(json.loads(path.read_text()).values()) == expected,
            "the state %s" % (expected,), self.process)

    def calls(self):
        return (self.daemon / "calls").read_text().splitlines()

    def check_profile(self):
        self.await_state("0", "-1", "-1", "-1")
        self.iterate(1)
        self.await_state("0", "1", "-1", "-1")
        self.ask(PROFILE_START_STEP=3, ACTIVITIES_ITERATIONS=2, PROFILE_ANALYSE="true")
        self.iterate(1)
        self.await_state("2", "2", "3", "5")
        self.iterate(1)
        self.await_state("1", "3", "3", "5")
        self.iterate(2)
        self.await_state("0", "5", "3", "5")
        self.finish()
        self.assertProfiled(2)
        self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT" / "trace_view.json").exists())
        self.assertEqual(self.calls(), ["init -1", "finalize"])
        self.assertEqual(json.loads((self.daemon / "status").read_text())["profiler_status"], "-1")

    def test_run(self):
        self.train(STROBE, "run", "--", PYTHON, PROGRAM)
        self.check_profile()
        self.assertIn("MSMONITOR_USE_DAEMON: profiles begin as dynolog asks", self.read_errors())

    def test_installed(self):
        self.train(self.install(), PROGRAM)
        self.check_profile()

    def test_older_name(self):
        """KINETO_USE_DAEMON belongs to Kineto: it has an effect if IPCMonitor is installed, and
        causes no message otherwise."""
        del self.environment["MSMONITOR_USE_DAEMON"]
        self.environment["KINETO_USE_DAEMON"] = "1"
        python = self.install()
        self.assertIn("'KINETO_USE_DAEMON' will be deprecated",
                      self.run_python(python, "import torch").stderr)
        del self.environment["PYTHONPATH"]
        told = self.run_python(python, "import torch").stderr  # Kineto itself may print a message
        self.assertNotRegex(told, "strobe:|profiler.py:")

    def test_metrics(self):
        """A request for metrics is passed on to msMonitor's own monitor."""
        self.train(STROBE, "run", "--", PYTHON, PROGRAM)
        self.put_request({"NPU_MONITOR_START": "true", "REPORT_INTERVAL_S": "60"})
        self.wait_until(lambda: len(self.calls()) > 1, "the request", self.process)
        self.finish()
        self.assertEqual(self.calls()[1], 'monitor {"NPU_MONITOR_START": "true", '
                                          '"REPORT_INTERVAL_S": "60"}')
        self.assertEqual(self.results(), [])

    def test_obstacles(self):
        python = self.install()
        for value, code, said in (
            ("0", "import torch", ""),
            ("yes", "import torch", "MSMONITOR_USE_DAEMON has no effect: expected 1 or 0, found 'yes'"),
            ("1", "pass", ""),
        ):
            self.environment["MSMONITOR_USE_DAEMON"] = value
            told = self.run_python(python, code).stderr
            self.assertIn(said, told)
            self.assertTrue(said or not told, told)
        (self.daemon / "down").touch()
        self.assertIn("MSMONITOR_USE_DAEMON has no effect: Init dynolog failed !",
                      self.run_python(python, "import torch").stderr)
        del self.environment["PYTHONPATH"]
        done = self.strobe("run", "--", PYTHON, "-c", "import torch")
        self.assertIn("MSMONITOR_USE_DAEMON has no effect: the module IPCMonitor of msMonitor cannot be "
                      "imported", done.stderr)

    def test_file_goes_before(self):
        self.environment["PROF_CONFIG_PATH"] = str(self.work / "dynamic")
        self.train(STROBE, "run", "--", PYTHON, PROGRAM)
        self.finish()
        self.assertTrue((self.work / "dynamic" / "profiler_config.json").exists())
        self.assertFalse((self.daemon / "calls").exists())


if __name__ == "__main__":
    unittest.main()
