# SPDX-License-Identifier: Apache-2.0
"""Data of a device's event other than its times."""

import collections

FIELDS = (
    "registers_per_thread",
    "shared_memory",
    "grid",
    "block",
    "priority",
    "blocks_per_sm",
    "warps_per_sm",
    "occupancy",
    "est_occupancy_pct",
    "queued",
    "graph_id",
    "graph_node_id",
    "stream",
    "context",
    "channel",
    "channel_type",
    "bytes",
    "bandwidth_gb_s",
    "collective_name",
    "dtype",
    "in_msg_nelems",
    "out_msg_nelems",
    "in_split_size",
    "out_split_size",
    "global_rank_start",
    "global_rank_stride",
    "group_size",
    "process_group_name",
    "process_group_desc",
    "group_ranks",
    "rank",
    "src_rank",
    "dst_rank",
    "seq",
    "is_async",
)

#: The fields that torch.profiler has; fields that were not measured are None.
EventMetadata = collections.namedtuple("EventMetadata", FIELDS, defaults=(None,) * len(FIELDS))


def make_metadata(values):
    """An EventMetadata with these values, or None if all values are None."""
    known = {name: value for name, value in values.items() if value is not None}
    return EventMetadata(**known) if known else None
