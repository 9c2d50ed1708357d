# SPDX-License-Identifier: Apache-2.0
"""Runs the strobe command: all analysis happens in separate processes."""

import os
import shutil
import subprocess
import sys

from . import Error
from ._paths import COMMANDS
from .bootstrap import strobe_run_environment as environment


class Timeout(Error):
    """The command did not end in time."""


def find():
    """Path of the command."""
    for path in COMMANDS:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    path = shutil.which("strobe")
    if path is None:
        places = ", ".join(COMMANDS)
        raise Error("Cannot find the strobe command: looked at %s and in PATH" % places)
    return path


def clean_variables():
    """The environment for the command: without the variables with which `strobe run` would record
    it."""
    variables = dict(os.environ)
    environment.clean(variables)
    for name in ("PROF_CONFIG_PATH", "MSMONITOR_USE_DAEMON", "KINETO_USE_DAEMON"):
        variables.pop(name, None)
    return variables


def _terminal():
    """Descriptor of the terminal to which this process writes its messages; None if that is not a
    terminal."""
    try:
        number = sys.stderr.fileno()
        return number if os.isatty(number) else None
    except (AttributeError, OSError, ValueError):
        return None  # stderr is missing, closed, or a Python object without a descriptor


def start(arguments, nice=False, has_bar=False):
    """Starts the command without waiting; finish() returns its output. `has_bar`: the command shows
    its progress if this process has a terminal."""
    line = [find(), *arguments]
    variables, terminal = clean_variables(), _terminal() if has_bar else None
    if terminal is not None:
        terminal = os.dup(terminal)
        variables["STROBE_BAR_FD"] = str(terminal)
    if nice and shutil.which("nice"):
        line = ["nice", "-n", "10", *line]
    try:
        return subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=variables,
            pass_fds=() if terminal is None else (terminal,),
        )
    finally:
        if terminal is not None:
            os.close(terminal)


def finish(process, name, timeout_s=None):
    """Waits for the command and returns its output as bytes. A failure raises Error. A command that
    takes longer than `timeout_s` is killed, and the call raises Timeout."""
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Timeout("strobe %s took longer than %g s" % (name, timeout_s)) from None
    if process.returncode != 0:
        raise Error(_failure(name, process.returncode, stderr))
    return stdout


def run(arguments, timeout_s=None):
    """Runs the command and returns its output as bytes; errors as in finish()."""
    return finish(start(arguments), arguments[0], timeout_s)


def _failure(name, code, stderr):
    text = " ".join(stderr.decode("utf-8", "replace").split())
    end = "was killed by signal %d" % -code if code < 0 else "ended with exit code %d" % code
    return "strobe %s %s%s" % (name, end, ": " + text if text else "")
