# SPDX-License-Identifier: Apache-2.0
"""Builds the bridge to the PyTorch of this process where it is missing, as STROBE_TORCH_BUILD asks.

`strobe run` has built it before, unless it could not tell which Python the command would run.
"""

import os
import sys

from .. import _strobe

_is_tried = False  # once a process: what failed would fail again


def provide(report):
    """Returns when the bridge is there, or cannot be; the builder says why on stderr. `report` is
    called with a line of text."""
    global _is_tried
    if _is_tried or "torch" not in sys.modules or _strobe.can_collect("cpu_op") != 0:
        return
    _is_tried = True
    if os.environ.get("STROBE_TORCH_BUILD") == "never":
        report(
            "PyTorch's operators are not recorded: there is no bridge to this PyTorch, and "
            'STROBE_TORCH_BUILD=never forbids to build it ("strobe torch build" does)'
        )
        return
    try:
        _build(os.path.dirname(os.path.abspath(sys.modules["torch"].__file__)))
    except Exception as error:
        report("Cannot build the bridge to PyTorch: %s" % error)


def _build(folder):
    from .. import command

    words = [command.find(), "torch", "build", "--if-missing", "--torch", folder]
    if os.environ.get("STROBE_TORCH_BUILD") == "background":
        words.append("--background")
    variables = ["%s=%s" % pair for pair in command.clean_variables().items()]
    _strobe.run_unseen(list(map(os.fsencode, words)), list(map(os.fsencode, variables)))
