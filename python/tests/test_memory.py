# SPDX-License-Identifier: Apache-2.0
"""profile_memory: which operator each event of memory belongs to."""

import csv
import glob
import gzip
import json
import os
import shutil
import threading
import unittest
import weakref
from unittest import mock

from support import FolderTest, messages, needs_torch
from trace_file import trace_events
from strobe import profiler
from strobe.profiler import tensor_roles
from strobe.profiler.events import EventList, FunctionEvent
from strobe.profiler import torch_style
from strobe.profiler.memory_usage import attribute

try:
    import torch
except ImportError:
    torch = None


def _memory(events):
    return {event.key: (event.cpu_memory_usage, event.self_cpu_memory_usage) for event in events}


class Attribution(unittest.TestCase):
    def test_from_begin_to_end_in_any_thread(self):
        outer = FunctionEvent(1, "outer", 1, 10, 50)
        inner = FunctionEvent(2, "inner", 1, 20, 30)
        other = FunctionEvent(3, "other", 2, 25, 40)
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
        event = FunctionEvent(1, "a", 1, 0, 9, is_async=True)
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
        self.assertIn("5.00 " + torch_style.memory_units()[1], text)
        self.assertEqual(averages.total_average().self_cpu_memory_usage, 1024)

    def test_sums_are_those_of_torch_profiler(self):
        """Both profilers record the same run; Strobe does not use PyTorch's only slot for a
        profiler."""
        weight = torch.randn(32, 32, requires_grad=True)

        def step():
            (weight @ weight).relu().sum().backward()

        def work():
            with torch.autograd.profiler.profile(profile_memory=True) as self.theirs:
                step()

        step()
        names = ("aten::matmul", "aten::mm", "aten::relu", "aten::sum")
        # PyTorch's profiler has times in whole us, so it may attribute memory at an operator's edge
        # to its neighbour. On a busy machine this happens in some runs.
        for _ in range(10):
            averages = self.profile(work).key_averages()
            ours, theirs = _memory(averages), _memory(self.theirs.key_averages())
            expected = {name: theirs[name][0] for name in names}
            if all(ours[name][0] == expected[name] for name in names):
                break
        self.assertEqual({name: ours[name][0] for name in names}, expected)
        # a step releases all memory that it allocates
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

    def test_component_in_each_session(self):
        """A session does not use ids of texts of an earlier session."""
        for number in range(3):
            out = os.path.join(self.folder, "session%d" % number)
            ready = profiler.tensorboard_trace_handler(out)
            with profiler.profile(profile_memory=True, on_trace_ready=ready):
                for n in range(7 * number):
                    with profiler.record_function("text %d of session %d" % (n, number)):
                        pass
                torch.empty(100)
            path, = glob.glob(out + "/*/*/memory_record.csv")
            with open(path, newline="") as file:
                components = [row["Component"] for row in csv.DictReader(file)]
            self.assertEqual(set(components), {"PTA"})

    def test_off(self):
        with profiler.profile() as prof:
            torch.ones(64)
        self.assertEqual(_memory(prof.events())["aten::ones"], (0, 0))
        self.assertNotIn("CPU Mem", prof.key_averages().table())


_PARAMETER, _STATE, _INPUT, _TEMPORARY, _ACTIVATION, _GRADIENT, _DETAIL, _UNKNOWN = range(8)
_BEFORE, _CREATE, _WRITE, _DESTROY = range(4)


