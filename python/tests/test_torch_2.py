# SPDX-License-Identifier: Apache-2.0
"""Parameters and methods that torch.profiler has only in PyTorch 2.x, and their effect."""

import asyncio
import glob
import gzip
import json
import os
import unittest.mock

from support import FolderTest, messages, needs_torch, results, torch
from strobe import command, profiler
from strobe.profiler import autograd, capture_table, torch_style

Activity = profiler.ProfilerActivity


_TELLS_OVERLOADS = "capture_overload_names" in str(
    getattr(getattr(torch, "profiler", None), "_ExperimentalConfig", None)
    and torch.profiler._ExperimentalConfig.__init__.__doc__
)


def _texts(told):
    return [text for _, text in told]


def _counts(found):
    return {each.key: each.count for each in found.key_averages()}


class _Observer:
    """An execution trace observer that keeps a list of its calls."""

    def __init__(self):
        self.calls = []

    def start(self):
        self.calls.append("start")

    def stop(self):
        self.calls.append("stop")

    def cleanup(self):
        self.calls.append("cleanup")


@needs_torch
class Parameters(FolderTest):
    def _loop(self, steps, on_step=None, **given):
        """Profiles so many steps with one multiplication each."""
        with messages() as self.told, profiler.profile(activities=[Activity.CPU], **given) as prof:
            for step in range(steps):
                torch.ones(1).mul(2)
                if on_step:
                    on_step(prof, step)
                prof.step()
        return prof

    def test_acc_events(self):
        schedule = profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
        self.assertEqual(_counts(self._loop(9, schedule=schedule))["aten::mul"], 2)
        prof = self._loop(9, schedule=schedule, acc_events=True)
        self.assertEqual(_counts(prof)["aten::mul"], 4)
        self.assertEqual(_counts(prof)["ProfilerStep*"], 4)
        prof.start()
        torch.ones(1).mul(2)
        prof.stop()
        self.assertEqual(_counts(prof)["aten::mul"], 4)  # the schedule has ended

    def test_acc_events_of_starts(self):
        prof = profiler._KinetoProfile(activities=[Activity.CPU], acc_events=True)
        for n in (1, 2):
            prof.start()
            torch.ones(1).mul(2)
            prof.stop()
            self.assertEqual(_counts(prof)["aten::mul"], n)

    def test_acc_events_of_a_moved_result(self):
        handler = profiler.tensorboard_trace_handler("moved", "w", analyse_flag=False)
        schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=2)
        prof = self._loop(5, schedule=schedule, on_trace_ready=lambda p: handler(p), acc_events=True)
        self.assertEqual(len(results("moved")), 2)
        self.assertEqual(_counts(prof)["aten::mul"], 2)

    def test_timeout(self):
        prof = self._loop(1, post_processing_timeout_s=60)
        self.assertEqual(_counts(prof)["aten::mul"], 1)
        prof = self._loop(1, post_processing_timeout_s=0)
        with messages() as told:
            self.assertEqual(prof.events(), [])
        self.assertIn("The events are incomplete: strobe analyse took longer than 0 s", _texts(told))
        with messages() as told:
            self.assertIsNone(profiler.profile(post_processing_timeout_s=-1).post_processing_timeout_s)
        self.assertEqual(len(told), 1)

    def test_timeout_while_rows_are_read(self):
        """The rows that were read before the timeout are kept."""
        prof = self._loop(1)
        times = iter([0.0, *[1.0] * 3, *[99.0] * 9])
        clock = unittest.mock.Mock(monotonic=lambda: next(times))
        with messages() as told, unittest.mock.patch.object(capture_table, "time", clock):
            found = capture_table.read_events(
                prof._recording.directory, capture_table.Request(timeout_s=5)
            )
        self.assertEqual(len(found), 3)
        self.assertIn("not read within 5 s", told[0][1])

    def test_command_that_takes_too_long(self):
        process = command.subprocess.Popen(["sleep", "600"], stdout=-1, stderr=-1)
        with self.assertRaisesRegex(command.Timeout, "longer than 0.01 s"):
            command.finish(process, "analyse", 0.01)
        self.assertIsNotNone(process.returncode)

    def test_observer_once_a_window(self):
        observer = _Observer()
        schedule = profiler.schedule(wait=1, warmup=1, active=2, repeat=2)
        seen = []
        self._loop(
            9,
            lambda prof, step: seen.append(list(observer.calls)),
            schedule=schedule,
            execution_trace_observer=observer,
        )
        self.assertEqual(observer.calls, ["start", "stop"] * 2 + ["cleanup"])
        self.assertEqual([len(calls) for calls in seen], [0, 0, 1, 1, 2, 2, 3, 3, 4])

    def test_observer_of_adjacent_windows_and_failures(self):
        observer = _Observer()
        schedule = profiler.schedule(wait=0, warmup=0, active=1, repeat=2)
        self._loop(2, schedule=schedule, execution_trace_observer=observer)
        self.assertEqual(observer.calls, ["start", "stop", "start", "stop", "cleanup"])
        observer = _Observer()
        prof = profiler._KinetoProfile(execution_trace_observer=observer)
        prof.stop()
        prof.prepare_trace()
        prof.start_trace()
        torch.ones(1).mul(2)
        prof.stop_trace()
        self.assertEqual(observer.calls, ["start", "stop"])
        self.assertEqual(_counts(prof)["aten::mul"], 1)
        observer.start = None
        observer.stop = lambda: 1 / 0
        self.assertEqual(_counts(self._loop(1, execution_trace_observer=observer))["aten::mul"], 1)
        self.assertIn("execution_trace_observer.stop() failed: division by zero", _texts(self.told))

    @unittest.skipUnless(torch_style.is_torch_2(), "PyTorch 1.x has another observer")
    def test_observer_of_torch(self):
        observer = profiler.ExecutionTraceObserver().register_callback("graph.json")
        schedule = profiler.schedule(wait=1, warmup=1, active=1, repeat=1)
        self._loop(4, schedule=schedule, execution_trace_observer=observer)
        self.assertFalse(observer.is_registered)
        with open("graph.json") as file:
            nodes = [node["name"] for node in json.load(file)["nodes"]]
        self.assertEqual(nodes.count("aten::mul"), 1)
        if not hasattr(type(observer), "build_execution_trace_obs_from_env"):
            return
        variables = {"ENABLE_PYTORCH_EXECUTION_TRACE": "1"}
        with unittest.mock.patch.dict("os.environ", variables):
            prof = self._loop(1)
        self.assertTrue(os.path.getsize(prof.execution_trace_observer.get_output_file_path()))
        os.unlink(prof.execution_trace_observer.get_output_file_path())

    def test_toggle(self):
        def work():
            torch.ones(1).mul(2)

        cpu = [Activity.CPU]
        with messages() as told, profiler.profile(activities=cpu, profile_memory=True) as prof:
            work()
            prof.toggle_collection_dynamic(False, cpu)
            prof.toggle_collection_dynamic(False, cpu)
            torch.ones(1).add(2)
            prof.toggle_collection_dynamic(True, cpu)
            work()
            prof.toggle_collection_dynamic(False, [Activity.CUDA])  # not recorded
            work()
            prof.toggle_collection_dynamic(False, cpu)
        self.assertEqual(told, [])
        counts = _counts(prof)
        self.assertEqual((counts["aten::mul"], counts.get("aten::add")), (3, None))
        prof.export_chrome_trace("trace.json")
        with open("trace.json") as file:
            names = [event["name"] for event in json.load(file)["traceEvents"]]
        self.assertEqual((names.count("aten::mul"), names.count("aten::add")), (3, 0))
        prof.start()
        work()
        prof.stop()
        self.assertEqual(_counts(prof)["aten::mul"], 1)

    def test_metadata_and_ids(self):
        ids = iter("abc")
        prof = profiler.profile(
            activities=[Activity.CPU],
            custom_trace_id_callback=lambda: next(ids),
            schedule=profiler.schedule(wait=1, warmup=1, active=1, repeat=2),
            on_trace_ready=lambda p: seen.append(p.get_trace_id()),
        )
        seen = []
        prof.preset_metadata_json("numbers", "[1, 2]")
        with messages(), prof:
            for step in range(7):
                torch.ones(1)
                if step == 4:
                    prof.set_custom_trace_id_callback(lambda: "other")
                prof.step()
        self.assertEqual(seen[0], "a")
        self.assertIn(seen[1], ("b", "other"))
        for result in results(self.folder):
            with open(os.path.join(result, "profiler_metadata.json")) as file:
                self.assertEqual(json.load(file)["numbers"], [1, 2])
        self.assertEqual(prof.step_num, 7)
        self.assertEqual([each.name for each in prof.action_trace][:4],
                         ["NONE", "WARMUP", "RECORD_AND_SAVE", "NONE"])

    def test_activities_of_each_form(self):
        for given in ({Activity.CPU}, (Activity.CPU,), iter([Activity.CPU]), [{Activity.CPU: ["CPU_OP"]}]):
            with profiler.profile(activities=given) as prof:
                with profiler.record_function("range"):
                    torch.ones(1).mul(2)
            self.assertEqual(prof.activities, {Activity.CPU})
            self.assertEqual(_counts(prof)["aten::mul"], 1)
        self.assertNotIn("range", _counts(prof))  # not of CPU_OP

    def test_results_of_autograd(self):
        prof = profiler.profile(activities=[Activity.CPU])
        self.assertIsNone(prof.profiler)
        with prof:
            torch.ones(3).mul(2)
        found = prof.profiler
        self.assertIs(found.function_events, prof.events())
        self.assertEqual(found.kineto_results.events(), prof.events())
        self.assertGreater(found.kineto_results.trace_start_ns(), 10**18)
        self.assertEqual(_counts(found), _counts(prof))
        self.assertEqual(found.self_cpu_time_total, prof.events().self_cpu_time_total)
        self.assertEqual(found.total_average().count, len(prof.events()))
        self.assertEqual(found.table(row_limit=1), prof.events().table(row_limit=1))
        found.export_chrome_trace("trace.json")
        with open("trace.json") as file:
            self.assertIn("aten::mul", [event["name"] for event in json.load(file)["traceEvents"]])

    def test_profile_of_autograd(self):
        with autograd.profile(record_shapes=True, use_kineto=True) as prof:
            torch.ones(3, 2).mul(2)
        (multiplied,) = [event for event in prof.function_events if event.name == "aten::mul"]
        self.assertEqual(multiplied.input_shapes[0], [3, 2])
        self.assertIn("aten::mul", str(prof))
        with messages() as told, autograd.profile(enabled=False) as prof:
            torch.ones(1)
        self.assertEqual(prof.function_events, [])
        self.assertTrue(callable(autograd.emit_nvtx))

    @unittest.skipUnless(_TELLS_OVERLOADS, "PyTorch tells overloads from 2.7 on")
    def test_overload_names(self):
        config = profiler._ExperimentalConfig(capture_overload_names=True)
        with messages(), profiler.profile(
            activities=[Activity.CPU], experimental_config=config
        ) as prof:
            torch.ones(3).mul(2)
            torch.ones(3).mul(torch.ones(3))
        averages = prof.key_averages(group_by_overload_name=True)
        theirs = self._overloads_of_torch()
        found = {(each.key, each.overload_name): each.count for each in averages}
        self.assertEqual(found, theirs)
        self.assertIn(("aten::mul", "Tensor"), found)
        self.assertIn("Overload Name", averages.table().splitlines()[1])
        self.assertNotIn("Overload Name", prof.key_averages().table())

    def _overloads_of_torch(self):
        import torch.profiler as theirs

        config = theirs._ExperimentalConfig(capture_overload_names=True)
        with theirs.profile(
            activities=[theirs.ProfilerActivity.CPU], experimental_config=config
        ) as prof:
            torch.ones(3).mul(2)
            torch.ones(3).mul(torch.ones(3))
        averages = prof.key_averages(group_by_overload_name=True)
        return {(each.key, each.overload_name): each.count for each in averages}

    def test_attributes_of_events(self):
        with profiler.profile(activities=[Activity.CPU], record_shapes=True) as prof:
            torch.ones(3, 4).add(torch.ones(4), alpha=2)
            with profiler.record_function("range"):
                pass
        events = {event.name: event for event in prof.events()}
        added = events["aten::add"]
        self.assertEqual(added.concrete_inputs, [None, None, 2])
        self.assertEqual(added.input_dtypes[:2], ["float", "float"])
        self.assertEqual((added.activity_type, added.is_user_annotation), ("cpu_op", False))
        self.assertTrue(events["range"].is_user_annotation)
        self.assertEqual(added.external_id, added.id)
        self.assertEqual((added.kernels, added.cuda_time_total, added.use_device), ((), 0, None))


