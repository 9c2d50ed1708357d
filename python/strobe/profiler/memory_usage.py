# SPDX-License-Identifier: Apache-2.0
"""Which memory belongs to which event."""

from bisect import bisect_left, bisect_right
from itertools import accumulate

from .events import FunctionEvent

_LOOSE = "[memory]"  # what PyTorch's profiler calls memory of no operator


def attribute(events, changes):
    """Adds to each event what happened from its begin to its end, in whatever thread. `changes`:
    (time, bytes taken or given back, whether of a device). Returns an event for each change that
    lies in none of them. Times are still ns."""
    changes.sort()
    for is_device in (False, True):
        _add_sums(events, [each for each in changes if each[2] == is_device], is_device)
    return [_loose_event(*each) for each in _outside(events, changes)]


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
            "cuda_memory_usage" if is_device else "cpu_memory_usage",
            totals[max(first, end)] - totals[first],
        )


def _outside(events, changes):
    """The changes that lie in no event."""
    spans = sorted((event.time_range.start, event.time_range.end) for event in events)
    reached, at = None, 0  # the last end of the spans that have begun
    for change in changes:
        while at < len(spans) and spans[at][0] <= change[0]:
            reached = spans[at][1] if reached is None else max(reached, spans[at][1])
            at += 1
        if reached is None or reached < change[0]:
            yield change


def _loose_event(time, size, is_device):
    event = FunctionEvent(_LOOSE, time, time)
    if is_device:
        event.cuda_memory_usage = size
    else:
        event.cpu_memory_usage = size
    return event
