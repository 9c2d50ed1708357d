# SPDX-License-Identifier: Apache-2.0
"""Enters context managers around each compilation, inside Dynamo's own callbacks."""

import contextlib
import functools

from .. import message
from ..marks.replacements import Replacements
from ..run import torch_import

DYNAMO = "torch._dynamo"

_managers = []  # functions that return a context manager
_replacements = Replacements()


def add(manager):
    """From now on, enters the context manager that manager() returns around each compilation. The
    context manager must not raise."""
    _managers.append(manager)
    if len(_managers) == 1:
        torch_import.call_after(_watch, DYNAMO)


def remove(manager):
    if manager in _managers:
        _managers.remove(manager)
    if not _managers:
        torch_import.forget(_watch, DYNAMO)
        _replacements.undo()


def _watch():
    try:
        from torch._dynamo.callback import callback_handler

        _replacements.put(callback_handler, "install_callbacks", _surrounding)
    except (AttributeError, ImportError) as error:
        message.warn_once("Neither compilations nor their kernels are recorded: %s" % error)


def _surrounding(callbacks):
    @functools.wraps(callbacks)
    @contextlib.contextmanager
    def install_callbacks(*args, **kwargs):
        with callbacks(*args, **kwargs), contextlib.ExitStack() as stack:
            for manager in list(_managers):
                stack.enter_context(manager())
            yield

    return install_callbacks
