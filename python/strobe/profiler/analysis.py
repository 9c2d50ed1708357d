# SPDX-License-Identifier: Apache-2.0
"""Analysis of result directories, by `strobe analyse` in separate processes."""

import collections
import datetime
import glob
import json
import os
import re
import shutil
import threading
import time

from .. import Error, command, message
from .experimental import supported_export_type
from .path_warnings import warn_of_path, warn_of_permission

_PROF_FOLDER = re.compile(r"PROF_\d+_\d+_[0-9a-zA-Z]+")

#: The folder of the traces for TensorBoard, and the worker in their names.
TensorBoard = collections.namedtuple("TensorBoard", "folder worker")

_TENSORBOARD_TRACES = "*.pt.trace.json*"

_pending = []  # analyses for which no caller waits
_pending_lock = threading.Lock()  # a separate thread analyses a dump


class _Analysis:
    """A running `strobe analyse` of one result directory."""

    def __init__(self, directory, mode, use_gzip=False, tensorboard=None, types=(), has_bar=False):
        message.info("Start parsing profiling data in %s mode at: %s" % (mode, directory))
        self.owner = os.getpid()
        self._tensorboard = tensorboard
        self._directory = directory
        words = ["analyse", directory, "--json"]
        if types:
            words += ["--export-type", "+".join(types)]
        words += _also(use_gzip, tensorboard)
        self._process = command.start(words, nice=mode == "async", has_bar=has_bar)

    def is_done(self):
        return self._process.poll() is not None

    def wait(self):
        """Waits for the analysis, and reports errors and missing data. Returns False if there are
        no results."""
        try:
            for outcome in json.loads(command.finish(self._process, "analyse")):
                for line in outcome["missing"]:
                    message.warn_once(_without_name(line.strip()))
                if self._tensorboard:
                    _move_traces(outcome["output"], self._tensorboard.folder)
        except (Error, OSError, ValueError, LookupError, TypeError) as error:
            message.error("Cannot analyse %s: %s" % (self._directory, error))
            return False
        return True


def _without_name(line):
    """A line "gc: collector gc: ..." of the session without the name at its begin."""
    name, _, text = line.partition(": ")
    return text if text.startswith("collector %s: " % name) else line


def _also(use_gzip, tensorboard):
    """Flags of `strobe analyse` for additional or changed output."""
    words = ["--also", "chrome_trace:gzip=true"] if use_gzip else []
    if tensorboard:
        worker = tensorboard.worker.replace("\\", "\\\\").replace(",", "\\,")
        options = "worker=%s,gzip=%s" % (worker, "true" if use_gzip else "false")
        words += ["--also", "tensorboard:" + options]
    return words


def _move_traces(output, folder):
    """Moves traces to the folder in which TensorBoard's plugin shows all windows of a worker as
    spans of one run."""
    for path in glob.glob(os.path.join(glob.escape(output), _TENSORBOARD_TRACES)):
        target = os.path.join(folder, os.path.basename(path))
        if not os.path.lexists(target):
            shutil.move(path, target)


def _tell_total(began):
    total = datetime.timedelta(seconds=time.monotonic() - began)
    message.info("All profiling data parsed in a total time of %s" % total)


def analyse_result(directory, async_mode=False, use_gzip=False, tensorboard=None):
    """Makes the output files of one result directory. With `tensorboard`, also makes a trace
    in TensorBoard's folder."""
    began = time.monotonic()
    running = _Analysis(directory, "async" if async_mode else "sync", use_gzip, tensorboard,
                        has_bar=not async_mode)
    if not async_mode:
        if running.wait():
            _tell_total(began)
        return
    with _pending_lock:
        done = [each for each in _pending if each.is_done()]
        _pending[:] = [each for each in _pending if each not in done] + [running]
    for each in done:
        each.wait()


def join():
    """At exit, waits for the analyses of this process that still run."""
    while _pending:
        running = _pending.pop()
        if running.owner == os.getpid():
            running.wait()


# ---- offline ----


def analyse(profiler_path, max_process_number=None, export_type=None):
    """Makes the output files of a result directory, or of all result directories in a folder.
    `max_process_number`: number of simultaneous analyses (default: half of the processors);
    `export_type`: "text", "db" or a list of them (default: as recorded).
    """
    try:
        found = _find_results(profiler_path)
        number = _checked_number(max_process_number)
        types = list(dict.fromkeys(_checked_export_type(export_type)))
        if not found:
            message.error("Invalid profiling path: %s has no profiling data" % profiler_path)
            return
        _analyse_all(found, number, types)
    except Exception as error:
        message.error("Call analyse failed. Exception: %s" % error)


def _analyse_all(found, number, types):
    began = time.monotonic()
    waiting, running, good = list(found), [], True
    is_alone = number == 1 or len(found) == 1  # several progress bars would overwrite each other
    while waiting or running:
        while waiting and len(running) < number:
            running.append(_Analysis(waiting.pop(0), "sync", types=types, has_bar=is_alone))
        good = running.pop(0).wait() and good
    if good:
        _tell_total(began)


def _is_result(path):
    try:
        names = os.listdir(path)
    except NotADirectoryError:
        return False
    return "FRAMEWORK" in names or any(_PROF_FOLDER.match(name) for name in names)


def _find_results(path):
    warn_of_path(path)
    path = os.path.realpath(os.path.expanduser(path))
    if not os.path.exists(path):
        raise FileNotFoundError("%s does not exist" % path)
    warn_of_permission(path, os.R_OK)
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
    """The export types after checks; None: the types that were recorded."""
    if value is None:
        return []
    values = [value] if isinstance(value, str) else value
    known = supported_export_type()
    if (
        isinstance(values, list)
        and values
        and all(isinstance(each, str) and each in known for each in values)
    ):
        return values
    message.warn("Invalid parameter export_type, reset it to None.")
    return []
