# SPDX-License-Identifier: Apache-2.0
"""Watches the file of the dynamic profile, in a thread, so that no step waits for a file system."""

import os
import threading
import time

from . import dynamic_config, dynamic_log

POLL_S = 1.0
# If a file changed less than this time ago, it may change again and keep the same time, because the
# clock of a file system may tick only every 10 ms.
_FRESH_NS = 20_000_000


class Watch:
    """Watches the file in its own thread. The thread calls `report(text)` if the file cannot be
    used, and logs each version that it finds in `log`."""

    def __init__(self, path, report, log=None):
        self._path = path
        self._report = report
        self._log = log or dynamic_log.no_log()
        self._seen = self._state()  # the first version of the file is no request
        self._found = None
        self._lock = threading.Lock()  # protects _found
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="strobe-dynamic", daemon=True)
        self._thread.start()

    def take(self):
        """The newest configuration since the last call, or None."""
        if self._found is None:
            return None
        with self._lock:
            found, self._found = self._found, None
        return found

    def close(self):
        self._stop.set()
        self._thread.join()
        self._log.info("Dynamic profiler process done")

    def _run(self):
        while not self._stop.wait(POLL_S):
            try:
                self._look()
            except FileNotFoundError as error:
                self._log.error("Dynamic profiler cfg json not exists")
                self._report(str(error))
            except Exception as error:  # the next version may be valid
                self._log.error("Dynamic profiler process load json failed, %s has occur!", error)
                self._report(str(error))

    def _look(self):
        """Reads the file if it has changed. If it changed just now, or changes while it is read, a
        later call reads it again."""
        state = self._state()
        if state == self._seen or _is_fresh(state):
            return
        data = failure = None
        try:
            data = self._read(state)
        except Exception as error:
            failure = error
        if self._state() != state:  # a mixture of two versions
            return
        self._seen = state
        if failure is not None:
            raise failure
        found = dynamic_config.parse(data, self._path)
        self._log.info("Dynamic profiler process load json success")
        with self._lock:
            self._found = found

    def _read(self, state):
        if state is None:
            raise FileNotFoundError("%s is missing; Strobe continues to look for it" % self._path)
        return dynamic_config.read_bytes(self._path)

    def _state(self):
        """A value that differs for each version of the file, even within a second; None if there is
        no file."""
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino


def _is_fresh(state):
    return state is not None and abs(time.time_ns() - state[0]) < _FRESH_NS
