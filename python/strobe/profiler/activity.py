# SPDX-License-Identifier: Apache-2.0
"""The activities to profile: the processor, and the device by any of its names."""

from enum import Enum

from . import torch_style


class ProfilerActivity(Enum):
    """Groups of activities. All names except CPU mean the same group: the activities of this
    machine's device."""

    CPU = 0
    NPU = 1
    CUDA = 2
    XPU = 3
    MTIA = 4
    HPU = 5
    PrivateUse1 = 6


_CPU, _NPU = ProfilerActivity.CPU, ProfilerActivity.NPU
# If several names of the device are given, the first in this order is used.
_BY_PRECEDENCE = [ProfilerActivity[name] for name in "CUDA XPU MTIA HPU PrivateUse1 NPU".split()]


def supported_activities():
    """The activities of a profile without the argument `activities`."""
    return {_CPU, _NPU}


def activity_of(value):
    """Strobe's activity for an activity of Strobe, torch.profiler or torch_npu, otherwise None."""
    if isinstance(value, ProfilerActivity):
        return value
    name = getattr(value, "name", None)
    if type(value).__name__ != "ProfilerActivity" or not isinstance(name, str):
        return None
    return ProfilerActivity.__members__.get(name)


def has_device(activities):
    return any(each is not _CPU for each in activities)


def canonical(activities):
    """The activities with the names that result directories use, which are only CPU and NPU."""
    return {each if each is _CPU else _NPU for each in activities}


def device_name(activities):
    """PyTorch's name for the device of these activities, None if there is none."""
    given = next((each for each in _BY_PRECEDENCE if each in activities), None)
    if given is None:
        return None
    if given is ProfilerActivity.PrivateUse1:
        return torch_style.privateuse1_name()
    return given.name.lower()
