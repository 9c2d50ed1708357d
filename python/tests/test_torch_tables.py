# SPDX-License-Identifier: Apache-2.0
"""key_averages().table() equals that of PyTorch's profiler in titles, rows, and all columns except
times. Both record the same run. STROBE_TEST_MODELS=all takes all models instead of a few."""

import collections
import inspect
import json
import os
import re
import tempfile
import unittest

from support import messages, needs_torch, their_stacks_work, torch
from strobe import profiler
from strobe.profiler import torch_style

if torch is not None:
    import torch.profiler as torch_profiler

    from torch_models import MODELS
else:
    MODELS = {}

_FEW = ("perceptron", "convolution", "ranges", "lists_of_tensors", "kept_memory")
_CHOSEN = list(MODELS) if os.environ.get("STROBE_TEST_MODELS") == "all" else _FEW
_TIMES = re.compile(r"(Self )?(CPU|Self CPU)( total| time avg)?( %)?")
_MEMORY = re.compile(r"(Self )?CPU Mem")
_SWITCHES = ("record_shapes", "profile_memory", "with_flops")
_STEPS = 3 if torch_style.is_torch_2() else 1
_IS_EXACT = torch_style.is_torch_2()  # times in ns
# PyTorch 1.13 has times in whole us, so sometimes an operator seems to end after its parent, and
# counts twice. PyTorch 2.6 finds the operator of a change of memory by the epoch's us as doubles,
# which have steps of 250 ns. With either, only one of several runs has to be equal.
_HAS_COARSE_MEMORY = "kineto_event.start_ns() / 1000" in (
    inspect.getsource(torch.autograd.profiler) if torch is not None else "")
_ATTEMPTS = 1 if _IS_EXACT and not _HAS_COARSE_MEMORY else 30
# PyTorch 1.13 only: rows of memory (see _is_of_chance()), and operators of its own marks of steps.
_LEFT_OUT = () if _IS_EXACT else ("[memory]", "aten::zeros", "aten::empty", "aten::zero_")


def _cells(line, rule):
    """Returns a row's cells, which are as wide as the dashes of the rule."""
    return [line[each.start() : each.end()].strip() for each in re.finditer(r"-+", rule)]


def read(text):
    """Returns a table's titles and rows, without columns that differ from run to run."""
    lines = text.split("\n")
    rule = next(line for line in lines if line.startswith("---"))
    first = lines.index(rule)
    titles = _cells(lines[first + 1], rule)
    rows = [_cells(line, rule) for line in lines[first + 3 : lines.index(rule, first + 3)]]
    kept = [i for i, title in enumerate(titles) if not _is_of_chance(title)]
    head = [len(part) for part in rule.split()], titles, lines[:first]
    shown = [[row[i] for i in kept] for row in rows if row[0] not in _LEFT_OUT]
    return head, shown if _IS_EXACT else sorted(shown)


def _is_of_chance(title):
    """Tells whether a column differs from run to run: times and, in PyTorch 1.13, memory, which at
    an operator's edge may be counted in its neighbour."""
    return bool(_TIMES.fullmatch(title) or not _IS_EXACT and _MEMORY.fullmatch(title))


@needs_torch
class Tables(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        torch.manual_seed(0)
        torch.set_num_threads(1)

    def _record(self, step, **switches):
        """Records the same run with both profilers."""
        for _ in range(2):
            step()
        with messages():
            theirs = torch_profiler.profile(activities=[_CPU], **switches)
            ours = profiler.profile(activities=[profiler.ProfilerActivity.CPU], **switches)
            with theirs, ours:
                for _ in range(_STEPS):
                    step()
        return ours, theirs

    def _compare(self, ours, theirs, **options):
        mine, others = read(ours.table(**options)), read(theirs.table(**options))
        self.assertEqual(mine[0][1:], others[0][1:], options)
        self.assertEqual(mine, others, options)

    def _compare_all(self, ours, theirs):
        options = [{}, {"max_name_column_width": 20, "header": "A header"}, {"row_limit": -1}]
        if _IS_EXACT:
            options += [{"sort_by": "count", "row_limit": 4}, {"top_level_events_only": True}]
            options += [{"sort_by": "self_cpu_memory_usage", "row_limit": 3}]
        if "time_unit" in inspect.signature(type(theirs.events()).table).parameters:
            options += [{"time_unit": "us"}]
        for each in options:
            self._compare(ours.key_averages(), theirs.key_averages(), **each)
        mine, others = (each.key_averages(group_by_input_shape=True) for each in (ours, theirs))
        self._compare(mine, others)
        self._compare(mine, others, max_shapes_column_width=30)
        if _IS_EXACT and not ours.profile_memory:  # theirs fails with memory events
            self._compare(ours.events(), theirs.events(), row_limit=-1)

    def test_trace(self):
        """With all switches, the trace has as many slices of each operator as PyTorch's."""
        stacks = ("with_stack", "with_modules") if their_stacks_work() else ()
        switches = dict.fromkeys(_SWITCHES + stacks, True)
        ours, theirs = self._record(MODELS["perceptron"](), **switches)
        mine, others = self._count_slices(ours), self._count_slices(theirs)
        names = ["aten::addmm"]
        if _IS_EXACT:  # 1.13 leaves out nested equal operators
            names += [name for name in others if name.startswith("aten::")]
        self.assertTrue(mine["aten::addmm"])
        self.assertEqual({name: mine[name] for name in names}, {name: others[name] for name in names})

    def _count_slices(self, prof):
        """Returns the number of slices of each name in a profile's trace."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            prof.export_chrome_trace(path)
            with open(path, encoding="utf-8") as file:
                trace = json.load(file)
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        return collections.Counter(each["name"] for each in events if each["ph"] == "X")

    def _check(self, name, **switches):
        step = MODELS[name]()
        for left in reversed(range(_ATTEMPTS)):
            try:
                return self._compare_all(*self._record(step, **switches))
            except AssertionError:
                if not left:
                    raise

    def test_models(self):
        for name in _CHOSEN:
            with self.subTest(name):
                self._check(name, **dict.fromkeys(_SWITCHES, True))

    def test_without_switches(self):
        for name in _CHOSEN:
            with self.subTest(name):
                self._check(name)

    def test_steps(self):
        """Two runs, one for each profiler, since both mark the steps."""
        step = MODELS["perceptron"]()
        step()
        for left in reversed(range(_ATTEMPTS)):
            try:
                return self._compare_steps(step)
            except AssertionError:
                if not left:
                    raise

    def _compare_steps(self, step):
        found = []
        for module in (profiler, torch_profiler):
            with messages(), module.profile(
                activities=[module.ProfilerActivity.CPU],
                schedule=module.schedule(wait=1, warmup=1, active=2, repeat=1),
                **dict.fromkeys(_SWITCHES, True),
            ) as prof:
                for _ in range(6):
                    step()
                    prof.step()
            found.append(prof.key_averages())
        self._compare(*found)
        self._compare(*found, sort_by="count")


_CPU = torch_profiler.ProfilerActivity.CPU if torch is not None else None

if __name__ == "__main__":
    unittest.main()
