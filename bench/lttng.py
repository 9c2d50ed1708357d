# SPDX-License-Identifier: Apache-2.0
"""LTTng-UST as a peer: a session daemon that lives as long as the benchmark, in a home of its own,
with one session whose events are those of bench/lttng.c."""

import os
import shutil
import subprocess
import time

CHANNEL = ["--userspace", "--subbuf-size=4M", "--num-subbuf=4"]
WAIT_S = 10


class LttngError(Exception):
    """LTTng cannot be measured here."""


class Lttng:
    """The daemon, as a context manager."""

    def __init__(self, scratch, environment):
        for name in ("lttng", "lttng-sessiond"):
            if not shutil.which(name):
                raise LttngError("%s is not installed (lttng-tools)" % name)
        self.home = os.path.join(scratch, "lttng")
        os.makedirs(self.home, exist_ok=True)
        # Programs register with the daemon before main: -1 makes them wait for it.
        self.environment = dict(environment, HOME=self.home, LTTNG_HOME=self.home,
                                LTTNG_UST_REGISTER_TIMEOUT="-1")
        self.daemon = None

    def __enter__(self):
        if self._answers():
            raise LttngError("a session daemon runs already: stop it first")
        self.daemon = subprocess.Popen(
            ["lttng-sessiond", "--no-kernel"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + WAIT_S
        while not self._answers():
            if self.daemon.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise LttngError("lttng-sessiond does not start")
            time.sleep(0.05)
        return self

    def __exit__(self, *unused):
        if self.daemon.poll() is None:
            self.daemon.terminate()
        try:
            self.daemon.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            self.daemon.wait()

    def _answers(self):
        # Without --no-sessiond the command would start a daemon of its own.
        return self._run("list") == 0

    def _run(self, *words):
        done = subprocess.run(["lttng", "--no-sessiond", *words], env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode

    def _must(self, *words):
        if self._run(*words):
            raise LttngError("lttng %s fails" % " ".join(words))

    def begin(self, name, *flags):
        """A session that records the two events; `--snapshot` keeps the last of them in memory."""
        output = os.path.join(self.home, name)
        self._must("create", name, "--output=" + output, *flags)
        self._must("enable-channel", "events", *CHANNEL)
        self._must("enable-event", "--userspace", "--channel=events", "strobe_bench:*")
        self._must("start")
        return output

    def end(self, name):
        self._must("destroy", name)
