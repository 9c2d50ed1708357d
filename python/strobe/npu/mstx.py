# SPDX-License-Identifier: Apache-2.0
"""strobe.mstx by its name in torch_npu: of a module, and of what that module holds."""

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
