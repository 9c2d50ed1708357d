# SPDX-License-Identifier: Apache-2.0
"""Options that a thread sets for its own operators."""

import threading

from .. import _strobe, message

_here = threading.local()


def enable(switches):
    """From now on, records the calling thread's operators with these switches."""
    if getattr(_here, "is_enabled", False):
        message.error("enable_profiler_in_child_thread() was called in this thread before: it keeps "
                      "its options")
        return
    if not _strobe.compiled.set_thread(switches["record_shapes"], switches["with_stack"],
                                       switches["with_flops"], switches["with_modules"]):
        message.warn("enable_profiler_in_child_thread() has no effect before a profile records "
                     "operators")
        return
    _here.is_enabled = True


def disable():
    """From now on, records the calling thread's operators with the options of the profile."""
    if not getattr(_here, "is_enabled", False):
        message.error("disable_profiler_in_child_thread() has nothing to undo in this thread")
        return
    _here.is_enabled = False
    _strobe.compiled.set_thread()
