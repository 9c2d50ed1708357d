# SPDX-License-Identifier: Apache-2.0
"""The file of the dynamic profile: its keys, their checks, and the profile that it describes."""

import json
import os

from .. import _strobe, message
from .activity import ProfilerActivity
from .experimental import AiCMetrics, ProfilerLevel, _ExperimentalConfig
from .handler import tensorboard_trace_handler
from .parameters import SWITCHES
from .profiler import profile
from .schedules import schedule

FILE_NAME = "profiler_config.json"
_BYTES_MAX = 1 << 20
_NOW = -1  # value of start_step: at the next step

_EXPERIMENTAL = {
    "profiler_level": "Level0", "aic_metrics": "AiCoreNone", "l2_cache": False, "op_attr": False,
    "gc_detect_threshold": None, "data_simplification": True, "record_op_args": False,
    "export_type": ["text"], "msprof_tx": False, "mstx": False, "host_sys": [],
    "mstx_domain_include": [], "mstx_domain_exclude": [],
    "sys_io": False, "sys_interconnection": False,
}
_TEMPLATE = {
    "activities": ["CPU", "NPU"], "prof_dir": "./", "analyse": False, "async_mode": False,
    **{name: False for name in SWITCHES}, "active": 1, "warmup": 0, "start_step": 0,
    "is_rank": False, "rank_list": [], "experimental_config": _EXPERIMENTAL,
}
# Keys that the file may contain in addition to the keys of the template.
_KNOWN = {*_TEMPLATE, "metadata"}


class ConfigError(ValueError):
    """The file cannot be used. (Bad values in a usable file are replaced, with a warning.)"""


def write_template(path):
    """Writes the file with its defaults, unless it exists."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        file = os.open(path, flags, 0o640)
    except FileExistsError:
        return False
    with os.fdopen(file, "w") as stream:
        json.dump(_TEMPLATE, stream, indent=4)
        stream.write("\n")
    return True


def _open_trusted(path):
    try:
        return os.fdopen(_strobe.open_trusted(os.fsencode(path)), "rb")
    except OSError as error:
        raise ConfigError("%s is refused: %s" % (path, error)) from None


def read(path):
    """The configuration in the file. Raises ConfigError or OSError."""
    with _open_trusted(path) as file:
        data = file.read(_BYTES_MAX + 1)
    if len(data) > _BYTES_MAX:
        raise ConfigError("%s: more than 1 MiB" % path)
    return parse(data, path)


def parse(data, path):
    """The configuration in `data`, the text of the file. Raises ConfigError."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ConfigError("%s: not JSON: %s" % (path, error)) from None
    if not isinstance(values, dict) or not values:
        raise ConfigError("%s: expected an object with keys such as start_step" % path)
    return DynamicConfig(values, path)


class DynamicConfig:
    """The checked values of a configuration file."""

    def __init__(self, values, path):
        self._values = values
        self._path = path
        self._warn_of_unknown(values, _KNOWN, "")
        self.active = self._count("active", 1, 1)
        self.warmup = self._count("warmup", 0, 0)
        self.start_step = self._count("start_step", _NOW, 0)
        self.analyse = self._switch("analyse")
        self.async_mode = self._switch("async_mode")
        self.ranks = self._ranks()
        metadata = self._get("metadata", dict, {}, "an object")
        self.metadata = {key: json.dumps(value) for key, value in metadata.items()}
        if self.async_mode and not self.analyse:
            self._warn("async_mode has no effect without analyse")
        if self.analyse and self.ranks is not None and not self.async_mode:
            self._warn("analyse needs async_mode where is_rank is set, reset to false: the other "
                       "ranks would wait")
            self.analyse = False

    def starts_now(self):
        return self.start_step == _NOW

    def steps(self):
        return self.warmup + self.active

    def is_of_rank(self, rank):
        return self.ranks is None or rank in self.ranks

    def make_profile(self, step):
        """Makes the profile, whose first step has the number `step`, without starting it."""
        made = profile(
            activities=self._activities(),
            schedule=schedule(
                wait=0, warmup=self.warmup, active=self.active, repeat=1, skip_first=step),
            on_trace_ready=tensorboard_trace_handler(
                self._get("prof_dir", str, "./", "a text") or "./",
                analyse_flag=self.analyse, async_mode=self.async_mode),
            experimental_config=self._experimental(),
            **{name: self._switch(name) for name in SWITCHES},
        )
        made.begin_at(step)
        return made

    # ---- values ----

    def _warn(self, text):
        message.warn("%s: %s" % (self._path, text))

    def _warn_of_unknown(self, values, known, where):
        for name in values:
            if name not in known:
                self._warn("%s%s is not a known key" % (where, name))

    def _get(self, name, kind, instead, expected):
        value = self._values.get(name, instead)
        if isinstance(value, kind):
            return value
        self._warn("%s: expected %s, found %s; reset to %s"
                   % (name, expected, json.dumps(value), json.dumps(instead)))
        return instead

    def _switch(self, name):
        return self._get(name, bool, False, "true or false")

    def _count(self, name, least, instead):
        value = self._values.get(name, instead)
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self._warn("%s: expected an integer of at least %d, found %s; reset to %d"
                   % (name, least, json.dumps(value), instead))
        return instead

    def _ranks(self):
        """The ranks that profile; None: all ranks."""
        if not self._switch("is_rank"):
            return None
        ranks = self._get("rank_list", list, [], "a list of ranks")
        return {each for each in ranks if type(each) is int and each >= 0}

    def _activities(self):
        names = self._get("activities", list, ["CPU", "NPU"], "a list of names")
        found = []
        for name in names:
            activity = getattr(ProfilerActivity, name.upper(), None) if isinstance(name, str) else None
            if activity is None:
                self._warn("activities: expected CPU or NPU, found %s; left out" % json.dumps(name))
            else:
                found.append(activity)
        return found or None

    def _experimental(self):
        given = self._get("experimental_config", dict, {}, "an object")
        if not given:
            return None
        self._warn_of_unknown(given, _EXPERIMENTAL, "experimental_config.")
        values = {name: value for name, value in given.items() if name in _EXPERIMENTAL}
        values["profiler_level"] = _constant(
            ProfilerLevel, values.get("profiler_level", _EXPERIMENTAL["profiler_level"]))
        values["aic_metrics"] = _constant(
            AiCMetrics, values.get("aic_metrics", _EXPERIMENTAL["aic_metrics"]))
        made = _ExperimentalConfig(**values)
        made.step_ranges = "step"
        return made


def _constant(constants, name):
    """The constant with this name, or the name itself, which a later check rejects."""
    return vars(constants).get(name, name) if isinstance(name, str) else name
