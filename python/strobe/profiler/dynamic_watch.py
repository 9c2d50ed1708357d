# SPDX-License-Identifier: Apache-2.0
"""Watches the file of the dynamic profile, in a thread, so that no step waits for a file system."""

import os
import threading

from . import dynamic_config

POLL_S = 1.0


class Watch:
    """`report(text)` is called, by the thread, where the file cannot be used."""

    def __init__(self, path, report):
        self._path = path
        self._report = report
        self._seen = self._state()  # what is there from the beginning asks for nothing
        self._found = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="strobe-dynamic", daemon=True)
        self._thread.start()

    def take(self):
        """The newest configuration since the last call, None if there is none."""
        if self._found is None:
            return None
        found, self._found = self._found, None
        return found

    def close(self):
        self._stop.set()
        self._thread.join()

    def _run(self):
        while not self._stop.wait(POLL_S):
            try:
                self._look()
            except Exception as error:  # the next version may be a good one
                self._report(str(error))

    def _look(self):
        """If the file changes while it is read, the next look reads it again."""
        state = self._state()
        if state == self._seen:
            return
        self._seen = state
        if state is None:
            raise FileNotFoundError("%s is gone: it is looked for again" % self._path)
        self._found = dynamic_config.read(self._path)

    def _state(self):
        """A value that differs for each version, even within a second; None without a file."""
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino
