# SPDX-License-Identifier: Apache-2.0
"""Ranges of the operations of torch.distributed's process groups, in the domain "communication".

libtorch itself reports the operations. So operations that no Python function issues are marked too,
such as the gradients' of DistributedDataParallel. A group's own threads report most operations, and
they do not know their group. The group is known for send() and recv(), and where the process has
only one.
"""

import functools
import inspect

from .. import _strobe, message

_UPDATES = ("init_process_group", "new_group", "destroy_process_group")
# torch.distributed compares isend and irecv by identity: they are not replaced.
_PEERS = {"send": "dst", "recv": "src"}


def mark(replacements):
    import torch.distributed

    if not torch.distributed.is_available():
        return
    problem = _strobe.mstx.mark_collectives()
    if problem is not None:
        if torch.distributed.is_initialized():  # others lack nothing
            message.warn_once("Communication is not marked: %s" % problem)
        return
    from torch.distributed import distributed_c10d

    _update(distributed_c10d)
    for name in _UPDATES:
        _put(replacements, distributed_c10d, name, _updating)
    for name in _PEERS:
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
    """Wraps the function: while it runs, the collector knows its group."""
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
            set_group(None)  # the function itself reports the error

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
