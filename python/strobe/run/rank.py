# SPDX-License-Identifier: Apache-2.0
"""The rank that torch.distributed knows, for a process whose environment names none. Every
process under `strobe run` imports this module, so it imports only the extension module.
"""

import sys

from .. import _strobe

_told = None  # the last rank that was set


def tell():
    """Checks whether there is a process group; cheap, and never fails."""
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
    """Sets the rank when a process group is made; at the end the group may be gone."""
    from functools import wraps

    import torch.distributed

    original = getattr(torch.distributed, "init_process_group", None)
    if original is None:  # built without it
        return

    @wraps(original)
    def init_process_group(*args, **kwargs):
        result = original(*args, **kwargs)
        tell()
        return result

    module = sys.modules.get(original.__module__)
    for owner in (module, torch.distributed):
        if getattr(owner, "init_process_group", None) is original:
            owner.init_process_group = init_process_group
    tell()
