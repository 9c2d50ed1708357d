# SPDX-License-Identifier: Apache-2.0
"""Names of process groups, for PyTorch before 2.1, whose groups do not have names.

While a collector records communication, the functions of torch.distributed are replaced by
functions that pass the name of the group of each operation to the collector. For an operation that
none of these functions issues, the collector uses the name that it received last for the group's
C++ object, or the name of the only group.
"""

import functools
import inspect

from .replacements import Replacements

_UPDATES = ("init_process_group", "new_group", "destroy_process_group")
_PEERS = {"send": "dst", "recv": "src"}
# isend and irecv are not replaced, because torch.distributed compares them by identity.
_OPERATIONS = (
    "all_gather", "_all_gather_base", "all_reduce", "all_to_all", "all_to_all_single", "barrier",
    "broadcast", "gather", "reduce", "reduce_scatter", "_reduce_scatter_base", "scatter", *_PEERS,
)

_holders = {}  # name of a collector: its set_group() and set_usual_group()
_replacements = None  # None: no collector holds names


def hold(holder, set_group, set_usual_group):
    """Passes names to the collector until release()."""
    global _replacements
    from torch.distributed import distributed_c10d

    if hasattr(distributed_c10d.ProcessGroup, "group_name"):
        return
    _holders[holder] = set_group, set_usual_group
    if _replacements is None:
        _replacements = Replacements()
        for name in _UPDATES:
            _put(_replacements, distributed_c10d, name, _updating)
        for name in _OPERATIONS:
            _put(_replacements, distributed_c10d, name, _told)
    _update(distributed_c10d)


def release(holder):
    """The collector calls this when its window has ended."""
    global _replacements
    _holders.pop(holder, None)
    if not _holders and _replacements is not None:
        replacements, _replacements = _replacements, None
        replacements.undo()


def _set_group(*group):
    for set_group, _ in list(_holders.values()):
        set_group(*group)


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
    for _, set_usual_group in list(_holders.values()):
        set_usual_group(names[0] if len(names) == 1 else None)


def _updating(function, distributed_c10d):
    @functools.wraps(function)
    def marked(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        finally:
            _update(distributed_c10d)

    return marked


def _told(function, distributed_c10d):
    """Wraps the function so that the collector has the name of the function's group while it
    runs."""
    signature = inspect.signature(function)
    peer_name = _PEERS.get(function.__name__)

    def tell(args, kwargs):
        try:
            given = signature.bind(*args, **kwargs).arguments
            group = given.get("group") or distributed_c10d._get_default_group()
            peer = given.get(peer_name) if peer_name else None
            _set_group(_name_of(distributed_c10d, group), _rank_in(distributed_c10d, group, peer))
        except Exception:
            _set_group(None)  # the function itself reports the error

    @functools.wraps(function)
    def marked(*args, **kwargs):
        tell(args, kwargs)
        try:
            return function(*args, **kwargs)
        finally:
            _set_group(None)

    return marked


def _name_of(distributed_c10d, group):
    if group is distributed_c10d.GroupMember.WORLD:
        group = distributed_c10d._get_default_group()
    return getattr(distributed_c10d, "_pg_names", {}).get(group)


def _rank_in(distributed_c10d, group, peer):
    """The peer's rank inside the group; -1 without a peer."""
    if peer is None:
        return -1
    if group is distributed_c10d._get_default_group():
        return peer
    to_group = getattr(distributed_c10d, "get_group_rank", None)
    to_group = to_group or distributed_c10d._get_group_rank
    return to_group(group, peer)
