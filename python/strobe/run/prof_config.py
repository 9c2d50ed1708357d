# SPDX-License-Identifier: Apache-2.0
"""PROF_CONFIG_PATH: a script that trains is profiled as a profiler_config.json asks, unchanged.

strobe.pth begins it in an environment that Strobe is installed in, script_profiles.py under
`strobe run`. Nothing is imported before PyTorch is, and only then anything may be wrong.
"""

import sys

from . import torch_import
from .attach import report


_has_begun = False


def begin(folder, is_run=False):
    """Before the script. `is_run`: under `strobe run`."""
    global _has_begun
    if _has_begun:  # site reads the files of an environment twice
        return
    _has_begun = True

    def watch():
        try:
            _watch(folder, is_run)
        except Exception as error:
            report("PROF_CONFIG_PATH has no effect: %s" % error)

    torch_import.call_after(watch)


def _watch(folder, is_run):
    if not is_run and _has_torch_npu():
        report("PROF_CONFIG_PATH is left to torch_npu, which is installed: its profiler reads the "
               "file; under `strobe run` Strobe does")
        return
    from ..profiler import dynamic_profile
    from . import optimizer_step

    dynamic_profile.init(folder)
    if dynamic_profile.is_watching():
        optimizer_step.watch_iterations(dynamic_profile.end_optimizer_step)
    else:
        report("PROF_CONFIG_PATH has no effect: The path '%s' is invalid, and profiler will not be "
               "enabled." % folder)


def _has_torch_npu():
    """Whether the package is there that watches the file itself."""
    from importlib.util import find_spec

    module = sys.modules.get("torch_npu")
    if module is not None:
        return not hasattr(module, "__strobe__")
    return find_spec("torch_npu") is not None
