# SPDX-License-Identifier: Apache-2.0
"""`strobe svp collect` sends a program to a board, runs it there under a profiler, and fetches its
JOB, over sshd, and over dropbear without SFTP."""

import json
import os
import re
import unittest

import tap
from board_servers import CollectTest, needs_servers


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

    def test_another_activation(self):
        """The manual's case, from the desk: a network with Mish, and one with an activation that
        the processor supports. One command for each, and a command that shows what became
        faster."""
        self.board("dropbear")
        found = []
        for layers in (("mish/Softplus Softplus AA_CORE 5000", "mish/Tanh Tanh AA_CORE 6000",
                        "mish/Mul Mul AA_CORE 3299"), ("leakyrelu LeakyRelu AA_CORE 5190",)):
            self.double.write_text("".join(
                "layer %s\n" % layer for layer in ("conv Convolution AA_CORE 9000", *layers)))
            found.append(self.collect("--all").stdout.splitlines()[-1])
        shown = self.strobe("diff", *found, "--by", "kernel").stdout
        self.assertRegex(shown, r"-6000\.000 .* mish/Tanh")
        self.assertRegex(shown, r"-9109\.000 +-39\.10 +23299\.000 +14190\.000")


if __name__ == "__main__":
    unittest.main()
