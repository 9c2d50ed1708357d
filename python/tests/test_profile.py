# SPDX-License-Identifier: Apache-2.0
"""Profiles of real PyTorch work, compared with PyTorch's own legacy profiler."""

import collections
import gzip
import os
import tempfile
import threading
import unittest

from support import FolderTest, messages, needs_torch, results, torch
from trace_file import trace_events
from strobe import Error, profiler

_LEVELS = ("WARNING", "ERROR")


def _quiet(told):
    """Returns the messages without those of level INFO."""
    return [(level, text) for level, text in told if level in _LEVELS]


class _Work:
    """A small convolutional network and its training step."""

    def __init__(self):
        torch.manual_seed(1)
        self.model = torch.nn.Sequential(
            torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 3)
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.input = torch.randn(2, 1, 8, 8)
        self.target = torch.tensor([0, 2])

    def step(self):
        self.optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(self.model(self.input), self.target)
        loss.backward()
        self.optimizer.step()


def _legacy(function):
    """Returns names and counts by the legacy profiler, plus operators that it does not record."""
    with torch.autograd.profiler.profile(use_kineto=False) as prof:
        function()
    return collections.Counter(event.name for event in prof.function_events)


def _counts(prof):
    return {each.key: each.count for each in prof.key_averages()}


