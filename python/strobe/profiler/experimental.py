# SPDX-License-Identifier: Apache-2.0
"""The experimental configuration: names and values, and checks in the order that torch_npu has."""

import math
import warnings

from .. import message


class ProfilerLevel:
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"
    Level_none = "Level_none"


class AiCMetrics:
    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"
    ArithmeticUtilization = "ACL_AICORE_ARITHMETIC_UTILIZATION"
    Memory = "ACL_AICORE_MEMORY_BANDWIDTH"
    MemoryL0 = "ACL_AICORE_L0B_AND_WIDTH"
    MemoryUB = "ACL_AICORE_MEMORY_UB"
    ResourceConflictRatio = "ACL_AICORE_RESOURCE_CONFLICT_RATIO"
    L2Cache = "ACL_AICORE_L2_CACHE"
    MemoryAccess = "ACL_AICORE_MEMORY_ACCESS"
    AiCoreNone = "ACL_AICORE_NONE"


class ExportType:
    Text = "text"
    Db = "db"


class HostSystem:
    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"
    NUMA = "numa"


def _values(constants):
    return {value for name, value in vars(constants).items() if not name.startswith("__")}


def supported_profiler_level():
    return _values(ProfilerLevel)


def supported_ai_core_metrics():
    return _values(AiCMetrics)


def supported_export_type():
    return _values(ExportType)


_BY_LEVEL = object()  # aic_metrics is missing: depends on the level

# Values of host_sys for which there is a collector.
_COLLECTED_HOST_SYS = {
    HostSystem.CPU, HostSystem.MEM, HostSystem.DISK, HostSystem.NETWORK, HostSystem.OSRT,
}


