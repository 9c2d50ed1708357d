# SPDX-License-Identifier: Apache-2.0
"""What is profiled: the processor, the device."""

from enum import Enum


class ProfilerActivity(Enum):
    """The groups of activities. CUDA and XPU are names for the device, too."""

    CPU = 0
    NPU = 1
    CUDA = 1
    XPU = 1


def supported_activities():
    """All activities that a profile can be asked for."""
    return {ProfilerActivity.CPU, ProfilerActivity.NPU}


def activity_of(value):
    """Our activity for ours or another profiler's (torch.profiler, torch_npu), else None."""
    if isinstance(value, ProfilerActivity):
        return value
    name = getattr(value, "name", None)
    if type(value).__name__ != "ProfilerActivity" or not isinstance(name, str):
        return None
    return ProfilerActivity.__members__.get(name)
