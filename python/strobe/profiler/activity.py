# SPDX-License-Identifier: Apache-2.0
"""What is profiled: the processor, and the device by any of its names."""

from enum import Enum

from . import torch_style


class ProfilerActivity(Enum):
    """The groups of activities. All but CPU are names of one group: the device of this machine."""

    CPU = 0
    NPU = 1
    CUDA = 2
    XPU = 3
    MTIA = 4
    HPU = 5
    PrivateUse1 = 6


_CPU, _NPU = ProfilerActivity.CPU, ProfilerActivity.NPU
# Of several names of the device the first one counts.
_BY_PRECEDENCE = [ProfilerActivity[name] for name in "CUDA XPU MTIA HPU PrivateUse1 NPU".split()]


def supported_activities():
    """All activities that a profile has without `activities`."""
    return {_CPU, _NPU}


def activity_of(value):
    """Our activity for ours or another profiler's (torch.profiler, torch_npu), else None."""
    if isinstance(value, ProfilerActivity):
        return value
    name = getattr(value, "name", None)
    if type(value).__name__ != "ProfilerActivity" or not isinstance(name, str):
        return None
    return ProfilerActivity.__members__.get(name)


def has_device(activities):
    return any(each is not _CPU for each in activities)


def canonical(activities):
    """CPU and NPU alone, as result directories name them."""
    return {each if each is _CPU else _NPU for each in activities}


def device_name(activities):
    """What PyTorch calls the device of these activities, None if there is none."""
    given = next((each for each in _BY_PRECEDENCE if each in activities), None)
    if given is None:
        return None
    if given is ProfilerActivity.PrivateUse1:
        return torch_style.privateuse1_name()
    return given.name.lower()
