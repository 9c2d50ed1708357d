# SPDX-License-Identifier: Apache-2.0
"""torch_npu.profiler with exactly its behaviour, for scripts that cannot be changed.

    from strobe.profiler import compat

    compat.install()                    # before the script imports torch_npu
    import torch_npu.profiler           # is this module; torch_npu.npu.mstx is strobe.npu.mstx

`strobe run --as torch_npu` does the same for a command. This module differs from strobe.profiler:
folded stacks are written to files that end in .log, the result of a profile without a handler is
kept, and `use_cuda` has no effect.
"""

import os

from .. import message
from ..run.torch_npu_names import install
from . import dynamic_profile
from . import profiler as _profiler
from ._profiler_path_creator import ProfPathCreator
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
from .schedules import ProfilerAction, schedule

__all__ = [
    "AiCMetrics",
    "ExportType",
    "HostSystem",
    "ProfPathCreator",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "_KinetoProfile",
    "analyse",
    "dynamic_profile",
    "install",
    "profile",
    "schedule",
    "supported_activities",
    "supported_ai_core_metrics",
    "supported_export_type",
    "supported_profiler_level",
    "tensorboard_trace_handler",
]

Schedule = schedule  # its name in torch_npu.profiler.scheduler


def _named_log(path):
    """The path with the ending .log, as torch_npu's files have."""
    name, ending = os.path.splitext(os.fspath(path))
    if ending == ".log":
        return path
    message.warn("Input file is not log file. Change to log file.")
    return name + ".log"


class _NamedStacks:
    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes the last window as folded stacks; the file ends in .log."""
        super().export_stacks(_named_log(path) if self.with_stack else path, metric)


class _KinetoProfile(_NamedStacks, _profiler._KinetoProfile):
    """A profile without steps."""


class profile(_NamedStacks, _profiler.profile):
    """A profile of a training loop."""

    def __init__(self, *, use_cuda=None, **given):
        if use_cuda is not None:
            message.warn("This is npu environment, use_cuda is invalid")
        super().__init__(**given)

    def _keeps_raw(self):
        return True
