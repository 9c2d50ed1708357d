# SPDX-License-Identifier: Apache-2.0
"""Ranges of the operations of torch.distributed's process groups, in the domain "communication".

libtorch itself reports the operations. So operations that no Python function issues are marked too,
for example the operations that DistributedDataParallel issues for gradients.
"""

from .. import _strobe, message
from . import group_names


def mark():
    """Marks the operations until the window ends."""
    import torch.distributed

    if not torch.distributed.is_available():
        return
    problem = _strobe.mstx.mark_collectives()
    if problem is None:
        group_names.hold("marker", _strobe.mstx.set_group, _strobe.mstx.set_usual_group)
    elif torch.distributed.is_initialized():  # no groups: nothing is missing
        message.warn_once("Communication is not marked: %s" % problem)
