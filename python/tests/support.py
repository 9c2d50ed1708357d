# SPDX-License-Identifier: Apache-2.0
"""Functions that several test modules use."""

import contextlib
import functools
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
except ImportError:
    torch = None

needs_torch = unittest.skipIf(torch is None, "PyTorch is not installed")

_LINE = re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \[(\w+)\] \[\d+\] profiler\.py: (.*)")


_FORK_WARNING = re.compile(
    r".*DeprecationWarning: This process \(pid=\d+\) is multi-threaded, use of fork\(\).*\n"
    r"(?:  .*\n)?")


def without_fork_warning(text):
    """Returns the text without Python's warning (from 3.12 on) that a process with several threads
    forks: Strobe's threads count too."""
    return _FORK_WARNING.sub("", text)


@contextlib.contextmanager
def messages():
    """Collects the front end's messages: a list of (level, text)."""
    found = []
    old, sys.stderr = sys.stderr, io.StringIO()
    try:
        yield found
    finally:
        text, sys.stderr = sys.stderr.getvalue(), old
        for line in text.splitlines():
            match = _LINE.fullmatch(line)
            found.append(match.groups() if match else ("OTHER", line))


_THEIR_STACKS = """
import torch
from torch.profiler import ProfilerActivity, profile
model = torch.nn.Linear(4, 4)
for _ in range(3):
    with profile(activities=[ProfilerActivity.CPU], with_stack=True):
        for _ in range(3):
            model(torch.ones(2, 4)).sum().backward()
"""


@functools.lru_cache(maxsize=None)
def their_stacks_work():
    """Whether PyTorch's own profiler survives with_stack=True, alone in a process: PyTorch 2.6 on
    CPython 3.13 does not."""
    return subprocess.run([sys.executable, "-c", _THEIR_STACKS], capture_output=True).returncode == 0


@contextlib.contextmanager
def native_stderr():
    """Collects lines that libraries write directly to stderr: a list, filled at the end."""
    found, old = [], os.dup(2)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield found
        finally:
            os.dup2(old, 2)
            os.close(old)
            file.seek(0)
            found.extend(file.read().splitlines())


class FolderTest(unittest.TestCase):
    """A test with a temporary folder as its working directory."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strobe-test-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.folder = os.path.realpath(folder.name)
        os.chdir(self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def run_python(self, text, *arguments, **variables):
        """Runs a script in its own process; returns the finished process."""
        script = self.write("script.py", text)
        return subprocess.run(
            [sys.executable, script, *arguments],
            cwd=self.folder,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=120,
        )


def results(folder):
    """Returns the result directories in a folder."""
    return sorted(
        os.path.join(folder, name) for name in os.listdir(folder) if name.endswith("_ascend_pt")
    )
