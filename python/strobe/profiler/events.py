# SPDX-License-Identifier: Apache-2.0
"""Events, their tree and their averages, by the rules and names of torch.profiler."""

import sys
from itertools import groupby

from .. import Error, message
from . import export, table

_BACKWARD = 1  # at::RecordScope::BACKWARD_FUNCTION


def _cpu():
    """PyTorch's own constant where PyTorch is loaded, so that comparisons with it hold."""
    torch = sys.modules.get("torch")
    kinds = getattr(getattr(torch, "autograd", None), "DeviceType", None)
    return getattr(kinds, "CPU", "CPU")


class Interval:
    """Begin and end, in us."""

    __slots__ = ("start", "end")

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        return self.end - self.start

    def to_microseconds(self, origin):
        """From ns since the epoch to us since `origin`."""
        self.start = (self.start - origin) / 1000
        self.end = (self.end - origin) / 1000

    def encloses(self, other):
        return other.start < self.end and other.end <= self.end


class _Times:
    """What is derived from count, totals and self totals."""

    __slots__ = ()

    @property
    def cpu_time(self):
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cuda_time(self):
        return self.cuda_time_total / self.count if self.count else 0.0

    def __getattr__(self, name):
        """`..._str` is the formatted time; the device goes by several names."""
        if name.endswith("_str") and not name.startswith("__"):
            return table.format_time(getattr(self, name[: -len("_str")]))
        for device in ("npu", "xpu", "device"):
            for prefix in ("", "self_"):
                if name.startswith(prefix + device + "_"):
                    rest = name[len(prefix + device) :]
                    return getattr(self, prefix + "cuda" + rest)
        raise AttributeError("%s has no attribute %r" % (type(self).__name__, name))


class FunctionEvent(_Times):
    """One call of an operator, or one range."""

    __slots__ = (
        "id",
        "name",
        "key",
        "trace_name",
        "time_range",
        "thread",
        "fwd_thread",
        "logical_thread",
        "sequence_nr",
        "input_shapes",
        "stack",
        "scope",
        "is_async",
        "flops",
        "cpu_children",
        "cpu_parent",
        "device_type",
        "cpu_memory_usage",
        "cuda_memory_usage",
    )

    count = 1
    node_id = -1
    is_remote = False
    is_legacy = False
    device_index = 0
    kernels = ()
    cuda_time_total = 0
    self_cuda_time_total = 0

    def __init__(
        self,
        name,
        start_us,
        end_us,
        thread=0,
        fwd_thread=None,
        logical_thread=None,
        sequence_nr=-1,
        input_shapes=None,
        stack=None,
        scope=0,
        is_async=False,
        flops=0,
    ):
        self.id = 0
        self.trace_name = name
        self.name = self.key = "ProfilerStep*" if name.startswith("ProfilerStep#") else name
        self.time_range = Interval(start_us, end_us)
        self.thread = thread
        self.fwd_thread = fwd_thread  # of the forward operator, in the numbers of logical_thread
        self.logical_thread = logical_thread
        self.sequence_nr = sequence_nr
        self.input_shapes = input_shapes or []
        self.stack = stack or []
        self.scope = scope
        self.is_async = is_async
        self.flops = flops
        self.cpu_children = []
        self.cpu_parent = None
        self.device_type = _cpu()
        self.cpu_memory_usage = 0
        self.cuda_memory_usage = 0

    @property
    def cpu_time_total(self):
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self):
        if self.is_async:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        """Bytes taken less bytes given back in the call itself, in whatever thread."""
        if self.is_async:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_cuda_memory_usage(self):
        if self.is_async:
            return 0
        return self.cuda_memory_usage - sum(child.cuda_memory_usage for child in self.cpu_children)

    def adopt(self, child):
        self.cpu_children.append(child)
        child.cpu_parent = self

    def __repr__(self):
        return "<FunctionEvent id=%d name=%r cpu_time=%s thread=%s shapes=%s>" % (
            self.id,
            self.trace_name,
            table.format_time(self.cpu_time_total),
            self.thread,
            self.input_shapes,
        )


_SUMS = (
    "count",
    "cpu_time_total",
    "cuda_time_total",
    "self_cpu_time_total",
    "self_cuda_time_total",
    "cpu_memory_usage",
    "cuda_memory_usage",
    "self_cpu_memory_usage",
    "self_cuda_memory_usage",
    "flops",
)
_OF_FIRST = (
    "key",
    "node_id",
    "is_async",
    "is_remote",
    "is_legacy",
    "cpu_parent",
    "cpu_children",
    "input_shapes",
    "stack",
    "scope",
    "device_type",
)


