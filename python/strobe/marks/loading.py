# SPDX-License-Identifier: Apache-2.0
"""Ranges around the data loader's next() and around torch.save()."""

import functools

from .. import _strobe


def _ranged(message):
    """A decorator that makes a range of the default domain around the call, even if the call
    raises."""
    start, end = _strobe.mstx.range_start, _strobe.mstx.range_end

    def decorate(function):
        @functools.wraps(function)
        def marked(*args, **kwargs):
            number = start(message)
            try:
                return function(*args, **kwargs)
            finally:
                end(number)

        return marked

    return decorate


def mark_dataloader(replacements):
    from torch.utils.data import dataloader

    replacements.put(dataloader._BaseDataLoaderIter, "__next__", _ranged("dataloader"))


def mark_save(replacements):
    import torch.serialization

    marked = _ranged("save_checkpoint")(torch.serialization.save)
    for owner in (torch.serialization, torch):
        replacements.put(owner, "save", lambda _: marked)
