# SPDX-License-Identifier: Apache-2.0
"""What recording adds to PyTorch's operators and allocations, beside its own profilers."""

import os
import pathlib
import statistics

from rows import Row, added
from workplace import PYTHON, Skipped



def _records(bench, directory):
    found = bench.lines([bench.program("reader"),
                         os.path.join(directory, "FRAMEWORK", "capture.strobe"), "1"])
    return found["records"][0]


def _overheads(bench, script):
    """What a script printed, and how rows are made of it."""
    library = bench.program("torch_ops.so")
    script = str(pathlib.Path(__file__).with_name(script))
    found = bench.lines([PYTHON, script, library, bench.scratch])
    recorded = _records(bench, found["directory"])
    if recorded < found["operators"][0]:
        raise Skipped("only %d of %d operators recorded" % (recorded, found["operators"][0]))
    plain = found["plain"]

    def row(name, own, peer_name, peer, **more):
        """Least less least and each less the median: neither is led astray by a few outliers."""
        usual = statistics.median(plain)
        return Row(name, "ns/op", [value - usual for value in found[own]], peer_name,
                   [value - usual for value in found[peer]], **more,
                   best_value=min(found[own]) - min(plain),
                   best_peer=min(found[peer]) - min(plain))

    return found, row


def op_options(bench):
    script = str(pathlib.Path(__file__).with_name("op_options.py"))
    found = bench.lines([PYTHON, script, bench.scratch])
    peer = "profiler_legacy"
    itself = "aten::mm from Python, 20 frames deep: itself %.0f ns" % min(found["plain"])
    rows = [added(found, "op_" + name, name + "_strobe", "plain", peer, name + "_legacy",
                   "<= 0.5 x", itself) for name in ("shapes", "flops", "stack")]
    more = min(found["tensors_strobe"]) - min(found["memory_strobe"])
    tensors = added(found, "op_memory_tensors", "tensors_strobe", "plain", peer, "memory_legacy",
                     "", "shapes and memory; of that memory:tensors=true %.0f ns, of what the peer "
                     "tells nothing" % more)
    return rows + [tensors]


def op_overhead(bench):
    found, row = _overheads(bench, "op_overhead.py")
    plain = found["plain"]
    note = "operator itself %.0f ns; without what the empty callback costs %.0f ns" % (
        min(plain), min(found["strobe"]) - min(found["empty"]))
    return [
        row("op_overhead", "strobe", found["peer"], "torch_profiler", goal="<= 0.5 x", note=note),
        row("op_overhead_legacy", "strobe", "torch.autograd.profiler_legacy", "legacy"),
        row("op_empty_callback", "empty", found["peer"], "torch_profiler",
            note="libtorch's own cost of any callback"),
    ]


def memory_overhead(bench):
    found, row = _overheads(bench, "memory_overhead.py")
    note = "an allocation and its release, themselves %.0f ns" % min(found["plain"])
    return [
        row("memory_overhead", "strobe", "torch.autograd.profiler_legacy", "legacy",
            goal="<= 0.5 x", note=note),
        row("memory_overhead_profiler", "strobe", found["peer"], "torch_profiler"),
    ]
