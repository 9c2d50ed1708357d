# SPDX-License-Identifier: Apache-2.0
"""op_overhead.py TORCH_OPS_LIBRARY FOLDER [REPEATS]: ns per PyTorch operator without a profiler,
with an empty callback, under Strobe's cpu_op in a real session, and under PyTorch's own legacy
profiler: the same operators in the same process, measured in turn. Prints one JSON line each."""

import ctypes
import json
import random
import sys
import time

import torch

from strobe import _strobe

OPERATORS = 20000
WARM = 500


class Work:
    """The operators that are measured."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.library.bench_run_operators.argtypes = [ctypes.c_long]

    def time(self):
        """ns per operator."""
        self.library.bench_run_operators(WARM)
        begin = time.perf_counter_ns()
        self.library.bench_run_operators(OPERATORS)
        return (time.perf_counter_ns() - begin) / OPERATORS

    def plain(self):
        return self.time()

    def empty(self):
        self.library.bench_add_callback()
        try:
            return self.time()
        finally:
            self.library.bench_remove_callback()

    def legacy(self):
        profiler = torch.autograd.profiler.profile(use_kineto=False)
        with profiler:
            spent = self.time()
        if profiler.function_events is not None and len(profiler.function_events) < OPERATORS:
            sys.exit("the legacy profiler has recorded too few operators")
        return spent


class StrobeWork:
    """The same in a session with the collector cpu_op."""

    def __init__(self, work, folder):
        self.work = work
        self.config = json.dumps(
            {"collectors": {"cpu_op": {"required": True}}, "output": {"directory": folder}}
        )
        self.directories = []

    def time(self):
        session = _strobe.Session(self.config, "op_overhead")
        session.start()
        spent = self.work.time()
        session.stop()
        told = session.diagnostics
        self.directories.append(session.directory)
        session.close()
        if told:
            sys.exit("the session is incomplete: " + told)
        return spent


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    work = Work(sys.argv[1])
    own = StrobeWork(work, sys.argv[2])
    modes = {"plain": work.plain, "empty": work.empty, "strobe": own.time, "legacy": work.legacy}
    samples = {name: [] for name in modes}
    for mode in modes.values():
        mode()
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 20):
        order = list(modes)
        random.shuffle(order)
        for name in order:
            samples[name].append(modes[name]())
    for name, values in samples.items():
        print(json.dumps({"name": name, "samples": values}))
    print(json.dumps({"name": "operators", "samples": [OPERATORS + WARM]}))
    print(json.dumps({"name": "directory", "text": own.directories[-1]}))


if __name__ == "__main__":
    main()
