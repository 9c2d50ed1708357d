# SPDX-License-Identifier: Apache-2.0
"""Starts the recording of a Python process under `strobe run`, and ends it at exit.

No failure here may break the script: a failure prints one line on stderr. core/session/attach.h
describes the protocol. Besides atexit this module imports only modules that the interpreter has
already loaded.
"""

import atexit
import os
import sys

from .. import _strobe
from ..bootstrap import strobe_run_environment as environment
from . import stepping


def report(text):
    """One line on stderr, or nothing if even that fails."""
    try:
        sys.stderr.write("strobe: %s\n" % " ".join(str(text).split()))
        sys.stderr.flush()
    except Exception:
        pass


_follow = None  # are children recorded too? None: attach() was not called


def attach():
    """Begins the recording. Called once, before the script."""
    global _follow
    _follow = follow = os.environ.get("STROBE_RUN_FOLLOW") == "1"
    step_on = os.environ.get("STROBE_RUN_STEP_ON") or "first"
    needs_bridge = os.environ.get("STROBE_RUN_TORCH") == "1"
    _hook(step_on, follow, os.environ.get("STROBE_RUN_DIR"), needs_bridge)
    _begin(follow)


def woken():
    """Called after a mark, which may have begun the session. If so, this process owns the
    session."""
    try:
        if _follow is not None:
            _begin(_follow)
    except Exception as error:
        report("Cannot record this process: %s" % error)


def _begin(follow):
    if stepping.run_session is not None or _start() is None:
        return
    if follow:
        os.register_at_fork(after_in_child=_start)
    else:
        _clean()


def _clean():
    """Removes the variables of the run, so that children are not recorded, unless a child process
    might still take the recording over."""
    if not environment.may_pass_on(os.environ):
        environment.clean(os.environ, is_recording=True)


def _start():
    try:
        session = _strobe.attach()
    except Exception as error:
        report("Cannot record this process: %s" % error)
        return None
    stepping.run_session = session
    if session is not None:
        atexit.register(_stop, session)
    return session


def _stop(session):
    """Ends the session at exit. A forked child inherits this exit handler, but the session does
    nothing there."""
    try:
        session.stop()
        session.close()
    except Exception as error:
        report("Cannot finish the recording: %s" % error)
    if stepping.run_session is session:
        stepping.run_session = None


def _hook(step_on, follow=False, folder=None, needs_bridge=False):
    from . import torch_import

    def ready():
        try:
            if needs_bridge and (stepping.run_session or environment.is_open(os.environ)):
                from . import torch_bridge

                torch_bridge.provide(report)
            if stepping.run_session is None:
                _begin(follow)  # a mark may have begun the session, so check again
            if stepping.run_session is not None:
                stepping.run_session.retry()
                if not follow:
                    _clean()
                from . import rank

                rank.watch()
            if stepping.run_session is not None and step_on != "manual":
                from . import optimizer_step

                optimizer_step.watch(step_on, folder)
        except Exception as error:
            report("Cannot watch PyTorch: %s" % error)

    torch_import.call_after(ready)
