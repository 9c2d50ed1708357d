# SPDX-License-Identifier: Apache-2.0
"""One recording for each device and output folder; the modes of the written files, with any
umask."""

import os
import unittest

from svp_board import BoardTest


class LocksTest(BoardTest):
    def hold(self, *words):
        """A program that records until it is ended."""
        process = self.begin("load", *words, "execute", 1, "wait")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def count(self, folder):
        return len(list(folder.glob("JOB*")))

    def test_one_output(self):
        """The second process is not profiled and runs normally; the first recording is complete."""
        self.configure(double="devices 2\n")
        first = self.hold()
        output, errors = self.run_program("load", "device", 1, "execute", 1)
        self.assertEqual(output, "failed 0\n")
        self.assertIn("%s: another process (%d) records into this folder" % (self.jobs, first.pid),
                      errors)
        self.assertEqual(self.count(self.jobs), 1)
        output, errors = first.communicate("x")
        self.assertEqual((first.returncode, output), (0, "failed 0\n"), errors)
        self.assertEqual(self.info()["state"], "complete")

    def test_one_device(self):
        """The lock belongs to the device, wherever the output is; it ends with a killed process."""
        self.configure()
        first = self.hold()
        other = self.work / "other"
        other.mkdir()
        self.configure(output=str(other))
        output, errors = self.run_program("load", "execute", 1)
        self.assertEqual(output, "failed 0\n")
        self.assertRegex(errors, r"device 0: another process \(%d\) profiles it .*device-0.lock"
                         % first.pid)
        self.assertEqual(self.count(other), 0)
        first.kill()
        first.wait()
        output, errors = self.run_program("load", "execute", 1)
        self.assertNotIn("another process", errors)
        self.assertEqual((output, self.count(other), self.count(self.jobs)), ("failed 0\n", 1, 1))

    def test_fork(self):
        """A child is not profiled, and neither its calls nor its end change its parent's JOB."""
        self.configure(interval="1")
        output, errors = self.run_program("load", "execute", 1, "fork", "execute", 1)
        self.assertEqual(output, "failed 0\n", errors)
        info = self.info()
        self.assertEqual((info["state"], info["counters"]["captures"]), ("complete", 2))
        self.assertEqual(self.calls(), {
            "svp_acl_init": 1, "svp_acl_mdl_set_config_opt": 1, "svp_acl_mdl_load_with_config": 1,
            "svp_acl_mdl_execute": 2, "svp_acl_finalize": 1})

    def test_umask(self):
        for mask, is_warned in (0o000, True), (0o022, True), (0o027, False), (0o077, False):
            self.configure()
            _, errors = self.run_program("load", "execute", 1, umask=mask)
            self.assertEqual("umask %04o lets others read" % mask in errors, is_warned, errors)
            job = self.job()
            for path in (job, *job.rglob("*")):
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o750 if path.is_dir() else 0o640,
                                 "%s, umask %04o" % (path, mask))
            job.rename(self.work / ("umask-%o" % mask))


if __name__ == "__main__":
    unittest.main()
