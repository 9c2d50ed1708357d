# SPDX-License-Identifier: Apache-2.0
"""The part of torch_npu.npu that Strobe provides: mstx."""

from . import mstx

__all__ = ["mstx"]


def __getattr__(name):
    raise AttributeError("module %r has no attribute %r: Strobe provides only mstx of torch_npu.npu"
                         % (__name__, name))