class _ExperimentalConfig:
    """Options of torch_npu's experimental configuration. An invalid value is replaced, with a
    warning."""

    def __init__(
        self,
        profiler_level=ProfilerLevel.Level0,
        aic_metrics=_BY_LEVEL,
        l2_cache=False,
        msprof_tx=False,
        mstx=False,
        data_simplification=True,
        record_op_args=False,
        export_type=ExportType.Text,
        host_sys=None,
        op_attr=False,
        gc_detect_threshold=None,
        mstx_domain_include=None,
        mstx_domain_exclude=None,
        sys_io=False,
        sys_interconnection=False,
        capture_overload_names=False,
        **others,
    ):
        self._profiler_level = profiler_level
        self._aic_metrics = aic_metrics
        self._l2_cache = l2_cache
        self._msprof_tx = msprof_tx
        self._mstx = mstx
        self._data_simplification = data_simplification
        self.record_op_args = record_op_args
        self._export_type = _export_types(export_type)
        self._host_sys = [] if host_sys is None else host_sys
        self._op_attr = op_attr
        self._gc_detect_threshold = gc_detect_threshold
        self._mstx_domain_include = mstx_domain_include
        self._mstx_domain_exclude = mstx_domain_exclude
        self._sys_io = sys_io
        self._sys_interconnection = sys_interconnection
        self.capture_overload_names = capture_overload_names
        self._check()
        for name in others:  # parameters of torch.profiler, or of later versions
            message.warn("Parameter %s of _ExperimentalConfig has no effect." % name)

    def settings(self):
        """The attributes by name, in the order of profiler_info.json."""
        settings = dict(vars(self))
        del settings["capture_overload_names"]  # torch_npu does not have it
        return settings

    # ---- checks ----

    def _check(self):
        self._check_metrics_for_level()
        self._check_bool("l2_cache")
        self._check_marks()
        if self._data_simplification is not None:
            self._check_bool("data_simplification", True)
        self._check_bool("record_op_args", attribute="record_op_args")
        self._check_level_and_metrics()
        self._check_export()
        self._check_gc_threshold()
        self._check_bool("capture_overload_names", attribute="capture_overload_names")
        self._check_bool("sys_io")
        self._check_bool("sys_interconnection")
        self._check_domains()
        self._check_host_sys()

    def _check_bool(self, name, instead=False, attribute=None):
        attribute = attribute or "_" + name
        if not isinstance(getattr(self, attribute), bool):
            _reset(name, instead)
            setattr(self, attribute, instead)

    def _check_metrics_for_level(self):
        low = self._has_no_metrics()
        if self._aic_metrics is _BY_LEVEL:
            self._aic_metrics = self._metrics_of_level()
        elif low and self._aic_metrics != AiCMetrics.AiCoreNone:
            message.warn(
                "Please use level1 or level2 if you want to collect aic metrics, "
                "reset aic metrics to None!"
            )
            self._aic_metrics = AiCMetrics.AiCoreNone

    def _has_no_metrics(self):
        return self._profiler_level in (ProfilerLevel.Level0, ProfilerLevel.Level_none)

    def _metrics_of_level(self):
        return AiCMetrics.AiCoreNone if self._has_no_metrics() else AiCMetrics.PipeUtilization

    def _check_marks(self):
        self._check_bool("msprof_tx")
        if self._msprof_tx:
            warnings.warn("The parameter msprof_tx will be deprecated, please use mstx instead.")
        self._check_bool("mstx")
        if self._profiler_level == ProfilerLevel.Level_none and not self._marks():
            message.warn("The profiler level is Level_none, mstx is set to True.")
            self._mstx = True

    def _marks(self):
        return self._mstx or self._msprof_tx

    def _check_level_and_metrics(self):
        if not _is_one_of(self._profiler_level, supported_profiler_level()):
            _reset("profiler_level", "ProfilerLevel.Level0")
            self._profiler_level = ProfilerLevel.Level0
            # Unlike torch_npu, removes metrics that the level cannot have.
            if _is_one_of(self._aic_metrics, supported_ai_core_metrics()):
                self._aic_metrics = AiCMetrics.AiCoreNone
        if not _is_one_of(self._aic_metrics, supported_ai_core_metrics()):
            low = self._profiler_level == ProfilerLevel.Level0
            name = "AiCoreNone" if low else "PipeUtilization"
            _reset("aic_metrics", "AiCMetrics." + name)
            self._aic_metrics = getattr(AiCMetrics, name)

    def _check_export(self):
        self._check_bool("op_attr")
        if any(not _is_one_of(each, supported_export_type()) for each in self._export_type):
            _reset("export_type", "text")
            self._export_type = [ExportType.Text]
        if self._op_attr and ExportType.Db not in self._export_type:
            message.warn("op_attr switch is invalid with export type set as text.")
            self._op_attr = False

    def _check_gc_threshold(self):
        value = self._gc_detect_threshold
        if value is None:
            return
        if not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
            _reset("gc_detect_threshold", None)
            self._gc_detect_threshold = None
        elif value == 0:
            message.info("Parameter gc_detect_threshold is 0, it will collect all gc events.")

    def _check_domains(self):
        include, exclude = self._mstx_domain_include or [], self._mstx_domain_exclude or []
        if not self._marks():
            if include or exclude:
                message.warn("mstx_domain_include and mstx_domain_exclude need mstx, reset them.")
            include = exclude = []
        include = _domains("mstx_domain_include", include)
        exclude = _domains("mstx_domain_exclude", exclude)
        if include and exclude:
            message.warn(
                "mstx_domain_include and mstx_domain_exclude are both set, "
                "mstx_domain_exclude is ignored."
            )
            exclude = []
        self._mstx_domain_include, self._mstx_domain_exclude = include, exclude

    def _check_host_sys(self):
        value = self._host_sys
        if not isinstance(value, list):
            _reset("host_sys", [])
            self._host_sys = []
        elif any(not _is_one_of(each, _values(HostSystem)) for each in value):
            _reset("host_sys", [])
            self._host_sys = []
        else:
            self._host_sys = list(dict.fromkeys(value))

    # ---- options of collectors ----

    step_ranges = "profiler_step"  # dynamic_config sets "step" for profiles of a file

    def of_device(self):
        """Names of the requested options for which a device is needed."""
        wanted = {
            "profiler_level": self._profiler_level in (ProfilerLevel.Level1, ProfilerLevel.Level2),
            "aic_metrics": self._aic_metrics not in (AiCMetrics.AiCoreNone, self._metrics_of_level()),
            "l2_cache": self._l2_cache,
            "op_attr": self._op_attr,
            "host_sys numa": self._has_numa(),
        }
        return [name for name, is_wanted in wanted.items() if is_wanted]

    def of_operators(self):
        """Names of the requested options that add details to operators."""
        names = ("record_op_args", "capture_overload_names")
        return [name for name in names if getattr(self, name)]

    def exported_types(self):
        return list(self._export_type)

    def _has_numa(self):
        return HostSystem.NUMA in self._host_sys

    def _kernel_shapes(self, with_shapes):
        """Whether shapes of kernels are recorded. They need tasks, which are not recorded at
        Level_none."""
        return with_shapes and self._profiler_level != ProfilerLevel.Level_none

    def takes_aclprof(self, with_memory, with_shapes):
        """Whether an option needs CANN's own profiling (aclprof). CANN then samples ports and links
        too, so Strobe's collectors must not sample them."""
        return (
            self._aic_metrics != AiCMetrics.AiCoreNone or self._l2_cache or self._op_attr
            or with_memory or self._kernel_shapes(with_shapes) or self._has_numa()
        )

    def device(self, with_memory, with_shapes):
        """Options of the device's collector; the result reports unsupported ones."""
        names = {value: name for name, value in vars(AiCMetrics).items()}
        metrics = names[self._aic_metrics]
        wished = {"backend": "auto", "aic_metrics": "none" if metrics == "AiCoreNone" else metrics}
        has_ports = self.takes_aclprof(with_memory, with_shapes)
        switches = {
            "l2_cache": self._l2_cache, "op_attr": self._op_attr, "task_memory": with_memory,
            "msproftx": self._mstx or self._msprof_tx, "sys_io": self._sys_io and has_ports,
            "sys_interconnection": self._sys_interconnection and has_ports,
        }
        wished.update({name: True for name, is_on in switches.items() if is_on})
        if self._kernel_shapes(with_shapes):
            wished["details"] = "shapes"
        if self._has_numa():
            wished["host_sys"] = "numa"
        return {"profiler_level": self._profiler_level, "optional": wished}

    def marks(self):
        """Options of the collector of marks; None if no marks are requested."""
        if not (self._mstx or self._msprof_tx):
            return None
        lists = {"include": self._mstx_domain_include, "exclude": self._mstx_domain_exclude}
        return {"domain_" + name: "+".join(domains) for name, domains in lists.items() if domains}

    def collected_host_sys(self):
        return [each for each in self._host_sys if each in _COLLECTED_HOST_SYS]


def _reset(name, value):
    message.warn("Invalid parameter %s, reset it to %s." % (name, value))


def _is_one_of(value, values):
    return isinstance(value, str) and value in values


def _export_types(value):
    if not value:
        message.warn("Invalid parameter export_type: %s, reset it to text." % value)
        return [ExportType.Text]
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return list(dict.fromkeys(value))
    _reset("export_type", "text")
    return [ExportType.Text]


def _domains(name, value):
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return list(dict.fromkeys(value))
    _reset(name, [])
    return []
