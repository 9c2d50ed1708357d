# SPDX-License-Identifier: Apache-2.0
"""Records of a result directory as Python objects.

The records come as CSV files that `strobe analyse` writes into a private folder: whole tables of
any size, in one run over the capture.
"""

import csv
import os
import re
import shutil
import sys
import tempfile

from .. import command
from . import memory_usage
from .events import EventList, FunctionEvent

_OPERATORS, _MARKERS, _STEPS, _LOSSES = "cpu_op", "marker", "step", "loss"
_MEMORY = "memory_event"
_KEPT = "string_cut"  # the loss of a part of a text, not of its record
_USER_SCOPE = 7  # at::RecordScope::USER_SCOPE
_FRAME_END = ";"
_CELL_LIMIT = 1 << 26  # a name may have 1 MiB
# Helpers of PyTorch that its own profiler does not show either.
_HIDDEN = {
    "profiler::_record_function_enter",
    "profiler::_record_function_enter_new",
    "profiler::_record_function_exit",
    "aten::is_leaf",
    "aten::output_nr",
    "aten::_version",
}


# ---- tables ----


def _read_file(path):
    """Rows of a CSV file as dictionaries of texts."""
    limit = csv.field_size_limit(_CELL_LIMIT)
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            rows = csv.reader(file)
            titles = next(rows, [])
            for row in rows:
                yield dict(zip(titles, row))
    finally:
        csv.field_size_limit(limit)


def _read_tables(directory, kinds):
    """(kind, row) of all records of some kinds. A kind has several files if plugins extend it."""
    folder = tempfile.mkdtemp(prefix="strobe-")
    try:
        exporter = "csv:kinds=" + "+".join(kinds)
        command.run(["analyse", directory, "--export", exporter, "-o", folder])
        for parent, _, names in os.walk(folder):
            for name in names:
                match = re.fullmatch(r"(\w+?)(_\d+)?\.csv", name)
                if match and match.group(1) in kinds:
                    for row in _read_file(os.path.join(parent, name)):
                        yield match.group(1), row
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_table(directory, kind):
    """Rows of all records of a kind, as dictionaries of texts."""
    for _, row in _read_tables(directory, (kind,)):
        yield row


# ---- cells ----


def _begin_ns(text):
    """Microseconds since the epoch with three decimals: more digits than a float has."""
    return int(text.strip().replace(".", ""))


def _duration_ns(text):
    return round(float(text) * 1000)


def _number(row, column, absent=0):
    """A cell whose title may carry a unit."""
    text = row.get(column)
    return int(text) if text else absent


def _shapes(text, types):
    """ "2,3;;4" as [[2, 3], [], [4]]; the types tell one scalar from no input at all. """
    if not text and not types:
        return []
    try:
        return [[int(size) for size in part.split(",") if size] for part in text.split(";")]
    except ValueError:
        return []


def _stack(text):
    """Frames, innermost first. A ";" inside of one comes as "\\;", a "\\" as "\\\\"."""
    if "\\" not in text:
        return [sys.intern(frame) for frame in text.split(_FRAME_END)] if text else []
    frames = re.findall(r"(?:[^;\\]|\\.)+", text, re.DOTALL)
    return [sys.intern(re.sub(r"\\(.)", r"\1", frame, flags=re.DOTALL)) for frame in frames]


# ---- events ----


def _event(row, **fields):
    begin = _begin_ns(row["Begin(us)"])
    end = begin + _duration_ns(row["Duration(us)"])
    return FunctionEvent(sys.intern(row["Name"]), begin, end, **fields)


def _operator(row):
    return _event(
        row,
        thread=_number(row, "Track"),
        fwd_thread=_number(row, "forward_thread") or None,
        logical_thread=_number(row, "logical_thread") or None,
        sequence_nr=_number(row, "sequence", -1),
        input_shapes=_shapes(row.get("shapes", ""), row.get("types")),
        scope=_number(row, "scope"),
        is_async=_number(row, "is_async") != 0,
        stack=_stack(row.get("stack", "")),
        flops=_number(row, "cpu_op.flops"),
    )


def _take_memory(changes, row):
    """Releases of a device's block come after its release and count no more."""
    size = row.get("size(B)")
    if size and _number(row, "action", 3) < 2:
        changes.append((_begin_ns(row["Begin(us)"]), int(size), _number(row, "device") >= 0))


def _all_events(directory, kinds):
    """All events, the changes of memory, and how many records were lost."""
    events, changes, lost = [], [], 0
    for kind, row in _read_tables(directory, kinds):
        if kind == _OPERATORS:
            if row["Name"] not in _HIDDEN:
                events.append(_operator(row))
        elif kind == _MARKERS:
            events.append(_event(row, thread=_number(row, "Track"), scope=_USER_SCOPE))
        elif kind == _STEPS:
            events.append(_event(row, thread=_number(row, "thread"), scope=_USER_SCOPE))
        elif kind == _MEMORY:
            _take_memory(changes, row)
        elif row["Name"] != _KEPT:
            lost += _number(row, "count")
    return events, changes, lost


def read_events(directory, switches):
    """The events of a window in order of their begin, with the tree that they make; times in us
    since the first."""
    kinds = [_OPERATORS, _MARKERS, _STEPS, _LOSSES]
    has_memory = switches.get("profile_memory", False)
    if has_memory:
        kinds.append(_MEMORY)
    events, changes, lost = _all_events(directory, kinds)
    events += memory_usage.attribute(events, changes)
    events.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    origin = events[0].time_range.start if events else 0
    for number, event in enumerate(events):
        event.id = number
        event.time_range.to_microseconds(origin)
    found = EventList(events, has_memory, switches["with_flops"], lost)
    found.directory = directory
    found.build_tree()
    if switches["with_stack"]:
        found.set_backward_stacks()
    return found
