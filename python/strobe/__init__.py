# SPDX-License-Identifier: Apache-2.0
"""Strobe: profiles this process, or marks its work.

`strobe.profiler` is the profiler for training scripts. The functions here mark the program for the
running session; without a session each costs about as much as an empty call. Every Python process
under `strobe run` imports this module, so it imports as few modules as possible.
"""

try:
    from . import _strobe
except ImportError as error:
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise ImportError(
            "this Python is free-threaded, for which Strobe has no extension module: neither this "
            "package nor `strobe run` of its programs works; use a Python that has the global "
            "interpreter lock", name=error.name, path=error.path) from error
    raise
from ._strobe import Error, counter, dump, enabled, mark, range_begin, range_end
from .run import step_marks as _step_marks
from .run import stepping as _stepping

__all__ = [
    "Error",
    "counter",
    "dump",
    "enabled",
    "mark",
    "range",
    "range_begin",
    "range_end",
    "step",
]
__version__ = _strobe.version()


class range(_strobe.Range):  # the builtin is not used in this module
    """A range as a context manager or a decorator: range(name, argument=None).

    One object serves one thread at a time.
    """

    def __call__(self, function):
        from functools import wraps

        name = self.name

        @wraps(function)
        def marked(*args, **kwargs):
            with _strobe.Range(name):
                return function(*args, **kwargs)

        return marked


def __getattr__(name):
    """Modules of the package, imported when they are first used."""
    if name in ("mstx", "npu", "profiler"):
        from importlib import import_module

        return import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def step():
    """Ends the current step of this process's session or profile, if any, and begins the next."""
    profile_step = _stepping.profile_step and _stepping.profile_step()
    if profile_step:
        profile_step()
    elif _stepping.script_steps():
        session = _stepping.run_session
        if session is None:
            _strobe.step()
        else:
            _step_marks.step(session)
