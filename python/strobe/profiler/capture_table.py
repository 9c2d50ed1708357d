# SPDX-License-Identifier: Apache-2.0
"""Records of a result directory as Python objects, read through `strobe show --json`."""

import json

from .. import Error, command
from .events import EventList, FunctionEvent

_USER_SCOPE = 7
_NANOSECONDS = 1000.0  # in a microsecond
# Helpers of PyTorch that its own profiler does not show either.
_HIDDEN = {
    "profiler::_record_function_enter",
    "profiler::_record_function_enter_new",
    "profiler::_record_function_exit",
    "aten::is_leaf",
    "aten::output_nr",
    "aten::_version",
}


def read_rows(directory, table):
    """All rows of one table, as dictionaries; times in ns."""
    text = command.run(["show", directory, "--table", table, "--json", "--limit", "0"])
    try:
        answer = json.loads(text)
        return answer["rows"]
    except (ValueError, KeyError, TypeError) as error:
        raise Error("strobe show --table %s printed no table: %s" % (table, error)) from None


def _shapes(text):
    """ "2,3;;4" as [[2, 3], [], [4]]. """
    if not text:
        return []
    try:
        return [[int(size) for size in part.split(",") if size] for part in text.split(";")]
    except ValueError:
        return []


def _event(row, **fields):
    begin = row["begin"]
    end = row["end"] if "end" in row else begin + row.get("duration", row.get("host_total", 0))
    return FunctionEvent(
        name=row.get("name") or "",
        start_us=begin / _NANOSECONDS,
        end_us=end / _NANOSECONDS,
        **fields,
    )


def _operators(directory):
    for row in read_rows(directory, "operator_detail"):
        if row.get("name") in _HIDDEN:
            continue
        yield _event(
            row,
            thread=row["track"],
            fwd_thread=row.get("forward_thread") or None,
            sequence_nr=row.get("sequence", -1),
            input_shapes=_shapes(row.get("shapes")),
            stack=row.get("stack") or [],
            scope=row.get("scope", 0),
            is_async=bool(row.get("is_async")),
        )


def _ranges(directory):
    """What the program marked through Strobe: ranges, steps."""
    for row in read_rows(directory, "marker"):
        yield _event(row, thread=row["track"], scope=_USER_SCOPE)
    for row in read_rows(directory, "step"):
        yield _event(row, thread=row.get("thread"), scope=_USER_SCOPE)


def read_events(directory, switches):
    """The events of a window in order of their begin, with the tree that they make."""
    events = [*_operators(directory), *_ranges(directory)]
    events.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    origin = events[0].time_range.start if events else 0
    for number, event in enumerate(events):
        event.id = number
        event.time_range.move(-origin)
    found = EventList(events, profile_memory=False, with_flops=switches["with_flops"])
    found.build_tree()
    return found
