# SPDX-License-Identifier: Apache-2.0
"""Single files from a result directory: chrome trace, folded stacks."""

import gzip
import os
import shutil
import tempfile

from .. import Error, command, message

_CPU_METRIC = "self_cpu_time_total"
_DEVICE_METRICS = ("self_npu_time_total", "self_cuda_time_total")


def _target(path):
    """The real path of a file to write; its folder must exist."""
    path = os.path.realpath(os.path.expanduser(os.fspath(path)))
    if os.path.isdir(path):
        raise IsADirectoryError("Cannot write %s: it is a directory" % path)
    return path


def _write(directory, exporter, suffixes, target, compress=False):
    """Makes one file in a private folder and moves it to `target`, whole or not at all."""
    folder = tempfile.mkdtemp(prefix="strobe-")
    try:
        command.run(["analyse", directory, "--export", exporter, "-o", folder])
        found = [
            os.path.join(parent, name)
            for parent, _, names in os.walk(folder)
            for name in names
            if name.endswith(suffixes)
        ]
        if len(found) != 1:
            raise Error("strobe analyse made %d files for %s, expected 1" % (len(found), exporter))
        _place(found[0], target, compress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _place(source, target, compress):
    part = "%s.%d.part" % (target, os.getpid())
    try:
        _copy(source, part, compress)
        os.replace(part, target)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _copy(source, target, compress):
    with open(source, "rb") as reading:
        with gzip.open(target, "wb") if compress else open(target, "wb") as writing:
            shutil.copyfileobj(reading, writing, 1 << 20)


def chrome_trace(directory, path):
    """Writes a Chrome trace, gzipped if the path ends in .gz."""
    target = _target(path)
    _write(directory, "chrome_trace", (".json",), target, target.endswith(".gz"))


def stacks(directory, path, metric):
    """Writes folded stacks; the file's suffix is .log as with torch_npu."""
    target = _target(path)
    if metric != _CPU_METRIC:
        if metric in _DEVICE_METRICS:
            message.warn("%s is not collected yet, use %s." % (metric, _CPU_METRIC))
        else:
            message.warn("Metric should be one of %s, use it." % _CPU_METRIC)
    if not target.endswith(".log"):
        target = os.path.splitext(target)[0] + ".log"
        message.warn("Output file name of stacks should end with .log, write %s." % target)
    _write(directory, "stacks", (".log", ".folded", ".txt"), target)
