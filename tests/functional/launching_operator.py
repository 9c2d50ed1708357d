# SPDX-License-Identifier: Apache-2.0
"""For scripts under test: an operator of PyTorch, launching::sleep, whose code reads the time while it runs.
It calls no other operator, so that a kernel launched at that time can only be its own."""

LAUNCHING_OPERATOR = """
import time, torch
def sleep(tensor):
    time.sleep(0.001)
    instants.append(time.time_ns())
    time.sleep(0.001)
    return result
def time_within_operator():
    torch.ops.launching.sleep(result)
    return instants.pop()
instants, result = [], torch.ones(4, 4)
library = torch.library.Library("launching", "DEF")
library.define("sleep(Tensor tensor) -> Tensor")
library.impl("sleep", sleep, "CPU")
"""
