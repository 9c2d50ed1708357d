# SPDX-License-Identifier: Apache-2.0
"""One profile's session: start, step, stop, and the window that was completed last."""

import json
import os
import shutil
import sys
import weakref

from .. import Error, _strobe, message
from ..run import stepping, torch_import
from .folders import PrivateFolder


def weakly(method, instead=None):
    """The method as a function that does not keep its object; `instead` once that is gone."""
    reference = weakref.WeakMethod(method)

    def call(*args):
        target = reference()
        return instead if target is None else target(*args)

    return call


class Recording:
    """`complete`, a method, is called as a window is complete; `directory` is then its result
    directory. Private results vanish with the profile, and only the last is kept."""

    def __init__(self, complete):
        self._complete = weakly(complete)
        self._session = None
        self._owner = None  # process that started the session; a forked child has none
        self._private = None
        self._torch_seen = False
        self.directory = None

    # ---- life ----

    def is_running(self):
        return self._session is not None and self._owner == os.getpid()

    def parent(self, wanted):
        """The parent of the result directories: as wanted, or a private folder."""
        if wanted is not None:
            return wanted
        if self._private is None:
            self._private = PrivateFolder()
        return self._private.path

    def start(self, config, metadata, schedule=None, first_step=0):
        """Starts with step `first_step`. `schedule`, if given, maps a step to an action's number
        and goes before the configuration's."""
        if self.is_running():
            return
        if stepping.run_session is not None:
            message.warn_once(
                "strobe run records this process already: this profile takes no data of its own, "
                "its step() and its metadata are passed on."
            )
            metadata.send_entries(stepping.run_session)
            return
        session = _strobe.Session(json.dumps(config), "profile()")
        try:
            session.on_trace_ready(weakly(self._window_complete))
            metadata.send(session)
            self._session = session
            self._owner = os.getpid()
            if schedule is not None:
                session.set_schedule(lambda step: schedule(step) if step >= first_step else 0)
            session.start()
            torch_import.call_after(weakly(self._retry))
            for _ in range(first_step):  # none of them records
                session.step()
        except BaseException:
            self._close()
            raise

    def step(self):
        if self.is_running():
            self._retry()
            self._session.step()
        elif stepping.run_session is not None and stepping.script_steps():
            stepping.run_session.step()

    def _retry(self):
        """PyTorch may have been imported after the start."""
        if self.is_running() and not self._torch_seen and "torch" in sys.modules:
            self._torch_seen = True
            self._session.retry()

    def stop(self):
        if not self.is_running():
            return
        try:
            self._session.stop()
            for line in (self._session.diagnostics or "").splitlines():
                message.warn_once(line)
        finally:
            self._close()

    def _close(self):
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def remove(self):
        """Removes private results."""
        if self._private is not None:
            self._private.remove()
            self._private = None

    # ---- windows ----

    def add_metadata(self, key, value, is_json):
        session = self._session if self.is_running() else stepping.run_session
        if session is not None:
            session.add_metadata(key, value, is_json)

    def _window_complete(self, directory):
        if self._private is not None and self.directory is not None:
            _remove_inside(self._private.path, self.directory)
        self.directory = directory
        self._complete()

    def is_private(self):
        """Whether the results vanish with the profile."""
        return self._private is not None

    def result(self):
        """The last complete result directory. Raises Error if there is none."""
        if self.directory is None:
            raise Error("Invalid profiling path: no window of this profile is complete")
        return self.directory


def _remove_inside(parent, directory):
    if os.path.dirname(os.path.abspath(directory)) == os.path.abspath(parent):
        shutil.rmtree(directory, ignore_errors=True)
