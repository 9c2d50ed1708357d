# SPDX-License-Identifier: Apache-2.0
"""Watches the file of the dynamic profile, in a process beside the program, so that no step waits
for a file system."""

import os

from .. import _strobe
from . import dynamic_config, dynamic_log

POLL_S = 1.0
_CHANGED, _MISSING = 1, 2  # changes of _strobe.FileWatch; the third is a file that is refused


class Watch:
    """Watches the file. Calls `report(text)` if the file cannot be used, and logs each version that
    it finds in `log`."""

    def __init__(self, path, report, log=None):
        self._path = path
        self._report = report
        self._log = log or dynamic_log.no_log()
        self._file = _strobe.FileWatch(os.fsencode(path), int(POLL_S * 1e9))

    def take(self):
        """The newest configuration since the last call, or None. A later version that cannot be
        used does not replace it."""
        newest = None
        while (found := self._file.take()) is not None:
            newest = self._config_of(*found) or newest
        return newest

    def _config_of(self, change, data):
        """The configuration after a change of the file; None if the file cannot be used."""
        if change == _MISSING:
            self._log.error("Dynamic profiler cfg json not exists")
        if change != _CHANGED:
            self._refuse(data.decode("utf-8", "replace"), change != _MISSING)
            return None
        try:
            config = dynamic_config.parse(data, self._path)
        except dynamic_config.ConfigError as error:  # the next version may be valid
            self._refuse(str(error), True)
            return None
        self._log.info("Dynamic profiler process load json success")
        return config

    def _refuse(self, reason, is_there):
        if is_there:
            self._log.error("Dynamic profiler process load json failed, %s has occur!", reason)
        self._report(reason)

    def close(self):
        self._file.close()
        self._log.info("Dynamic profiler process done")
