# SPDX-License-Identifier: Apache-2.0
"""memory_overhead.py TORCH_OPS_LIBRARY FOLDER [REPEATS]: ns per allocation and release of PyTorch's
CPU allocator without a profiler, under Strobe's memory in a real session, and under both profilers of
PyTorch with profile_memory: the same calls in the same process, measured in turn. Prints one JSON
line each."""

import ctypes
import sys

import torch
from torch.autograd import profiler, profiler_legacy

from op_overhead import RECORDED, OPERATORS, StrobeWork, Work, measure


class Allocations(Work):
    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.library.bench_run_allocations.argtypes = [ctypes.c_long]
        self.run = self.library.bench_run_allocations

    def torch_profiler(self):
        with profiler.profile(profile_memory=True) as theirs:
            spent = self.time()
        return _checked(spent, len(theirs.kineto_results.events()))

    def legacy(self):
        with profiler_legacy.profile(profile_memory=True) as theirs:
            spent = self.time()
        return _checked(spent, len(theirs.function_events))


def _checked(spent, n):
    """A record for each allocation and each release."""
    if n < 2 * OPERATORS:
        sys.exit("a profiler of PyTorch has recorded %d of %d events" % (n, 2 * RECORDED))
    return spent


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    work = Allocations(sys.argv[1])
    own = StrobeWork(work, sys.argv[2], "memory")
    modes = {
        "plain": work.plain,
        "strobe": own.time,
        "torch_profiler": work.torch_profiler,
        "legacy": work.legacy,
    }
    measure(modes, own, int(sys.argv[3]) if len(sys.argv) > 3 else 7, 2 * RECORDED)


if __name__ == "__main__":
    main()
