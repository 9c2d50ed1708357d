# SPDX-License-Identifier: Apache-2.0
"""Marks that Strobe itself makes in PyTorch, while the collector `marker` records.

The collector calls begin() and end(), in the thread that starts and stops the session. All replaced
attributes of PyTorch are restored exactly.
"""

import sys

from .. import _strobe, message
from ..run import step_marks, torch_import
from . import group_names
from .replacements import Replacements

# Names of the collector's option `ranges` for which attributes of PyTorch are replaced
_IN_TORCH = ("communication", "dataloader", "save_checkpoint", "forward", "flops")

_replacements = None  # while a window records
_asked = set()  # ranges that request() named


def begin(capsule, ranges):
    """The collector calls this when a window begins. `ranges`: names in the collector's option,
    joined by '+'."""
    end()
    if not _strobe.mstx.adopt(capsule):
        message.warn_once(
            "MSTX_INJECTION_PATH names another tool: it gets the marks of strobe.mstx."
        )
    global _replacements
    _replacements = Replacements()
    wanted = {name for name in ranges.split("+") if name} | _asked
    step_marks.begin(wanted)
    _install(wanted)


def end():
    """The window ends."""
    global _replacements
    replacements, _replacements = _replacements, None
    step_marks.end()
    if replacements is not None:
        group_names.release("marker")
        replacements.undo()


def request(*names):
    """Requests ranges that are not marked by default, in all windows from now on: "flops",
    "forward", "step"."""
    known = {*_IN_TORCH, *step_marks.NAMES}
    for name in names:
        if name not in known:
            names = ", ".join(sorted(known))
            raise ValueError("there is no range %r; there are: %s" % (name, names))
    _asked.update(names)
    if _replacements is not None:
        step_marks.add(set(names))
        _install(set(names))


def _install(wanted):
    wanted = wanted.intersection(_IN_TORCH)
    window = _replacements
    if not wanted:
        return

    def install():
        if window is _replacements:
            _replace(window, wanted)

    if "torch" in sys.modules:
        install()
    else:
        torch_import.call_after(install)


def _replace(replacements, wanted):
    from . import communication, flops, loading, training

    try:
        if "communication" in wanted:
            communication.mark()
        if "dataloader" in wanted:
            loading.mark_dataloader(replacements)
        if "save_checkpoint" in wanted:
            loading.mark_save(replacements)
        if "forward" in wanted:
            training.mark_forward(replacements)
        if "flops" in wanted:
            flops.mark(replacements)
    except (AttributeError, ImportError) as error:  # not in this PyTorch
        message.warn_once("Cannot mark what PyTorch does: %s" % error)
