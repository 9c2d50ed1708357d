# SPDX-License-Identifier: Apache-2.0
"""LTTng-UST as a peer: a session daemon with separate folders, which runs only during the benchmark, and one session
with the events of bench/lttng.c."""

import os
import shutil
import subprocess
import tempfile
import time

CHANNEL = ["--userspace", "--subbuf-size=4M", "--num-subbuf=4"]
WAIT_S = 10
# The daemon of root has its sockets in /run/lttng, and ignores LTTNG_HOME. A mount namespace gives it a separate
# /run, so that it can run at the same time as the daemon of the system.
OWN_RUN = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs lttng /run && exec "$@"', "sh"]


class LttngError(Exception):
    """LTTng cannot be measured here."""


def _can_own_run():
    if os.geteuid() != 0:
        return False
    try:
        return subprocess.run([*OWN_RUN, "true"], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


class Lttng:
    """A context manager that starts and ends the daemon."""

    def __init__(self, environment):
        for name in ("lttng", "lttng-sessiond"):
            if not shutil.which(name):
                raise LttngError("%s is not installed (package lttng-tools)" % name)
        self._environment = environment
        self._own_run = _can_own_run()
        self._daemon = None

    def __enter__(self):
        # Not below the build folder, because a socket's path may have at most 107 characters.
        self._folder = tempfile.TemporaryDirectory(prefix="strobe-lttng-")
        self.home = self._folder.name
        # Programs register with the daemon before main: -1 makes them wait for it.
        self._environment = dict(self._environment, HOME=self.home, LTTNG_HOME=self.home,
                                 LTTNG_UST_REGISTER_TIMEOUT="-1")
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        if self._daemon:
            self._daemon.terminate()
            try:
                self._daemon.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                self._daemon.kill()
                self._daemon.wait()
        self._folder.cleanup()

    def _start(self):
        if not self._own_run and self._answers():
            raise LttngError("a session daemon runs already: stop it first")
        self._daemon = subprocess.Popen(
            [*(OWN_RUN if self._own_run else []), "lttng-sessiond", "--no-kernel"],
            env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        end = time.monotonic() + WAIT_S
        while not self._answers():
            if self._daemon.poll() is not None or time.monotonic() > end:
                raise LttngError("lttng-sessiond does not start")
            time.sleep(0.05)

    def command(self, *words):
        """A command that is connected to the daemon, and its environment."""
        enter = []
        if self._own_run and self._daemon:
            # The root must be set too, because a process in the namespace starts outside of a chroot.
            enter = ["nsenter", "--target", str(self._daemon.pid), "--mount", "--root",
                     "--wd=" + os.getcwd()]
        return [*enter, *words], self._environment

    def _answers(self):
        # Without --no-sessiond the command would start another daemon.
        return self._run("list") == 0

    def _run(self, *words):
        command, environment = self.command("lttng", "--no-sessiond", *words)
        return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode

    def _must(self, *words):
        if self._run(*words):
            raise LttngError("lttng %s fails" % " ".join(words))

    def begin(self, name, *flags):
        """Starts a session that records the two events; with `--snapshot` it keeps only the last events, in memory."""
        output = os.path.join(self.home, name)
        self._must("create", name, "--output=" + output, *flags)
        self._must("enable-channel", "events", *CHANNEL)
        self._must("enable-event", "--userspace", "--channel=events", "strobe_bench:*")
        self._must("start")
        return output

    def end(self, name):
        self._must("destroy", name)
