# SPDX-License-Identifier: Apache-2.0
"""Times that are computed from other attributes of an event or an average, and aliases of
attributes."""

from . import table

# Words that replace "device" in other names of the device's attributes.
_DEVICES = ("cuda", "npu", "xpu", "mtia", "hpu", "privateuse1")


class EventTimes:
    """Computed times; a subclass must have count, cpu_time_total and device_time_total."""

    __slots__ = ()

    @property
    def cpu_time(self):
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self):
        return self.device_time_total / self.count if self.count else 0.0

    def __getattr__(self, name):
        """An attribute `..._str` is the formatted time; `cuda_...` and similar names mean
        `device_...`."""
        if name.endswith("_str") and not name.startswith("__"):
            return table.format_time(getattr(self, name[: -len("_str")]))
        alias = device_attribute(name)
        if alias == name:
            raise AttributeError("%s has no attribute %r" % (type(self).__name__, name))
        return getattr(self, alias)


def device_attribute(name):
    """The name of a device attribute for its alias; any other name unchanged."""
    for prefix in ("", "self_"):
        for device in _DEVICES:
            if name.startswith(prefix + device + "_"):
                return prefix + "device" + name[len(prefix + device) :]
    return name
