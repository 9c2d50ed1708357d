# SPDX-License-Identifier: Apache-2.0
"""Profiles that are started by changing a file while the program runs, as with
torch_npu.profiler.dynamic_profile.

    from strobe.profiler import dynamic_profile as dp

    dp.init("profiler_config_path")     # the folder of profiler_config.json
    for batch in batches:
        train(batch)
        dp.step()

A change of the file begins a profile: if `start_step` is -1, when the next step ends, otherwise
when the step with the number `start_step` ends. dp.start(file) begins a profile at once. None of
these functions raises. Instead of the file, the daemon dynolog may request profiles
(MSMONITOR_USE_DAEMON, see dynamic_daemon.py).
"""

import atexit
import os
import sys
import threading

from .. import _strobe, message
from . import dynamic_config, dynamic_daemon, dynamic_log
from .dynamic_watch import Watch

__all__ = ["init", "set_state", "start", "step"]


class _DynamicProfile:
    """The profile of this process, and the pending configuration."""

    def __init__(self):
        self.lock = threading.RLock()
        self.counter = 0
        self._watch = None
        self._log = dynamic_log.no_log()
        self._path = None  # of the file
        self._daemon = None  # watch for requests of the daemon; None: they come from a file
        self._profile = None
        self._left = 0  # steps of the profile
        self._first, self._last = -1, -1  # steps of the present or last profile
        self._pending = None
        self._is_by_optimizer = False  # an optimizer has ended steps
        self._is_by_script = False  # the script itself ends steps

    def is_ready(self):
        return self._watch is not None

    def begin(self, folder):
        folder = os.path.realpath(os.path.expanduser(os.fspath(folder)))
        os.makedirs(folder, mode=0o750, exist_ok=True)
        os.close(_strobe.open_trusted_folder(os.fsencode(folder)))
        path = os.path.join(folder, dynamic_config.FILE_NAME)
        is_new = dynamic_config.write_template(path)
        logs = os.path.join(folder, "log")
        self._log = _open_log(logs)
        if is_new:
            self._log.info("Create %s default.", dynamic_config.FILE_NAME)
        self._watch = Watch(path, self._error, _open_log(logs, "monitor_"))
        self._path = path
        atexit.register(self.finish)

    def begin_daemon(self, proxy):
        self._watch = self._daemon = dynamic_daemon.DaemonWatch(proxy, _rank(), self._error)
        atexit.register(self.finish)

    def finish(self):
        """At exit."""
        with self.lock:
            if self._profile is not None:
                self._warn("Profiler stop when process exit, check cfg json active whether over "
                           "all step!")
                self._end()
        if self._watch is not None:
            self._take(self._watch.take())
            self._watch.close()
        if self._pending is not None:
            self._warn_of_step(" as the process exits")

    # ---- steps ----

    def optimizer_step(self):
        """Call it after an optimizer's step: ends a step, unless the script itself ends steps."""
        if self.is_ready() and not self._is_by_script:
            self._is_by_optimizer = True
            self.step()

    def script_step(self):
        """Called when the script ends a step. Does nothing at the script's first call if an
        optimizer has already ended the step of this iteration."""
        is_ended = self._is_by_optimizer and not self._is_by_script
        self._is_by_script = True
        if not is_ended:
            self.step()

    def step(self):
        self.counter += 1
        if self._watch is not None:
            self._take(self._watch.take())
        if self._profile is not None:
            self._profile.step()
            self._left -= 1
            if self._left <= 0:
                self._end()
        elif self._pending is not None:
            self._judge(self._pending)
        self._tell_state()

    def _tell_state(self):
        """Sends the state of the profile to the daemon, which displays the state."""
        if self._daemon is None:
            return
        state = dynamic_daemon.IDLE
        if self._profile is not None:
            state = dynamic_daemon.RUNNING
        elif self._pending is not None:
            state = dynamic_daemon.READY
            self._first = self._pending.start_step
            self._last = self._first + self._pending.steps()
        self._daemon.tell(state, self.counter, self._first, self._last)

    def _take(self, found):
        if found is None:
            return
        self._pending = found
        self._log.info("Start step will be set to %d.", found.start_step)

    def _judge(self, config):
        """Starts the profile of the pending configuration if its step has come, and drops the
        configuration if the step has passed."""
        if not config.starts_now() and self.counter < config.start_step:
            return
        if not config.starts_now() and self.counter > config.start_step:
            self._warn_of_step()
            return
        self._pending = None
        rank = _rank()
        if config.is_of_rank(rank):
            self._start(config)
        else:
            self._log.warning("Rank %d not in valid rank_list %s!", rank, sorted(config.ranks))

    def _warn_of_step(self, when=""):
        """Warns that the pending configuration has no effect, and drops it."""
        self._warn("Dynamic Profiler config is not effective. The start_step=%d, current_step=%d%s"
                   % (self._pending.start_step, self.counter, when))
        self._pending = None

    def _start(self, config):
        made = config.make_profile(self.counter)
        made.start()
        if not made.is_recording():  # the profile has reported the reason
            return
        for key, value in config.metadata.items():
            made.add_metadata_json(key, value)
        self._profile = made
        self._left = config.steps()
        self._first, self._last = self.counter, self.counter + self._left
        self._log.info("Start Dynamic Profiler at %d step.", self.counter)

    def _end(self):
        ended, self._profile = self._profile, None
        ended.stop()
        self._log.info("Stop Dynamic Profiler at %d step.", self.counter)

    # ---- at once ----

    def start(self, path):
        if self._profile is not None:
            self._error("Profiler already started. Cannot call start interface while the profiler "
                        "is active.")
            return
        config = dynamic_config.read(self._given(path))
        self._pending = None
        self._log.info("Start by %s.", path)
        self._start(config)

    def _given(self, path):
        """The path of the given file, or without one the path of the file of init()."""
        if path is not None and os.path.isfile(path):
            return path
        if path is not None:
            self._error("The provided config_path is invalid: %s is no file." % path)
        if self._path is None:
            raise dynamic_config.ConfigError("there is no file: call init() first, or name one")
        return self._path

    # ---- messages ----

    def _warn(self, text):
        message.warn(text)
        self._log.warning("%s", text)

    def _error(self, text):
        message.error(text)
        self._log.error("%s", text)


