# SPDX-License-Identifier: Apache-2.0
"""Makes kernels of Inductor report themselves to profilers. A kernel does so if an option of
Inductor was on when the kernel was compiled. The option is part of the key of Inductor's cache.
While a session or a profile needs the option, Strobe switches it on during each compilation. Before
PyTorch 2.8, Dynamo calls no callbacks around backward functions that are compiled at their first
call, so the option is then on all the time.
"""

import contextlib

from .. import message
from ..run import torch_import
from . import surroundings

_wanted_by = set()
_all_the_time = contextlib.ExitStack()


def want(who):
    """Requests the option, until unwant(who)."""
    if not _wanted_by:
        surroundings.add(_switched_on)
        torch_import.call_after(_switch_on_if_old, surroundings.DYNAMO)
    _wanted_by.add(who)


def unwant(who):
    if who in _wanted_by:
        _wanted_by.remove(who)
        if not _wanted_by:
            torch_import.forget(_switch_on_if_old, surroundings.DYNAMO)
            _all_the_time.close()
            surroundings.remove(_switched_on)


def _switch_on_if_old():
    from torch._dynamo import callback

    if not hasattr(callback, "CallbackTrigger"):
        _all_the_time.enter_context(_switched_on())


def _switched_on():
    """Switches the option on until the end of the context."""
    stack = contextlib.ExitStack()
    try:
        from torch._inductor import config

        stack.enter_context(config.patch({"cpp.enable_kernel_profile": True}))
    except Exception as error:  # the option has another name, or there is no Inductor
        message.warn_once("Kernels of torch.compile are not recorded: %s" % error)
    return stack
