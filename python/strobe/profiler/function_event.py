# SPDX-License-Identifier: Apache-2.0
"""FunctionEvent: one call of an operator, one range, or one event of a device."""

import collections

from . import table, torch_style
from .event_times import EventTimes

_STEP = "ProfilerStep#"

#: A kernel that an event launched; the duration is in us.
Kernel = collections.namedtuple("Kernel", "name device duration")


class Interval:
    """A begin and an end, in us."""

    __slots__ = ("start", "end")

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        return self.end - self.start

    def to_microseconds(self, origin):
        """Converts the times from ns since the epoch to us since `origin`."""
        self.start = (self.start - origin) / 1000
        self.end = (self.end - origin) / 1000

    def encloses(self, other):
        return other.start < self.end and other.end <= self.end


class FunctionEvent(EventTimes):
    """The attributes of torch.autograd.profiler.FunctionEvent; times in us, memory in bytes."""

    count = 1
    cpu_parent = None
    kernels = ()  # becomes a list with the first kernel
    is_python_function = False  # Python calls are not events
    self_cpu_percent = total_cpu_percent = total_device_percent = -1  # table() sets them

    def __init__(
        self,
        id,
        name,
        thread,
        start_us,
        end_us,
        overload_name=None,
        fwd_thread=None,
        input_shapes=None,
        stack=None,
        scope=0,
        use_device=None,
        cpu_memory_usage=0,
        device_memory_usage=0,
        is_async=False,
        is_remote=False,
        sequence_nr=-1,
        node_id=-1,
        device_type=None,
        device_index=0,
        device_resource_id=None,
        is_legacy=False,
        flops=None,
        trace_name=None,
        concrete_inputs=None,
        kwinputs=None,
        is_user_annotation=False,
        activity_type=None,
        external_id=0,
        linked_correlation_id=0,
        input_dtypes=None,
        logical_thread=None,
        event_metadata=None,
    ):
        self.id = id
        self.name = "ProfilerStep*" if name.startswith(_STEP) else name
        self.trace_name = trace_name or name
        self.overload_name = overload_name or ""
        self.time_range = Interval(start_us, end_us)
        self.thread = thread
        self.fwd_thread = fwd_thread  # thread of the forward operator, numbered like logical_thread
        self.logical_thread = logical_thread
        self.sequence_nr = sequence_nr
        self.input_shapes = input_shapes or []
        self.input_dtypes = input_dtypes or []
        self.concrete_inputs = concrete_inputs or []
        self.kwinputs = kwinputs or {}
        self.stack = stack or []
        self.scope = scope
        self.use_device = use_device
        cpu_type = torch_style.cpu_type()
        self.device_type = cpu_type if device_type is None else device_type
        self._is_on_cpu = self.device_type == cpu_type
        self.device_index = device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.is_async = is_async
        self.is_remote = is_remote
        self.is_legacy = is_legacy
        self.is_user_annotation = is_user_annotation
        self.node_id = node_id
        self.flops = flops or 0
        self.activity_type = activity_type
        self.external_id = external_id
        self.linked_correlation_id = linked_correlation_id
        self.event_metadata = event_metadata
        self.cpu_memory_usage = cpu_memory_usage
        self.device_memory_usage = device_memory_usage
        self.cpu_children = []

    @property
    def key(self):
        return self.name

    def is_on_cpu(self):
        return self._is_on_cpu

    # ---- tree ----

    def append_kernel(self, name, device, duration):
        """Adds a kernel that the event itself launched."""
        if not self.kernels:
            self.kernels = []
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child):
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent):
        self.cpu_parent = parent

    def adopt(self, child):
        self.append_cpu_child(child)
        child.set_cpu_parent(self)

    # ---- times and memory ----

    def _has_no_self(self):
        """Whether the event has no self time: it is asynchronous, or an event of a device."""
        return self.is_async or not self.is_on_cpu()

    @property
    def cpu_time_total(self):
        return self.time_range.elapsed_us() if self.is_on_cpu() else 0

    @property
    def self_cpu_time_total(self):
        if self._has_no_self():
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self):
        """Time of the kernels that the event and its children launched."""
        if self.is_async or not self.use_device:
            return 0
        if not self.is_on_cpu():
            return self.time_range.elapsed_us()
        own = sum(kernel.duration for kernel in self.kernels)
        return own + sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self):
        if self.is_async or not self.use_device:
            return 0
        if not self.is_on_cpu():
            return self.time_range.elapsed_us()
        return sum(kernel.duration for kernel in self.kernels)

    @property
    def self_cpu_memory_usage(self):
        """Bytes allocated minus bytes freed in the call itself, on any thread."""
        if self._has_no_self():
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self):
        if self._has_no_self():
            return 0
        children = sum(child.device_memory_usage for child in self.cpu_children)
        return self.device_memory_usage - children

    def __repr__(self):
        return "<FunctionEvent id=%d name=%r cpu_time=%s device_time=%s thread=%s shapes=%s>" % (
            self.id,
            self.trace_name,
            table.format_time(self.cpu_time_total),
            table.format_time(self.device_time_total),
            self.thread,
            self.input_shapes,
        )
