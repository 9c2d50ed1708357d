# SPDX-License-Identifier: Apache-2.0
"""Builds the bridge to the PyTorch of this process if the bridge is missing, unless
STROBE_TORCH_BUILD forbids it. `strobe run` has usually built the bridge before, except if it could
not determine the command's Python.
"""

import os
import sys

from .. import _strobe

_is_tried = False  # only one attempt, because a second one would fail again


def provide(report):
    """Returns when the bridge exists or cannot be built; the builder prints the reason on stderr.
    `report` is called with a line of text."""
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
