# SPDX-License-Identifier: Apache-2.0
"""Records survive the program that recorded them."""

import os
import pathlib
import signal

from support import StrobeTest

RECORDS = 5000
COLLECT = "fake:records=%d,threads=2" % RECORDS


class KillTest(StrobeTest):
    def start_command(self):
        process = self.start(
            "run", "-o", self.out, "--collect", COLLECT, "--",
            "sh", "-c", "echo $$ > pid; while grep -qs strobe-fake /proc/$$/task/*/comm; do sleep 0.01; done; "
            # has no child, which would hold the capture's lock
            "mkfifo end; touch ready; read line < end",
        )
        self.wait_for_file(self.work / "ready", process)
        return process, int((self.work / "pid").read_text())

    def test_killed_command_is_finished_by_run(self):
        process, pid = self.start_command()
        os.kill(pid, signal.SIGKILL)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, -signal.SIGKILL)
        info = self.json("info", self.result())[0]
        self.assertEqual((info["sealed"], info["recovered"]), (True, False))
        self.assertEqual(info["kinds"]["marker"], RECORDS)
        self.assertNotIn("recovered", errors)
        self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT" / "analyse.done").exists())
        self.assertNothingLeft()

    def test_writer_finishes_what_a_killed_program_left(self):
        """No analysis runs here: the writer process notices the end of the program."""
        process, pid = self.start_command()
        (pool,) = self.pools_of(pid)
        process.kill()
        process.wait()
        writer = self.writer_of(pid)
        os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: self.json("info", self.out)[0]["sealed"], "the seal")
        info = self.json("info", self.out)[0]
        self.assertEqual((info["recovered"], info["kinds"]["marker"]), (False, RECORDS))
        self.wait_until(lambda: self.writer_of(pid) is None, "the end of the writer %d" % writer)
        self.assertFalse(pool.exists())

    def test_program_goes_on_without_its_writer(self):
        process, pid = self.start_command()
        self.kill_writer(pid)
        with open(self.work / "end", "w", encoding="utf-8") as end:
            end.write("\n")
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 0, errors)
        info = self.json("info", self.result())[0]
        self.assertTrue(info["recovered"])
        self.assertEqual(info["kinds"]["marker"], RECORDS)
        self.assertNothingLeft()

    def test_analyse_recovers_when_all_were_killed(self):
        process, pid = self.start_command()
        self.kill_writer(pid)
        process.kill()
        process.wait()
        self.assertFalse((self.result() / "ASCEND_PROFILER_OUTPUT").exists())
        live = self.json("analyse", self.out)[0]
        self.assertTrue(live["live"])
        os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: not pathlib.Path("/proc/%d" % pid).exists(), "the end")
        self.assertFalse(self.json("info", self.out)[0]["recovered"])
        answer = self.json("analyse", self.out)[0]
        self.assertFalse(answer["live"])
        info = self.json("info", self.out)[0]
        self.assertTrue(info["recovered"])
        self.assertEqual(info["kinds"]["marker"], RECORDS)
        self.assertEqual(info["lost"]["pool_empty"], 0)

    def test_recovering_twice_changes_nothing(self):
        process, pid = self.start_command()
        process.kill()
        process.wait()
        os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: not pathlib.Path("/proc/%d" % pid).exists(), "the end")
        self.strobe("analyse", self.out)
        capture = self.result() / "FRAMEWORK" / "capture.strobe"
        before = capture.read_bytes()
        self.strobe("analyse", self.out)
        self.assertEqual(capture.read_bytes(), before)
