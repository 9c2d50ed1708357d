# SPDX-License-Identifier: Apache-2.0
"""The metadata of process groups, those of the host and simulated ones of HCCL."""

import json
import sys
import types
import unittest
from unittest import mock

import support  # noqa: F401  finds the package
from strobe.run import process_groups


class _Session:
    def __init__(self):
        self.metadata = {}

    def add_metadata(self, key, value, is_json):
        self.metadata[key] = json.loads(value) if is_json else value


class _HostGroup:
    def __init__(self, description):
        self.group_desc = description


class _Group:
    """A simulated HCCL group of torch_npu."""

    group_desc = "undefined"

    def __init__(self, name, config):
        self._communicator = name
        self.options = types.SimpleNamespace(hccl_config=config)

    def _get_backend(self, device):
        return self

    def get_hccl_comm_name(self, rank, init_comm):
        assert init_comm is False
        return self._communicator


def _c10d(world, **others):
    """Returns a simulated torch.distributed.distributed_c10d in process 2 of 4."""
    return types.SimpleNamespace(
        _pg_map={world: ("hccl", None),
                 **{group: (backend, None) for group, backend in others.values()}},
        _pg_names={world: "0", **{group: name for name, (group, _) in others.items()}},
        _pg_group_ranks={world: {0: 0, 1: 1, 2: 2, 3: 3},
                         **{group: {2: 1, 1: 0} for group, _ in others.values()}},
        _get_default_group=lambda: world,
        get_rank=lambda: 2, get_world_size=lambda: 4, get_backend=lambda: "hccl",
    )


class ProcessGroupsTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, process_groups, "_last", process_groups._last)
        self.addCleanup(setattr, process_groups, "_told", process_groups._told)

    def tell(self, c10d, session):
        distributed = types.SimpleNamespace(
            is_available=lambda: True, is_initialized=lambda: True, distributed_c10d=c10d)
        torch = types.SimpleNamespace(device=str)
        with mock.patch.dict(sys.modules, {"torch.distributed": distributed, "torch": torch}):
            process_groups.tell(session, True)
            return json.loads(process_groups.describe())

    def test_communicators(self):
        """An HCCL group is named after its communicator; without one it is left out."""
        world = _Group("10.0.0.1%eth0_60000_0_17", {})
        pair = _Group("10.0.0.1%eth0_60001_0_18", {"group_name": "dp"})
        idle = _Group("", None)
        c10d = _c10d(world, **{"1": (pair, "hccl"), "2": (idle, "hccl")})
        session = _Session()
        info = self.tell(c10d, session)
        self.assertEqual(session.metadata["parallel_group_info"], {
            "10.0.0.1%eth0_60000_0_17": {
                "group_name": "default_group", "group_rank": 2, "global_ranks": [0, 1, 2, 3]},
            "10.0.0.1%eth0_60001_0_18": {
                "group_name": "dp", "group_rank": 1, "global_ranks": [1, 2]},
        })
        self.assertEqual((info["backend"], info["rank"], info["world_size"], info["pg_count"]),
                         ("hccl", 2, 4, 3))
        self.assertEqual(info["pg_config"][1], {
            "pg_name": "1", "pg_desc": "undefined", "backend_config": "hccl", "pg_size": 2,
            "ranks": [1, 2]})

    def test_group_on_the_host(self):
        """A host group has its own name and the description that the program gave."""
        world = _HostGroup("default_pg")
        pair = _HostGroup("host pair")
        c10d = _c10d(world, **{"7": (pair, "gloo")})
        c10d._pg_map[world] = ("gloo", None)
        session = _Session()
        self.tell(c10d, session)
        groups = session.metadata["parallel_group_info"]
        self.assertEqual({name: group["group_name"] for name, group in groups.items()},
                         {"0": "default_group", "7": "host pair"})

    def test_group_that_is_taken_down(self):
        """A group that was destroyed causes no error, and its metadata stay."""
        world = _HostGroup("default_pg")
        c10d = _c10d(world)
        before = self.tell(c10d, _Session())
        c10d._pg_group_ranks.clear()
        session = _Session()
        self.assertEqual(self.tell(c10d, session), before)
        self.assertEqual(session.metadata, {})
