# SPDX-License-Identifier: Apache-2.0
"""Replaces msMonitor's module, which gets requests from the daemon dynolog. The files in the folder
IPC_MONITOR_DOUBLE play the daemon: `request` is returned once, `status` gets the newest state,
`calls` logs the other calls, and `down` means that no daemon answers."""

import json
import os
import pathlib

_FOLDER = pathlib.Path(os.environ["IPC_MONITOR_DOUBLE"])


class PyDynamicMonitorProxy:
    def init_dyno(self, npu_id):
        self._note("init %d" % npu_id)
        return not (_FOLDER / "down").exists()

    def poll_dyno(self):
        taken = _FOLDER / "taken"
        try:
            os.replace(_FOLDER / "request", taken)
        except FileNotFoundError:
            return ""
        return taken.read_text()

    def update_profiler_status(self, status):
        new = _FOLDER / "status.new"
        new.write_text(json.dumps(status))
        os.replace(new, _FOLDER / "status")

    def enable_dyno_npu_monitor(self, request):
        self._note("monitor " + json.dumps(request))

    def finalize_dyno(self):
        self._note("finalize")

    def _note(self, line):
        with open(_FOLDER / "calls", "a") as file:
            file.write(line + "\n")
