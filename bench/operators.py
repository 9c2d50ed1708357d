# SPDX-License-Identifier: Apache-2.0
"""The time that recording adds to PyTorch's operators and allocations, compared with PyTorch's own profilers: with the
PyTorch of build/venv-torch (2.x, with Kineto), and with that of the system's Python."""

import os
import pathlib
import statistics

from rows import Row, added
from workplace import SYSTEM_PYTHON, Skipped

ABOVE_CALLBACK_NS = 60

_WHAT = {
    "none": "names and times",
    "shapes": "shapes and types of the inputs",
    "flops": "shapes, floating point operations",
    "memory": "and each allocation and release",
    "stack": "call stacks; called from Python, 20 frames deep, calls of Python recorded too",
    "usual": "shapes, stacks, memory; called from Python, 20 frames deep",
    "all": "shapes, stacks, memory and whose it is; called from Python, 20 frames deep",
}


def _each_pytorch(bench, name, measure):
    """The rows of measure(python, name) for each PyTorch, or a row with the reason why there are none."""
    rows = []
    for python, own_name in ((bench.torch2_python, name), (SYSTEM_PYTHON, name + "_system")):
        try:
            rows += measure(python, own_name)
        except Skipped as error:
            rows.append(Row(own_name, "", [], note="not measured: %s" % error))
    return rows


def _measure(bench, python, script):
    """Runs a script and returns its samples. Checks that all operators are in its last capture."""
    library = bench.torch_library(python, "torch_ops.cpp")
    script = str(pathlib.Path(__file__).with_name(script))
    found = bench.lines([python, script, library, bench.scratch])
    capture = os.path.join(found["directory"], "FRAMEWORK", "capture.strobe")
    recorded = bench.lines([bench.program("reader"), capture, "1"])["records"][0]
    if recorded < found["operators"][0]:
        raise Skipped("only %d of %d operators recorded" % (recorded, found["operators"][0]))
    return found


def _callback_rows(found, name):
    """Rows with the cost of an empty callback, and with the additional cost of Strobe."""
    usual = statistics.median(found["empty"])
    above = Row(name + "_above", "ns", [value - usual for value in found["none_strobe"]],
                goal="<= %d ns" % ABOVE_CALLBACK_NS, note="above an empty callback of libtorch")
    above.best_value = min(found["none_strobe"]) - min(found["empty"])
    empty = added(found, name + "_empty", "empty", "plain", found["peer_name"], "none_peer", "",
                  "an empty callback: what libtorch itself takes for any")
    return [above, empty]


def op_overhead(bench):
    def measure(python, name):
        found = _measure(bench, python, "op_overhead.py")
        rows = []
        for option, what in _WHAT.items():
            plain = "plain_python" if option in ("stack", "usual", "all") else "plain"
            own_name = name if option == "none" else "%s_%s" % (name, option)
            note = "%s; aten::add itself %.0f ns" % (what, min(found[plain]))
            rows.append(added(found, own_name, option + "_strobe", plain, found["peer_name"],
                              option + "_peer", "<= 1 x", note))
        return rows[:1] + _callback_rows(found, name) + rows[1:]

    return _each_pytorch(bench, "op_overhead", measure)


def memory_overhead(bench):
    def measure(python, name):
        found = _measure(bench, python, "memory_overhead.py")
        note = "an allocation and its release, themselves %.0f ns" % min(found["plain"])
        return [added(found, name, "strobe", "plain", found["peer_name"], "peer", "<= 0.5 x", note)]

    return _each_pytorch(bench, "memory_overhead", measure)
