# SPDX-License-Identifier: Apache-2.0
"""Makes PyTorch open the record functions that its Python code opens only for its own profiler.
torch.compile opens them while a flag of torch.autograd.profiler says that a profile runs. The class
of these record functions does nothing unless that profiler records. So Strobe replaces the flag and
the class while a window records.
"""

from .. import _strobe

_own = None  # value of the flag for PyTorch's own profiler; None: the flag is not replaced


def replace(replacements):
    import torch
    from torch.autograd import profiler

    functions = torch._C._profiler
    if not hasattr(functions, "_RecordFunctionFast"):
        return  # before 2.1 nothing opens them
    _strobe.compiled.replace_functions(
        functions._RecordFunctionFast, torch.autograd._profiler_enabled
    )
    replacements.put(functions, "_RecordFunctionFast", lambda _: _strobe.compiled.Function)
    replacements.put(profiler, "_run_on_profiler_start", lambda _: _profile_starts)
    replacements.put(profiler, "_run_on_profiler_stop", lambda _: _profile_stops)
    global _own
    _own = profiler._is_profiler_enabled
    profiler._is_profiler_enabled = True


def put_back():
    """Restores the flag; the replacements restore the rest."""
    global _own
    own, _own = _own, None
    if own is not None:
        from torch.autograd import profiler

        profiler._is_profiler_enabled = own


def _profile_starts():
    global _own
    _own = True


def _profile_stops():
    """PyTorch's own profile ends while Strobe's continues."""
    global _own
    _own = False
