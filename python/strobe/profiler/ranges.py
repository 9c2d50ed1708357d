# SPDX-License-Identifier: Apache-2.0
"""record_function: PyTorch's own range if PyTorch is loaded, otherwise a range of Strobe."""

import functools
import inspect
import sys

import strobe


def _make_range(name, args):
    torch = sys.modules.get("torch")
    autograd = getattr(torch, "autograd", None)
    own = getattr(getattr(autograd, "profiler", None), "record_function", None)
    return strobe.range(name) if own is None else own(name, args)


class record_function:
    """Marks a range, as a context manager or as the decorator of a function. The range of an async
    function lasts until the function returns."""

    def __init__(self, name, args=None):
        self.name = name
        self.args = args
        self._range = None

    def __enter__(self):
        self._range = _make_range(self.name, self.args)
        self._range.__enter__()
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return self._range.__exit__(exc_type, exc_value, traceback)

    def _again(self):
        """A new range for one call, because several calls may run at the same time."""
        return record_function(self.name, self.args)

    def __call__(self, function):
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def marked(*args, **kwargs):
                with self._again():
                    return await function(*args, **kwargs)

        elif inspect.isasyncgenfunction(function):

            @functools.wraps(function)
            async def marked(*args, **kwargs):
                with self._again():
                    async for value in function(*args, **kwargs):
                        yield value

        else:

            @functools.wraps(function)
            def marked(*args, **kwargs):
                with self._again():
                    return function(*args, **kwargs)

        return marked

    def _call_end_callbacks_on_future(self, future):
        """Ends the range when a future of PyTorch is complete, not at the end of the block."""
        return self._range._call_end_callbacks_on_future(future)


def kineto_available():
    """Returns True, because scripts use this function to check whether profiling works. Strobe does
    not need Kineto."""
    return True
