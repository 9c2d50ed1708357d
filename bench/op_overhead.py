# SPDX-License-Identifier: Apache-2.0
"""op_overhead.py TORCH_OPS_LIBRARY FOLDER [REPEATS]: measures the ns per PyTorch operator without a profiler, with
an empty callback, with Strobe, and with PyTorch's own profiler and the same options. The same operators run in the same
process, in turn. Prints one JSON line for each mode."""

import ctypes
import gc
import json
import sys
import time

import torch
import torch.profiler
from torch.autograd import profiler_legacy

from measure import in_session, in_turn, print_samples

# A sample has few operators, so that other programs do not disturb all samples.
OPERATORS = 500
TIMES = 20
WARM = 500
PYTHON_OPERATORS = 200
PYTHON_TIMES = 25
DEPTH = 20  # Python frames around the operators called from Python
PAUSE_S = 0.02  # in which the writer empties the pool

# For each option: the collectors of Strobe, and the arguments of PyTorch's profiler.
OPTIONS = {
    "none": ({"cpu_op": {}}, {}),
    "shapes": ({"cpu_op": {"shapes": True}}, {"record_shapes": True}),
    "flops": ({"cpu_op": {"shapes": True, "flops": True}},
              {"record_shapes": True, "with_flops": True}),
    "memory": ({"cpu_op": {}, "memory": {"tensors": False}}, {"profile_memory": True}),
    "stack": ({"cpu_op": {"stack": True}, "python_call": {}}, {"with_stack": True}),
    "usual": ({"cpu_op": {"shapes": True, "stack": True}, "python_call": {}, "memory": {"tensors": False}},
              {"record_shapes": True, "with_stack": True, "profile_memory": True}),
    "all": ({"cpu_op": {"shapes": True, "stack": True}, "python_call": {}, "memory": {"tensors": True}},
            {"record_shapes": True, "with_stack": True, "profile_memory": True}),
}
# These options record Python's calls too, so they are measured on operators that Python calls.
FROM_PYTHON = ("stack", "usual", "all")


def has_kineto():
    return torch.autograd.kineto_available()


def peer_name():
    name = "torch.profiler (Kineto)" if has_kineto() else "profiler_legacy"
    return "%s of PyTorch %s" % (name, torch.__version__)


def timed(run, operators, times):
    """ns per operator in each repeat, after a first one that does not count."""
    run(operators)
    spent = []
    for _ in range(times):
        begin = time.perf_counter_ns()
        run(operators)
        spent.append((time.perf_counter_ns() - begin) / operators)
    return spent


class NativeWork:
    """Calls a function of torch_ops.cpp."""

    recorded = OPERATORS * (TIMES + 1)

    def __init__(self, function):
        function.argtypes = [ctypes.c_long]
        self.run = function

    def time(self):
        return timed(self.run, OPERATORS, TIMES)


class PythonWork:
    """Calls the same operator from Python, inside of DEPTH frames."""

    recorded = PYTHON_OPERATORS * (PYTHON_TIMES + 1)

    def __init__(self):
        self.tensor = torch.ones(8)

    def run(self, operators):
        add, tensor = self.tensor.add, self.tensor
        for _ in range(operators):
            add(tensor)

    def deep(self, depth):
        if depth:
            return self.deep(depth - 1)
        return timed(self.run, PYTHON_OPERATORS, PYTHON_TIMES)

    def time(self):
        return self.deep(DEPTH)


class StrobeMode:
    """Runs the work in a session with these collectors."""

    def __init__(self, work, folder, collectors):
        self.work = work
        collectors = {name: dict(options, required=True) for name, options in collectors.items()}
        self.config = {"collectors": collectors, "output": {"directory": folder}}
        self.directory = None  # of the last session

    def __call__(self):
        spent, self.directory = in_session("op_overhead", self.config, self.work.time)
        time.sleep(PAUSE_S)
        return spent


class PeerMode:
    """Runs the work under PyTorch's own profiler with these options."""

    def __init__(self, work, options):
        self.work = work
        self.options = options

    def __call__(self):
        profiler = (torch.profiler if has_kineto() else profiler_legacy).profile(**self.options)
        with profiler:
            spent = self.work.time()
        recorded = len(profiler.profiler.kineto_results.events() if has_kineto()
                       else profiler.function_events)
        if recorded < self.work.recorded:
            sys.exit("PyTorch's profiler has recorded %d of %d operators"
                     % (recorded, self.work.recorded))
        return spent


def empty_callback(library, work):
    def mode():
        library.bench_add_callback()
        try:
            return work.time()
        finally:
            library.bench_remove_callback()

    return mode


def print_metadata(own, n_records):
    print(json.dumps({"name": "operators", "samples": [n_records]}))
    print(json.dumps({"name": "peer_name", "text": peer_name()}))
    print(json.dumps({"name": "directory", "text": own.directory}))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    gc.disable()  # a profiler's events are many objects, which Python would visit
    library = ctypes.CDLL(sys.argv[1])
    native, python = NativeWork(library.bench_run_operators), PythonWork()
    modes = {"plain": native.time, "plain_python": python.time,
             "empty": empty_callback(library, native)}
    for name, (collectors, options) in OPTIONS.items():
        work = python if name in FROM_PYTHON else native
        modes[name + "_strobe"] = StrobeMode(work, sys.argv[2], collectors)
        modes[name + "_peer"] = PeerMode(work, options)
    print_samples(in_turn(modes, int(sys.argv[3]) if len(sys.argv) > 3 else 8))
    print_metadata(modes["none_strobe"], native.recorded)


if __name__ == "__main__":
    main()
