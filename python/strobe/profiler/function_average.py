# SPDX-License-Identifier: Apache-2.0
"""FunctionEventAvg: sums over the events with the same key."""

from . import table
from .event_times import EventTimes

_SUMS = (
    "count",
    "cpu_time_total",
    "device_time_total",
    "self_cpu_time_total",
    "self_device_time_total",
    "cpu_memory_usage",
    "device_memory_usage",
    "self_cpu_memory_usage",
    "self_device_memory_usage",
    "flops",
)
_OF_FIRST = (
    "key",
    "node_id",
    "is_async",
    "is_remote",
    "is_legacy",
    "is_user_annotation",
    "overload_name",
    "use_device",
    "cpu_parent",
    "cpu_children",
    "input_shapes",
    "stack",
    "scope",
    "device_type",
)


class FunctionEventAvg(EventTimes):
    """Sums over events. Attributes that are not sums come from the first event."""

    self_cpu_percent = total_cpu_percent = total_device_percent = -1  # table() sets them

    def __init__(self):
        for name in _OF_FIRST:
            setattr(self, name, None)
        for name in _SUMS:
            setattr(self, name, 0)

    def add(self, other):
        if self.count == 0:
            for name in _OF_FIRST:
                setattr(self, name, getattr(other, name))
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self):
        return (
            "<FunctionEventAvg key=%r count=%d self_cpu_time=%s cpu_time=%s device_time=%s shapes=%s>"
            % (
                self.key,
                self.count,
                table.format_time(self.self_cpu_time_total),
                table.format_time(self.cpu_time),
                table.format_time(self.device_time),
                self.input_shapes,
            )
        )
