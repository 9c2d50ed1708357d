# SPDX-License-Identifier: Apache-2.0
"""Ranges of what process groups of torch.distributed do, in the domain "communication".

libtorch itself reports the operations. So operations that no Python function issues are marked too,
such as the gradients' of DistributedDataParallel. From 2.1 on libtorch reports the group as well.
Before, the functions of torch.distributed are replaced by ones that name it, and an operation that
none of them issues is of the one group there is, or of the last one that its C++ object was named.
"""

import functools
import inspect

from .. import _strobe, message

_UPDATES = ("init_process_group", "new_group", "destroy_process_group")
_PEERS = {"send": "dst", "recv": "src"}
# isend and irecv are compared by identity in torch.distributed: they are left alone.
_OPERATIONS = (
    "all_gather", "_all_gather_base", "all_reduce", "all_to_all", "all_to_all_single", "barrier",
    "broadcast", "gather", "reduce", "reduce_scatter", "_reduce_scatter_base", "scatter", *_PEERS,
)


def mark(replacements):
    import torch.distributed

    if not torch.distributed.is_available():
        return
    problem = _strobe.mstx.mark_collectives()
    if problem is not None:
        if torch.distributed.is_initialized():  # others have nothing to miss
            message.warn_once("Communication is not marked: %s" % problem)
        return
    from torch.distributed import distributed_c10d

    if hasattr(distributed_c10d.ProcessGroup, "group_name"):
        return
    _update(distributed_c10d)
    for name in _UPDATES:
        _put(replacements, distributed_c10d, name, _updating)
    for name in _OPERATIONS:
        _put(replacements, distributed_c10d, name, _told)


def _put(replacements, distributed_c10d, name, wrap):
    """Replaces a function in torch.distributed and in the module that defines it."""
    import torch.distributed

    original = getattr(distributed_c10d, name, None)
    if original is None:
        return
    ours = wrap(original, distributed_c10d)
    for owner in (distributed_c10d, torch.distributed):
        if getattr(owner, name, None) is original:
            replacements.put(owner, name, lambda _: ours)


def _update(distributed_c10d):
    names = list(getattr(distributed_c10d, "_pg_names", {}).values())
    _strobe.mstx.set_usual_group(names[0] if len(names) == 1 else None)


def _updating(function, distributed_c10d):
    @functools.wraps(function)
    def marked(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        finally:
            _update(distributed_c10d)

    return marked


def _told(function, distributed_c10d):
    """Wraps the function: while it runs the collector knows its group."""
    signature = inspect.signature(function)
    peer_name = _PEERS.get(function.__name__)
    set_group = _strobe.mstx.set_group

    def tell(args, kwargs):
        try:
            given = signature.bind(*args, **kwargs).arguments
            group = given.get("group") or distributed_c10d._get_default_group()
            peer = given.get(peer_name) if peer_name else None
            set_group(_name_of(distributed_c10d, group), _rank_in(distributed_c10d, group, peer))
        except Exception:
            set_group(None)  # the function itself will say what is wrong

    @functools.wraps(function)
    def marked(*args, **kwargs):
        tell(args, kwargs)
        try:
            return function(*args, **kwargs)
        finally:
            set_group(None)

    return marked


def _name_of(distributed_c10d, group):
    if group is distributed_c10d.GroupMember.WORLD:
        group = distributed_c10d._get_default_group()
    return getattr(distributed_c10d, "_pg_names", {}).get(group)


def _rank_in(distributed_c10d, group, peer):
    """The rank inside the group; -1 without a peer."""
    if peer is None:
        return -1
    if group is distributed_c10d._get_default_group():
        return peer
    to_group = getattr(distributed_c10d, "get_group_rank", None)
    to_group = to_group or distributed_c10d._get_group_rank
    return to_group(group, peer)
