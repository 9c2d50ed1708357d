# SPDX-License-Identifier: Apache-2.0
"""tensorboard_trace_handler and analyse()."""

import json
import os
import socket
import unittest

import tap
from support import FolderTest, messages, needs_torch, results, torch
from trace_file import trace_events
from strobe import profiler

_OUTPUT = "ASCEND_PROFILER_OUTPUT"


def _made(**arguments):
    with messages() as told:
        handler = profiler.tensorboard_trace_handler(**arguments)
    return handler, [text for _, text in told]


@tap.once_test
class Arguments(FolderTest):
    def test_defaults(self):
        handler, told = _made()
        self.assertEqual(told, [])
        self.assertEqual(handler.parent(), self.folder)
        self.assertEqual(
            (handler.worker_name, handler.analyse_flag, handler.async_mode, handler.use_gzip),
            (None, True, False, False),
        )

    def test_directory(self):
        for value in ("", 1, b"x", []):
            handler, told = _made(dir_name=value)
            self.assertEqual(told, ["Invalid parameter dir_name, reset it to default."])
            self.assertEqual(handler.parent(), self.folder)
        handler, told = _made(dir_name="not/yet/there")
        self.assertEqual((handler.parent(), told), (os.path.join(self.folder, "not/yet/there"), []))
        handler, _ = _made(dir_name="~/x")
        self.assertEqual(handler.parent(), os.path.realpath(os.path.expanduser("~/x")))

    def test_directory_is_a_file(self):
        self.write("file", "")
        handler, told = _made(dir_name="file")
        self.assertIsNone(handler)
        self.assertEqual(len(told), 1)
        self.assertIn("Call tensorboard_trace_handler failed. Exception: ", told[0])

    def test_worker(self):
        for value in ("", "x" * 226, 1):
            handler, told = _made(worker_name=value)
            self.assertIsNone(handler.worker_name)
            self.assertEqual(told, ["Invalid parameter worker_name, reset it to default."])
        self.assertEqual(_made(worker_name="x" * 225)[0].worker_name, "x" * 225)

    def test_flags(self):
        for name, default in (("analyse_flag", True), ("async_mode", False)):
            handler, told = _made(**{name: 1})
            self.assertIs(getattr(handler, name), default)
            self.assertEqual(told, ["%s is not bool, set by default." % name])

    def test_state_is_that_of_one_handler(self):
        one, _ = _made(dir_name="a", worker_name="w")
        two, _ = _made(dir_name="b")
        self.assertEqual((os.path.basename(one.parent()), one.worker_name), ("a", "w"))
        self.assertEqual((os.path.basename(two.parent()), two.worker_name), ("b", None))


class _Profile:
    """A simulated profile with the members that a handler uses."""

    def __init__(self, *collectors):
        self._names = collectors

    def collectors(self):
        return self._names


@tap.once_test
class TensorBoard(FolderTest):
    def test_where_no_npu_is_profiled(self):
        handler, _ = _made(dir_name="a", worker_name="w")
        made = handler._tensorboard(_Profile("cpu_op", "metadata"))
        self.assertEqual((os.path.basename(made.folder), made.worker), ("a", "w"))
        self.assertIsNone(handler._tensorboard(_Profile("cpu_op", "npu_task")))

    def test_worker_is_chosen_once(self):
        handler, _ = _made(dir_name="a")
        first = handler._tensorboard(_Profile()).worker
        self.assertEqual(first, "%s_%d" % (socket.gethostname(), os.getpid()))
        self.assertEqual(handler._tensorboard(_Profile()).worker, first)

    def test_flags(self):
        place = profiler.analysis.TensorBoard("folder", "a,b\\c")
        self.assertEqual(
            profiler.analysis._also(True, place),
            ["--also", "chrome_trace:gzip=true", "--also",
             "tensorboard:worker=a\\,b\\\\c,gzip=true"],
        )
        self.assertEqual(profiler.analysis._also(False, None), [])


