# SPDX-License-Identifier: Apache-2.0
"""Events, averages and the table, compared with PyTorch's own for the same data."""

import inspect
import itertools
import random
import unittest
import unittest.mock

from support import needs_torch, torch
from strobe.profiler import capture_table, torch_style
from strobe.profiler.events import EventList, FunctionEvent

_NAMES = ["aten::add", "aten::mul", "aten::" + "x" * 60, "ü ()"]
_NAMES += ["ProfilerStep#1", "ProfilerStep#22"]
_SHAPES = [[], [[2, 3], [], [4]], [[1] * 40]]


def _random_calls(seed, n=300, shapes=False, scale=50):
    """Returns random calls as tuples. Times are multiples of a power of two, so sums are exact."""
    draw = random.Random(seed)
    calls = []
    for number in range(n):
        start = draw.randrange(2000) * scale
        calls.append(
            dict(
                number=number,
                name=draw.choice(_NAMES),
                thread=draw.choice([1, 2, 30]),
                start=start,
                end=start + draw.choice([0, 1, 2, 40, 400]) * scale,
                shapes=draw.choice(_SHAPES) if shapes else [],
                is_async=draw.random() < 0.05,
            )
        )
    calls.sort(key=lambda call: (call["start"], -call["end"]))
    return calls


def _ours(calls, **kwargs):
    events = EventList(
        [
            FunctionEvent(
                call["number"],
                call["name"],
                call["thread"],
                call["start"],
                call["end"],
                input_shapes=call["shapes"],
                is_async=call["is_async"],
                stack=call.get("stack"),
            )
            for call in calls
        ],
        **kwargs
    )
    events.build_tree()
    return events


def _theirs(calls, **kwargs):
    from torch.autograd.profiler_util import EventList as TorchList
    from torch.autograd.profiler_util import FunctionEvent as TorchEvent
    from torch.autograd.profiler_util import _rewrite_name

    given = {"overload_name": "", "flops": 0}
    known = inspect.signature(TorchEvent).parameters
    more = {name: value for name, value in given.items() if name in known}
    events = TorchList(
        [
            TorchEvent(
                id=number,
                name=_rewrite_name(call["name"], with_wildcard=True),
                trace_name=_rewrite_name(call["name"]),
                thread=call["thread"],
                start_us=call["start"],
                end_us=call["end"],
                fwd_thread=None,
                **more,
                input_shapes=call["shapes"],
                stack=call.get("stack", []),
                is_async=call["is_async"],
            )
            for number, call in enumerate(calls)
        ],
        **({"use_device": None} if torch_style.is_torch_2() else {"use_cuda": False}),
        **kwargs
    )
    events._build_tree()
    return events


@needs_torch
class LikeTorch(unittest.TestCase):
    def _compare(self, calls, options, by_shape=False, **kwargs):
        ours = _ours(calls, **kwargs).key_averages(by_shape)
        theirs = _theirs(calls, **kwargs).key_averages(by_shape)
        for each in options:
            self.assertEqual(ours.table(**each), theirs.table(**each), each)

    def test_random(self):
        options = [
            {},
            {"sort_by": "self_cpu_time_total"},
            {"sort_by": "cpu_time", "row_limit": 2},
            {"sort_by": "count", "row_limit": 0},
            {"row_limit": -1, "header": "A header", "top_level_events_only": True},
            {"max_name_column_width": 20},
            {"max_name_column_width": None},
        ]
        for seed, scale in itertools.product(range(15), (1, 50, 100000)):
            self._compare(_random_calls(seed, scale=scale), options)

    def test_shapes(self):
        options = [{}, {"max_shapes_column_width": 10}, {"max_shapes_column_width": None}]
        for seed in range(5):
            self._compare(_random_calls(seed, shapes=True), options, by_shape=True)
            self._compare(_random_calls(seed, shapes=True), options)

    def test_memory_columns(self):
        self._compare(_random_calls(0), [{}], profile_memory=True)

    def test_flops_absent(self):
        self._compare(_random_calls(0), [{}], with_flops=True)

    def test_events_table(self):
        calls = _random_calls(3, n=120)
        for options in ({}, {"sort_by": "cpu_time_total"}, {"top_level_events_only": True}):
            # PyTorch gives all steps the same name when it makes the events.
            self.assertEqual(_ours(calls).table(**options), _theirs(calls).table(**options))

    def test_stacks(self):
        stacks = [
            ["%s/file_%d.py(%d): function" % ("long" * 15, i, i) for i in range(n)]
            for n in (0, 1, 3, 8)
        ]
        calls = _random_calls(4, n=60)
        for number, call in enumerate(calls):
            call["stack"] = stacks[number % len(stacks)]
        for n in (1, 3, 20):
            ours = _ours(calls).key_averages(group_by_stack_n=n)
            theirs = _theirs(calls).key_averages(group_by_stack_n=n)
            for width in (75, 30, None):
                self.assertEqual(
                    ours.table(max_src_column_width=width),
                    theirs.table(max_src_column_width=width),
                )

    def test_tree(self):
        for seed in range(20):
            calls = _random_calls(seed)
            ours, theirs = _ours(calls), _theirs(calls)
            self.assertEqual(len(ours), len(theirs))
            for mine, other in zip(ours, theirs):
                self.assertEqual(mine.key, other.key)
                self.assertEqual(mine.self_cpu_time_total, other.self_cpu_time_total)
                self.assertEqual(
                    [child.key for child in mine.cpu_children],
                    [child.key for child in other.cpu_children],
                )
            self.assertEqual(ours.self_cpu_time_total, theirs.self_cpu_time_total)
            mine, other = ours.total_average(), theirs.total_average()
            self.assertEqual((mine.key, mine.count), (other.key, other.count))
            self.assertEqual(mine.cpu_time_total, other.cpu_time_total)

    def test_unknown_sort_key(self):
        self.assertRaises(AttributeError, _ours(_random_calls(0)).table, sort_by="nonsense")


