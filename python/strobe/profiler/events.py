# SPDX-License-Identifier: Apache-2.0
"""EventList: events or averages, with their table."""

from .. import Error, message
from . import event_tree, export, table, torch_style
from .function_average import FunctionEventAvg
from .function_event import FunctionEvent, Interval, Kernel

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel"]


class EventList(list):
    """Events or averages; the methods of torch.autograd.profiler.EventList."""

    def __init__(
        self, events=(), use_device=None, profile_memory=False, with_flops=False, lost=0
    ):
        super().__init__(events)
        self.lost = lost  # number of missing records
        self.directory = None  # the result directory of the events; averages have none
        self.begin_ns = 0  # begin of the window's first event; averages have 0
        self._use_device = use_device
        self._profile_memory = profile_memory
        self._with_flops = with_flops

    def __str__(self):
        return self.table()

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    # ---- tree ----

    def build_tree(self):
        """Finds every event's parent and children, by time, in each thread."""
        self[:] = event_tree.build_tree(self)

    def set_backward_stacks(self):
        """Sets the stack of each backward operator to that of its forward operator."""
        event_tree.set_backward_stacks(self)

    # ---- averages ----

    def key_averages(
        self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False
    ):
        """Averages by name, and on request by overload name, input shapes and the first frames
        of the stack."""
        is_torch_2 = torch_style.is_torch_2()
        averages = {}
        for event in self:
            key = [event.key, event.node_id, str(event.device_type), event.is_legacy]
            if is_torch_2:  # distinguishes ranges from operators with the same name
                key.append(event.is_user_annotation)
            if group_by_overload_name:
                key.append(event.overload_name)
            if group_by_input_shapes:
                key.append(str(event.input_shapes))
            if group_by_stack_n > 0:
                key.extend(event.stack[:group_by_stack_n])
            averages.setdefault(tuple(key), FunctionEventAvg()).add(event)
        for average in averages.values():
            average.stack = average.stack[: max(0, group_by_stack_n)]
            if not group_by_input_shapes:
                average.input_shapes = ""
            if not group_by_overload_name:
                average.overload_name = ""
        return EventList(
            averages.values(), self._use_device, self._profile_memory, self._with_flops, self.lost
        )

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
        """Writes the window of the events as a Chrome trace, gzipped if the path ends in .gz."""
        export.chrome_trace(self._result(), path)

    @staticmethod
    def supported_export_stacks_metrics():
        return list(export.STACK_METRICS)

    @message.reported
    def export_stacks(self, path, metric):
        """Writes the stacks of the window of the events, folded for flame graphs."""
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
        time_unit=None,
    ):
        """A text table; `sort_by` is any attribute of the entries, greatest first; `time_unit` is
        "s", "ms", "us", or None: the unit that fits each time."""
        return table.build(
            self,
            sort_by=sort_by,
            row_limit=row_limit,
            max_source=max_src_column_width,
            max_name=max_name_column_width,
            max_shapes=max_shapes_column_width,
            header=header,
            top_level_only=top_level_events_only,
            time_unit=time_unit,
            with_memory=self._profile_memory,
            with_flops=self._with_flops,
            lost=self.lost,
        )
