# SPDX-License-Identifier: Apache-2.0
"""The time that recording adds to a training step, eager and compiled by torch.compile."""

import os
import pathlib

from rows import Row, added
from workplace import Skipped


def compiled_overhead(bench):
    """The overhead with the PyTorch of build/venv-torch, which has Kineto."""
    script = str(pathlib.Path(__file__).with_name("compile_overhead.py"))
    bench.require_python(bench.torch2_python)
    found = bench.lines([bench.torch2_python, script, bench.scratch])
    _check(bench, found)
    rows = []
    for what in ("compiled", "eager"):
        plain = what + "_plain"
        note = "a training step, itself %.0f us" % (min(found[plain]) / 1000)
        rows.append(added(found, what + "_overhead", what + "_strobe", plain, "torch.profiler",
                          what + "_kineto", "<= 1 x", note))
    rows.append(Row("compiled_kernels", "ns", found["kernels_plain"], "made without", found["compiled_plain"],
                    "<= 1.05 x", "a step whose kernels were made to be recorded; nothing records"))
    return rows


def _check(bench, found):
    """Checks that both profilers have recorded about the same number of events; Strobe's session has some more."""
    capture = os.path.join(found["directory"], "FRAMEWORK", "capture.strobe")
    recorded = bench.lines([bench.program("reader"), capture, "1"])["records"][0]
    events = found["kineto_events"][0]
    if not 0.99 * events <= recorded <= 1.05 * events + 100:
        raise Skipped("Strobe recorded %d records, torch.profiler %d events" % (recorded, events))