class FunctionEventAvg(_Times):
    """Sums over events; what is no sum is that of the first."""

    def __init__(self):
        for name in _OF_FIRST:
            setattr(self, name, None)
        for name in _SUMS:
            setattr(self, name, 0)

    def add(self, event):
        if self.count == 0:
            for name in _OF_FIRST:
                setattr(self, name, getattr(event, name))
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(event, name))
        return self

    __iadd__ = add

    def __repr__(self):
        return "<FunctionEventAvg key=%r count=%d self_cpu_time=%s cpu_time=%s shapes=%s>" % (
            self.key,
            self.count,
            table.format_time(self.self_cpu_time_total),
            table.format_time(self.cpu_time),
            self.input_shapes,
        )


class EventList(list):
    """Events or averages, with their table."""

    def __init__(self, events=(), profile_memory=False, with_flops=False, lost=0):
        super().__init__(events)
        self.lost = lost  # records that are missing from it
        self.directory = None  # the result that the events are of; averages are of none
        self._profile_memory = profile_memory
        self._with_flops = with_flops

    def __str__(self):
        return self.table()

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    # ---- tree ----

    def build_tree(self):
        """Finds every event's parent and children, by time, per thread."""
        nested = [event for event in self if not event.is_async]
        nested.sort(key=lambda event: str(event.thread))
        for _, events in groupby(nested, key=lambda event: str(event.thread)):
            _nest(sorted(events, key=lambda each: (each.time_range.start, -each.time_range.end)))
        self._lift_only_children()

    def _lift_only_children(self):
        """An only child of its parent's name is the same call: its children take its place."""
        lifted = set()
        for event in self:
            if id(event) in lifted:
                continue
            while len(event.cpu_children) == 1 and event.cpu_children[0].name == event.name:
                child = event.cpu_children.pop()
                lifted.add(id(child))
                for each in child.cpu_children:
                    event.adopt(each)
        self[:] = [event for event in self if id(event) not in lifted]

    def set_backward_stacks(self):
        """What runs backward has the stack of the forward operator with its sequence number.

        Threads number their operators each for itself, and backward may run in another one: the
        thread that ran forward is part of what tells an operator from others."""
        forward = {}
        backward = [(event, _backward_parent(event)) for event in self]
        for event, parent in backward:
            if parent is None and event.sequence_nr >= 0 and event.stack and event.logical_thread:
                forward.setdefault((event.sequence_nr, event.logical_thread), event.stack)
        for event, parent in backward:
            if parent is not None:
                event.stack = forward.get((parent.sequence_nr, parent.fwd_thread), [])

    # ---- averages ----

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0):
        """Averages by name, and by input shapes and the first frames of the stack if asked."""
        averages = {}
        for event in self:
            key = [event.key, event.node_id, str(event.device_type), event.is_legacy]
            if group_by_input_shapes:
                key.append(str(event.input_shapes))
            if group_by_stack_n > 0:
                key.extend(event.stack[:group_by_stack_n])
            averages.setdefault(tuple(key), FunctionEventAvg()).add(event)
        for average in averages.values():
            average.stack = average.stack[: max(0, group_by_stack_n)]
            if not group_by_input_shapes:
                average.input_shapes = ""
        return EventList(averages.values(), self._profile_memory, self._with_flops, self.lost)

    def total_average(self):
        """One average over all events."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
        total.key = "Total"
        return total

    # ---- output ----

    def _result(self):
        if self.directory is None:
            raise Error("these are no events of a window; averages have no times: use prof.events()")
        return self.directory

    @message.reported
    def export_chrome_trace(self, path):
        """Writes the window that the events are of as a Chrome trace, gzipped if the path ends in
        .gz."""
        export.chrome_trace(self._result(), path)

    @staticmethod
    def supported_export_stacks_metrics():
        return list(export.STACK_METRICS)

    @message.reported
    def export_stacks(self, path, metric):
        """Writes the stacks of the window that the events are of, folded for flame graphs."""
        if metric not in export.STACK_METRICS:
            raise ValueError(
                "metric is %r, expected one of %s" % (metric, ", ".join(export.STACK_METRICS))
            )
        export.stacks(self._result(), path, metric)

    def table(
        self,
        sort_by=None,
        row_limit=100,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
    ):
        """A text table; `sort_by` is any attribute of the entries, greatest first."""
        return table.build(
            self,
            sort_by=sort_by,
            row_limit=row_limit,
            max_source=max_src_column_width,
            max_name=max_name_column_width,
            max_shapes=max_shapes_column_width,
            header=header,
            top_level_only=top_level_events_only,
            with_memory=self._profile_memory,
            with_flops=self._with_flops,
            lost=self.lost,
        )


def _backward_parent(event):
    """The event itself, or the innermost one around it, that is a backward function; or None."""
    while event is not None and event.scope != _BACKWARD:
        event = event.cpu_parent
    return event


def _nest(events):
    """Parents for the events of one thread, in order of begin, the longer first."""
    open_events = []
    for event in events:
        while open_events and not open_events[-1].time_range.encloses(event.time_range):
            open_events.pop()
        if open_events:
            open_events[-1].adopt(event)
        open_events.append(event)