@needs_torch
class Ranges(FolderTest):
    def test_decorator_and_async(self):
        record_function = profiler.record_function

        @record_function("plain")
        def plain(value):
            return value + 1

        @record_function("waits")
        async def waits(seconds):
            torch.ones(1).mul(2)
            await asyncio.sleep(seconds)
            return seconds

        @record_function("yields")
        async def yields():
            for value in range(2):
                await asyncio.sleep(0)
                yield value

        async def main():
            own = [value async for value in yields()]
            return await asyncio.gather(waits(0.05), waits(0.01)), own

        with profiler.profile(activities=[Activity.CPU]) as prof:
            self.assertEqual([plain(1), plain(2)], [2, 3])
            self.assertEqual(asyncio.run(main()), ([0.05, 0.01], [0, 1]))
        averages = {each.key: each for each in prof.key_averages()}
        counts = [averages[name].count for name in ("plain", "waits", "yields")]
        self.assertEqual(counts, [2, 2, 1])
        self.assertGreater(averages["waits"].cpu_time_total, 60000)
        self.assertEqual(waits.__name__, "waits")

    def test_without_torch(self):
        done = self.run_python(
            "from strobe import profiler\n"
            "@profiler.record_function('f')\n"
            "def f(): return 5\n"
            "with profiler.record_function('r'): print(f())\n"
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "5\n", ""))