@needs_torch
class Handler(FolderTest):
    def _run(self, handler, cycles=1):
        schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=cycles)
        with messages() as told:
            with profiler.profile(schedule=schedule, on_trace_ready=handler) as prof:
                for _ in range(2 * cycles + 1):
                    torch.ones(2, 2).mm(torch.ones(2, 2))
                    prof.step()
        return prof, told

    def _trace_names(self, directory):
        with open(os.path.join(directory, _OUTPUT, "trace_view.json")) as file:
            return [event["name"] for event in trace_events(file.read())]

    def test_result_directory(self):
        handler, _ = _made(dir_name="out")
        prof, told = self._run(handler, cycles=2)
        found = results("out")
        self.assertEqual(len(found), 2)
        for directory in found:
            self.assertTrue(os.path.basename(directory).startswith(socket.gethostname() + "_"))
            self.assertIn("aten::mm", self._trace_names(directory))
            self.assertIn("operator_details.csv", os.listdir(os.path.join(directory, _OUTPUT)))
        self.assertEqual({level for level, _ in told}, {"INFO"})
        self.assertIn("Start parsing profiling data in sync mode at: ", told[0][1])
        self.assertRegex(told[1][1], r"in a total time of 0:00:\d\d\.\d{6}$")
        self.assertEqual(prof.key_averages()[0].count, 1)

    def test_worker(self):
        self._run(_made(dir_name="out", worker_name="my worker")[0])
        self.assertTrue(os.path.basename(results("out")[0]).startswith("my worker_"))

    def test_each_step_is_once_in_the_trace(self):
        """The trace lacks Strobe's own marks of steps, which PyTorch's viewer would count as
        steps."""
        config = profiler._ExperimentalConfig(mstx=True)
        handler = profiler.tensorboard_trace_handler("results")
        with messages(), profiler.profile(
            activities=[profiler.ProfilerActivity.CPU], experimental_config=config,
            schedule=profiler.schedule(wait=0, warmup=0, active=3, repeat=1),
            on_trace_ready=handler,
        ) as prof:
            for _ in range(3):
                torch.ones(2).add(1)
                prof.step()
        (name,) = [name for name in os.listdir("results") if name.endswith(".pt.trace.json")]
        with open(os.path.join("results", name)) as file:
            names = [event["name"] for event in json.load(file)["traceEvents"]]
        self.assertEqual([name for name in names if name.startswith("ProfilerStep#")],
                         ["ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"])

    def test_a_missing_collector_is_told_once(self):
        """The library, the session's end and the analysis all know of the missing collector; only
        one of them reports it."""
        done = self.run_python("""
from strobe import profiler

config = profiler._ExperimentalConfig(sys_interconnection=True)
handler = profiler.tensorboard_trace_handler("out")
schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=2)
with profiler.profile(experimental_config=config, schedule=schedule, on_trace_ready=handler) as prof:
    for _ in range(4):
        prof.step()
""")
        told = [line for line in done.stderr.splitlines() if "collector interconnect: " in line]
        if not told:
            self.skipTest("this host has links between accelerators")
        self.assertEqual(len(told), 1, done.stderr)
        self.assertEqual(len(results("out")), 2, done.stderr)

    def test_without_analysis(self):
        _, told = self._run(_made(dir_name="out", analyse_flag=False)[0])
        self.assertEqual(told, [])
        self.assertNotIn(_OUTPUT, os.listdir(results("out")[0]))

    def test_two_handlers_at_once(self):
        one, two = _made(dir_name="one")[0], _made(dir_name="two")[0]
        self._run(one)
        self._run(two)
        self.assertEqual((len(results("one")), len(results("two"))), (1, 1))

    def test_called_from_a_handler_of_the_users(self):
        inner = _made(dir_name="out", worker_name="my_worker")[0]
        seen = []

        def handler(prof):
            inner(prof)
            seen.append(prof.key_averages()[0].count)

        self._run(handler)
        self.assertEqual((len(results("out")), len(results(".")), seen), (1, 0, [1]))
        self.assertRegex(os.path.basename(results("out")[0]),
                         r"^my_worker_%d_\d{17}_ascend_pt$" % os.getpid())

    def test_gzip(self):
        import gzip

        self._run(_made(dir_name="out", use_gzip=True)[0])
        path = os.path.join(results("out")[0], _OUTPUT, "trace_view.json.gz")
        with gzip.open(path, "rt") as file:
            self.assertIn("aten::mm", [event["name"] for event in trace_events(file.read())])

    def test_handler_that_fails(self):
        calls = []

        def handler(prof):
            calls.append(prof.step_num)
            raise KeyError("mine")

        _, told = self._run(handler, cycles=3)
        self.assertEqual(calls, [2, 4, 6])
        self.assertEqual(told, [("ERROR", "Call step failed. Exception: 'mine'")] * 3)

    def test_async(self):
        done = self.run_python("""
import os
from strobe import profiler
import torch
handler = profiler.tensorboard_trace_handler("out", async_mode=True)
with profiler.profile(on_trace_ready=handler):
    torch.ones(2, 2).mm(torch.ones(2, 2))
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("in async mode at", done.stderr)
        self.assertIn("aten::mm", self._trace_names(results("out")[0]))

    def test_unwritable(self):
        os.mkdir("out")
        os.chmod("out", 0o500)
        if os.access("out", os.W_OK):
            os.rmdir("out")
            os.symlink("/proc/nothing", "out")
        _, told = self._run(_made(dir_name="out/x")[0])
        self.assertEqual(told[0][0], "ERROR")
        # In a container the pool lies beside the capture, and comes first.
        self.assertRegex(told[0][1], r"Call (step failed. Exception: Cannot create |start failed. "
                         r"Exception: Cannot make a pool of \d+ MB in /dev/shm or \S*/x: )")


@tap.once_test
@needs_torch
class Analyse(FolderTest):
    def setUp(self):
        super().setUp()
        handler = _made(dir_name="out", analyse_flag=False)[0]
        for _ in range(2):
            with profiler.profile(on_trace_ready=handler):
                torch.ones(2, 2).mm(torch.ones(2, 2))

    def _outputs(self):
        return [os.path.isdir(os.path.join(each, _OUTPUT)) for each in results("out")]

    def test_parent(self):
        with messages() as told:
            profiler.analyse("out")
        self.assertEqual({level for level, _ in told}, {"INFO"})
        self.assertEqual(self._outputs(), [True, True])

    def test_one(self):
        with messages():
            profiler.analyse(results("out")[0], max_process_number=1, export_type="text")
        self.assertEqual(self._outputs(), [True, False])

    def test_bad_arguments(self):
        for arguments, n_warnings in (
            ({"max_process_number": 0}, 1),
            ({"max_process_number": "x"}, 1),
            ({"max_process_number": 1 << 40}, 1),
            ({"export_type": "csv"}, 1),
            ({"export_type": []}, 1),
        ):
            with messages() as told:
                profiler.analyse(results("out")[0], **arguments)
            self.assertEqual([level for level, _ in told].count("WARNING"), n_warnings, told)
            self.assertEqual([level for level, _ in told].count("ERROR"), 0, told)

    def test_bad_path(self):
        os.mkdir("empty")
        for path in ("missing", "empty"):
            with messages() as told:
                profiler.analyse(path)
            self.assertEqual([level for level, _ in told], ["ERROR"])


if __name__ == "__main__":
    unittest.main()
