# SPDX-License-Identifier: Apache-2.0
"""Makes torch_npu.profiler and torch_npu.npu.mstx names of Strobe's modules.

An installed torch_npu is imported as usual, and Strobe's two modules then replace its own. If
torch_npu is not installed, Strobe makes a package with this name, which contains only these two
modules. This module is imported before the script. It imports Strobe's modules only when the script
imports torch_npu.
"""

import sys

from . import torch_import
from .attach import report

_PACKAGE = "torch_npu"
# Suffixes of torch_npu.profiler, and Strobe's modules that replace these modules.
_OF_PROFILER = {
    "": "compat",
    ".profiler": "compat",
    ".profiler_interface": "compat",
    ".scheduler": "compat",
    ".dynamic_profile": "dynamic_profile",
    ".experimental_config": "experimental",
    "._profiler_path_creator": "_profiler_path_creator",
}


class _Fallback:
    """The last finder on sys.meta_path: provides torch_npu if no other finder has found it."""

    def find_spec(self, name, path=None, target=None):
        if name != _PACKAGE:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__strobe__ = True
        module.__doc__ = "Strobe's profiler and marks under torch_npu's name; torch_npu is missing."


def install():
    """Makes the names available. Call it before the script imports torch_npu; a second call changes
    nothing."""
    if any(isinstance(each, _Fallback) for each in sys.meta_path):
        return
    sys.meta_path.append(_Fallback())
    torch_import.call_after(_take_names, _PACKAGE)


def _take_names():
    try:
        _take(sys.modules[_PACKAGE])
    except Exception as error:
        report("torch_npu.profiler is not Strobe's: %s" % error)


def _take(package):
    from importlib import import_module

    for name, ours in _OF_PROFILER.items():
        module = import_module("strobe.profiler." + ours)
        sys.modules["torch_npu.profiler" + name] = module
    package.profiler = compat = sys.modules["torch_npu.profiler"]
    compat.profiler = compat.scheduler = compat  # submodules are attributes too
    marks = import_module("strobe.npu.mstx")
    sys.modules["torch_npu.npu.mstx"] = marks
    if hasattr(package, "npu"):
        package.npu.mstx = marks
        return
    package.npu = import_module("strobe.npu")
    sys.modules["torch_npu.npu"] = package.npu
