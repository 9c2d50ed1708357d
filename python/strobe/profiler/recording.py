# SPDX-License-Identifier: Apache-2.0
"""One profile's session: start, step, stop, dump, and the last complete result."""

import json
import os
import shutil
import sys
import threading
import weakref

from .. import Error, _strobe, message
from ..compiled import kernels
from ..run import rank, step_marks, stepping, torch_bridge, torch_import
from .folders import PrivateFolder

_ending = None  # the last stopped session, until it is closed
_closing = threading.RLock()


def weakly(method, instead=None):
    """A function that calls the method without keeping the method's object alive. After the object
    has been freed, the function returns `instead`."""
    reference = weakref.WeakMethod(method)

    def call(*args):
        target = reference()
        return instead if target is None else target(*args)

    return call


def _close(session):
    """Waits until the results are written."""
    try:
        for line in (session.diagnostics or "").splitlines():
            message.warn_once(line)
        session.close()
    except Exception as error:
        message.error("Cannot finish the recording: %s" % error)


def settle():
    """Waits until the results of the last stopped session are written, and closes it."""
    global _ending
    with _closing:
        session, _ending = _ending, None
        if session is not None:
            _close(session)


def _forget():
    """In a forked child: forgets the session, which belongs to the parent."""
    global _ending, _closing
    _ending, _closing = None, threading.RLock()


os.register_at_fork(after_in_child=_forget)


