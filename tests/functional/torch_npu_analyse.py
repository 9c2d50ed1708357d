#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the parsers of torch_npu's own profiler, without torch_npu: torch_npu_analyse.py PACKAGE RESULT TYPE...

PACKAGE is the unpacked folder torch_npu of its wheel. Its C extension needs CANN and is not loaded: every
module that the parsers import beside their own package is empty here, as is PyTorch, which they use for the
memory timeline alone. TYPE is "text" or "db".
"""

import importlib
import sys
import types

# Packages whose own __init__.py would load the C extension: their modules are found, they are not run.
PACKAGES = ["", "._init", "._init.common", ".profiler", ".utils"]
EMPTY = ["torch_npu._C", "torch_npu._C._profiler", "torch_npu.npu", "numpy", "torch", "torch._C", "torch.profiler",
         "torch.profiler._utils"]
HOST_ID = 4711


class Nothing:
    """Stands for any name of a module that is empty."""

    def __init__(self, *arguments, **named):
        pass


def add_package(name, path):
    module = types.ModuleType(name)
    module.__path__ = [path]
    sys.modules[name] = module


def add_empty_module(name):
    module = types.ModuleType(name)
    module.__getattr__ = find_name
    sys.modules[name] = module


def find_name(name):
    """The value of a name of an empty module; the names of the interpreter's own are missing."""
    if name.startswith("__"):
        raise AttributeError(name)
    return (lambda: HOST_ID) if name == "_get_host_uid" else Nothing


def main(package, result, *export_types):
    for name in PACKAGES:
        add_package("torch_npu" + name, package + name.replace(".", "/"))
    for name in EMPTY:
        add_empty_module(name)
    profiler = importlib.import_module("torch_npu.profiler.analysis._npu_profiler").NpuProfiler
    profiler.analyse(result, max_process_number=1, export_type=list(export_types))


if __name__ == "__main__":
    main(*sys.argv[1:])
