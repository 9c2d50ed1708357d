# SPDX-License-Identifier: Apache-2.0
"""op_overhead.py TORCH_OPS_LIBRARY FOLDER [REPEATS]: ns per PyTorch operator without a profiler,
with an empty callback, under Strobe's cpu_op in a real session, under torch.profiler and under its
predecessor torch.autograd.profiler_legacy: the same operators in the same process, measured in turn.
Prints one JSON line each."""

import ctypes
import json
import sys
import time

import torch
import torch.profiler
from torch.autograd import profiler_legacy

from measure import in_session, in_turn, print_samples

# Few enough at a time that some are not disturbed by whoever else is on the machine.
OPERATORS = 1000
TIMES = 20
WARM = 500
RECORDED = WARM + TIMES * OPERATORS


class Work:
    """The operators that are measured."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.library.bench_run_operators.argtypes = [ctypes.c_long]
        self.run = self.library.bench_run_operators

    def time(self):
        """ns per operator, TIMES times."""
        self.run(WARM)
        spent = []
        for _ in range(TIMES):
            begin = time.perf_counter_ns()
            self.run(OPERATORS)
            spent.append((time.perf_counter_ns() - begin) / OPERATORS)
        return spent

    def plain(self):
        return self.time()

    def empty(self):
        self.library.bench_add_callback()
        try:
            return self.time()
        finally:
            self.library.bench_remove_callback()

    def torch_profiler(self):
        profiler = torch.profiler.profile()
        with profiler:
            spent = self.time()
        return _checked(spent, profiler.events())

    def legacy(self):
        profiler = profiler_legacy.profile()
        with profiler:
            spent = self.time()
        return _checked(spent, profiler.function_events)


def _checked(spent, events):
    """Its event list leaves out a span that seems to be the only child of one of its name."""
    if len(events) < RECORDED - WARM:
        sys.exit("a profiler of PyTorch has recorded %d of %d operators" % (len(events), RECORDED))
    return spent


class StrobeWork:
    """The same in a session with one collector."""

    def __init__(self, work, folder, collector):
        self.work = work
        self.config = {
            "collectors": {collector: {"required": True}}, "output": {"directory": folder}
        }
        self.directory = None  # of the last session

    def time(self):
        spent, self.directory = in_session("op_overhead", self.config, self.work.time)
        return spent


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    work = Work(sys.argv[1])
    own = StrobeWork(work, sys.argv[2], "cpu_op")
    modes = {
        "plain": work.plain,
        "empty": work.empty,
        "strobe": own.time,
        "torch_profiler": work.torch_profiler,
        "legacy": work.legacy,
    }
    measure(modes, own, int(sys.argv[3]) if len(sys.argv) > 3 else 8, RECORDED)


def measure(modes, own, repeats, n_records):
    """Runs the modes in turn and prints what they took."""
    print_samples(in_turn(modes, repeats))
    print(json.dumps({"name": "operators", "samples": [n_records]}))
    # Without Kineto, as Debian builds it, torch.profiler records by itself alone.
    kineto = "" if torch.autograd.kineto_available() else " without Kineto"
    print(json.dumps({"name": "peer", "text": "torch.profiler" + kineto}))
    print(json.dumps({"name": "directory", "text": own.directory}))


if __name__ == "__main__":
    main()
