# SPDX-License-Identifier: Apache-2.0
"""mstx: marks of the program in domains, with the names of torch_npu.npu.mstx.

    from strobe import mstx

    mstx.mark("loaded")
    epoch = mstx.range_start("epoch", domain="training")
    mstx.range_end(epoch, domain="training")

    @mstx.mstx_range("evaluate")
    def evaluate(): ...

    with mstx.annotate("validation"):
        ...

The marks go to the collector `marker`, or to another mstx tool in the process. Without a tool a
mark costs only the check of its arguments. No function here raises: a wrong argument gives a Python
warning. A mark with a `stream` also marks a time on the device, if the process has an mstx tool of
the device.
"""

import functools
import inspect

import warnings

from ._strobe import mstx as _mstx

__all__ = [
    "annotate",
    "mark",
    "mstx_range",
    "range_end",
    "range_pop",
    "range_push",
    "range_start",
]

mark = _mstx.mark
range_start = _mstx.range_start
range_end = _mstx.range_end
range_push = _mstx.range_push
range_pop = _mstx.range_pop


class _Run:
    """One range around a `with`. Unlike a pushed range it may end on another thread, or before a
    range that began later, as is usual in coroutines."""

    __slots__ = ("_mark", "_domain", "_id")

    def __init__(self, message, stream, domain):
        self._mark = (message, stream, domain)
        self._domain = domain

    def __enter__(self):
        self._id = range_start(*self._mark)

    def __exit__(self, *exception):
        if self._id:
            range_end(self._id, self._domain)


def _marked_generator(function, mark_of):
    @functools.wraps(function)
    def marked(*args, **kwargs):
        with _Run(*mark_of):
            return (yield from function(*args, **kwargs))

    return marked


def _marked_coroutine(function, mark_of):
    @functools.wraps(function)
    async def marked(*args, **kwargs):
        with _Run(*mark_of):
            return await function(*args, **kwargs)

    return marked


def _marked_async_generator(function, mark_of):
    @functools.wraps(function)
    async def marked(*args, **kwargs):
        with _Run(*mark_of):
            items = function(*args, **kwargs)
            try:
                item = await items.__anext__()
                while True:
                    try:
                        sent = yield item
                    except GeneratorExit:
                        await items.aclose()
                        raise
                    except BaseException as error:
                        item = await items.athrow(error)
                    else:
                        item = await items.asend(sent)
            except StopAsyncIteration:
                return

    return marked


def _marked_function(function, mark_of):
    @functools.wraps(function)
    def marked(*args, **kwargs):
        with _Run(*mark_of):
            return function(*args, **kwargs)

    return marked


def _marked(function, *mark_of):
    """Returns the function with a range around each of its runs. The range of a generator or
    coroutine lasts until the generator or coroutine ends."""
    if not callable(function):
        warnings.warn("mstx: %r is not callable and stays unchanged" % (function,), stacklevel=3)
        return function
    if inspect.isasyncgenfunction(function):
        return _marked_async_generator(function, mark_of)
    if inspect.iscoroutinefunction(function):
        return _marked_coroutine(function, mark_of)
    if inspect.isgeneratorfunction(function):
        return _marked_generator(function, mark_of)
    return _marked_function(function, mark_of)


def mstx_range(message, stream=None, domain="default"):
    """A decorator that makes a range with this name around each run of the function, even if the
    function raises."""

    def decorate(function):
        return _marked(function, message, stream, domain)

    return decorate


class annotate:
    """A context manager or decorator. Without a message the range has the function's name."""

    def __init__(self, message="", stream=None, domain="default"):
        self._mark = (message, stream, domain)
        self._runs = []  # innermost last

    def __enter__(self):
        run = _Run(*self._mark)
        run.__enter__()
        self._runs.append(run)
        return self

    def __exit__(self, *exception):
        if self._runs:
            self._runs.pop().__exit__(*exception)

    def __call__(self, function):
        message, stream, domain = self._mark
        name = getattr(function, "__name__", type(function).__name__)
        return _marked(function, message or name, stream, domain)
