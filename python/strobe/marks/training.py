# SPDX-License-Identifier: Apache-2.0
"""Ranges around the forward pass, that is the outermost call of a module in each thread."""

import functools
import threading

from .. import _strobe


def mark_forward(replacements):
    from torch.nn import Module

    here = threading.local()
    start, end = _strobe.mstx.range_start, _strobe.mstx.range_end

    def wrap(call):
        @functools.wraps(call)
        def __call__(self, *args, **kwargs):
            if getattr(here, "is_inside", False):
                return call(self, *args, **kwargs)
            here.is_inside = True
            number = start("forward")
            try:
                return call(self, *args, **kwargs)
            finally:
                end(number)
                here.is_inside = False

        return __call__

    replacements.put(Module, "__call__", wrap)
