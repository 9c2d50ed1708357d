# SPDX-License-Identifier: Apache-2.0
"""Events of a device, the calls that caused them, and the operators that launched them."""

from . import cells, torch_style
from .event_metadata import make_metadata
from .function_event import FunctionEvent

TASKS, COLLECTIVES, CALLS, LINKS = "device_task", "comm_op", "api_call", "kernel_link"
KINDS = (TASKS, COLLECTIVES, CALLS, LINKS)

_COPY, _FILL, _KERNEL = "gpu_memcpy", "gpu_memset", "kernel"
_RUNTIMES = ("cuda", "xpu", "mtia", "hpu")


class DeviceEvents:
    """Collects events from rows of KINDS; times are in ns. `device` is PyTorch's name for the
    device."""

    def __init__(self, device):
        self._device = device
        self._type = torch_style.device_type(device)
        self._cpu_type = torch_style.cpu_type()
        prefix = device if device in _RUNTIMES else "privateuse1"
        self._runtime = prefix + "_runtime"
        self._by_task, self._by_place = {}, {}
        self._links = []
        self.calls, self.tasks = [], []

    def take(self, kind, row):
        if kind == LINKS:
            self._links.append(row)
        elif kind == CALLS:
            self.calls.append(self._call(row))
        else:
            event = self._task(row) if kind == TASKS else self._collective(row)
            self.tasks.append(event)
            self._by_place[event.time_range.start, row["Track"]] = event
            if row.get("task"):
                self._by_task[row["task"]] = event

    def link(self, operators):
        """Adds to each operator the kernels that it launched itself. Call it after the events have
        their ids."""
        if not self._links:
            return
        places = {
            (event.thread, event.time_range.start, event.trace_name): event for event in operators
        }
        for row in self._links:
            place = cells.number(row, "Track"), cells.begin_ns(row["Begin(us)"]), row["Name"]
            operator, task = places.get(place), self._task_of(row)
            if operator is not None and task is not None:
                operator.append_kernel(
                    task.name, task.device_index, task.time_range.elapsed_us() / 1000
                )
                task.linked_correlation_id = operator.id

    def _task_of(self, link):
        if link.get("task"):
            return self._by_task.get(link["task"])
        return self._by_place.get((cells.number(link, "to_begin(ns)"), link.get("to_track")))

    # ---- rows ----

    def _call(self, row):
        begin, end = cells.interval_ns(row)
        return FunctionEvent(
            0,
            row["Name"],
            cells.number(row, "Track"),
            begin,
            end,
            use_device=self._device,
            device_type=self._cpu_type,
            activity_type=self._runtime,
        )

    def _on_device(self, row, activity_type, metadata):
        begin, end = cells.interval_ns(row)
        stream = metadata.get("stream")
        return FunctionEvent(
            0,
            row["Name"],
            cells.number(row, "Track"),
            begin,
            end,
            use_device=self._device,
            device_type=self._type,
            device_index=cells.number(row, "Device"),
            device_resource_id=stream,
            activity_type=activity_type,
            event_metadata=make_metadata(metadata),
        )

    def _task(self, row):
        metadata = {
            "stream": cells.number(row, "stream", None),
            "bytes": cells.number(row, "copy_bytes(B)", None),
            "bandwidth_gb_s": cells.real(row, "copy_bandwidth(GB/s)"),
            "grid": cells.sizes(row.get("grid_dim")),
            "block": cells.sizes(row.get("block_dim")),
        }
        return self._on_device(row, _activity_of(row), metadata)

    def _collective(self, row):
        metadata = {
            "collective_name": row.get("op_type") or None,
            "process_group_name": row.get("group") or None,
            "dtype": row.get("data_type") or None,
            "in_msg_nelems": cells.number(row, "count", None),
            "group_size": cells.number(row, "rank_size", None),
        }
        return self._on_device(row, _KERNEL, metadata)


def _activity_of(row):
    kind = (row.get("task_type") or "").upper()
    if "MEMSET" in kind or "FILL" in kind:
        return _FILL
    if row.get("copy_bytes(B)") or "MEMCPY" in kind:
        return _COPY
    return _KERNEL
