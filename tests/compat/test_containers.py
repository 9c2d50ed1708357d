# SPDX-License-Identifier: Apache-2.0
"""Containers: the program or `strobe run` is the first process of a pid namespace. The end of this
process kills all others at once, including the writer. Records that were committed before are
recovered."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from matrix import PROGRAM, MatrixTest, can_unshare

CONTAINER = ["unshare", "--pid", "--fork", "--mount-proc"]
# A separate /dev/shm of the container, which ends with it.
OWN_MEMORY = ["sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$0" "$@"']
CGROUPS = pathlib.Path("/sys/fs/cgroup")
CANNOT_UNSHARE = can_unshare("--pid", "--fork", "--mount-proc")


def find_cgroup():
    """A folder of version 2 of control groups, in which groups can be made and killed; None if
    there is none."""
    for folder in CGROUPS, CGROUPS / "unified":
        group = folder / ("strobe-test-%d" % os.getpid())
        try:
            group.mkdir()
        except OSError:
            continue
        has_kill = (group / "cgroup.kill").exists()
        group.rmdir()
        if has_kill:
            return folder
    return None


CGROUP = find_cgroup()


class ContainersTest(MatrixTest):
    def setUp(self):
        super().setUp()
        self.place.mkdir()
        self.own = dict(self.environment, COMPAT_SESSION=json.dumps(
            {"collectors": {"fake": {"threads": 0, "records": 100}},
             "output": {"directory": str(self.out)}}))

    def begin(self, command, environment):
        """Runs the program until it has marked."""
        process = subprocess.Popen(command, cwd=self.place, env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "marked\n")
        return process

    def first_process(self, process):
        """The first process of the namespace that the process `unshare` has made."""
        children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
        with open(children, encoding="utf-8") as file:
            return int(file.read().split()[0])

    def assertRecovered(self, command, environment):
        """Kills the first process after it has marked, and checks that the records are
        recovered."""
        process = self.begin(command, environment)
        os.kill(self.first_process(process), signal.SIGKILL)
        process.wait()
        self.assertNothingRuns(command)
        self.strobe("analyse", self.out)
        self.assertMarks(1000)
        self.assertNoPool()

    def assertMarks(self, count):
        info = self.json("info", self.result())[0]
        self.assertTrue(info["sealed"] or info["recovered"], info)
        self.assertEqual(info["kinds"]["marker_instant"], count)

    def assertEnds(self, command, environment):
        done = self.run_command(command, environment)
        self.assertEqual(done.code, 7, done.stderr)
        self.assertMarks(1000)
        self.assertNoPool()


@unittest.skipIf(CANNOT_UNSHARE, CANNOT_UNSHARE)
class NamespaceTest(ContainersTest):
    def test_run_is_first(self):
        self.assertEnds([*CONTAINER, *self.run_words("marks"), PROGRAM, "state"], self.environment)

    def test_run_is_first_and_killed(self):
        self.assertRecovered([*CONTAINER, *self.run_words("marks"), PROGRAM, "wait"], self.environment)

    def test_program_is_first(self):
        self.assertEnds([*CONTAINER, PROGRAM, "state"], self.own)

    def test_program_is_first_and_killed(self):
        self.assertRecovered([*CONTAINER, PROGRAM, "wait"], self.own)

    def test_program_is_first_by_exec(self):
        self.assertRecovered([*CONTAINER, "sh", "-c", 'exec "$0" wait', PROGRAM], self.own)

    def test_container_within_a_run(self):
        """No collector can work in the process `unshare`."""
        self.assertEnds([*self.run_words("default"), *CONTAINER, PROGRAM, "state"], self.environment)

    def test_own_shared_memory(self):
        self.assertEnds([*CONTAINER, *OWN_MEMORY, PROGRAM, "state"], self.own)

    def test_own_shared_memory_and_killed(self):
        self.assertRecovered([*CONTAINER, *OWN_MEMORY, PROGRAM, "wait"], self.own)


@unittest.skipUnless(CGROUP, "no control group (version 2) can be made and killed here")
class ControlGroupTest(ContainersTest):
    def assertGroupRecovered(self, command, environment):
        group = CGROUP / ("strobe-test-%d" % os.getpid())
        group.mkdir()
        self.addCleanup(lambda: self.wait_until(lambda: self.removed(group), "the group's end"))
        enter = 'echo $$ >"$0/cgroup.procs" && exec "$@"'
        process = self.begin(["sh", "-c", enter, str(group), *command], environment)
        (group / "cgroup.kill").write_text("1")
        process.wait()
        self.assertNothingRuns(command)
        self.strobe("analyse", self.out)
        self.assertMarks(1000)
        self.assertNoPool()

    @staticmethod
    def removed(group):
        try:
            group.rmdir()
        except OSError:
            pass
        return not group.exists()

    def test_run(self):
        self.assertGroupRecovered([*self.run_words("marks"), PROGRAM, "wait"], self.environment)

    def test_own_session(self):
        self.assertGroupRecovered([PROGRAM, "wait"], self.own)