@needs_torch
class HandlerOfTorch(FolderTest):
    """Strobe's handler is given to PyTorch's own profile."""

    def _run(self, *arguments, **named):
        import torch.profiler as theirs

        with messages() as told, theirs.profile(
            activities=[theirs.ProfilerActivity.CPU],
            on_trace_ready=profiler.tensorboard_trace_handler(*arguments, **named),
            schedule=theirs.schedule(wait=0, warmup=1, active=1, repeat=2),
        ) as prof:
            for _ in range(5):
                torch.ones(1).mul(2)
                prof.step()
        self.assertEqual([text for level, text in told if level == "ERROR"], [])
        return sorted(glob.glob("out/*"))

    def test_files(self):
        paths = self._run("out")
        self.assertEqual(len(paths), 2)
        for path in paths:
            self.assertRegex(os.path.basename(path), r"^.+_\d+\.\d+\.pt\.trace\.json$")
            with open(path) as file:
                self.assertIn("aten::mul", file.read())

    def test_third_argument_is_use_gzip(self):
        paths = self._run("out", "worker", True)
        self.assertEqual(len(paths), 2)
        for path in paths:
            self.assertRegex(os.path.basename(path), r"^worker\.\d+\.pt\.trace\.json\.gz$")
            if torch_style.is_torch_2():
                with gzip.open(path, "rt") as file:
                    self.assertIn("aten::mul", file.read())

    def test_third_argument_is_no_use_gzip(self):
        self.assertTrue(all(path.endswith(".json") for path in self._run("out", "worker", False)))

    def test_form_of_torch(self):
        handler = profiler.tensorboard_trace_handler("out", "worker", True, use_python_export=False)
        self.assertEqual((handler.analyse_flag, handler.use_gzip), (True, True))
        handler = profiler.tensorboard_trace_handler("out", "worker", False)
        self.assertEqual((handler.analyse_flag, handler.use_gzip), (False, False))


if __name__ == "__main__":
    unittest.main()
