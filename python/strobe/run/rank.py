# SPDX-License-Identifier: Apache-2.0
"""Takes the process groups from torch.distributed, and the rank if the environment does not set
one.

Every process under `strobe run` imports this module, so it imports only the extension module.
"""

import sys

from .. import _strobe
from . import process_groups, stepping

_told = None  # the rank that was set last


def tell(session=None, is_new=False):
    """Passes rank and groups to the session if a process group exists. Cheap; never raises. The
    default session is the one of `strobe run`."""
    _tell_rank()
    process_groups.tell(session or stepping.run_session, is_new)


def _tell_rank():
    global _told
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is None or not distributed.is_available():
            return
        if not distributed.is_initialized():
            return
        rank = distributed.get_rank()
    except Exception:  # a partly imported module, or a process group that is being destroyed
        return
    if isinstance(rank, int) and rank != _told:
        _told = rank
        _strobe.set_rank(rank)


def watch():
    """Passes rank and groups to the session as soon as a process group is made, because the program
    may destroy the group before the program ends."""
    import torch.distributed

    for name in ("init_process_group", "new_group"):
        original = getattr(torch.distributed, name, None)
        if original is not None:  # PyTorch is built with this function
            _look_after(name, original)
    tell()


def _look_after(name, original):
    """Replaces a function of torch.distributed by one that then also passes rank and groups to the
    session."""
    from functools import wraps

    import torch.distributed

    @wraps(original)
    def looking(*args, **kwargs):
        result = original(*args, **kwargs)
        tell()
        return result

    for owner in (sys.modules.get(original.__module__), torch.distributed):
        if getattr(owner, name, None) is original:
            setattr(owner, name, looking)
