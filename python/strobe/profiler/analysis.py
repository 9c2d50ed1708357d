# SPDX-License-Identifier: Apache-2.0
"""Analysis of result directories, by `strobe analyse` in processes of its own."""

import datetime
import os
import re
import time

from .. import command, message
from .experimental import supported_export_type

_PROF_FOLDER = re.compile(r"PROF_\d+_\d+_[0-9a-zA-Z]+")

_pending = []  # (process, directory) of analyses that nobody waited for


def _exporters(export_types, use_gzip=False):
    """Arguments that choose the exporters, none for those the result was made for."""
    arguments = []
    if use_gzip:
        arguments += ["--export", "chrome_trace:gzip=true"]
    return arguments


def _wait(process, directory):
    code = process.wait()
    if code != 0:
        text = command.failure(["analyse"], code)
        message.error("Cannot analyse %s: %s" % (directory, text))
    return code == 0


def analyse_result(directory, export_types, async_mode=False, use_gzip=False):
    """Makes the output files of one result directory."""
    mode = "async" if async_mode else "sync"
    message.info("Start parsing profiling data in %s mode at: %s" % (mode, directory))
    began = time.monotonic()
    arguments = ["analyse", directory, *_exporters(export_types, use_gzip)]
    process = command.start(arguments, nice=async_mode)
    if async_mode:
        _pending[:] = [each for each in _pending if each[0].poll() is None]
        _pending.append((process, directory, os.getpid()))
    elif _wait(process, directory):
        _tell_total(began)


def _tell_total(began):
    total = datetime.timedelta(seconds=time.monotonic() - began)
    message.info("All profiling data parsed in a total time of %s" % total)


def join():
    """Waits, at exit, for the analyses of this process that still run."""
    while _pending:
        process, directory, owner = _pending.pop()
        if owner == os.getpid():
            _wait(process, directory)


# ---- offline ----


def analyse(profiler_path, max_process_number=None, export_type=None):
    """Makes the output files of a result directory, or of all result directories in a folder.

    `max_process_number`: how many are analysed at once (default: half of the processors);
    `export_type`: "text", "db" or a list of them (default: what they were recorded for).
    """
    try:
        found = _find_results(profiler_path)
        number = _checked_number(max_process_number)
        export_types = _checked_export_type(export_type)
        if not found:
            message.error("Invalid profiling path: %s has no profiling data" % profiler_path)
            return
        _analyse_all(found, number, export_types)
    except Exception as error:
        message.error("Call analyse failed. Exception: %s" % error)


def _analyse_all(found, number, export_types):
    began = time.monotonic()
    waiting, running, good = list(found), [], True
    while waiting or running:
        while waiting and len(running) < number:
            directory = waiting.pop(0)
            message.info("Start parsing profiling data in sync mode at: %s" % directory)
            arguments = ["analyse", directory, *_exporters(export_types)]
            running.append((command.start(arguments), directory))
        good = _wait(*running.pop(0)) and good
    if good:
        _tell_total(began)


def _is_result(path):
    try:
        names = os.listdir(path)
    except NotADirectoryError:
        return False
    return "FRAMEWORK" in names or any(_PROF_FOLDER.match(name) for name in names)


def _find_results(path):
    path = os.path.realpath(os.path.expanduser(path))
    if not os.path.exists(path):
        raise FileNotFoundError("%s does not exist" % path)
    if os.path.isfile(path) or _is_result(path):
        return [path]
    children = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    return [each for each in children if os.path.isdir(each) and _is_result(each)]


def _checked_number(value):
    processors = os.cpu_count() or 1
    if value is None:
        return max(1, processors // 2)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        message.warn("Invalid parameter max_process_number, reset it to default.")
        return max(1, processors // 2)
    if value > processors:
        message.warn(
            "max_process_number is more than the number of processors, reset it to %d." % processors
        )
        return processors
    return value


def _checked_export_type(value):
    if value is None:
        return None
    values = [value] if isinstance(value, str) else value
    known = supported_export_type()
    if isinstance(values, list) and values and all(
        isinstance(each, str) and each in known for each in values
    ):
        return list(dict.fromkeys(values))
    message.warn("Invalid parameter export_type, reset it to None.")
    return None
