# SPDX-License-Identifier: Apache-2.0
"""Assigns memory to events."""

from bisect import bisect_left, bisect_right
from itertools import accumulate

from .function_event import FunctionEvent

_LOOSE = "[memory]"  # the name that PyTorch's profiler gives to memory outside of operators


def attribute(events, changes, device=None):
    """Adds to each event the changes of memory between its begin and its end, on any thread.
    `changes`: (time, bytes allocated or freed, whether on a device). Returns an additional event
    for each change outside of all events. Times are in ns."""
    changes.sort()
    for is_device in (False, True):
        _add_sums(events, [each for each in changes if each[2] == is_device], is_device)
    return [_loose_event(*each, device) for each in _outside(events, changes)]


def of_window(changes):
    """The changes without releases of host blocks that were allocated before the window, which
    PyTorch's own profiler omits too. `changes`: (time, size, whether on a device, address)."""
    live, kept = set(), []
    for time, size, is_device, address in sorted(changes):
        if size > 0:
            live.add(address)
        elif not is_device and address not in live:
            continue
        else:
            live.discard(address)
        kept.append((time, size, is_device))
    return kept


def _add_sums(events, changes, is_device):
    if not changes:
        return
    times = [time for time, _, _ in changes]
    totals = [0, *accumulate(size for _, size, _ in changes)]
    for event in events:
        first = bisect_left(times, event.time_range.start)
        end = bisect_right(times, event.time_range.end)
        setattr(
            event,
            "device_memory_usage" if is_device else "cpu_memory_usage",
            totals[max(first, end)] - totals[first],
        )


def _outside(events, changes):
    """The changes outside of all events."""
    spans = sorted((event.time_range.start, event.time_range.end) for event in events)
    reached, at = None, 0  # `reached`: latest end of the spans so far
    for change in changes:
        while at < len(spans) and spans[at][0] <= change[0]:
            reached = spans[at][1] if reached is None else max(reached, spans[at][1])
            at += 1
        if reached is None or reached < change[0]:
            yield change


def _loose_event(time, size, is_device, device):
    return FunctionEvent(
        0,
        _LOOSE,
        0,
        time,
        time,
        use_device=device,
        cpu_memory_usage=0 if is_device else size,
        device_memory_usage=size if is_device else 0,
        activity_type="cpu_instant_event",
    )
