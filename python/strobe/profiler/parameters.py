# SPDX-License-Identifier: Apache-2.0
"""The parameters of a profile: checks, and the resulting configuration."""

import os
import sys
import uuid

from .. import message
from . import opencl_layer, versions
from .activity import (
    ProfilerActivity,
    activity_of,
    canonical,
    has_device,
    supported_activities,
)
from .activity_filter import ActivityFilter, unknown_names
from .experimental import _ExperimentalConfig
from .schedules import always_record, schedule

SWITCHES = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")
SECTIONS = ("buffer", "rotate", "dump")  # sections of the configuration, passed unchanged
CPU_COLLECTORS = ("cpu_op", "memory")  # CPU collectors that a profile can pause
DEVICE_COLLECTORS = ("npu_task", "opencl")
_GC_LIMIT_NS = 3_600_000_000_000  # of the collector's option
_RANGES = ("communication", "dataloader", "save_checkpoint")  # marked in addition to steps
_DEVICE_INTERVAL, _LINK_INTERVAL = "10ms", "20ms"  # torch_npu samples at 100 and 50 Hz
_OPERATOR_SWITCHES = {"with_stack": "stack", "with_flops": "flops", "with_modules": "modules"}


def _each_activity(activities):
    """Pairs (activity, requested names) from a set, a list, or dictionaries; None as the names
    means all."""
    for each in activities:
        if isinstance(each, dict):
            for key, names in each.items():
                yield activity_of(key), names
        else:
            yield activity_of(each), None


def check_activities(activities):
    """The set of activities; an unknown activity resets the set to the default."""
    if not activities:
        return supported_activities()
    found = {activity for activity, _ in _each_activity(activities)}
    if None in found:
        message.warn("Invalid activities, only CPU and NPU are supported, reset it to default.")
        return supported_activities()
    for each in sorted(found - {ProfilerActivity.CPU}, key=lambda each: each.name):
        if not has_cann() and not uses_opencl({each}):
            warn_without_cann(str(each))
    return found


def uses_opencl(activities):
    """Whether the device is an OpenCL device: an activity of a device other than an NPU is
    requested, and there is no NPU."""
    is_other = any(each not in supported_activities() for each in activities)
    return is_other and not has_cann() and opencl_layer.is_installed()


def check_filter(activities):
    """The filter for activities that are dictionaries of names, see activity_filter.py."""
    wanted = {True: None, False: None}  # True: the processor's activities, False: the device's
    for activity, names in _each_activity(activities or ()):
        if activity is None or names is None:
            continue
        is_cpu = activity is ProfilerActivity.CPU
        for name in unknown_names(is_cpu, names):
            message.warn("Activity %s of %s is not known and has no effect." % (name, activity))
        wanted[is_cpu] = set(names) | (wanted[is_cpu] or set())
    return ActivityFilter(wanted[True], wanted[False])


def check_timeout(value):
    """Checks post_processing_timeout_s."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is None or is_number and value >= 0:
        return value
    message.warn("post_processing_timeout_s must be a number of at least 0, reset it to None.")
    return None


def with_cuda(activities, use_cuda):
    """The activities, with CUDA added or removed according to the deprecated `use_cuda`."""
    if use_cuda is None:
        return activities
    message.warn("use_cuda is deprecated, use the argument activities instead.")
    given = list(activities or [ProfilerActivity.CPU])
    if use_cuda:
        return given + [ProfilerActivity.CUDA]
    return [each for each in given if activity_of(each) is not ProfilerActivity.CUDA]


def check_switch(name, value):
    if isinstance(value, bool):
        return value
    message.warn("Parameter %s is of boolean type, reset it to False." % name)
    return False


def check_section(name, value):
    """A section of the configuration (docs/config.md), whose contents are checked at the start."""
    if value is None or isinstance(value, dict):
        return value
    message.warn("Parameter %s is of dict type, reset it to None." % name)
    return None


def check_experimental(value, activities):
    """The experimental configuration; without one, the default configuration, which gives no
    warnings."""
    if value is None:
        return _ExperimentalConfig()
    if not isinstance(value, _ExperimentalConfig):
        message.warn(
            "Parameter experimental_config is an instance of _ExperimentalConfig, "
            "reset it to default."
        )
        return _ExperimentalConfig()
    if not has_device(activities):
        _warn_of_unused(value.of_device(), ProfilerActivity.NPU)
    elif not has_cann():
        for name in value.of_device():
            warn_without_cann(name)
    if ProfilerActivity.CPU not in activities:
        if value._gc_detect_threshold is not None:
            message.warn("GC detect will not take effect while ProfilerActivity.CPU is not set.")
        _warn_of_unused(value.of_operators(), ProfilerActivity.CPU)
    return value


def _warn_of_unused(names, activity):
    """Warns of settings that have no effect because the profile does not have the activity."""
    if names:
        message.warn("Experimental config will not be used while %s is not set: %s."
                     % (activity, ", ".join(names)))


def check_callable(name, value, instead=None):
    if value is None or callable(value):
        return value
    message.warn("%s is not Callable, set by default." % name)
    return instead


def check_schedule(value):
    return check_callable("schedule", value) or always_record


def has_cann():
    """Whether this host may have an NPU; the collector determines the details."""
    return bool(os.environ.get("ASCEND_HOME_PATH"))


def warn_without_cann(name):
    message.warn_once("%s has no effect: ASCEND_HOME_PATH is not set, there is no CANN." % name)


def trace_id(callback):
    """The id of a trace: the user's id, or a random one."""
    if callback is not None:
        try:
            value = callback()
            if isinstance(value, str) and len(value) <= 1024:
                return value
            message.warn("custom_trace_id_callback must return a string of at most 1024 characters")
        except Exception as error:
            message.warn("custom_trace_id_callback failed: %s" % error)
    return uuid.uuid4().hex.upper()


