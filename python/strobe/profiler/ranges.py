# SPDX-License-Identifier: Apache-2.0
"""record_function: PyTorch's own where PyTorch is loaded, else a range of Strobe's."""

import sys

import strobe


def record_function(name, args=None):
    """A context manager or decorator that marks a range."""
    torch = sys.modules.get("torch")
    autograd = getattr(torch, "autograd", None)
    own = getattr(getattr(autograd, "profiler", None), "record_function", None)
    return strobe.range(name) if own is None else own(name, args)


def kineto_available():
    """Strobe needs no Kineto; scripts that ask want to know whether profiling works."""
    return True