class Recording:
    """A profile's session. The method `complete` is called with False after a window and with True
    after a dump. In the thread of this call, `directory` is the result directory of the window or
    dump; in other threads it is the last result directory. Private results are removed with the
    profile; before that, only the results that `windows` needs are kept."""

    def __init__(self, complete, windows):
        self._complete = weakly(complete)
        self._windows = windows
        self._session = None
        self._owner = None  # process that started the session; a forked child has none
        self._private = None
        self._torch_seen = False
        self._needs_bridge = False  # whether a collector loads the bridge to PyTorch
        self._has_steps = False  # whether there is a schedule
        self._reads = False  # whether results are read as soon as they are complete
        self._left = None  # the session that a handler stopped, until the call that ran the handler
                           # returns
        self._stops_after_dump = False  # whether a handler of a dump has called stop()
        self._ended = None  # result directory of the window that ended last
        self._last = None
        self._here = threading.local()

    @property
    def directory(self):
        return getattr(self._here, "directory", None) or self._last

    @directory.setter
    def directory(self, path):
        self._windows.move(self.directory, path)
        self._last = path
        if getattr(self._here, "directory", None) is not None:
            self._here.directory = path

    # ---- start and stop ----

    def is_running(self):
        return self._session is not None and self._owner == os.getpid()

    def parent(self, wanted):
        """The parent of the result directories: `wanted`, or a private folder if that is None."""
        if wanted is not None:
            return wanted
        if self._private is None:
            self._private = PrivateFolder()
        return self._private.path

    def start(self, config, metadata, schedule=None, first_step=0, reads=True):
        """Starts with step `first_step`. `schedule` maps a step to the number of an action and
        overrides the configuration's schedule; None: no override. `reads`: the function that
        `complete` calls reads the results, so `complete` is called after they are written."""
        if self.is_running():
            return
        if stepping.run_session is not None:
            message.warn_once(
                "strobe run records this process already: this profile records nothing itself, but "
                "its step() and its metadata are used for the run."
            )
            metadata.send_entries(stepping.run_session)
            return
        settle()
        rank.tell()
        self._stops_after_dump = False
        self._needs_bridge = not {"cpu_op", "memory"}.isdisjoint(config["collectors"])
        self._provide_bridge()
        session = _strobe.Session(json.dumps(config), "profile()")
        try:
            self._reads = reads
            session.on_window_end(weakly(self._window_ended))
            if reads:
                session.on_trace_ready(weakly(self._ready))
            metadata.send(session)
            rank.tell(session, True)
            self._session = session
            self._owner = os.getpid()
            if schedule is not None:
                session.set_schedule(lambda step: schedule(step) if step >= first_step else 0)
            self._has_steps = schedule is not None or "schedule" in config
            if "cpu_op" in config["collectors"]:
                kernels.want(self)  # needed before the collector opens
            session.start()
            torch_import.call_after(weakly(self._retry))
            for _ in range(first_step):  # steps that do not record
                session.step()
            if self._has_steps:
                step_marks.step_begins(session)
        except BaseException:
            self._session = None
            kernels.unwant(self)
            session.close()
            raise

    def step(self):
        if self.is_running():
            self._retry()
            rank.tell(self._session)
            try:
                if self._has_steps:
                    step_marks.step(self._session)
                else:
                    self._session.step()
            finally:
                self._end_left()
        elif stepping.run_session is not None and stepping.script_steps():
            step_marks.step(stepping.run_session)

    def _retry(self):
        """Provides the bridge to PyTorch if PyTorch was imported after the start."""
        if self.is_running() and not self._torch_seen and "torch" in sys.modules:
            self._torch_seen = True
            self._provide_bridge()
            self._session.retry()

    def _provide_bridge(self):
        if self._needs_bridge:
            torch_bridge.provide(message.warn_once)

    def stop(self):
        if not self.is_running():
            return
        if getattr(self._here, "dumping", False):  # dump() itself stops the profile at its end
            self._stops_after_dump = True
            return
        session = self._session
        kernels.unwant(self)
        rank.tell(session)
        try:
            session.stop()
        finally:
            self._session = None
            if self.is_telling():
                self._left = session
            else:
                self._end(session)

    def is_telling(self):
        """Whether this thread is in the method `complete`."""
        return getattr(self._here, "telling", False)

    def _end_left(self):
        """Closes the session if a handler has stopped it. Call it at the end of each call in which
        a handler may run."""
        if self._left is not None:
            self._end(self._left)
        if self._stops_after_dump:
            self._stops_after_dump = False
            self.stop()

    def _end(self, session):
        """Closes the session now if its results are needed or already written, otherwise later, so
        that this call does not wait for them."""
        global _ending
        self._left = None
        _ending = session
        if self._reads or session.is_written:
            settle()

    def toggle(self, names, is_on):
        """Pauses or resumes collectors in the current window."""
        if self.is_running():
            for name in names:
                self._session.toggle(name, is_on)

    def dump(self, reason):
        """Writes the records of a flight recorder to a result directory, and returns it."""
        session = self._session if self.is_running() else stepping.run_session
        if session is None:
            raise Error("no profile records: there is nothing to dump")
        try:
            path = session.dump(reason)
        finally:
            self._end_left()
        if session is self._session and not self._reads:
            self._last = path
        told = getattr(self._here, "told", None)  # a handler may have moved the directory
        return told[1] if told and told[0] == path else path

    def remove(self):
        """Removes private results."""
        settle()
        if self._private is not None:
            self._private.remove()
            self._private = None

    # ---- windows ----

    def add_metadata(self, key, value, is_json):
        session = self._session if self.is_running() else stepping.run_session
        if session is not None:
            session.add_metadata(key, value, is_json)

    def _window_ended(self, directory):
        before, self._last = self._last, directory
        self._ended = directory
        self._windows.add(directory)
        if self._private is not None and before is not None and not self._windows.keeps_all:
            _remove_inside(self._private.path, before)
        if not self._reads:
            self._tell(False)

    def _tell(self, is_dump):
        role = "dumping" if is_dump else "telling"
        setattr(self._here, role, True)
        try:
            self._complete(is_dump)
        finally:
            setattr(self._here, role, False)

    def _ready(self, directory):
        """Called when a window or a dump is complete. If the handler fails, a dump stays valid."""
        is_dump = directory != self._ended
        self._here.directory = self._last = directory
        try:
            self._tell(is_dump)
        except Exception as error:
            if not is_dump:
                raise
            message.error("Call on_trace_ready failed. Exception: %s" % error)
        finally:
            self._here.told = (directory, self.directory)
            del self._here.directory

    def is_private(self):
        """Whether the results are removed with the profile."""
        return self._private is not None

    def await_result(self):
        """Waits until the result of the last window is written."""
        if getattr(self._here, "directory", None) is None:
            settle()

    def result(self):
        """The last complete result directory. Raises Error if there is none."""
        self.await_result()
        if self.directory is None:
            raise Error("Invalid profiling path: no window of this profile is complete")
        return self.directory


def _remove_inside(parent, directory):
    if os.path.dirname(os.path.abspath(directory)) == os.path.abspath(parent):
        shutil.rmtree(directory, ignore_errors=True)
