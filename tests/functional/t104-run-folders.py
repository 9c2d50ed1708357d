# SPDX-License-Identifier: Apache-2.0
"""The private folder of a killed run is removed by the next run of the same user."""

import os
import signal

from support import StrobeTest


class RunFolderTest(StrobeTest):
    def folders(self):
        return sorted(self.runtime.glob("strobe-run-*"))

    def start_run(self):
        before = set(self.folders())
        process = self.start("run", "-o", self.out, "--collect", "host_sys", "--", "sh", "-c",
                             "echo $$ >> pids; touch ready-$$; exec sleep 60")
        self.wait_until(lambda: list(self.work.glob("ready-*")), "the command", process)
        folder, = set(self.folders()) - before
        return process, folder

    def end_commands(self):
        for pid in (self.work / "pids").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        for path in self.work.glob("ready-*"):
            path.unlink()
        (self.work / "pids").unlink()

    def test_killed(self):
        process, folder = self.start_run()
        process.kill()
        process.wait()
        self.end_commands()
        self.assertIn(folder, self.folders())
        self.assertIn(folder, self.folders())
        self.record("true")
        self.assertNothingLeft()

    def test_one_that_lives(self):
        process, folder = self.start_run()
        self.record("true")
        self.assertEqual(self.folders(), [folder])
        self.end_commands()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertNothingLeft()
