# SPDX-License-Identifier: Apache-2.0
"""Profiles an unchanged training script as a profiler_config.json (PROF_CONFIG_PATH) or the daemon
dynolog (MSMONITOR_USE_DAEMON=1) requests.

If Strobe is installed in the environment, strobe.pth calls this module; under `strobe run`,
script_profiles.py calls it. The profiler is imported after PyTorch. Errors are not reported before
that, so a process without PyTorch prints no errors.
"""

import os
import sys

from . import torch_import
from .attach import report

_FILE = "PROF_CONFIG_PATH"
_DAEMON = "MSMONITOR_USE_DAEMON"
_OLD_DAEMON = "KINETO_USE_DAEMON"  # PyTorch's own variable, which its Kineto reads

_has_begun = False


def begin_by_environment():
    """Called by strobe.pth. If the environment has variables for both a file and the daemon, uses
    the file."""
    if os.environ.get(_FILE):
        begin(os.environ[_FILE])
    elif os.environ.get(_DAEMON):
        begin_daemon()
    else:
        begin_daemon(_OLD_DAEMON)


def begin(folder, is_run=False):
    """Watches the file in `folder` when PyTorch has been imported. Call it before the script.
    `is_run`: the process runs under `strobe run`."""
    _begin(_FILE, lambda: _watch_file(folder), is_run)


def begin_daemon(variable=_DAEMON, is_run=False):
    """Like begin(), but with requests of the daemon."""
    if is_run or _is_on(variable):
        _begin(variable, lambda: _watch_daemon(variable), is_run)


def _is_on(variable):
    value = os.environ.get(variable, "")
    try:
        return int(value) == 1
    except ValueError:
        if variable == _DAEMON:
            report("%s has no effect: expected 1 or 0, found %r" % (variable, value))
        return False


def _begin(variable, watch, is_run):
    global _has_begun
    if _has_begun:  # site reads the files of an environment twice
        return
    _has_begun = True

    def start():
        try:
            if not is_run and _has_torch_npu():
                report("%s is left to torch_npu, which is installed: its profiler reads it; under "
                       "`strobe run` Strobe does" % variable)
            else:
                watch()
        except Exception as error:
            report("%s has no effect: %s" % (variable, error))

    torch_import.call_after(start)


def _watch_file(folder):
    from ..profiler import dynamic_profile

    dynamic_profile.init(folder)
    if not dynamic_profile.is_watching():
        raise ValueError("The path '%s' is invalid, and profiler will not be enabled." % folder)
    _count_iterations()


def _watch_daemon(variable):
    try:
        from IPCMonitor import PyDynamicMonitorProxy
    except ImportError as error:
        if variable == _DAEMON:  # the other variable may be meant for Kineto
            raise ValueError("the module IPCMonitor of msMonitor cannot be imported: %s"
                             % error) from None
        return
    from .. import message
    from ..profiler import dynamic_profile

    if variable == _OLD_DAEMON:
        message.warn("Environment variable 'KINETO_USE_DAEMON' will be deprecated. Please use "
                     "'MSMONITOR_USE_DAEMON' instead.")
    dynamic_profile.init_daemon(PyDynamicMonitorProxy())
    _count_iterations()


def _count_iterations():
    from ..profiler import dynamic_profile
    from . import optimizer_step

    optimizer_step.watch_iterations(dynamic_profile.end_optimizer_step)


def _has_torch_npu():
    """Whether a real torch_npu is installed, which watches the file itself."""
    from importlib.util import find_spec

    module = sys.modules.get("torch_npu")
    if module is not None:
        return not hasattr(module, "__strobe__")
    return find_spec("torch_npu") is not None
