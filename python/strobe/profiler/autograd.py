# SPDX-License-Identifier: Apache-2.0
"""The names of torch.autograd.profiler: a profile without a schedule, and its results."""

from .. import message
from .activity import ProfilerActivity
from .events import EventList, FunctionEvent
from .kineto_profile import _KinetoProfile
from .profile_results import ProfileResults
from .ranges import record_function

__all__ = ["EventList", "FunctionEvent", "profile", "record_function"]

_DEVICES = {"cuda": "CUDA", "xpu": "XPU", "mtia": "MTIA", "hpu": "HPU", "npu": "NPU"}


def __getattr__(name):
    """Names that are unrelated to recording come from PyTorch itself."""
    if name.startswith("_"):
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    import torch.autograd.profiler

    return getattr(torch.autograd.profiler, name)


class profile(ProfileResults):
    """A profile of a `with` block. `enabled=False`: nothing is recorded. `use_kineto` is accepted
    and changes nothing."""

    def __init__(
        self,
        enabled=True,
        *,
        use_cuda=False,
        use_device=None,
        record_shapes=False,
        with_flops=False,
        profile_memory=False,
        with_stack=False,
        with_modules=False,
        use_kineto=False,
        use_cpu=True,
        experimental_config=None,
        acc_events=False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
        activity_filters=None,
    ):
        self.enabled = enabled
        device = "cuda" if use_cuda else use_device
        super().__init__(
            _KinetoProfile(
                activities=_activities(use_cpu, device, activity_filters or {}),
                record_shapes=record_shapes,
                with_flops=with_flops,
                profile_memory=profile_memory,
                with_stack=with_stack,
                with_modules=with_modules,
                experimental_config=experimental_config,
                acc_events=acc_events,
                custom_trace_id_callback=custom_trace_id_callback,
                post_processing_timeout_s=post_processing_timeout_s,
            )
        )

    def __enter__(self):
        if self.enabled:
            self._owner.start()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if self.enabled:
            self._owner.stop()
        return False


def _activities(use_cpu, device, filters):
    wanted = [ProfilerActivity.CPU] if use_cpu else []
    if device is not None:
        wanted.append(ProfilerActivity[_DEVICES.get(device, "PrivateUse1")])
    if not wanted:
        message.warn("No activities are specified: the processor is profiled.")
        wanted = [ProfilerActivity.CPU]
    names = {getattr(key, "name", None): value for key, value in filters.items()}
    return [{each: names[each.name]} if each.name in names else each for each in wanted]