def warn_of_variables():
    """Warns of environment variables of Kineto that Strobe does not read."""
    if os.environ.get("KINETO_CONFIG"):
        message.warn_once("KINETO_CONFIG has no effect: there is no Kineto that reads %s."
                          % os.environ["KINETO_CONFIG"])


def observer_of_env():
    """PyTorch's execution trace observer, if ENABLE_PYTORCH_EXECUTION_TRACE is set."""
    torch = sys.modules.get("torch")
    kind = getattr(getattr(torch, "profiler", None), "ExecutionTraceObserver", None)
    make = getattr(kind, "build_execution_trace_obs_from_env", None)
    return make() if make else None


def collectors_of(activities, running):
    """The running collectors that record at least one of the activities."""
    found = {activity_of(each) for each in activities}
    if None in found:
        message.warn("Unknown activities are left out: %s" % (list(activities),))
    names = []
    if ProfilerActivity.CPU in found:
        names += CPU_COLLECTORS
    if has_device(found - {None}):
        names += DEVICE_COLLECTORS
    return [name for name in names if name in running]


# ---- the session's configuration ----


def missing_for_timeline(switches):
    """The settings that export_memory_timeline() needs and that are off."""
    missing = ["%s=True" % name for name in ("record_shapes", "profile_memory") if not switches[name]]
    if not switches["with_stack"] and not switches["with_modules"]:
        missing.append("with_stack=True or with_modules=True")
    return missing


def wants_timeline(switches):
    return not missing_for_timeline(switches)


def _operators(switches, with_arguments):
    """Options of the collector cpu_op."""
    has_values = switches["record_shapes"] or with_arguments
    options = {"shapes": has_values or switches["with_flops"]}
    if has_values:
        options["values"] = True
    for name, option in _OPERATOR_SWITCHES.items():
        if switches[name]:
            options[option] = True
    return options


def _host_collectors(switches, experimental, wanted):
    threshold = experimental._gc_detect_threshold
    collectors = {"cpu_op": _operators(switches, experimental.record_op_args)}
    if experimental.capture_overload_names:
        collectors["cpu_op"]["overloads"] = True
    if switches["profile_memory"] and wanted.wants("cpu_instant_event"):
        collectors["memory"] = {"tensors": wants_timeline(switches)}
    has_calls = switches["with_stack"] or switches["with_modules"]
    if has_calls and wanted.wants("python_function"):
        collectors["python_call"] = {}
    if threshold is not None:
        collectors["gc"] = {"threshold": "%dns" % min(threshold * 1e6, _GC_LIMIT_NS)}
    return collectors


def _collectors(activities, switches, experimental, wanted):
    collectors = {"metadata": {}}
    if ProfilerActivity.CPU in activities:
        collectors.update(_host_collectors(switches, experimental, wanted))
    marks = experimental.marks()
    if marks is not None:
        flops = ("flops",) if switches["with_flops"] else ()
        marks["ranges"] = "+".join([*_RANGES, experimental.step_ranges, *flops])
        collectors["marker"] = marks
    systems = experimental.collected_host_sys()
    if systems:
        collectors["host_sys"] = {"items": "+".join(systems)}
    wants = switches["profile_memory"], switches["record_shapes"]
    has_npu = has_device(activities) and has_cann()
    if has_npu:
        collectors["npu_task"] = experimental.device(*wants)
    elif uses_opencl(activities):
        collectors["opencl"] = {}
    if has_npu and experimental.takes_aclprof(*wants):
        return collectors
    if experimental._sys_io:
        collectors["sys_io"] = {"interval": _DEVICE_INTERVAL}
    if experimental._sys_interconnection:
        collectors["interconnect"] = {"interval": _LINK_INTERVAL}
    return collectors


def _front_end(activities, user_schedule, switches, experimental):
    is_ours = isinstance(user_schedule, schedule)
    return {
        "common_config": {
            "activities": sorted(str(each) for each in canonical(activities)),
            "schedule": user_schedule.settings() if is_ours else {},
            **switches,
        },
        "experimental_config": experimental.settings(),
        "torch_npu_version": versions.torch_npu_version(),
        "cann_version": versions.cann_version(),
    }


def session_config(
    activities, user_schedule, switches, experimental, directory, worker, wanted=ActivityFilter()
):
    """The configuration of the session, as core/config/config.h describes it."""
    output = {"directory": directory}
    if worker is not None:
        output["worker"] = worker
    return {
        "collectors": _collectors(activities, switches, experimental, wanted),
        "export_type": experimental.exported_types(),
        "output": output,
        "front_end": _front_end(activities, user_schedule, switches, experimental),
    }
