# SPDX-License-Identifier: Apache-2.0
"""A page in a real Chromium, driven through its debugging pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium")
_PATIENCE_S = 60


class Page:
    """`with Page(path) as page`: the page is loaded. `complaints` is what its console told."""

    def __init__(self, path, width=1200, height=900):
        self.complaints = []
        self._answers = {}
        self._number = 0
        self._rest = b""
        self._loaded = False
        self._folder = tempfile.mkdtemp(prefix="strobe-chromium-")
        self._start(width, height)
        try:
            self._session = None
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            answer = self.call("Target.attachToTarget", targetId=target, flatten=True)
            self._session = answer["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                self.call(domain + ".enable")
            self._loaded = False
            self.call("Page.navigate", url="file://" + os.path.abspath(path))
            self._wait(lambda: self._loaded)
        except BaseException:
            self.close()
            raise

    def _start(self, width, height):
        read_commands, self._commands = os.pipe()
        self._events, write_events = os.pipe()

        def connect():  # the pipe's places are 3 and 4
            commands, events = os.dup(read_commands), os.dup(write_events)
            os.dup2(commands, 3)
            os.dup2(events, 4)

        self._process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--user-data-dir=" + self._folder, "--window-size=%d,%d" % (width, height),
             "--disable-background-networking", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), preexec_fn=connect,
        )  # fmt: skip
        os.close(read_commands)
        os.close(write_events)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self._commands)
        os.close(self._events)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    # ---- the protocol: JSON texts that end with a zero ----

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        number = self._number
        self._wait(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def _wait(self, condition):
        end = time.monotonic() + _PATIENCE_S
        while not condition():
            ready, _, _ = select.select([self._events], [], [], max(end - time.monotonic(), 0))
            content = os.read(self._events, 1 << 16) if ready else b""
            if not content:
                raise RuntimeError("Chromium does not answer")
            *messages, self._rest = (self._rest + content).split(b"\0")
            for each in messages:
                self._take(json.loads(each))

    def _take(self, message):
        method, parameters = message.get("method"), message.get("params")
        if "id" in message:
            self._answers[message["id"]] = message
        elif method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.complaints.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(parameters["entry"]["text"])

    # ---- what a test asks ----

    def value(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" % (expression, answer["exceptionDetails"]["text"]))
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        """kind: Moved, Pressed, Released, Wheel."""
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **more)

    def screenshot(self, path):
        content = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        with open(path, "wb") as file:
            file.write(content)
        return content
