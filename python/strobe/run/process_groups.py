# SPDX-License-Identifier: Apache-2.0
"""Describes the process groups of torch.distributed for the metadata of a result.

`parallel_group_info` in profiler_metadata.json lists the communicators by name, as the Ascend
PyTorch Profiler does. `distributedInfo` in a trace has the same contents as in a trace of
torch.profiler.
"""

import json
import sys

GROUP_INFO, DISTRIBUTED_INFO = "parallel_group_info", "distributedInfo"
_NO_DESCRIPTION = ("undefined", "default_pg")

_last = None  # distributedInfo of the groups that existed last
_told = None  # (id of a session, names of the groups that it has)


def _c10d():
    """PyTorch's module of process groups; None if it is missing or not imported."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available():
        return None
    return distributed.distributed_c10d if distributed.is_initialized() else None


def tell(session, is_new=False):
    """Passes the groups to a session, whose results contain them from then on. Never raises.
    `is_new`: the session has no groups yet."""
    global _told
    try:
        c10d = _c10d()
        if c10d is None or session is None:
            return
        known = id(session), tuple(c10d._pg_names.values())
        if is_new or _told != known:
            describe()
            session.add_metadata(GROUP_INFO, json.dumps(_group_info(c10d)), True)
            _told = known
    except Exception:  # a partly imported module, or a process group that is being destroyed
        return


def describe():
    """distributedInfo as JSON text, for the groups that exist or, without any, for those that
    existed last; None if there were no groups. The collector `metadata` calls this."""
    global _last
    try:
        c10d = _c10d()
        if c10d is not None:
            _last = json.dumps(_distributed_info(c10d))
    except Exception:
        pass
    return _last


def _ranks(c10d, group):
    """The members of the group, by their ranks in the whole job, in the order of their ranks in the
    group."""
    in_group = c10d._pg_group_ranks[group]
    return sorted(in_group, key=in_group.get)


def _backend(c10d, group):
    return str(c10d._pg_map[group][0])


def _distributed_info(c10d):
    groups = list(c10d._pg_map)
    configs = getattr(c10d, "_get_all_pg_configs", None)
    return {
        "backend": str(c10d.get_backend()),
        "rank": c10d.get_rank(),
        "world_size": c10d.get_world_size(),
        "pg_count": len(groups),
        "pg_config": configs() if configs else [
            {
                "pg_name": c10d._pg_names[group],
                "pg_desc": "default_pg" if _is_default(c10d, group) else "undefined",
                "backend_config": _backend(c10d, group),
                "pg_size": len(c10d._pg_group_ranks[group]),
                "ranks": _ranks(c10d, group),
            }
            for group in groups
        ],
    }


def _is_default(c10d, group):
    return group is c10d._get_default_group()


def _group_info(c10d):
    rank = c10d.get_rank()
    found = {}
    for group in c10d._pg_map:
        communicator, name = _communicator(c10d, group, rank)
        if communicator:
            found[communicator] = {
                "group_name": "default_group" if _is_default(c10d, group) else name,
                "group_rank": c10d._pg_group_ranks[group][rank],
                "global_ranks": _ranks(c10d, group),
            }
    return found


def _communicator(c10d, group, rank):
    """The name of the group's communicator, and the name that the program gave to the group. On the
    host the group itself is the communicator."""
    if _backend(c10d, group) == "hccl":
        return _hccl_communicator(group, rank)
    description = getattr(group, "group_desc", "")
    return c10d._pg_names[group], "" if description in _NO_DESCRIPTION else description


def _hccl_communicator(group, rank):
    import torch

    backend = group._get_backend(torch.device("npu"))
    config = getattr(backend.options, "hccl_config", None) or {}
    return backend.get_hccl_comm_name(rank, init_comm=False), config.get("group_name", "")
