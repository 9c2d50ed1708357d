# SPDX-License-Identifier: Apache-2.0
"""Properties of the imported PyTorch: names of device types, and the format of tables."""

import sys

_DEVICE_TYPES = {"cuda": "CUDA", "xpu": "XPU", "mtia": "MTIA", "hpu": "HPU"}


def _module(*names):
    """The module torch.NAME.NAME ... if it has been imported, otherwise None."""
    found = sys.modules.get("torch")
    for name in names:
        found = getattr(found, name, None)
    return found


def is_torch_2():
    """Whether PyTorch 2.x is imported."""
    version = getattr(_module(), "__version__", "1")
    return int(str(version).split(".")[0]) >= 2


def cpu_type():
    """PyTorch's DeviceType.CPU, so that comparisons work; without PyTorch the text "CPU"."""
    return getattr(_module("autograd", "DeviceType"), "CPU", "CPU")


def device_type(device):
    """PyTorch's DeviceType for a device's name; PrivateUse1 for a device that is unknown to
    PyTorch."""
    name = _DEVICE_TYPES.get(device, "PrivateUse1")
    return getattr(_module("autograd", "DeviceType"), name, name)


def privateuse1_name():
    """PyTorch's name for its PrivateUse1 backend."""
    find = getattr(_module("_C"), "_get_privateuse1_backend_name", None)
    return find() if find else "privateuseone"


def memory_units():
    """Names of bytes, KiB, MiB and GiB in tables, which differ between versions of PyTorch 2.x."""
    form = getattr(_module("autograd", "profiler_util"), "_format_memory", None)
    if form is not None and form(1 << 10).endswith("KB"):
        return ("B", "KB", "MB", "GB")
    return ("b", "Kb", "Mb", "Gb")
