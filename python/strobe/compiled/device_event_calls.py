# SPDX-License-Identifier: Apache-2.0
"""Records calls of device events as operators such as `Event::record`, the names that torch_npu
uses. The methods of torch_npu.npu.Event are replaced while a window records."""

import functools
import sys

_METHODS = ("record", "wait", "query", "elapsed_time", "synchronize")


def replace(replacements):
    """Replaces the methods if torch_npu is already imported. A torch_npu that consists only of
    Strobe's modules has no Event."""
    npu = getattr(sys.modules.get("torch_npu"), "npu", None)
    event = vars(npu).get("Event") if npu is not None else None
    for name in _METHODS if event is not None else ():
        if hasattr(event, name):
            replacements.put(event, name, _ranged)


def _ranged(method):
    from torch.profiler import record_function

    name = "Event::" + method.__name__

    @functools.wraps(method)
    def ranged(*args, **kwargs):
        with record_function(name):
            return method(*args, **kwargs)

    return ranged
