# SPDX-License-Identifier: Apache-2.0
"""Functions for a user other than root: files that belong to this user, and actions of this user
during a test."""

import ctypes
import hashlib
import os
import signal
import stat
import tempfile
import traceback
import unittest

from made_capture import THREAD, MadeCapture

OTHER = 65534
OUTPUT = "ASCEND_PROFILER_OUTPUT"


def can_give():
    """Returns whether this process can give files to another user; root in a container may not."""
    if os.geteuid() != 0:
        return False
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.chown(file.name, OTHER, OTHER)
        except OSError:
            return False
    return True


needs_other_user = unittest.skipUnless(can_give(), "needs root, and another user")


def give(path, user=OTHER):
    """Gives the folder and everything in it to the other user."""
    for folder, _, names in os.walk(path):
        for name in [".", *names]:
            os.chown(os.path.join(folder, name), user, user, follow_symlinks=False)


def entries(path):
    """Owner, content and time of change of everything in the folder."""
    found = {}
    for folder, folders, names in os.walk(path):
        for name in [".", *folders, *names]:
            at = os.path.join(folder, name)
            status = os.lstat(at)
            content = None
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(at)
            elif stat.S_ISREG(status.st_mode):
                with open(at, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(at, path)] = (
                status.st_ino, status.st_mode, status.st_uid, status.st_mtime_ns, content
            )
    return found


def changes(before, path):
    """The differences from `before`, an earlier result of `entries`."""
    after = entries(path)
    return sorted((name, before.get(name), after.get(name))
                  for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def exchange(one, other):
    """Exchanges two names atomically."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2):
        raise OSError(ctypes.get_errno(), "cannot exchange %s and %s" % (one, other))


def make_result(parent, n_records=100, name="made_ascend_pt", **metadata):
    """Makes a result with operators. Returns its directory."""
    made = MadeCapture(n_records * 100)
    track = made.track(THREAD, 1001)
    for i in range(n_records):
        made.operator(track, "operator %d" % (i % 10), i * 100, i * 100 + 50)
    made.write(parent / name / "FRAMEWORK" / "capture.strobe", **metadata)
    return parent / name


class OtherUser:
    """A process of the other user that calls a function repeatedly until the end of the block."""

    def __init__(self, function):
        self.function = function

    def __enter__(self):
        reading, writing = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            try:
                os.setgroups([])
                os.setgid(OTHER)
                os.setuid(OTHER)
                os.write(writing, b"!")
                while True:
                    try:
                        self.function()
                    except FileNotFoundError:
                        pass
            except BaseException:  # the child must not continue with the tests
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(writing)
        if os.read(reading, 1) != b"!":
            raise RuntimeError("no process of another user")
        os.close(reading)
        return self

    def __exit__(self, *_):
        os.kill(self.child, signal.SIGKILL)
        _, status = os.waitpid(self.child, 0)
        if not os.WIFSIGNALED(status):
            raise RuntimeError("the other user's process ended by itself")