def _rank():
    """The rank of this process; -1: not known."""
    text = os.environ.get("RANK", "")
    if text.isdecimal():
        return int(text)
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank()
    except Exception:  # a process group that is being destroyed
        pass
    return -1


def _open_log(folder, prefix=""):
    try:
        return dynamic_log.open_log(folder, _rank(), prefix)
    except OSError as error:
        message.warn("Cannot write the log of the dynamic profile: %s" % error)
        return dynamic_log.no_log()


_present = _DynamicProfile()


def _forget():
    """In a forked child: forgets the thread and the profile, which belong to the parent."""
    global _present
    _present = _DynamicProfile()


os.register_at_fork(after_in_child=_forget)


def _call(name, function, *arguments):
    """Reports a failure as an ERROR line; never raises an exception in the profiled program."""
    try:
        with _present.lock:
            return function(*arguments)
    except Exception as error:
        message.error("Call %s failed. Exception: %s" % (name, error))
        return None


def init(path):
    """Watches `path`/profiler_config.json; creates it with its defaults if it does not exist."""
    if _present.is_ready():
        message.warn("Init dynamic profiling repeatedly")
        return
    _call("init", _present.begin, path)


def init_daemon(proxy):
    """Watches for requests of the daemon dynolog, by a PyDynamicMonitorProxy of IPCMonitor. Raises
    an exception if the daemon does not answer."""
    if not _present.is_ready():
        _present.begin_daemon(proxy)


def step():
    """Ends a step of the program."""
    if not _present.is_ready():
        message.warn_once("dynamic_profile.step() takes no effect before init()")
        return
    _call("step", _present.script_step)


def end_optimizer_step():
    """Call it after an optimizer's step, if PROF_CONFIG_PATH is set: ends a step of the program."""
    _call("step", _present.optimizer_step)


def is_watching():
    return _present.is_ready()


def start(config_path=None):
    """Begins a profile at once, with the given file or the file of init(). Ignores start_step."""
    _call("start", _present.start, config_path)


def set_state(state):
    """Sets the state {"cur_step": N}: the number of steps that the program made before a
    restart."""
    value = state.get("cur_step", 0) if isinstance(state, dict) else None
    if type(value) is not int or value < 0:
        message.error('Call set_state failed: expected {"cur_step": N} with N at least 0, found %r'
                      % (state,))
        return
    _present.counter = value
