# SPDX-License-Identifier: Apache-2.0
"""profile_memory: which memory belongs to which operator."""

import os
import threading
import unittest

from support import FolderTest, messages, needs_torch
from strobe import profiler
from strobe.profiler.events import EventList, FunctionEvent
from strobe.profiler.memory_usage import attribute

try:
    import torch
except ImportError:
    torch = None


def _memory(events):
    return {event.key: (event.cpu_memory_usage, event.self_cpu_memory_usage) for event in events}


class Attribution(unittest.TestCase):
    def test_from_begin_to_end_in_any_thread(self):
        outer = FunctionEvent("outer", 10, 50, thread=1)
        inner = FunctionEvent("inner", 20, 30, thread=1)
        other = FunctionEvent("other", 25, 40, thread=2)
        changes = [(9, 1, False), (10, 2, False), (25, 4, False), (30, 8, False),
                   (31, -2, False), (45, 16, True), (51, 32, False)]  # fmt: skip
        loose = attribute([outer, inner, other], changes)
        self.assertEqual([each.cpu_memory_usage for each in loose], [1, 32])
        self.assertEqual({each.name for each in loose}, {"[memory]"})
        events = EventList([outer, inner, other])
        events.build_tree()
        self.assertEqual(_memory(events), {"outer": (12, 0), "inner": (12, 12), "other": (10, 10)})
        self.assertEqual((outer.cuda_memory_usage, inner.cuda_memory_usage), (16, 0))
        self.assertEqual(outer.self_cuda_memory_usage, 16)

    def test_asynchronous_events_have_nothing_of_their_own(self):
        event = FunctionEvent("a", 0, 9, is_async=True)
        attribute([event], [(5, 7, False)])
        self.assertEqual((event.cpu_memory_usage, event.self_cpu_memory_usage), (7, 0))

    def test_nothing_at_all(self):
        self.assertEqual(attribute([], []), [])
        self.assertEqual([each.cpu_memory_usage for each in attribute([], [(1, 2, False)])], [2])


@needs_torch
class Profiles(FolderTest):
    def setUp(self):
        super().setUp()
        torch.set_num_threads(1)

    def profile(self, work):
        with messages() as told:
            with profiler.profile(profile_memory=True) as prof:
                work()
        self.assertEqual(told, [])
        return prof

    def test_columns(self):
        kept = []

        def work():
            kept.append(torch.ones(256))
            torch.ones(1024)

        averages = self.profile(work).key_averages()
        memory = _memory(averages)
        self.assertEqual(memory["aten::empty"], (5120, 5120))
        self.assertEqual(memory["aten::ones"], (5120, 0))
        self.assertEqual(memory["[memory]"], (-4096, -4096))
        text = averages.table(sort_by="self_cpu_memory_usage")
        self.assertIn("Self CPU Mem", text)
        self.assertIn("5.00 Kb", text)
        self.assertEqual(averages.total_average().self_cpu_memory_usage, 1024)

    def test_sums_are_those_of_torch_profiler(self):
        """On the same run, whose slot for a profiler is its own."""
        weight = torch.randn(32, 32, requires_grad=True)

        def step():
            (weight @ weight).relu().sum().backward()

        def work():
            with torch.autograd.profiler.profile(profile_memory=True) as self.theirs:
                step()

        step()
        averages = self.profile(work).key_averages()
        ours, theirs = _memory(averages), _memory(self.theirs.key_averages())
        # whole us make theirs give memory at the edge of an operator to a neighbour
        for name in ("aten::matmul", "aten::mm", "aten::relu", "aten::sum"):
            self.assertEqual(ours[name][0], theirs[name][0], name)
        # nothing is left of a step but what was there before
        self.assertEqual(sum(own for _, own in ours.values()), 0)

    def test_memory_of_no_operator(self):
        kept = [torch.ones(8)]
        prof = self.profile(lambda: (kept.append(torch.ones(64)), kept.pop()))
        memory = _memory(prof.events())
        self.assertEqual(memory["[memory]"], (-256, -256))
        self.assertEqual(memory["aten::ones"], (256, 0))

    def test_release_in_another_thread(self):
        kept = []

        def work():
            kept.append(torch.ones(64))
            thread = threading.Thread(target=kept.clear)
            thread.start()
            thread.join()

        self.assertEqual(_memory(self.profile(work).events())["[memory]"], (-256, -256))

    def test_files(self):
        with messages():
            with profiler.profile(
                profile_memory=True,
                on_trace_ready=profiler.tensorboard_trace_handler(self.folder),
            ):
                torch.ones(1024)
        found = {}
        for parent, _, names in os.walk(self.folder):
            for name in names:
                found[name] = os.path.join(parent, name)
        with open(found["operator_memory.csv"]) as file:
            rows = [line.rstrip("\n").split(",") for line in file]
        self.assertEqual(
            [row[0:2] + row[-2:] for row in rows[1:]], [["aten::empty", "4.0", "", "CPU"]]
        )
        with open(found["memory_record.csv"]) as file:
            rows = [line.rstrip("\n").split(",") for line in file]
        self.assertEqual([row[0] for row in rows[1:]], ["PTA", "PTA"])
        self.assertEqual([row[-2:] for row in rows[1:]], [["", "CPU"]] * 2)

    def test_off(self):
        with profiler.profile() as prof:
            torch.ones(64)
        self.assertEqual(_memory(prof.events())["aten::ones"], (0, 0))
        self.assertNotIn("CPU Mem", prof.key_averages().table())


if __name__ == "__main__":
    unittest.main()
