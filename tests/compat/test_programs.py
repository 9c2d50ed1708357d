# SPDX-License-Identifier: Apache-2.0
"""C programs, one for each feature: compat-program CASE."""

from matrix import NEEDS_ROOT, MatrixTest, add_cases, can_unshare, native

CASES = {
    "state": native("state", environment={"COMPAT_WATCH_CHILDREN": "1"}),
    "threads": native("threads", marks=9000),
    "exec": native("exec", marks=4000),
    "exec in a thread": native("exec-in-thread", marks=2000),
    "daemon": native("daemon"),
    "leave at once": native("leave"),
    "profiling timer": native("profiling-timer", marks=None),
    "killed": native("signal", "9"),
    "aborted": native("signal", "6"),
    "terminated": native("signal", "15"),
    "fault": native("fault"),
    "closefrom": native("closefrom", marks=2000),
    "close_range": native("close-range", marks=2000),
    "close_range unshared": native("close-range", "unshare", marks=2000),
    "few descriptors": native("descriptors", marks=2000),
    "no more processes": native("processes", marks=2000, skip=NEEDS_ROOT),
    "small files": native("files", marks=2000),
    "keeps capabilities": native("keep-capabilities", marks=2000, skip=NEEDS_ROOT),
    "drops capabilities": native("drop-capabilities", marks=3000, skip=NEEDS_ROOT),
    "setgid and setuid": native("set-ids", marks=2000, skip=NEEDS_ROOT),
    "initgroups with threads": native("set-ids-with-threads", marks=7000, skip=NEEDS_ROOT),
    "chroot": native("chroot", marks=2000, skip=NEEDS_ROOT),
    "user namespace": native("user-namespace", marks=2000, skip=can_unshare("--user")),
    "mount namespace": native("mount-namespace", marks=2000, skip=can_unshare("--mount")),
    "pid namespace": native("pid-namespace", marks=2000, skip=can_unshare("--pid", "--fork")),
    "strict seccomp": native("filter-strictly"),
    "seccomp of one thread": native("filter-thread", marks=4000),
    "seccomp of all threads": native("filter-all-threads", marks=4000),
    "seccomp at exit": native("filter-at-exit", quick=("marks", "all")),
}


class ProgramsTest(MatrixTest):
    """The cases of the table above."""


add_cases(ProgramsTest, CASES)
