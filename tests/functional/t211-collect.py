# SPDX-License-Identifier: Apache-2.0
"""`strobe svp collect` sends a program to a board, runs it there under a profiler, and fetches its
JOB, over sshd, and over dropbear without SFTP."""

import json
import subprocess
import sys
import unittest

from board_servers import CollectTest, needs_servers
from support import BUILD, TOP


@needs_servers
class OneCommandTest(CollectTest):
    def check_all(self, server, **keys):
        board = self.board(server)
        if keys.pop("by_key", False):
            board.ini(self.ini, pwd=None, identity=board.authorize())
        done = self.collect("--all", "--recorder", "strobe")
        (job,) = self.jobs()
        self.assertEqual(done.stdout.splitlines()[-1], str(job))
        self.assertEqual(done.stdout.splitlines()[:-1], ["failed 0"])
        self.assertIn("exit status 0", done.stderr)
        names = sorted(path.relative_to(job).as_posix() for path in job.rglob("*"))
        for name in ("data/AAcore.0.a.1.1.1.0", "data/AclModule.0.a.1", "info.json.0",
                     "timeline/task_time_0.a.1.1.json", "summary/acl_statistic_0_1_1.csv",
                     "sqlite/svp_profile.db"):
            self.assertIn(name, names)
        self.assertEqual(json.loads((job / "info.json.0").read_text())["state"], "complete")
        self.assertNotIn(board.password, done.stdout + done.stderr)
        self.check_clean(board)
        return board

    def test_sshd(self):
        self.check_all("sshd")

    def test_dropbear(self):
        self.check_all("dropbear")

    def test_key_sshd(self):
        self.check_all("sshd", by_key=True)

    def test_key_dropbear(self):
        self.check_all("dropbear", by_key=True)

    def test_demo(self):
        """The manual's case, from the desk: a network with Mish, and one with an activation that the
        processor supports. One command for each, and a command that shows what became faster."""
        done = subprocess.run([sys.executable, TOP / "tests" / "board-demo.py"], text=True,
                              capture_output=True, env={**self.environment, "STROBE_BUILD": str(BUILD)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"-6000\.000 .* mish/Tanh")
        self.assertRegex(done.stdout, r"-9109\.000 +-39\.10 +23299\.000 +14190\.000")


if __name__ == "__main__":
    unittest.main()
