# SPDX-License-Identifier: Apache-2.0
"""Roles of the program's tensors: parameters, gradients, state of optimizers. When a window ends,
the collector `memory` receives the roles of all parameters and optimizers that exist in Python at
that time. No function of PyTorch is replaced.
"""

import ctypes
import gc
import os
import sys

from .. import message

_SYMBOL = "strobe_memory_roles_1"  # symbol of the collector: plugins/memory/tensors.h
_PARAMETER, _GRADIENT, _STATE = range(3)


class _Table(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        (
            "tell",
            ctypes.CFUNCTYPE(
                None,
                ctypes.c_uint32,
                ctypes.POINTER(ctypes.c_uint64),
                ctypes.POINTER(ctypes.c_uint64),
                ctypes.c_size_t,
            ),
        ),
    ]


def _table():
    """The collector's table of functions, if its plugin is in this process. It is found through the
    plugin's file, because a plugin's symbols are not global."""
    with open("/proc/self/maps", errors="surrogateescape") as file:
        paths = {line.rstrip("\n").partition("/")[2] for line in file if "/memory.so" in line}
    for path in paths:
        try:
            library = ctypes.CDLL("/" + path, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
            table = _Table.in_dll(library, _SYMBOL)
        except (OSError, ValueError):
            continue
        if table.struct_size >= ctypes.sizeof(_Table):
            return table
    return None


class _Storages:
    """Storages by address, each with (bytes, role). If a storage gets several roles, the first one
    is kept."""

    def __init__(self, torch):
        self._tensor = torch.Tensor
        self.found = {}

    def add(self, tensor, role):
        if not issubclass(type(tensor), self._tensor) or tensor.device.type != "cpu":
            return
        try:
            storage = getattr(tensor, "untyped_storage", tensor.storage)()
            address, size = storage.data_ptr(), storage.nbytes()
        except (RuntimeError, NotImplementedError):  # a tensor with another layout
            return
        if address:
            self.found.setdefault(address, (size, role))

    def add_parameter(self, tensor):
        if issubclass(type(tensor), self._tensor):
            self.add(tensor, _PARAMETER)
            if tensor.is_leaf and tensor.grad is not None:
                self.add(tensor.grad, _GRADIENT)

    def add_state(self, value, depth=0):
        if isinstance(value, dict) and depth < 3:
            for each in list(value.values()):
                self.add_state(each, depth + 1)
        elif isinstance(value, (list, tuple)) and depth < 3:
            for each in value:
                self.add_state(each, depth + 1)
        else:
            self.add(value, _STATE)


def _with_subclasses(kind):
    yield kind
    for each in type.__subclasses__(kind):
        yield from _with_subclasses(each)


def _collect(torch):
    """The storages of all existing parameters and optimizers."""
    storages = _Storages(torch)
    parameter_kinds = set(_with_subclasses(torch.nn.Parameter))
    kinds = parameter_kinds.union(_with_subclasses(torch.optim.Optimizer))
    # compares types only, because reading an attribute of an unknown object could run its code
    found = [each for each in gc.get_objects() if type(each) in kinds]
    optimizers = [each for each in found if type(each) not in parameter_kinds]
    for each in found:
        if type(each) in parameter_kinds:
            storages.add_parameter(each)
    for each in optimizers:
        for group in getattr(each, "param_groups", ()):
            for tensor in group.get("params", ()):
                storages.add_parameter(tensor)
    for each in optimizers:
        storages.add_state(dict(getattr(each, "state", {})))
    return storages.found


def _send(table, found):
    for role in (_PARAMETER, _GRADIENT, _STATE):
        chosen = [(address, size) for address, (size, each) in found.items() if each == role]
        numbers = ctypes.c_uint64 * len(chosen)
        addresses = numbers(*(address for address, _ in chosen))
        sizes = numbers(*(size for _, size in chosen))
        table.tell(role, addresses, sizes, len(chosen))


def tell():
    """Sends the roles. Call it while the window still records."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "optim"):
        return
    try:
        table = _table()
        if table is not None:
            _send(table, _collect(torch))
    except Exception as error:
        message.warn("Cannot determine the purposes of tensors: %s" % error)
