# SPDX-License-Identifier: Apache-2.0
"""strobe.mstx with the module's name in torch_npu."""

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
