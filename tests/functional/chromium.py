# SPDX-License-Identifier: Apache-2.0
"""Shows a page in a real Chromium, controlled through its debugging pipe."""

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
    """`with Page(place) as page`: loads a page, which is a path or a URL.

    `complaints` has the messages of the page's console. `answers` maps URLs to texts, which answer
    requests for other servers; any other such request fails.
    """

    def __init__(self, place, width=1200, height=900, answers=None):
        self.complaints = []
        self._places = answers or {}
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
            self.call("Fetch.enable", patterns=[{"urlPattern": "https://*"}])
            self._loaded = False
            url = place if "://" in str(place) else "file://" + os.path.abspath(place)
            self.call("Page.navigate", url=url)
            self._wait(lambda: self._loaded)
        except BaseException:
            self.close()
            raise

    def _start(self, width, height):
        read_commands, self._commands = os.pipe()
        self._events, write_events = os.pipe()

        def connect():  # Chromium expects the pipe's descriptors at 3 and 4
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

    def _send(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        with open(self._commands, "wb", closefd=False) as commands:
            commands.write(json.dumps(message).encode() + b"\0")
        return self._number

    def call(self, method, **parameters):
        number = self._send(method, **parameters)
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
        elif method == "Fetch.requestPaused":
            self._answer(parameters)
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.complaints.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(parameters["entry"]["text"])

    def _answer(self, parameters):
        """Answers a request for another URL."""
        text = self._places.get(parameters["request"]["url"])
        if text is None:
            self._send("Fetch.failRequest", requestId=parameters["requestId"],
                       errorReason="InternetDisconnected")
        else:
            self._send("Fetch.fulfillRequest", requestId=parameters["requestId"], responseCode=200,
                       responseHeaders=[{"name": "Content-Type", "value": "text/javascript"}],
                       body=base64.b64encode(text.encode()).decode())

    # ---- what a test asks ----

    def value(self, expression):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" % (expression, answer["exceptionDetails"]["text"]))
        return answer["result"].get("value")

    def wait_for(self, expression):
        """Waits until an expression in the page has a true value, and returns this value."""
        end = time.monotonic() + _PATIENCE_S
        while time.monotonic() < end:
            value = self.value(expression)
            if value:
                return value
            time.sleep(0.05)
        raise RuntimeError("waited in vain for %s" % expression)

    def follow(self, link):
        """Clicks the link at this selector, and waits until the page to which it leads is
        loaded."""
        self._loaded = False
        self.value("void setTimeout(() => document.querySelector(%s).click())" % json.dumps(link))
        self._wait(lambda: self._loaded)

    def mouse(self, kind, x, y, **more):
        """Sends a mouse event. `kind` is Moved, Pressed, Released or Wheel."""
        self.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **more)

    def screenshot(self, path):
        content = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        with open(path, "wb") as file:
            file.write(content)
        return content
