# SPDX-License-Identifier: Apache-2.0
"""strobe.mstx with its name in torch_npu: the module and everything in it."""

from .. import mstx
from ..mstx import (
    annotate,
    mark,
    mstx_range,
    range_end,
    range_pop,
    range_push,
    range_start,
)

__all__ = [
    "annotate",
    "mark",
    "mstx",
    "mstx_range",
    "range_end",
    "range_pop",
    "range_push",
    "range_start",
]
