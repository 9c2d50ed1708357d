# SPDX-License-Identifier: Apache-2.0
"""The profiler: the names of torch_npu.profiler and torch.profiler.

    from strobe import profiler

    with profiler.profile(
        schedule=profiler.schedule(wait=1, warmup=1, active=3, repeat=1),
        on_trace_ready=profiler.tensorboard_trace_handler("./result"),
    ) as prof:
        for batch in batches:
            train(batch)
            prof.step()
"""

import atexit as _atexit

from . import analysis as _analysis
from . import folders as _folders
from .activity import ProfilerActivity, supported_activities
from .analysis import analyse
from .experimental import (
    AiCMetrics,
    ExportType,
    HostSystem,
    ProfilerLevel,
    _ExperimentalConfig,
    supported_ai_core_metrics,
    supported_export_type,
    supported_profiler_level,
)
from .handler import tensorboard_trace_handler
from .kineto_profile import _KinetoProfile
from .kineto_profile import stop_running as _stop_running
from .profiler import profile
from .recording import settle as _settle
from .ranges import kineto_available, record_function
from .schedules import ProfilerAction, schedule

__all__ = [
    "AiCMetrics",
    "ExportType",
    "HostSystem",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "_KinetoProfile",
    "analyse",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "supported_ai_core_metrics",
    "supported_export_type",
    "supported_profiler_level",
    "tensorboard_trace_handler",
]

_OF_TORCH = (
    "DeviceType",
    "ExecutionGraphObserver",
    "ExecutionTraceObserver",
    "RecordScope",
    "itt",
)


def __getattr__(name):
    """Names that are unrelated to recording come from torch.profiler itself."""
    if name in _OF_TORCH:
        import torch.profiler

        return getattr(torch.profiler, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def _finish():
    """At exit: stops running profiles and waits for running analyses."""
    _stop_running()
    _settle()
    _analysis.join()
    _folders.remove_private()


_atexit.register(_finish)