class Rules(unittest.TestCase):
    def _call(self, name, start, end, thread=1):
        return dict(
            number=0,
            name=name,
            start=start,
            end=end,
            thread=thread,
            shapes=[],
            is_async=False,
        )

    def test_lost_records(self):
        calls = [self._call("mm", 0, 10)]
        events = _ours(calls, lost=5)
        line = "Incomplete: 5 records were lost, so these numbers may be wrong"
        for table in (events.table(), events.key_averages().table()):
            self.assertEqual(table.splitlines()[-1], line)
        self.assertNotIn("ncomplete", _ours(calls).table())

    def test_losses_of_a_capture(self):
        times = {"Begin(us)": "1736412474000000.000\t", "Duration(us)": "1.0", "Track": "7"}
        rows = [
            ("cpu_op", {"Name": "mm", **times}),
            ("loss", {"Name": "pool_empty", "count": "5", **times}),
            ("loss", {"Name": "string_cut", "count": "9", **times}),
            ("loss", {"Name": "nested", "count": "2", **times}),
        ]
        with unittest.mock.patch.object(capture_table, "_read_tables", return_value=rows):
            found = capture_table.read_events("unused", capture_table.Request())
        self.assertEqual(([event.name for event in found], found.lost), (["mm"], 7))

    def test_empty(self):
        self.assertEqual(EventList([]).table(), "")
        self.assertEqual(EventList([]).key_averages().table(), "")

    def test_nesting(self):
        events = _ours(
            [
                self._call("a", 0, 100),
                self._call("b", 10, 60),
                self._call("c", 20, 30),
                self._call("d", 60, 100),
                self._call("e", 60, 100, thread=2),
            ]
        )
        parents = {event.name: event.cpu_parent and event.cpu_parent.name for event in events}
        self.assertEqual(parents, {"a": None, "b": "a", "c": "b", "d": "a", "e": None})
        self.assertEqual([event.self_cpu_time_total for event in events], [10, 40, 10, 40, 40])

    def test_partial_overlap_is_no_nesting(self):
        events = _ours([self._call("a", 0, 10), self._call("b", 5, 15)])
        self.assertEqual([event.cpu_parent for event in events], [None, None])

    def test_only_child_of_same_name(self):
        events = _ours(
            [
                self._call("a", 0, 100),
                self._call("a", 10, 90),
                self._call("a", 20, 80),
                self._call("b", 30, 40),
            ]
        )
        self.assertEqual([event.name for event in events], ["a", "b"])
        self.assertIs(events[1].cpu_parent, events[0])
        self.assertEqual(events[0].self_cpu_time_total, 90)

    def test_steps_are_folded(self):
        calls = [self._call("ProfilerStep#%d" % i, i * 10, i * 10 + 5) for i in range(4)]
        averages = _ours(calls).key_averages()
        self.assertEqual([(each.key, each.count) for each in averages], [("ProfilerStep*", 4)])

    def test_device_names(self):
        event = _ours([self._call("a", 0, 1)])[0]
        for name in ("npu", "xpu", "device", "cuda"):
            self.assertEqual(getattr(event, name + "_time_total"), 0)
            self.assertEqual(getattr(event, "self_" + name + "_memory_usage"), 0)
        self.assertEqual(event.cpu_time_total_str, "1.000us")
        self.assertRaises(AttributeError, getattr, event, "npu_nonsense")
        self.assertRaises(AttributeError, getattr, event, "nonsense_str")

    @unittest.skipUnless(torch, "PyTorch is not installed")
    def test_device_type(self):
        event = _ours([self._call("a", 0, 1)])[0]
        self.assertEqual(event.device_type, torch.autograd.DeviceType.CPU)

    def test_flops(self):
        events = _ours([self._call("a", 0, 1), self._call("b", 2, 3)], with_flops=True)
        events[0].flops = 2500000
        text = events.table()
        self.assertIn("Total MFLOPs", text)
        self.assertIn("   2.500", text)
        self.assertIn("--", text.splitlines()[4])
