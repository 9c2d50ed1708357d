# SPDX-License-Identifier: Apache-2.0
"""memory_overhead.py TORCH_OPS_LIBRARY FOLDER [REPEATS]: measures the ns per allocation and release of PyTorch's CPU
allocator without a profiler, with Strobe's collector memory, and with PyTorch's own profiler (profile_memory). The same
calls are made in the same process, in turn. Prints one JSON line for each series."""

import ctypes
import gc
import sys

import torch

from measure import in_turn, print_samples
from op_overhead import NativeWork, PeerMode, StrobeMode, print_metadata


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    gc.disable()  # a profiler's events are many objects, which Python would visit
    work = NativeWork(ctypes.CDLL(sys.argv[1]).bench_run_allocations)
    work.recorded *= 2  # a record for each allocation and for each release
    modes = {
        "plain": work.time,
        "strobe": StrobeMode(work, sys.argv[2], {"memory": {}}),
        "peer": PeerMode(work, {"profile_memory": True}),
    }
    print_samples(in_turn(modes, int(sys.argv[3]) if len(sys.argv) > 3 else 8))
    print_metadata(modes["strobe"], work.recorded)


if __name__ == "__main__":
    main()
