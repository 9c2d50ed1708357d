# SPDX-License-Identifier: Apache-2.0
"""Fetches requests for profiles from the daemon dynolog (msMonitor), through the module IPCMonitor.
A request consists of lines KEY=VALUE. A thread fetches requests and sends the state of the profile,
so that no step waits for the daemon."""

import re
import threading

from .. import message
from . import dynamic_config

POLL_S = 1.0
_END_S = 10.0  # a call of IPCMonitor may hang

# The daemon's numbers for the states of a profile.
UNINITIALIZED, IDLE, RUNNING, READY = -1, 0, 1, 2

_MONITOR = "NPU_MONITOR_START"  # key of a request for metrics instead of a profile


def _number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _switch(text):
    return {"true": True, "false": False}.get(text.lower(), text)


def _names(text):
    return [] if text == "None" else [name.strip() for name in text.split(",")]


def _ranks(text):
    return [int(name) for name in _names(text) if name.isdecimal()]


def _threshold(text):
    try:
        return None if text == "None" else float(text)
    except ValueError:
        return text


# Key of a request -> key of profiler_config.json, and the value's type.
_KEYS = {
    "ACTIVITIES_LOG_FILE": ("prof_dir", str),
    "ACTIVITIES_ITERATIONS": ("active", _number),
    "WARMUP_ITERATIONS": ("warmup", _number),
    "PROFILE_START_STEP": ("start_step", _number),
    "PROFILE_ACTIVITIES": ("activities", _names),
    "PROFILE_ANALYSE": ("analyse", _switch),
    "PROFILE_ASYNC_MODE": ("async_mode", _switch),
    "PROFILE_RECORD_SHAPES": ("record_shapes", _switch),
    "PROFILE_PROFILE_MEMORY": ("profile_memory", _switch),
    "PROFILE_WITH_STACK": ("with_stack", _switch),
    "PROFILE_WITH_FLOPS": ("with_flops", _switch),
    "PROFILE_WITH_MODULES": ("with_modules", _switch),
    "PROFILE_IS_RANK": ("is_rank", _switch),
    "PROFILE_RANK_LIST": ("rank_list", _ranks),
}
_EXPERIMENTAL = {
    "PROFILE_PROFILER_LEVEL": ("profiler_level", str),
    "PROFILE_AIC_METRICS": ("aic_metrics", str),
    "PROFILE_L2_CACHE": ("l2_cache", _switch),
    "PROFILE_OP_ATTR": ("op_attr", _switch),
    "PROFILE_GC_DETECT_THRESHOLD": ("gc_detect_threshold", _threshold),
    "PROFILE_DATA_SIMPLIFICATION": ("data_simplification", _switch),
    "PROFILE_EXPORT_TYPE": ("export_type", str.lower),
    "PROFILE_MSPROF_TX": ("msprof_tx", _switch),
    "PROFILE_MSTX": ("mstx", _switch),
    "PROFILE_HOST_SYS": ("host_sys", _names),
    "PROFILE_MSTX_DOMAIN_INCLUDE": ("mstx_domain_include", _names),
    "PROFILE_MSTX_DOMAIN_EXCLUDE": ("mstx_domain_exclude", _names),
    "PROFILE_SYS_IO": ("sys_io", _switch),
    "PROFILE_SYS_INTERCONNECTION": ("sys_interconnection", _switch),
}


def read_request(text):
    """The keys and values of a request; empty if the text contains no request."""
    pairs = (line.partition("=") for line in str(text or "").splitlines())
    return {name.strip(): value.strip() for name, equals, value in pairs if equals}


def config_of(request):
    """The configuration that a request describes. Raises ConfigError."""
    values, experimental = {}, {}
    for name, text in request.items():
        if name in _KEYS:
            key, convert = _KEYS[name]
            values[key] = convert(text)
        elif name in _EXPERIMENTAL:
            key, convert = _EXPERIMENTAL[name]
            experimental[key] = convert(text)
        else:
            message.warn("Request of dynolog: %s is not a known key" % name)
    if experimental:
        values["experimental_config"] = experimental
    return dynamic_config.DynamicConfig(values, "Request of dynolog")


def status_of(state, current=-1, first=-1, last=-1):
    """The state of a profile, in IPCMonitor's form."""
    return {"profiler_status": str(state), "current_step": str(current),
            "start_step": str(first), "stop_step": str(last)}


class DaemonWatch:
    """Watches for requests of the daemon, with the methods of dynamic_watch.Watch. `proxy` is
    IPCMonitor's PyDynamicMonitorProxy. The constructor raises ConfigError if the daemon does not
    answer."""

    def __init__(self, proxy, rank, report):
        self._proxy = proxy
        self._report = report
        if not proxy.init_dyno(rank):
            raise dynamic_config.ConfigError("Init dynolog failed !")
        message.info("Init dynolog success !")
        self._found = None
        self._lock = threading.Lock()  # protects _found
        self._status = status_of(IDLE)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="strobe-dynamic", daemon=True)
        self._thread.start()

    def take(self):
        """The newest request since the last call, or None."""
        if self._found is None:
            return None
        with self._lock:
            found, self._found = self._found, None
        return found

    def tell(self, *status):
        """Sets the state that the thread sends; the arguments are those of status_of()."""
        self._status = status_of(*status)

    def close(self):
        self._stop.set()
        self._thread.join(_END_S)

    def _run(self):
        while not self._stop.wait(POLL_S):
            self._guard(self._fetch)
            self._guard(self._send, self._status)
        self._guard(self._send, status_of(UNINITIALIZED))
        self._guard(self._proxy.finalize_dyno)

    def _guard(self, call, *arguments):
        try:
            call(*arguments)
        except Exception as error:  # the next request may be valid
            self._report("Dynolog profiler process failed, %s has occur!" % error)

    def _fetch(self):
        request = read_request(self._proxy.poll_dyno())
        if not request:
            return
        if _MONITOR in request:
            self._proxy.enable_dyno_npu_monitor(request)
            return
        found = config_of(request)
        message.info("Dynolog profiler process load json success")
        with self._lock:
            self._found = found

    def _send(self, status):
        if hasattr(self._proxy, "update_profiler_status"):  # not in older proxies
            self._proxy.update_profiler_status(status)
