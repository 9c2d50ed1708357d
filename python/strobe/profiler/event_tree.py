# SPDX-License-Identifier: Apache-2.0
"""Parents and children of events, by the rules of torch.profiler."""

from itertools import groupby

_BACKWARD = 1  # at::RecordScope::BACKWARD_FUNCTION


def build_tree(events):
    """Finds every event's parent and children, by time, in each thread. Returns the events, except
    events that are the same call as their parent."""
    nested = [event for event in events if not event.is_async and event.is_on_cpu()]
    nested.sort(key=lambda event: str(event.thread))
    for _, of_thread in groupby(nested, key=lambda event: str(event.thread)):
        _nest(sorted(of_thread, key=lambda each: (each.time_range.start, -each.time_range.end)))
    return _lift_only_children(events)


def _nest(events):
    """Finds parents for the events of one thread. The events are in the order of their begin; if
    two events have the same begin, the longer one comes first."""
    open_events = []
    for event in events:
        while open_events and not open_events[-1].time_range.encloses(event.time_range):
            open_events.pop()
        if open_events:
            open_events[-1].adopt(event)
        open_events.append(event)


def _lift_only_children(events):
    """Removes an only child that has its parent's name, because it is the same call: the parent
    gets its children and kernels."""
    lifted = set()
    for event in events:
        if id(event) in lifted:
            continue
        while len(event.cpu_children) == 1 and event.cpu_children[0].name == event.name:
            child = event.cpu_children.pop()
            lifted.add(id(child))
            for kernel in child.kernels:
                event.append_kernel(*kernel)
            for each in child.cpu_children:
                event.adopt(each)
    return [event for event in events if id(event) not in lifted]


def set_backward_stacks(events):
    """Sets the stack of each backward operator to that of the forward operator with the same
    sequence number. Each thread numbers its own operators, and the backward operator may run in
    another thread, so sequence number and forward thread together identify an operator."""
    forward = {}
    backward = [(event, _backward_parent(event)) for event in events]
    for event, parent in backward:
        if parent is None and event.sequence_nr >= 0 and event.stack and event.logical_thread:
            forward.setdefault((event.sequence_nr, event.logical_thread), event.stack)
    for event, parent in backward:
        if parent is not None:
            event.stack = forward.get((parent.sequence_nr, parent.fwd_thread), [])


def _backward_parent(event):
    """The event itself if it is a backward function, otherwise the innermost backward function
    around it, or None."""
    while event is not None and event.scope != _BACKWARD:
        event = event.cpu_parent
    return event
