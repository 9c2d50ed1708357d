# SPDX-License-Identifier: Apache-2.0
"""Calls functions as soon as PyTorch has been imported."""

import sys

_finder = None  # on sys.meta_path: one for all who wait, as finders ask the others


class _Loader:
    """The module's own loader, with a call after it."""

    def __init__(self, loader, finder):
        self._loader = loader
        self._finder = finder

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.finish()


class _Finder:
    """First on sys.meta_path until PyTorch has been imported."""

    def __init__(self):
        self.waiting = []

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        spec = self._find(name, path, target)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self)
        return spec

    def _find(self, *wanted):
        """What the other finders find."""
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(*wanted)
                if spec is not None:
                    return spec
        return None

    def finish(self):
        global _finder
        _finder = None
        try:
            sys.meta_path.remove(self)
        except ValueError:
            pass
        waiting, self.waiting = self.waiting, []
        for ready in waiting:
            ready()


def call_after(ready):
    """Calls ready() once, now if PyTorch is there already."""
    global _finder
    if "torch" in sys.modules:
        ready()
        return
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)
    _finder.waiting.append(ready)
