# SPDX-License-Identifier: Apache-2.0
"""Messages to the user, in the form of the Ascend PyTorch Profiler, on stderr."""

import functools
import os
import sys
import time

from . import _strobe

_told = set()

# Kineto's numbers for the levels of messages. Errors are printed at any KINETO_LOG_LEVEL.
_KINETO_LEVELS = {"INFO": 1, "WARNING": 2}


def _is_hidden(level):
    """Whether KINETO_LOG_LEVEL allows only higher levels. Programs set it to 5 for silence."""
    wanted = os.environ.get("KINETO_LOG_LEVEL", "")
    return level in _KINETO_LEVELS and wanted.isdecimal() and int(wanted) > _KINETO_LEVELS[level]


def _write(level, text):
    if _is_hidden(level):
        return
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    try:
        sys.stderr.write("[%s] [%s] [%d] profiler.py: %s\n" % (stamp, level, os.getpid(), text))
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        pass  # stderr is missing or closed


def _warnings_disabled():
    """Whether this process prints no warnings: only rank 0 prints them."""
    for name in ("TORCH_NPU_WARNING_DISABLE", "TORCH_NPU_DISABLED_WARNING"):
        if os.environ.get(name) == "1":
            return True
    return os.environ.get("RANK", "0") != "0"


def info(text):
    _write("INFO", text)


def warn(text):
    if not _warnings_disabled():
        _write("WARNING", text)


def warn_once(text):
    """Prints a warning, unless this module or the library has already printed the same text in this
    process."""
    if text not in _told and not _strobe.warning_was_written(text):
        _told.add(text)
        warn(text)


def error(text):
    _write("ERROR", text)


def reported(method):
    """Reports a failure as an ERROR line; never raises an exception in the profiled program."""

    @functools.wraps(method)
    def call(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        except Exception as failure:
            error("Call %s failed. Exception: %s" % (method.__name__, failure))
            return None

    return call
