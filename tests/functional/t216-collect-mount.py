# SPDX-License-Identifier: Apache-2.0
"""`strobe svp collect --mount`: the vendor's method, with a replacement of the board's `mount`; and
the offset of the clocks."""

import json
import os
import pathlib
import shutil
import time
import unittest

from board_servers import CollectTest, needs_servers

SERVER = "192.0.2.1"


@needs_servers
class MountTest(CollectTest):
    def tool(self, name, text):
        path = self.place / "tools" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\necho \"%s $*\" >>%s\n%s" % (name, self.log, text))
        path.chmod(0o755)

    def begin(self, mount, umount="rm \"$1\"\n"):
        self.log = self.place / "log"
        self.log.write_text("")
        self.log.chmod(0o666)
        self.tool("mount", mount)
        self.tool("umount", umount)
        board = self.board(path="%s:/usr/bin:/bin" % (self.place / "tools"))
        output = self.place / "results"
        output.mkdir()
        output.chmod(0o777)
        self.output = output
        return board

    def logged(self):
        return self.log.read_text().splitlines()

    def test_mounted(self):
        """The JOBs are written here; the folder is unmounted at the end."""
        # the arguments are -t nfs -o nolock,tcp
        board = self.begin('p=${5#*:}; rmdir "$6"; ln -s "$p" "$6"\n')
        done = self.collect("--mount", "required", "--server-ip", SERVER, "--output", self.output)
        (job,) = self.jobs(self.output)
        self.assertEqual(done.stdout.splitlines()[-1], str(job))
        folder = "%s/profiling" % board.home
        self.assertEqual(self.logged(), [
            "mount -t nfs -o nolock,tcp %s:%s %s" % (SERVER, self.output, folder),
            "umount %s" % folder])
        self.check_clean(board)

    def test_unmounted_when_the_link_goes(self):
        board = self.begin('p=${5#*:}; rmdir "$6"; ln -s "$p" "$6"\n')
        process = self.start(*self.words("--mount", "required", "--server-ip", SERVER, "--output",
                                         self.output, "--stdin", main="out/main acl.json a.om wait"),
                             stdin=-1)
        self.assertEqual(process.stdout.readline(), "ready\n")
        board.cut()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 9)
        end = time.monotonic() + 20
        while not any(line.startswith("umount") for line in self.logged()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.check_clean(board)

    def test_failing(self):
        """The message of the board's mount, the cause, and both remedies."""
        text = "mounting %s:%s on x failed: Connection timed out" % (SERVER, "y")
        board = self.begin("echo '%s' >&2; exit 1\n" % text)
        words = ["--server-ip", SERVER, "--output", self.output]
        done = self.collect("--mount", "required", *words, code=9)
        for named in ("cannot mount %s:%s" % (SERVER, self.output), "Connection timed out",
                      "127.0.1.1", "comment that line out", "map the name to the right address"):
            self.assertIn(named, done.stderr)
        self.assertEqual(self.jobs(self.output), [])
        done = self.collect("--mount", "auto", *words)
        self.assertIn("JOBs are fetched instead", done.stderr)
        self.assertEqual(len(self.jobs(self.output)), 1)
        self.assertEqual([line for line in self.logged() if line.startswith("umount")], [])
        self.check_clean(board)

    def test_loopback(self):
        """The address is the one of the connection, whatever the hosts file contains."""
        board = self.begin("exit 0\n")
        done = self.collect("--mount", "required", "--output", self.output, code=9)
        for named in "cannot mount from 127.0.0.1, a loopback address", "--server-ip":
            self.assertIn(named, done.stderr)
        self.assertEqual(self.logged(), [])
        self.check_clean(board)

    def test_option(self):
        self.ini = self.place / "ssh.ini"
        self.assertIn('did you mean "auto"', self.collect("--mount", "atuo", code=3).stderr)


@needs_servers
class ClockTest(CollectTest):
    def test_clocks_in_the_job(self):
        """The offset of the board's monotonic clock, which is this machine's clock here, before and
        after the run."""
        for server in "sshd", "dropbear":
            self.board(server)
            self.collect()
            (job,) = self.jobs()
            sync = json.loads((job / "info.json.0").read_text())["sync"]
            self.assertEqual(len(sync), 3)
            self.assertIn("real_ns", sync[0])
            for pair in sync[1:]:
                self.assertGreater(pair["error_ns"], 0)
                self.assertLessEqual(pair["error_ns"], 10**9)
                self.assertLessEqual(abs(pair["mono_ns"] - pair["desk_mono_ns"]), pair["error_ns"])
                self.assertLess(abs(pair["desk_real_ns"] / 1e9 - time.time()), 300)
            self.assertLess(sync[1]["mono_ns"], sync[0]["mono_ns"])
            self.assertLess(sync[0]["mono_ns"], sync[2]["mono_ns"])
            shutil.rmtree(self.project / "profiling")


if __name__ == "__main__":
    unittest.main()
