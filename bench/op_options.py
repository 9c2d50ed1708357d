# SPDX-License-Identifier: Apache-2.0
"""op_options.py FOLDER [REPEATS]: ns per PyTorch operator called from Python, 20 frames deep, without a
profiler, and with shapes, flops, stacks or memory recorded by Strobe (of memory with the tensors that
operators are given) and by torch.autograd.profiler_legacy: the same operators in the same process, measured in turn. Prints one
JSON line each."""

import sys
import time

import torch
from torch.autograd import profiler_legacy

from measure import in_session, in_turn, print_samples

OPERATORS = 300
TIMES = 3
DEPTH = 20
PAUSE_S = 0.01


def run(operator, value, n):
    for _ in range(n):
        operator(value)


def deep(depth, *arguments):
    if depth:
        deep(depth - 1, *arguments)
    else:
        run(*arguments)


def times():
    """ns per operator, TIMES times."""
    a = torch.ones(4, 4)
    spent = []
    for _ in range(TIMES + 1):
        begin = time.perf_counter_ns()
        deep(DEPTH, a.mm, a, OPERATORS)
        spent.append((time.perf_counter_ns() - begin) / OPERATORS)
    return spent[1:]


class StrobeMode:
    def __init__(self, folder, memory=None, **options):
        collectors = {"cpu_op": dict(options, required=True)}
        if memory:
            collectors["memory"] = dict(memory, required=True)
        if options.get("stack"):
            collectors["python_call"] = {"required": True}
        self.config = {"collectors": collectors, "output": {"directory": folder}}

    def __call__(self):
        spent, _ = in_session("op_options", self.config, times)
        time.sleep(PAUSE_S)
        return spent


def legacy(**options):
    def mode():
        profiler = profiler_legacy.profile(**options)
        with profiler:
            spent = times()
        if sum(event.name == "aten::mm" for event in profiler.function_events) < OPERATORS:
            sys.exit("profiler_legacy has not recorded all operators")
        return spent

    return mode


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    folder = sys.argv[1]
    modes = {
        "plain": times,
        "shapes_strobe": StrobeMode(folder, shapes=True),
        "shapes_legacy": legacy(record_shapes=True),
        "flops_strobe": StrobeMode(folder, shapes=True, flops=True),
        "flops_legacy": legacy(record_shapes=True, with_flops=True),
        "stack_strobe": StrobeMode(folder, stack=True),
        "stack_legacy": legacy(with_stack=True),
        "memory_strobe": StrobeMode(folder, memory={"tensors": False}, shapes=True),
        "tensors_strobe": StrobeMode(folder, memory={"tensors": True}, shapes=True),
        "memory_legacy": legacy(record_shapes=True, profile_memory=True),
    }
    print_samples(in_turn(modes, int(sys.argv[2]) if len(sys.argv) > 2 else 7))


if __name__ == "__main__":
    main()
