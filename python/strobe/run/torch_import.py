# SPDX-License-Identifier: Apache-2.0
"""Calls functions as soon as a module (by default PyTorch) has been imported."""

import sys

_finder = None  # on sys.meta_path: only one, because a finder calls all other finders
_imported = set()  # awaited modules that have been imported


class _Loader:
    """The module's own loader, with a call of finish() after the module is executed."""

    def __init__(self, loader, finder, name):
        self._loader = loader
        self._finder = finder
        self._name = name

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder.finish(self._name)


class _Finder:
    """The first finder on sys.meta_path, until all awaited modules are imported."""

    def __init__(self):
        self.waiting = {}  # module -> functions

    def find_spec(self, name, path=None, target=None):
        if name not in self.waiting:
            return None
        spec = self._find(name, path, target)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self, name)
        return spec

    def _find(self, *wanted):
        """The module's spec from the other finders."""
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(*wanted)
                if spec is not None:
                    return spec
        return None

    def finish(self, name):
        waiting = self.waiting.pop(name, [])
        _imported.add(name)  # the import system marks the module as imported only later
        self.remove_if_idle()
        for ready in waiting:
            ready()

    def remove_if_idle(self):
        global _finder
        if self.waiting:
            return
        _finder = None
        try:
            sys.meta_path.remove(self)
        except ValueError:
            pass


def _is_imported(name):
    """Whether the module is completely imported."""
    module = sys.modules.get(name)
    if module is None or name in _imported:
        return module is not None
    return not getattr(getattr(module, "__spec__", None), "_initializing", False)


def call_after(ready, name="torch"):
    """Calls ready() once; immediately if the module is already imported."""
    global _finder
    if _is_imported(name):
        ready()
        return
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)
    _finder.waiting.setdefault(name, []).append(ready)


def forget(ready, name="torch"):
    """Undoes call_after(), if ready() has not been called yet."""
    waiting = _finder.waiting.get(name, []) if _finder is not None else []
    if ready not in waiting:
        return
    waiting.remove(ready)
    if not waiting:
        del _finder.waiting[name]
        _finder.remove_if_idle()
