# SPDX-License-Identifier: Apache-2.0
"""Prepares a process under a `strobe run` that does not record the run (tools/run-scripts.h). Only
profiles record: profiles in the script, or profiles that a file requests."""

import os


def begin():
    """Called once, before the script."""
    if os.environ.get("STROBE_RUN_AS") == "torch_npu":
        from . import torch_npu_names

        torch_npu_names.install()
    folder = os.environ.get("STROBE_RUN_PROF_CONFIG")
    if folder:
        from . import prof_config

        prof_config.begin(folder, is_run=True)
    elif os.environ.get("STROBE_RUN_DAEMON"):
        from . import prof_config

        prof_config.begin_daemon(is_run=True)
