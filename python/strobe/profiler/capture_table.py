# SPDX-License-Identifier: Apache-2.0
"""Records of a result directory as Python objects.

`strobe analyse` writes the records as CSV files into a private folder. Its tables are complete at
any size, and take one pass over the capture.
"""

import csv
import os
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field

from .. import command, message
from . import cells, device_events, memory_usage, torch_style
from .activity_filter import ActivityFilter
from .events import EventList, FunctionEvent

_OPERATORS, _MARKERS, _STEPS, _LOSSES = "cpu_op", "marker", "step", "loss"
_MEMORY = "memory_event"
_KEPT = "string_cut"  # the loss that means a truncated text; the record itself is kept
_USER_SCOPE = 7  # at::RecordScope::USER_SCOPE
# Fields that only marks of mstx, NVTX, ITT and compilations have. PyTorch has no events for these
# marks. Ranges of strobe.range() do not have these fields and become events like ranges of
# record_function().
_MARK_FIELDS = ("marker.domain", "marker.event")
_CELL_LIMIT = 1 << 26  # a name may have 1 MiB
# Helper functions of PyTorch that PyTorch's own profiler does not show either.
_HIDDEN = {
    "profiler::_record_function_enter",
    "profiler::_record_function_enter_new",
    "profiler::_record_function_exit",
    "aten::is_leaf",
    "aten::output_nr",
    "aten::_version",
}


@dataclass
class Request:
    """The parts of a window to read. `device`: the name of the recorded device, None if there is
    none. `timeout_s`: reading stops after this time and keeps the rows read so far; None: no
    limit."""

    profile_memory: bool = False
    with_stack: bool = False
    with_flops: bool = False
    device: str = None
    filter: ActivityFilter = field(default_factory=ActivityFilter)
    timeout_s: float = None

    def kinds(self):
        kinds = [_OPERATORS, _MARKERS, _STEPS, _LOSSES]
        if self.profile_memory:
            kinds.append(_MEMORY)
        if self.device:
            kinds += device_events.KINDS
        return kinds


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


def _read_tables(directory, kinds, timeout_s=None):
    """(kind, row) of all records of some kinds. A kind has several files if plugins extend it.
    After the timeout, stops with a warning."""
    folder = tempfile.mkdtemp(prefix="strobe-")
    end = None if timeout_s is None else time.monotonic() + timeout_s
    try:
        exporter = "csv:all_fields=true,formulas=keep,kinds=" + "+".join(kinds)
        command.run(["analyse", directory, "--export", exporter, "-o", folder], timeout_s)
        for kind, path in _tables_in(folder, kinds):
            for row in _read_file(path):
                if end is not None and time.monotonic() >= end:
                    raise command.Timeout("the tables were not read within %g s" % timeout_s)
                yield kind, row
    except command.Timeout as error:
        message.warn("The events are incomplete: %s" % error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _tables_in(folder, kinds):
    for parent, _, names in os.walk(folder):
        for name in names:
            match = re.fullmatch(r"(\w+?)(_\d+)?\.csv", name)
            if match and match.group(1) in kinds:
                yield match.group(1), os.path.join(parent, name)


def read_table(directory, kind):
    """Rows of all records of a kind, as dictionaries of texts."""
    for _, row in _read_tables(directory, (kind,)):
        yield row


# ---- events ----


class _Window:
    """The records of a window, by kind; times are in ns."""

    def __init__(self, request):
        self.request = request
        self.operators, self.changes, self.lost = [], [], 0
        self.device = device_events.DeviceEvents(request.device) if request.device else None
        self._cpu_type = torch_style.cpu_type()

    def take(self, kind, row):
        if kind == _OPERATORS:
            if row["Name"] not in _HIDDEN:
                self.operators.append(self._operator(row))
        elif kind == _MARKERS:
            if not any(row.get(field) for field in _MARK_FIELDS):
                self.operators.append(self._range(row, cells.number(row, "Track")))
        elif kind == _STEPS:
            self.operators.append(self._range(row, cells.number(row, "thread")))
        elif kind == _MEMORY:
            self._take_memory(row)
        elif kind == _LOSSES:
            if row["Name"] != _KEPT:
                self.lost += cells.number(row, "count")
        elif self.device is not None:
            self.device.take(kind, row)

    def _event(self, row, thread, **fields):
        begin, end = cells.interval_ns(row)
        return FunctionEvent(
            0,
            sys.intern(row["Name"]),
            thread,
            begin,
            end,
            use_device=self.request.device,
            device_type=self._cpu_type,
            **fields,
        )

    def _range(self, row, thread):
        return self._event(
            row,
            thread,
            scope=_USER_SCOPE,
            is_user_annotation=True,
            activity_type="user_annotation",
        )

    def _operator(self, row):
        scope = cells.number(row, "scope")
        is_range = scope == _USER_SCOPE
        return self._event(
            row,
            cells.number(row, "Track"),
            overload_name=sys.intern(row.get("cpu_op.overload", "")),
            fwd_thread=cells.number(row, "forward_thread") or None,
            logical_thread=cells.number(row, "logical_thread") or None,
            sequence_nr=cells.number(row, "sequence", -1),
            input_shapes=cells.shapes(row.get("shapes", ""), row.get("types")),
            input_dtypes=cells.texts(row.get("types")),
            concrete_inputs=cells.values(row.get("cpu_op.values")),
            scope=scope,
            is_async=cells.number(row, "is_async") != 0,
            stack=cells.stack(row.get("stack", "")),
            flops=cells.number(row, "cpu_op.flops"),
            is_user_annotation=is_range,
            activity_type="user_annotation" if is_range else "cpu_op",
        )

    def _take_memory(self, row):
        """Takes an allocation, or the first record of a release. A device's block may have later
        records of its release, which are ignored."""
        size = row.get("size(B)")
        if size and cells.number(row, "action", 3) < 2:
            is_device = cells.number(row, "device") >= 0
            begin = cells.begin_ns(row["Begin(us)"])
            self.changes.append((begin, int(size), is_device, row.get("address")))

    def events(self):
        """All events in the order of their begin, with numbers as ids, and with the kernels that
        they launched; times are in ns."""
        events = self.operators + (self.device.calls if self.device else [])
        changes = memory_usage.of_window(self.changes)
        events += memory_usage.attribute(events, changes, self.request.device)
        events += self.device.tasks if self.device else []
        events = [event for event in events if self.request.filter.keeps(event)]
        events.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
        for number, event in enumerate(events):
            event.id = event.external_id = number
        if self.device is not None:
            self.device.link(self.operators)
        return events


def read_events(directory, request):
    """The events of a window in the order of their begin, with parents and children; times are in
    us since the begin of the first event."""
    window = _Window(request)
    for kind, row in _read_tables(directory, request.kinds(), request.timeout_s):
        window.take(kind, row)
    events = window.events()
    origin = events[0].time_range.start if events else 0
    for event in events:
        event.time_range.to_microseconds(origin)
    found = EventList(
        events, request.device, request.profile_memory, request.with_flops, window.lost
    )
    found.directory = directory
    found.begin_ns = origin
    found.build_tree()
    if request.with_stack:
        found.set_backward_stacks()
    return found
