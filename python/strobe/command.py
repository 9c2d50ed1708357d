# SPDX-License-Identifier: Apache-2.0
"""Runs the strobe command: all analysis happens in processes of its own."""

import os
import shutil
import subprocess

from . import Error
from ._paths import COMMANDS
from .run import environment


def find():
    """Path of the command."""
    for path in COMMANDS:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    path = shutil.which("strobe")
    if path is None:
        raise Error("Cannot find the strobe command: looked at %s and in PATH" % ", ".join(COMMANDS))
    return path


def _variables():
    """The command itself is not to be recorded by `strobe run`."""
    variables = dict(os.environ)
    environment.clean(variables)
    return variables


def start(arguments, nice=False):
    """Starts the command without waiting; what it says goes to stderr."""
    line = [find(), *arguments]
    if nice and shutil.which("nice"):
        line = ["nice", "-n", "10", *line]
    return subprocess.Popen(
        line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=_variables()
    )


def run(arguments):
    """Runs the command and returns what it printed, as bytes. Its failure raises Error."""
    done = subprocess.run(
        [find(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_variables(),
    )
    if done.returncode != 0:
        raise Error(failure(arguments, done.returncode, done.stderr))
    return done.stdout


def failure(arguments, code, stderr=b""):
    """The message for a command that ended by `code`."""
    text = " ".join(stderr.decode("utf-8", "replace").split())
    end = "was killed by signal %d" % -code if code < 0 else "ended with exit code %d" % code
    return "strobe %s %s%s" % (arguments[0], end, ": " + text if text else "")
