# SPDX-License-Identifier: Apache-2.0
"""Ranges of matrix products in the domain "mfu_flops": `<operations>-<name>` around each outermost
call of the functions below. The functions are replaced in every module that refers to them."""

import functools
import importlib
import sys
import threading

from .. import _strobe, message
from . import flop_formulas as formulas

DOMAIN = "mfu_flops"

_NPU = {
    "npu_fusion_attention": formulas.fusion_attention,
    "npu_fused_infer_attention_score": formulas.infer_attention,
    "npu_all_gather_base_mm": formulas.all_gather,
    "npu_transpose_batchmatmul": formulas.rows,
    "npu_grouped_matmul": formulas.grouped,
    "npu_grouped_matmul_swiglu_quant_v2": formulas.grouped,
    "npu_quant_matmul_gelu": formulas.rows,
    "npu_alltoallv_gmm": formulas.gathered_groups,
    "npu_gmm_alltoallv": formulas.rows,
}
# "module:attribute" -> formula
_targets = {
    "torch:mm": formulas.mm,
    "torch:bmm": formulas.mm,
    "torch:matmul": formulas.matmul,
    "torch:addmm": formulas.addmm,
    "torch.nn.functional:linear": formulas.linear,
    **{"torch_npu:" + name: formula for name, formula in _NPU.items()},
}
_registered = set()
_here = threading.local()


def register(target, formula):
    """Marks the calls of another function, "module:attribute", in windows that begin from now on.
    `formula` gets the arguments of the call and returns the number of operations. If it returns
    None or a negative number, the call gets no range. A second registration of a function replaces
    the first one."""
    module, colon, name = target.partition(":")
    if not (module and colon and name):
        raise ValueError("%r is no target: expected \"module:attribute\"" % (target,))
    if not callable(formula):
        raise TypeError("the formula of %s cannot be called" % target)
    if target in _registered:
        message.error("The formula of %s is registered twice: the later formula is used." % target)
    _registered.add(target)
    _targets[target] = formula


def mark(replacements):
    """Replaces the functions until the window ends, except functions of modules that are not
    imported yet."""
    originals = {}  # id of the function -> (the function, its replacement)
    for target, formula in _targets.items():
        module, _, name = target.partition(":")
        original = getattr(_module(module), name, None)
        if callable(original):
            originals[id(original)] = original, _marked(original, name, formula)
    _replace_all(replacements, originals)


def _module(name):
    """The module with this name, or None if the program has not imported it. Imports the module if
    it is a part of PyTorch."""
    module = sys.modules.get(name)
    if module is None and name.startswith("torch."):
        module = importlib.import_module(name)
    return module


def _replace_all(replacements, originals):
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            original, ours = originals.get(id(value), (None, None))
            if original is None or original is not value:
                continue
            try:
                replacements.put(module, name, lambda _, ours=ours: ours)
            except (AttributeError, TypeError):  # a module whose attributes cannot be set
                pass


def _message(name, formula, args, kwargs):
    """The name of the range; None if the call gets no range."""
    try:
        number = formula(*args, **kwargs)
        return None if number is None or number < 0 else "%d-%s" % (number, name)
    except Exception as error:  # the call itself reports the error
        message.warn_once("Cannot count the operations of %s: %s" % (name, error))
        return None


def _marked(function, name, formula):
    start, end = _strobe.mstx.range_start, _strobe.mstx.range_end

    @functools.wraps(function)
    def marked(*args, **kwargs):
        if getattr(_here, "is_inside", False):
            return function(*args, **kwargs)
        text = _message(name, formula, args, kwargs)
        number = start(text, domain=DOMAIN) if text is not None else 0
        _here.is_inside = True
        try:
            return function(*args, **kwargs)
        finally:
            _here.is_inside = False
            if number:
                end(number, domain=DOMAIN)

    return marked
