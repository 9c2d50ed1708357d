# SPDX-License-Identifier: Apache-2.0
"""Records the work of torch.compile and the calls of device events, for the collector cpu_op.

The collector calls open() and close() with the session, start() and stop() with each window, in the
thread that drives the session. Everything that is replaced in PyTorch is restored exactly. If the
PyTorch in use does not have a name that is needed here, one warning says which records are missing.
"""

import sys

from .. import _strobe, message
from ..marks import group_names
from ..marks.replacements import Replacements
from ..run import torch_import
from . import compilations, device_event_calls, functions, kernels, surroundings

_session = None  # the collector's session
_window = None  # replacements while a window records
_name_events = None  # runs when torch_npu is imported, while a window records


def open(capsule, has_kernels):
    """The collector calls this when a session opens. `has_kernels`: not empty if compiled kernels
    are recorded."""
    close()
    _strobe.compiled.adopt(capsule)
    global _session
    _session = Replacements()
    session = _session

    def listen():
        if session is _session:
            compilations.listen(session)

    torch_import.call_after(lambda: _guarded(listen))
    surroundings.add(compilations.timed)
    if has_kernels:
        kernels.want("session")


def close():
    """The session closes."""
    global _session
    replacements, _session = _session, None
    stop()
    kernels.unwant("session")
    surroundings.remove(compilations.timed)
    if replacements is not None:
        replacements.undo()


def start():
    """A window begins."""
    stop()
    global _window, _name_events
    _window = Replacements()
    window = _window

    def replace():
        if window is _window:
            functions.replace(window)

    def name_groups():
        if window is _window:
            _name_groups()

    def name_events():
        device_event_calls.replace(window)

    torch_import.call_after(lambda: _guarded(replace))
    torch_import.call_after(name_groups)
    _name_events = name_events
    torch_import.call_after(name_events, "torch_npu")


def _name_groups():
    """Gives the collector the names of process groups, for its records of communication."""
    try:
        import torch.distributed

        if torch.distributed.is_available():
            group_names.hold("cpu_op", _strobe.compiled.set_group, _strobe.compiled.set_usual_group)
    except (AttributeError, ImportError) as error:  # PyTorch without distributed
        message.warn_once("Names of process groups are not recorded: %s" % error)


def stop():
    """The window ends."""
    global _window
    replacements, _window = _window, None
    if replacements is not None:
        torch_import.forget(_name_events, "torch_npu")
        group_names.release("cpu_op")
        functions.put_back()
        replacements.undo()


def _guarded(call):
    try:
        if hasattr(sys.modules["torch"], "compile"):
            call()
    except (AttributeError, ImportError) as error:  # not in this PyTorch
        message.warn_once("Cannot record everything that torch.compile does: %s" % error)
