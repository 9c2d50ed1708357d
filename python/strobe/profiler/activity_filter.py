# SPDX-License-Identifier: Apache-2.0
"""A filter of events by torch.profiler's names of activities: {ProfilerActivity.CUDA:
["GPU_MEMCPY"]}."""

_OF_CPU = {
    "CPU_OP": "cpu_op",
    "USER_ANNOTATION": "user_annotation",
    "PYTHON_FUNCTION": "python_function",
    "CPU_INSTANT_EVENT": "cpu_instant_event",
    "EXTERNAL_CORRELATION": "external_correlation",
}
_OF_DEVICE = {
    "CONCURRENT_KERNEL": "kernel",
    "COLLECTIVE_COMM": "kernel",
    "GPU_MEMCPY": "gpu_memcpy",
    "GPU_MEMSET": "gpu_memset",
    "GPU_USER_ANNOTATION": "gpu_user_annotation",
    "OVERHEAD": "overhead",
}
for _prefix in ("CUDA", "XPU", "MTIA", "HPU", "PRIVATEUSE1"):
    for _layer in ("RUNTIME", "DRIVER"):
        _OF_DEVICE["%s_%s" % (_prefix, _layer)] = "runtime"


def unknown_names(is_cpu, names):
    """The names in `names` that are not activities of the processor (`is_cpu`) or of a device."""
    known = _OF_CPU if is_cpu else _OF_DEVICE
    return sorted(str(name) for name in names if name not in known)


class ActivityFilter:
    """The wanted activities of the processor and of the device; None: all of them."""

    def __init__(self, of_cpu=None, of_device=None):
        self._of_cpu = _types(of_cpu, _OF_CPU)
        self._of_device = _types(of_device, _OF_DEVICE)

    def keeps(self, event):
        kind = event.activity_type or ""
        if kind.endswith(("_runtime", "_driver")):
            return self._of_device is None or "runtime" in self._of_device
        wanted = self._of_cpu if event.is_on_cpu() else self._of_device
        return wanted is None or kind in wanted

    def wants(self, kind):
        """Whether records of this kind of processor events are needed."""
        return self._of_cpu is None or kind in self._of_cpu


def _types(names, known):
    if names is None:
        return None
    return {known[name] for name in names if name in known}
