# SPDX-License-Identifier: Apache-2.0
"""What torch_npu.npu has and Strobe too: mstx."""

from . import mstx

__all__ = ["mstx"]


def __getattr__(name):
    raise AttributeError("module %r has no attribute %r: of torch_npu.npu Strobe has mstx alone"
                         % (__name__, name))