@needs_torch
class Profile(FolderTest):
    def setUp(self):
        super().setUp()
        self.work = _Work()
        self.work.step()
        private = tempfile.mkdtemp(dir=self.folder)
        old, tempfile.tempdir = tempfile.tempdir, private
        self.addCleanup(setattr, tempfile, "tempdir", old)
        self.private = private

    def test_counts_like_the_legacy_profiler(self):
        expected = _legacy(self.work.step)
        for shapes in (False, True):
            with profiler.profile(record_shapes=shapes) as prof:
                self.work.step()
            self.assertEqual(_counts(prof), dict(expected))

    def test_shapes_like_the_legacy_profiler(self):
        with torch.autograd.profiler.profile(use_kineto=False, record_shapes=True) as legacy:
            self.work.step()
        with profiler.profile(record_shapes=True) as prof:
            self.work.step()

        def shapes(events):
            return collections.Counter((each.name, str(each.input_shapes)) for each in events)

        self.assertEqual(shapes(prof.events()), shapes(legacy.function_events))

    def test_nothing_is_left(self):
        with messages() as told:
            with profiler.profile() as prof:
                self.work.step()
            self.assertEqual(len(os.listdir(self.private)), 1)
            self.assertEqual(results(self.folder), [])
            del prof
        self.assertEqual(os.listdir(self.private), [])
        self.assertEqual(_quiet(told), [])

    def test_only_active_steps(self):
        expected = _legacy(self.work.step)
        schedule = profiler.schedule(wait=1, warmup=1, active=3, repeat=1)
        with messages() as told:
            with profiler.profile(schedule=schedule) as prof:
                for _ in range(7):
                    self.work.step()
                    prof.step()
        found = _counts(prof)
        self.assertEqual(found.pop("ProfilerStep*"), 3)
        self.assertEqual(found, {name: 3 * count for name, count in expected.items()})
        steps = [event.trace_name for event in prof.events() if event.key == "ProfilerStep*"]
        self.assertEqual(steps, ["ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4"])
        self.assertEqual(_quiet(told), [])

    def test_step_of_strobe(self):
        import strobe

        schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=1)
        with messages() as told:
            with profiler.profile(schedule=schedule) as prof:
                for _ in range(3):
                    strobe.step()
        self.assertEqual((prof.step_num, _counts(prof), told), (3, {"ProfilerStep*": 1}, []))
        strobe.step()
        self.assertEqual(prof.step_num, 3)

    def test_steps_enclose_their_operators(self):
        schedule = profiler.schedule(wait=0, warmup=1, active=2, repeat=1)
        with profiler.profile(schedule=schedule) as prof:
            for _ in range(4):
                self.work.step()
                prof.step()
        tops = [event for event in prof.events() if event.cpu_parent is None]
        here = [event.key for event in tops if event.thread == threading.get_native_id()]
        self.assertEqual(set(here), {"ProfilerStep*"})

    def test_self_times_sum_to_the_top(self):
        with profiler.profile() as prof:
            self.work.step()
        events = prof.events()
        tops = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
        self.assertAlmostEqual(events.self_cpu_time_total, tops, delta=0.01)
        for event in events:
            self.assertGreaterEqual(event.self_cpu_time_total, -1e-6)

    def test_names_of_torch(self):
        for name in ("DeviceType", "RecordScope", "itt"):
            self.assertIs(getattr(profiler, name), getattr(torch.profiler, name))
        with self.assertRaises(AttributeError):
            profiler.no_such_name
        prof = profiler._KinetoProfile()
        prof.prepare_trace()
        prof.start_trace()
        self.work.step()
        prof.stop_trace()
        self.assertIn("aten::conv2d", _counts(prof))

    def test_shapes(self):
        with profiler.profile(record_shapes=True) as prof:
            torch.mm(torch.ones(2, 3), torch.ones(3, 4))
        found = {each.key: each for each in prof.key_averages(group_by_input_shape=True)}
        self.assertEqual(found["aten::mm"].input_shapes, [[2, 3], [3, 4]])
        self.assertIn("[[2, 3], [3, 4]]", prof.key_averages(True).table())

    def test_record_function(self):
        @profiler.record_function("decorated")
        def decorated():
            torch.ones(1).add(1)

        with profiler.profile() as prof:
            with profiler.record_function("mine \"quoted\"\n"):
                decorated()
        by_name = {event.name: event for event in prof.events()}
        self.assertIs(by_name["decorated"].cpu_parent, by_name['mine "quoted"\n'])

    def test_range_of_strobe(self):
        import strobe

        with profiler.profile() as prof:
            with strobe.range("marked"):
                torch.ones(1).add(1)
        by_name = {event.name: event for event in prof.events()}
        self.assertIs(by_name["aten::add"].cpu_parent, by_name["marked"])

    def test_other_threads(self):
        def work():
            torch.ones(3).mul(2)

        with profiler.profile() as prof:
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        used = {event.thread for event in prof.events() if event.name == "aten::mul"}
        self.assertEqual(len(used), 3)

    def test_table(self):
        with profiler.profile() as prof:
            self.work.step()
        text = prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=3)
        lines = text.splitlines()
        self.assertEqual(len(lines), 3 + 3 + 2)
        self.assertRegex(lines[-1], r"^Self CPU time total: \d+\.\d{3}(us|ms|s)$")

    def test_export_chrome_trace(self):
        with profiler.profile() as prof:
            self.work.step()
        with messages() as told:
            prof.export_chrome_trace("trace.json")
            prof.export_chrome_trace("trace.json.gz")
        self.assertEqual(_quiet(told), [])
        with open("trace.json") as file:
            plain = file.read()
        with gzip.open("trace.json.gz", "rt") as file:
            self.assertEqual(file.read(), plain)
        self.assertIn("aten::conv2d", [event["name"] for event in trace_events(plain)])
        self.assertEqual(sorted(os.listdir("."))[-2:], ["trace.json", "trace.json.gz"])

    def test_export_errors(self):
        prof = profiler.profile()
        for path in ("trace.json", self.folder):
            with messages() as told:
                prof.export_chrome_trace(path)
            self.assertIn("Call export_chrome_trace failed. Exception: ", told[0][1])
        with prof:
            self.work.step()
        self.write("file", "")
        for path in (self.folder, "file/trace.json"):
            with messages() as told:
                prof.export_chrome_trace(path)
            self.assertIn("Call export_chrome_trace failed. Exception: ", told[0][1])

    def test_export_stacks(self):
        with messages():
            prof = profiler.profile(with_stack=True)
        with prof:
            self.work.step()
        other = self.write("stacks.log", "a log of the program\n")
        with messages() as told:
            prof.export_stacks("stacks.txt")
        self.assertEqual(_quiet(told), [])
        with open("stacks.txt") as file:
            for line in file:
                self.assertRegex(line, r"\A\S.* [1-9]\d*\n?\Z")
        with open(other) as file:
            self.assertEqual(file.read(), "a log of the program\n")

    def test_exports_make_the_folder(self):
        with messages():
            prof = profiler.profile(record_shapes=True, profile_memory=True, with_stack=True)
        with prof:
            self.work.step()
        with messages() as told:
            prof.export_chrome_trace("a/b/trace.json")
            prof.export_chrome_trace("c/trace.json.gz")
            prof.export_stacks("d/stacks")
            prof.export_memory_timeline("e/memory.json")
            prof.events().export_chrome_trace("f/trace.json")
        self.assertEqual(_quiet(told), [])
        for path in ("a/b/trace.json", "c/trace.json.gz", "d/stacks", "e/memory.json",
                     "f/trace.json"):
            self.assertGreater(os.path.getsize(path), 0, path)

    def test_events_export_their_window(self):
        """Events can be exported, as PyTorch's lists of events can. Averages belong to no window
        and cannot."""
        with messages():
            prof = profiler.profile(with_stack=True)
        with prof:
            self.work.step()
        events = prof.events()
        metrics = events.supported_export_stacks_metrics()
        self.assertEqual(metrics[0], "self_cpu_time_total")
        with messages() as told:
            events.export_chrome_trace("events.json")
            prof.export_chrome_trace("trace.json")
            events.export_stacks("events.log", metrics[0])
            prof.export_stacks("stacks.log", metrics[0])
        self.assertEqual(_quiet(told), [])
        for mine, wanted in (("events.json", "trace.json"), ("events.log", "stacks.log")):
            with open(mine) as file, open(wanted) as other:
                self.assertEqual(file.read(), other.read())
        with messages() as told:
            events.export_stacks("x.log", "self_xpu_time_total")
            prof.key_averages().export_chrome_trace("x.json")
        self.assertEqual([level for level, _ in told], ["ERROR", "ERROR"])
        self.assertIn("expected one of self_cpu_time_total, ", told[0][1])
        self.assertIn("averages have no times: use prof.events()", told[1][1])

    def test_export_stacks_needs_with_stack(self):
        prof = profiler.profile()
        with messages() as told:
            prof.export_stacks("stacks.log")
        self.assertEqual(
            told, [("WARNING", "Function export_stacks() requires with_stack=True.")]
        )

    def test_memory_timeline(self):
        with messages() as told:
            profiler.profile(with_modules=True).export_memory_timeline("m.html")
        self.assertEqual(
            told[-1],
            (
                "WARNING",
                "record_shapes=True, profile_memory=True required for memory profiling.",
            ),
        )
        with messages() as told:
            profiler.profile().export_memory_timeline("m.html")
        self.assertEqual(
            told[-1],
            (
                "WARNING",
                "record_shapes=True, profile_memory=True, with_stack=True or with_modules=True "
                "required for memory profiling.",
            ),
        )

    def test_no_result(self):
        prof = profiler.profile()
        for call in (prof.events, prof.key_averages):
            with messages() as told:
                found = call()
            self.assertEqual(
                told,
                [("WARNING", "No window of this profile is complete: there are no events.")],
            )
            self.assertEqual((found, found.table()), ([], ""))

    def test_twice(self):
        prof = profiler.profile()
        for n in (1, 2):
            prof.start()
            prof.start()
            for _ in range(n):
                torch.ones(1).mul(2)
            prof.stop()
            prof.stop()
            self.assertEqual(_counts(prof)["aten::mul"], n)

    def test_schedule_goes_on_after_stop(self):
        schedule = profiler.schedule(wait=1, warmup=1, active=1)
        ready = []
        with messages():
            prof = profiler.profile(schedule=schedule, on_trace_ready=lambda p: ready.append(
                p.step_num))
            for _ in range(2):
                prof.start()
                for _ in range(4):
                    prof.step()
                prof.stop()
        self.assertEqual((prof.step_num, ready), (8, [3, 6, 8]))

    def test_two_profiles(self):
        first = profiler.profile()
        first.start()
        with messages() as told:
            with profiler.profile() as second:
                torch.ones(1).mul(2)
        self.assertEqual([level for level, _ in told], ["ERROR"])
        self.assertIn("Call start failed. Exception: ", told[0][1])
        first.stop()
        self.assertEqual(_counts(first)["aten::mul"], 1)
        with second:
            torch.ones(1).mul(2)
        self.assertEqual(_counts(second)["aten::mul"], 1)

    def test_exception_in_the_body(self):
        with self.assertRaises(KeyError):
            with profiler.profile() as prof:
                torch.ones(1).mul(2)
                raise KeyError(1)
        self.assertEqual(_counts(prof)["aten::mul"], 1)

    def test_stop_in_the_handler(self):
        """stop() in the handler begins no further window, and the next profile records."""
        saved = []

        def ready(prof):
            saved.append(len(prof.events()))
            prof.stop()

        with messages() as told:
            with profiler.profile(
                schedule=profiler.schedule(wait=0, warmup=1, active=1, repeat=3),
                on_trace_ready=ready,
            ) as prof:
                for _ in range(2):
                    self.work.step()
                    prof.step()
            with profiler.profile() as after:
                self.work.step()
        self.assertEqual(len(saved), 1)
        self.assertGreater(saved[0], 0)
        self.assertGreater(len(after.events()), 0)
        self.assertEqual(_quiet(told), [])

    def test_after_stop(self):
        with profiler.profile() as prof:
            pass
        with messages() as told:
            prof.step()
        self.assertEqual(told, [("WARNING", "Profiler is stopped, step takes no effect!")])
        self.assertEqual(prof.step_num, 0)

    def test_schedule_of_torch(self):
        import torch.profiler

        schedule = torch.profiler.schedule(wait=1, warmup=1, active=1, repeat=1)
        with profiler.profile(schedule=schedule) as prof:
            for _ in range(4):
                torch.ones(1).mul(2)
                prof.step()
        self.assertEqual(_counts(prof)["aten::mul"], 1)

    def test_schedule_that_fails(self):
        def schedule(step):
            if step == 1:
                raise KeyError("step 1")
            return profiler.ProfilerAction.RECORD

        with messages() as told:
            with profiler.profile(schedule=schedule) as prof:
                prof.step()
                torch.ones(1).mul(2)
                prof.step()
        self.assertEqual(told[0], ("ERROR", "Call step failed. Exception: 'step 1'"))
        self.assertEqual((prof.step_num, _counts(prof)["aten::mul"]), (2, 1))

    def test_many_cycles(self):
        schedule = profiler.schedule(wait=0, warmup=1, active=1)
        n = 0

        def ready(prof):
            nonlocal n
            n += 1

        with messages():
            with profiler.profile(schedule=schedule, on_trace_ready=ready) as prof:
                for _ in range(60):
                    self.work.step()
                    prof.step()
                kept = len(results(self.folder))
            private = profiler.profile(schedule=schedule)
            with private:
                for _ in range(20):
                    private.step()
                (folder,) = [private._recording._private.path]
                self.assertLessEqual(len(results(folder)), 2)
        self.assertEqual((n, kept), (30, 30))

    def test_work_path(self):
        os.environ["ASCEND_WORK_PATH"] = os.path.join(self.folder, "work")
        self.addCleanup(os.environ.pop, "ASCEND_WORK_PATH")
        with profiler.profile():
            self.work.step()
        self.assertEqual(len(results("work/profiling_data")), 1)

    def test_observer(self):
        calls = []

        class Observer:
            def start(self):
                calls.append("start")

            def stop(self):
                calls.append("stop")

        with profiler.profile(execution_trace_observer=Observer()):
            calls.append("body")
        self.assertEqual(calls, ["start", "body", "stop"])

    def test_without_steps(self):
        prof = profiler._KinetoProfile(record_shapes=True)
        prof.start()
        torch.ones(1).mul(2)
        prof.stop()
        self.assertEqual(_counts(prof)["aten::mul"], 1)
        self.assertFalse(hasattr(prof, "step"))

    def test_without_steps_of_a_block(self):
        """An exception in the block stops the profile, and is raised again."""
        with self.assertRaises(ZeroDivisionError):
            with profiler._KinetoProfile() as prof:
                torch.ones(1).mul(2)
                raise ZeroDivisionError
        torch.ones(1).mul(2)
        self.assertEqual(_counts(prof)["aten::mul"], 1)


if __name__ == "__main__":
    unittest.main()