@needs_torch
class Timeline(FolderTest):
    """A small model, whose tensors can be recognised by their sizes."""

    def setUp(self):
        super().setUp()
        torch.set_num_threads(1)
        self.model = torch.nn.Sequential(
            torch.nn.Linear(7, 11, bias=False), torch.nn.ReLU(), torch.nn.Linear(11, 3, bias=False)
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    FIRST, SECOND = 7 * 11 * 4, 11 * 3 * 4  # weights, gradients, state
    BATCH, HIDDEN, OUTPUT = 13 * 7 * 4, 13 * 11 * 4, 13 * 3 * 4

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        data = torch.randn(13, 7)
        self.model(data).square().sum().backward()
        self.optimizer.step()

    def profile(self, work, **options):
        options = {"record_shapes": True, "with_modules": True, "profile_memory": True, **options}
        with messages():
            with profiler.profile(
                on_trace_ready=profiler.tensorboard_trace_handler(self.folder), **options
            ) as prof:
                work()
        return prof

    def export(self, prof, name):
        with messages() as told:
            prof.export_memory_timeline(name)
        self.assertEqual(told, [])
        read = gzip.open if name.endswith(".gz") else open
        with read(name, "rt") as file:
            return json.load(file)

    def categories(self, rows, action, size):
        return {category for _, each, bytes_, category in rows if (each, bytes_) == (action, size)}

    def test_categories(self):
        self.step()  # makes parameters and state
        rows = self.export(self.profile(self.step), "m.raw.json.gz")
        for size in (self.FIRST, self.SECOND):
            self.assertEqual(
                self.categories(rows, _BEFORE, size), {_PARAMETER, _STATE}, size
            )
            self.assertEqual(self.categories(rows, _CREATE, size), {_GRADIENT}, size)
            self.assertEqual(self.categories(rows, _WRITE, size), {_PARAMETER, _STATE}, size)
        self.assertEqual(self.categories(rows, _CREATE, self.BATCH), {_INPUT})
        self.assertEqual(self.categories(rows, _DESTROY, -self.BATCH), {_INPUT})
        # activations and their gradients have the same size
        self.assertEqual(self.categories(rows, _CREATE, self.HIDDEN), {_ACTIVATION, _DETAIL})
        self.assertEqual(
            self.categories(rows, _CREATE, self.OUTPUT), {_ACTIVATION, _DETAIL, _TEMPORARY}
        )

    def recorded(self):
        """Returns the allocator's events in order: (ns, size, address)."""
        path, = glob.glob(os.path.join(self.folder, "*", "*", "memory_event.csv"))
        with open(path) as file:
            return [(int(row["Begin(us)"].strip().replace(".", "")), int(row["size(B)"]),
                     row["address"]) for row in csv.DictReader(file)]

    def test_category_of_each_tensor(self):
        """Finds each tensor's category by its address. All tensors live to the end, so no address
        is reused."""
        held = []

        def note_gradient(grad):
            held.append((_DETAIL, grad))

        def step():
            self.optimizer.zero_grad(set_to_none=True)
            data = torch.randn(13, 7)
            held.append((_INPUT, data))
            value = data
            for layer in self.model:
                value = layer(value)
                value.register_hook(note_gradient)
                held.append((_ACTIVATION, value))
            value.square().sum().backward()
            held.extend((_GRADIENT, weight.grad) for weight in self.model.parameters())
            self.optimizer.step()

        self.step()
        rows = self.export(self.profile(step), "m.raw.json.gz")
        told = {(time, size): category for time, action, size, category in rows
                if action == _CREATE}
        found = {}
        for time, size, address in self.recorded():
            if size > 0:
                found[int(address, 0)] = told[time, size]
        self.assertEqual(len(held), 1 + 3 + 3 + 2)
        for role, tensor in held:
            self.assertEqual(found[tensor.data_ptr()], role, tuple(tensor.shape))

    def test_state_is_written_before_the_parameter(self):
        """The optimizer writes its state before the parameter; both existed before and have the
        same size."""
        self.step()
        rows = self.export(self.profile(self.step), "m.raw.json.gz")
        for size in (self.FIRST, self.SECOND):
            written = [category for _, action, bytes_, category in rows
                       if (action, bytes_) == (_WRITE, size)]
            self.assertEqual(written[0], _STATE)
            self.assertEqual(written[-1], _PARAMETER)
            self.assertEqual(sorted(written), written[::-1])

    def test_state_that_is_new(self):
        rows = self.export(self.profile(self.step), "m.raw.json.gz")
        for size in (self.FIRST, self.SECOND):
            self.assertEqual(self.categories(rows, _BEFORE, size), {_PARAMETER})
            self.assertEqual(self.categories(rows, _CREATE, size), {_GRADIENT, _STATE})

    def test_frozen_parameters(self):
        """Frozen parameters are recognised as parameters, since Python objects say so."""
        self.model[0].weight.requires_grad_(False)
        rows = self.export(self.profile(self.step), "m.raw.json.gz")
        self.assertEqual(self.categories(rows, _BEFORE, self.FIRST), {_PARAMETER})

    def test_weights_without_a_module(self):
        weight = torch.randn(6, 5, requires_grad=True)

        def work():
            for _ in range(2):
                (torch.randn(9, 6) @ weight).sum().backward()
                with torch.no_grad():
                    weight.sub_(weight.grad, alpha=0.1)
                weight.grad = None

        rows = self.export(self.profile(work), "m.raw.json.gz")
        self.assertEqual(self.categories(rows, _BEFORE, 120), {_PARAMETER})
        self.assertEqual(self.categories(rows, _CREATE, 120), {_GRADIENT})
        self.assertEqual(self.categories(rows, _CREATE, 216), {_INPUT})

    def replay(self, rows):
        """Adds up the events: returns (us, bytes by category)."""
        held, samples = [0] * 8, []
        times = [time // 1000 for time, _, _, _ in rows if time > 0]
        for time, _, size, category in rows:
            held[category] += size
            us = -1 if time < 0 else time // 1000
            if samples and samples[-1][0] == us:
                samples[-1] = (us, list(held))
            else:
                samples.append((us, list(held)))
        return [(min(times) if us < 0 else us, [0] + sums) for us, sums in samples]

    def test_sums_are_those_of_the_events(self):
        def work():
            for _ in range(3):
                self.step()

        prof = self.profile(work)
        rows = self.export(prof, "m.raw.json.gz")
        times, sizes = self.export(prof, "m.json")
        self.assertEqual(list(zip(times, sizes)), self.replay(rows))
        self.assertEqual(self.export(prof, "m.json.gz"), [times, sizes])
        self.assertGreaterEqual(min(min(each) for each in sizes), 0)
        self.check_account(rows, times, sizes)

    def check_account(self, rows, times, sizes):
        """Checks that the events, and their sums, are exactly those of the allocator."""
        recorded = self.recorded()
        told = [(time, size) for time, action, size, _ in rows if action in (_CREATE, _DESTROY)]
        self.assertEqual(sorted(told), sorted(each[:2] for each in recorded))
        held = sum(size for _, action, size, _ in rows if action == _BEFORE)
        totals = {}
        for time, size, _ in sorted(recorded):
            held += size
            totals[time // 1000] = held
        samples = dict(zip(times, map(sum, sizes)))
        self.assertEqual({us: samples[us] for us in totals}, totals)
        self.assertEqual(max(totals.values()), max(samples.values()))

    def test_windows(self):
        """The categories of tensors are recorded at the end of each window."""
        schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=2)
        exported = []

        def ready(prof):
            name = os.path.join(self.folder, "%d.raw.json.gz" % len(exported))
            exported.append(self.export(prof, name))

        with messages():
            with profiler.profile(
                schedule=schedule,
                on_trace_ready=ready,
                profile_memory=True,
                record_shapes=True,
                with_stack=True,
            ) as prof:
                for _ in range(4):
                    self.step()
                    prof.step()
        self.assertEqual(len(exported), 2)
        for rows in exported:
            # gradients that are released unused have no known category
            self.assertEqual(
                self.categories(rows, _BEFORE, self.FIRST), {_PARAMETER, _STATE, _UNKNOWN}
            )
            self.assertEqual(self.categories(rows, _CREATE, self.FIRST), {_GRADIENT})

    def test_roles_are_told_behind_the_last_step(self):
        """Recording the categories takes a third of a second, which must not be part of the last
        step."""
        path = os.path.join(self.folder, "trace.json")

        def tell():
            with profiler.record_function("told"):
                pass

        schedules = (profiler.schedule(wait=0, warmup=0, active=1, repeat=1),
                     lambda step: profiler.ProfilerAction.RECORD_AND_SAVE)  # fmt: skip
        for schedule in schedules:
            with messages(), mock.patch.object(tensor_roles, "tell", tell):
                with profiler.profile(
                    schedule=schedule, profile_memory=True, record_shapes=True, with_stack=True
                ) as prof:
                    torch.ones(3)
                    prof.step()
                    prof.export_chrome_trace(path)
            with open(path) as file:
                events = trace_events(file.read())
            spans = {each["name"]: each for each in events if each["ph"] == "X"}
            step, told = spans["ProfilerStep#0"], spans["told"]
            self.assertLessEqual(float(step["ts"]) + step["dur"], float(told["ts"]))

    def test_many_windows(self):
        """Memory does not grow, and no tensor is kept alive."""
        windows = int(os.environ.get("STROBE_TEST_WINDOWS", "30"))
        alive, resident = [], []

        def ready(prof):
            with open("/proc/self/statm") as file:
                resident.append(int(file.read().split()[1]) * 4)
            for each in glob.glob(os.path.join(self.folder, "*_ascend_pt")):
                shutil.rmtree(each)

        with messages():
            with profiler.profile(
                schedule=profiler.schedule(wait=0, warmup=0, active=1, repeat=0),
                on_trace_ready=ready,
                profile_memory=True,
                record_shapes=True,
                with_stack=True,
            ) as prof:
                for _ in range(windows):
                    alive.append(weakref.ref(torch.ones(3)))
                    self.step()
                    prof.step()
        self.assertEqual([each for each in alive if each() is not None], [])
        self.assertEqual(len(resident), windows + 1)
        if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # it keeps freed memory
            self.assertLess(resident[-1] - resident[windows // 3], 2048)  # KiB

    def test_page(self):
        prof = self.profile(self.step)
        prof.export_memory_timeline("m.html")
        with open("m.html") as file:
            text = file.read()
        self.assertIn("Memory timeline", text)
        self.assertNotIn("http", text)
        self.assertEqual(os.listdir(self.folder).count("m.html"), 1)

    def test_refusals(self):
        prof = self.profile(self.step)
        with messages() as told:
            prof.export_memory_timeline("m.html", device="gpu")
            prof.export_memory_timeline("m.html", device="npu:0")
            prof.export_memory_timeline(self.folder)
        self.assertIn("expected cpu or npu:NUMBER", told[0][1])
        self.assertIn("nothing to write", told[1][1])
        self.assertIn("it is a directory", told[2][1])
        self.assertNotIn("m.html", os.listdir(self.folder))


if __name__ == "__main__":
    unittest.main()
