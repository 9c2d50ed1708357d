# SPDX-License-Identifier: Apache-2.0
"""Single files from a result directory: chrome trace, folded stacks."""

import contextlib
import gzip
import os
import re
import shutil
import tempfile

from .. import Error, command, message

_CPU_METRIC = "self_cpu_time_total"
_DEVICE_METRICS = ("self_npu_time_total", "self_cuda_time_total")
STACK_METRICS = (_CPU_METRIC, *_DEVICE_METRICS)


class NothingToWrite(Error):
    """The window has no data for the file."""


def _target(path):
    """The real path of an output file."""
    path = os.path.realpath(os.path.expanduser(os.fspath(path)))
    if os.path.isdir(path):
        raise IsADirectoryError("Cannot write %s: it is a directory" % path)
    return path


def _write(directory, exporter, name, target, compress=False):
    """Makes the file of one exporter in a private folder and moves it to `target`."""
    folder = tempfile.mkdtemp(prefix="strobe-")
    try:
        command.run(["analyse", directory, "--export", exporter, "-o", folder])
        for parent, _, names in os.walk(folder):
            if name in names:
                _place(os.path.join(parent, name), target, compress)
                return
        raise NothingToWrite("strobe analyse made no %s: there is nothing to write" % name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _place(source, target, compress):
    if compress:
        compress_file(source, target)
        return
    with _whole(target) as part:
        shutil.copyfile(source, part)


def compress_file(source, target):
    """Writes `target`, the gzipped `source`."""
    with _whole(target) as part, open(source, "rb") as reading, gzip.open(part, "wb", 6) as writing:
        shutil.copyfileobj(reading, writing, 1 << 20)


@contextlib.contextmanager
def _whole(target):
    """A context with a temporary path for writing, which is renamed to `target` if no exception
    occurs. Creates the folder."""
    part = "%s.%d.part" % (target, os.getpid())
    os.makedirs(os.path.dirname(target), exist_ok=True)
    try:
        yield part
        os.replace(part, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def chrome_trace(directory, path):
    """Writes a Chrome trace, gzipped if the path ends in .gz."""
    target = _target(path)
    _write(directory, "chrome_trace", "trace_view.json", target, target.endswith(".gz"))


def stacks(directory, path, metric):
    """Writes folded stacks."""
    target = _target(path)
    exporter = "stacks"
    if metric in _DEVICE_METRICS:
        exporter = "stacks:metric=self_npu_time_total"
    elif metric != _CPU_METRIC:
        message.warn("Metric should be one of %s, %s, use the first."
                     % (_CPU_METRIC, _DEVICE_METRICS[0]))
    _write(directory, exporter, "stacks.log", target)


def memory_timeline(directory, path, device):
    """Writes a timeline of memory; the path's ending selects the format. The default device is
    npu:0 if the window has memory of this device, otherwise the CPU."""
    target = _target(path)
    if device is None:
        with contextlib.suppress(NothingToWrite):
            return _write_timeline(directory, target, "npu:0")
        device = "cpu"
    if not re.fullmatch(r"cpu|npu(:\d+)?", device):
        raise ValueError("device is %r, expected cpu or npu:NUMBER" % device)
    _write_timeline(directory, target, device)


def _write_timeline(directory, target, device):
    for ending in (".html", "raw.json.gz", ".gz", ""):
        if target.endswith(ending):
            break
    name = "memory_timeline" + {".gz": ".json.gz", "": ".json", "raw.json.gz": ".raw.json.gz"}.get(
        ending, ending
    )
    _write(directory, "memory_timeline:file=%s,device=%s" % (name, device), name, target)
