# SPDX-License-Identifier: Apache-2.0
"""with_stack, with_modules and with_flops of a profile, with real PyTorch."""

import collections
import contextlib
import csv
import gc
import json
import os
import sqlite3
import sys
import threading
import time
import unittest
import weakref

import strobe
import support
from strobe import _strobe, profiler
from support import FolderTest, messages, needs_torch, results
from trace_file import trace_events

CPU = [profiler.ProfilerActivity.CPU]
HERE = os.path.abspath(__file__)
MONITORS = sys.version_info >= (3, 12)  # other profilers do not disturb then
GAP = (r"\Astrobe: warning: python_call: Neither calls nor stacks are recorded in \d+ threads? for "
       r"\d+\.\d{3} s: PyTorch's profiler records Python there \(with_stack\)\Z")


def line_of(marker):
    """Returns the number of this file's line that ends with the comment."""
    with open(HERE) as file:
        return next(n for n, line in enumerate(file, 1) if line.rstrip().endswith("# " + marker))


def add_twice(x):
    y = x + 1  # first
    return (  # second begins
        y + 2  # second
    )


def both(x):
    return [add_twice(x), add_twice(x)]  # both


def in_generator(x):
    for n in range(2):
        yield x * n  # generator


def work_of_flops():
    """Runs all operators whose operations PyTorch counts, and others."""
    import torch

    a, b = torch.ones(3, 4), torch.ones(4, 5)
    stack, other = torch.ones(2, 3, 4), torch.ones(2, 4, 5)
    a @ b
    torch.addmm(torch.ones(3, 5), a, b, alpha=2)
    torch.bmm(stack, other)
    torch.baddbmm(torch.ones(2, 3, 5), stack, other)
    a * a, a + 1, a + a, a - a, a.add_(1), torch.tensor(2.0) * torch.tensor(3.0)
    torch.zeros(0, 3) @ torch.zeros(3, 2)
    conv2d = torch.nn.functional.conv2d
    image = torch.ones(2, 4, 9, 10)
    conv2d(image, torch.ones(6, 2, 3, 3), stride=2, padding=1, dilation=2, groups=2)
    conv2d(image, torch.ones(6, 4, 3, 1), stride=(1, 3))
    torch.nn.functional.conv1d(torch.ones(2, 4, 9), torch.ones(6, 4, 3))


@needs_torch
class StacksTest(FolderTest):
    def setUp(self):
        super().setUp()
        support.torch.set_num_threads(1)
        self.x = support.torch.ones(2)

    def profile(self, function, **options):
        with messages() as told, profiler.profile(activities=CPU, **options) as prof:
            function()
        self.assertEqual([text for level, text in told if level != "INFO"], [])
        return prof

    def stacks_of(self, prof, name):
        return [event.stack for event in prof.events() if event.name == name]

    # ---- stacks ----

    def test_lines_that_run(self):
        """Each operator's stack has the lines that were running, with those of the callers."""
        prof = self.profile(lambda: both(self.x), with_stack=True)
        stacks = self.stacks_of(prof, "aten::add")
        self.assertEqual(len(stacks), 4)
        for number, stack in enumerate(stacks):
            line = line_of("second" if number % 2 else "first")
            self.assertEqual(stack[0], "%s(%d): add_twice" % (HERE, line))
            self.assertRegex(stack[1], r"\A%s\(%d\): (<listcomp>|both)\Z" % (HERE, line_of("both")))
            self.assertIn("test_lines_that_run", " ".join(stack))
            self.assertNotIn("__exit__", " ".join(stack))

    def test_generators_and_loops(self):
        prof = self.profile(lambda: list(in_generator(self.x)), with_stack=True)
        stacks = self.stacks_of(prof, "aten::mul")
        self.assertEqual(len(stacks), 2)
        for stack in stacks:
            self.assertEqual(stack[0], "%s(%d): in_generator" % (HERE, line_of("generator")))
            self.assertIn(": <lambda>", stack[1])

    def test_same_as_torch(self):
        """Stacks have the same lines as in PyTorch's legacy profiler, frame by frame. (Its
        successor gives the lines where functions are defined.)"""
        from torch.autograd import profiler_legacy

        model = support.torch.nn.Sequential(support.torch.nn.Linear(2, 3), support.torch.nn.ReLU())

        def work():
            model(support.torch.ones(4, 2))
            both(self.x)

        work()
        ours = self.profile(work, with_stack=True)
        with profiler_legacy.profile(with_stack=True) as theirs:
            work()
        names = ("aten::add", "aten::linear", "aten::addmm", "aten::relu")
        for name in names:
            found = [cut(stack) for stack in self.stacks_of(ours, name)]
            expected = [cut(e.stack) for e in theirs.function_events if e.name == name]
            self.assertTrue(expected, name)
            self.assertEqual(found, expected, name)

    def test_threads(self):
        def work():
            threads = [threading.Thread(target=both, args=(self.x,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        prof = self.profile(work, with_stack=True)
        stacks = self.stacks_of(prof, "aten::add")
        self.assertEqual(len(stacks), 12)
        self.assertEqual({stack[0].split(": ")[1] for stack in stacks}, {"add_twice"})
        self.assertTrue(all(": _bootstrap" in stack[-1] for stack in stacks))

    def test_backward(self):
        """Operators in a backward function have the stack of the forward operator, as in
        PyTorch."""
        w = support.torch.ones(2, requires_grad=True)

        def work():
            y = w * self.x  # forward
            y.sum().backward()

        line = line_of("forward")
        prof = self.profile(work, with_stack=True)
        backward = [e for e in prof.events() if e.name == "MulBackward0"]
        self.assertEqual(len(backward), 1)
        self.assertEqual(backward[0].stack[0], "%s(%d): work" % (HERE, line))
        inner = [e for e in backward[0].cpu_children if e.name == "aten::mul"]
        self.assertEqual([e.stack[0] for e in inner], ["%s(%d): work" % (HERE, line)] * len(inner))

    def test_backward_of_another_thread(self):
        """Each thread numbers its own operators, and backward may run in another thread."""
        torch, results = support.torch, {}

        def forward(name):
            x = torch.ones(4, 4, requires_grad=True)
            results[name] = torch.mm(x, x).sum()

        def forward_in_main():
            forward("main")

        def forward_in_a():
            forward("a")

        def forward_in_b():
            forward("b")

        def work():
            forward_in_main()
            for function in (forward_in_a, forward_in_b):
                thread = threading.Thread(target=function)
                thread.start()
                thread.join()
            results["b"].backward()

        prof = self.profile(work, with_stack=True)
        stacks = self.stacks_of(prof, "MmBackward0")
        self.assertEqual(len(stacks), 1)
        functions = [frame.split(": ")[1] for frame in stacks[0]]
        self.assertEqual(functions[:2], ["forward", "forward_in_b"])

    def test_frames_with_separators(self):
        """Names of files and functions may contain the separators of frames."""
        code = compile("def work(x):\n    return x + 1\n", "/tmp/a;b\\c.py", "exec")
        scope = {}
        exec(code, scope)
        odd = scope["work"]
        odd.__code__ = odd.__code__.replace(co_name="f;\\;g")
        prof = self.profile(lambda: odd(self.x), with_stack=True)
        (stack,) = self.stacks_of(prof, "aten::add")
        self.assertEqual(stack[0], "/tmp/a;b\\c.py(2): f;\\;g")
        self.assertIn(": test_frames_with_separators", " ".join(stack))

    def test_ranges_begin_where_they_are_opened(self):
        def work():
            with support.torch.profiler.record_function("range"):  # opened
                self.x + 1

        prof = self.profile(work, with_stack=True)
        (stack,) = self.stacks_of(prof, "range")
        self.assertIn("): __enter__", " ".join(stack[:2]) + " __call__")
        self.assertIn("%s(%d): work" % (HERE, line_of("opened")), stack)

    def test_torchscript(self):
        """Operators inside of TorchScript have TorchScript's own lines."""
        @support.torch.jit.script
        def scripted(x):
            return x + 1

        scripted(self.x), scripted(self.x)
        prof = self.profile(lambda: scripted(self.x), with_stack=True)
        (stack,) = self.stacks_of(prof, "aten::add")
        self.assertRegex(stack[0], r"\A%s\(\d+\): scripted\Z" % HERE)

    def test_results(self):
        """Trace, tables, database and folded stacks agree."""
        model = support.torch.nn.Linear(2, 2)
        handler = profiler.tensorboard_trace_handler(self.folder)
        config = profiler._ExperimentalConfig(export_type=["text", "db"])
        with messages(), profiler.profile(activities=CPU, with_stack=True, on_trace_ready=handler,
                                          experimental_config=config) as prof:
            both(self.x)
            model(self.x)
        (folder,) = [os.path.join(path, "ASCEND_PROFILER_OUTPUT") for path in results(self.folder)]
        stacks = self.stacks_of(prof, "aten::add")
        with open(os.path.join(folder, "trace_view.json")) as file:
            events = trace_events(file.read())
        traced = [e["args"]["Call stack"] for e in events if e["name"] == "aten::add"]
        self.assertEqual(traced, [";\r\n".join(stack) for stack in stacks])
        with open(os.path.join(folder, "operator_details.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([r["Call Stack"] for r in rows if r["Name"] == "aten::add"], traced)
        self.check_database(folder, stacks)
        self.check_calls(events)
        self.check_folded(prof, rows)

    def check_database(self, folder, stacks):
        with sqlite3.connect(os.path.join(folder, "ascend_pytorch_profiler.db")) as database:
            rows = database.execute(
                "SELECT a.rowid, s.value FROM PYTORCH_API a JOIN STRING_IDS n ON n.id = a.name "
                "JOIN PYTORCH_CALLCHAINS c ON c.id = a.callchainId "
                "JOIN STRING_IDS s ON s.id = c.stack WHERE n.value = 'aten::add' "
                "ORDER BY a.startNs, c.stackDepth").fetchall()
        found = collections.OrderedDict()
        for row, text in rows:
            found.setdefault(row, []).append(text)
        self.assertEqual(list(found.values()), stacks)

    def check_calls(self, events):
        calls = [e for e in events if e.get("cat") == "python_function"]
        by_id = {e["args"]["Python id"]: e for e in calls}
        self.assertEqual(len(by_id), len(calls))
        inner = next(e for e in calls if e["name"].endswith(": add_twice"))
        self.assertEqual(inner["name"].split("(")[0], os.path.basename(HERE))
        names = []
        while inner:
            names.append(inner["name"].split(": ")[-1])
            inner = by_id.get(inner["args"]["Python parent id"])
        self.assertEqual(names[:2], ["add_twice", "both"] if "both" == names[1] else
                         ["add_twice", "<listcomp>"])
        self.assertIn("test_results", names)

    def check_folded(self, prof, rows):
        """Checks that every line has the form that FlameGraph and speedscope read; neither is
        available here, so the form's grammar is used. The values are self times, and add up to the
        total."""
        prof.export_stacks("stacks.log")
        totals = collections.Counter()
        with open("stacks.log") as file:
            for line in file.read().splitlines():
                stack, _, value = line.rpartition(" ")
                self.assertRegex(value, r"\A[1-9]\d*\Z")
                self.assertTrue(all(stack.split(";")), line)
                totals[stack] += int(value)
        expected = collections.Counter()
        for row in rows:
            stack = row["Call Stack"].split(";\r\n") if row["Call Stack"] else [row["Name"]]
            expected[";".join(reversed(stack))] += float(row["Host Self Duration(us)"])
        self.assertAlmostEqual(sum(totals.values()), sum(expected.values()), delta=1)
        far = [s for s in expected | totals if abs(totals[s] - expected[s]) > 1.001]
        self.assertEqual(far, [])

    def test_metric(self):
        prof = self.profile(lambda: both(self.x), with_stack=True)
        with messages() as told:
            prof.export_stacks("device.log", "self_cuda_time_total")
        self.assertIn("there is nothing to write", told[0][1])  # no device, no file
        self.assertFalse(os.path.exists("device.log"))
        with messages() as told:
            prof.export_stacks("cpu.log", "no_such_metric")
        self.assertIn("Metric should be", told[0][1])
        self.assertGreater(os.path.getsize("cpu.log"), 0)

    def test_group_by_stack(self):
        prof = self.profile(lambda: both(self.x), with_stack=True)
        averages = prof.key_averages(group_by_stack_n=1)
        adds = [average for average in averages if average.key == "aten::add"]
        self.assertEqual([average.count for average in adds], [2, 2])
        self.assertIn("Source Location", averages.table())

    def test_own_calls_are_left_out(self):
        """Calls of Strobe's own package are left out, but functions of the program that it calls
        are recorded."""
        found = []

        def choose(step):
            return profiler.schedule(wait=0, warmup=0, active=2, repeat=1)(step)

        def ready(prof):
            prof.export_chrome_trace("window.json")
            with open("window.json") as file:
                events = trace_events(file.read())
            found.extend(e for e in events if "Python id" in e.get("args", {}))

        with messages(), profiler.profile(activities=CPU, with_stack=True, schedule=choose,
                                          on_trace_ready=ready) as prof:
            for _ in range(2):
                with profiler.record_function("mine"):
                    both(self.x)
                prof.step()
        names = [e["name"] for e in found]
        own = os.path.dirname(os.path.abspath(strobe.__file__)) + "/"
        self.assertEqual([name for name in names if own in name or name.startswith("strobe.")], [])
        self.assertEqual(sum(name.endswith(": both") for name in names), 2)
        self.assertTrue(any(name.endswith(": choose") for name in names), "called by step()")
        ids = {e["args"]["Python id"] for e in found} | {0}
        self.assertLessEqual({e["args"]["Python parent id"] for e in found}, ids)

    def test_own_frames_are_in_no_stack(self):
        """Marks of matrix products and of functions wrap them in Strobe's functions. The stacks
        lack these: the calling frame is the program's."""
        from strobe import mstx

        def multiply(x):
            return support.torch.addmm(x, x, x)

        marked = mstx.mstx_range("marked")(multiply)
        with messages():
            options = profiler._ExperimentalConfig(mstx=True)
        x = support.torch.ones(2, 2)
        prof = self.profile(lambda: (multiply(x), marked(x)), with_stack=True,
                            with_flops=True, experimental_config=options)
        products = [event for event in prof.events() if event.name == "aten::addmm"]
        self.assertEqual([event.stack[0].split(": ")[-1] for event in products], ["multiply"] * 2)
        own = os.path.dirname(os.path.abspath(strobe.__file__)) + "/"
        frames = [frame for event in prof.events() for frame in event.stack]
        self.assertEqual([frame for frame in frames if own in frame], [])

    # ---- modules ----

    def test_module_names(self):
        """Each instance has its own name, the same in every window and thread."""
        nn = support.torch.nn
        shared = nn.ReLU()
        model = nn.Sequential(nn.Linear(2, 2), shared, nn.Linear(2, 2), shared, nn.Sequential(shared))
        found = []

        def ready(prof):
            prof.export_chrome_trace("window.json")
            with open("window.json") as file:
                events = trace_events(file.read())
            found.append([(e["name"], e["args"]["Python module id"])
                          for e in events if "Python module id" in e.get("args", {})])

        with messages(), profiler.profile(
            activities=CPU, with_modules=True, on_trace_ready=ready,
            schedule=profiler.schedule(wait=0, warmup=0, active=1, repeat=3),
        ) as prof:
            for step in range(3):
                thread = threading.Thread(target=model, args=(self.x,))
                thread.start()
                thread.join()
                prof.step()
        self.assertEqual(len(found), 3)
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[1], found[2])
        kinds = [(name.split(": ")[1].rsplit("_", 1)[0]) for name, _ in found[0]]
        self.assertEqual(kinds, ["Linear", "ReLU", "Linear", "ReLU", "ReLU", "Sequential",
                                 "Sequential"])
        names = [name for name, _ in found[0]]
        self.assertEqual(len(set(names)), 5)
        self.assertEqual(names[1], names[3])
        for name, number in found[0]:
            self.assertEqual(int(name.rsplit("_", 1)[1]), number)

    def test_address_used_again(self):
        nn = support.torch.nn

        def work():
            for _ in range(20):
                nn.Identity()(self.x)

        prof = self.profile(work, with_modules=True)
        prof.export_chrome_trace("trace.json")
        with open("trace.json") as file:
            events = trace_events(file.read())
        names = [e["name"] for e in events if e["name"].startswith("nn.Module: ")]
        self.assertEqual(len(names), 20)
        self.assertEqual(len(set(names)), 20)

    # ---- windows ----

    # ---- PyTorch's own profiler with with_stack ----

    @contextlib.contextmanager
    def gap(self):
        """Up to 3.11 a thread has only one profiler. The time for which PyTorch's took it must be
        reported once."""
        with support.native_stderr() as lines, messages() as told:
            yield
        self.assertEqual([text for level, text in told if level != "INFO"], [])
        lines = [line for line in lines if line.startswith("strobe: ")]
        self.assertEqual(len(lines), 0 if MONITORS else 1, lines)
        for line in lines:
            self.assertRegex(line, GAP)

    def with_stacks(self, prof):
        stacks = self.stacks_of(prof, "aten::add")
        return len(stacks), sum(bool(stack) for stack in stacks)

    def test_torch_profiler_meanwhile(self):
        """A program's own profiler works while Strobe records; if it traces calls, it gets the
        thread."""
        torch = support.torch
        for options in ({}, {"with_stack": True}):
            expecting = self.gap() if options else contextlib.nullcontext()
            with expecting, profiler.profile(activities=CPU, with_stack=True) as prof:
                both(self.x)
                with torch.profiler.profile(**options) as theirs:
                    both(self.x)
                both(self.x)
            self.assertEqual(sum(e.name == "aten::add" for e in theirs.events()), 4)
            self.assertEqual(self.with_stacks(prof), (12, 8 if options and not MONITORS else 12))

    def test_torch_profiler_around(self):
        """PyTorch's profiler begins first and ends last; in a second run it ends first."""
        torch = support.torch
        with torch.profiler.profile(with_stack=True) as theirs:
            with self.gap(), profiler.profile(activities=CPU, with_stack=True) as prof:
                both(self.x)
        self.assertEqual(sum(e.name == "aten::add" for e in theirs.events()), 4)
        self.assertEqual(self.with_stacks(prof), (4, 4 if MONITORS else 0))
        theirs = torch.profiler.profile(with_stack=True)
        theirs.start()
        with self.gap(), profiler.profile(activities=CPU, with_stack=True) as prof:
            both(self.x)
            theirs.stop()
            both(self.x)
        self.assertEqual(self.with_stacks(prof), (8, 8 if MONITORS else 4))

    def test_torch_profiler_while_threads_are_in_c_functions(self):
        """PyTorch up to 2.6 fails unless the begins and ends that it gets match."""
        torch, stopping = support.torch, threading.Event()

        def call():
            while not stopping.is_set():
                time.sleep(0.001), len("abc")

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            with self.gap(), profiler.profile(activities=CPU, with_modules=True):
                for _ in range(5):
                    with torch.profiler.profile(with_stack=True) as theirs:
                        both(self.x), time.sleep(0.005), sorted([self.x], key=both)
                    self.assertEqual(sum(e.name == "aten::add" for e in theirs.events()), 8)
        finally:
            stopping.set()
            for thread in threads:
                thread.join()

    def test_windows_while_threads_compute(self):
        """Windows begin and end at any time, while threads run operators and make code."""
        torch, stopping = support.torch, threading.Event()
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-5)
        options = {"stack": True, "shapes": True, "flops": True, "values": True, "modules": True}
        config = {"collectors": {"python_call": {}, "cpu_op": options},
                  "output": {"directory": self.folder}}
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())

        def descend(x, depth):
            return descend(x, depth - 1) + 1 if depth else x * 2

        def compute():
            number = 0
            while not stopping.is_set():
                number += 1
                descend(self.x, number % 30)
                model(self.x), list(in_generator(self.x))
                text = "def made(x):\n return x + %d\nmade(x)" % number
                exec(compile(text, "made%d.py" % (number % 7), "exec"), {"x": self.x})
                with contextlib.suppress(RuntimeError):
                    torch.ones(2) + torch.ones(3)

        threads = [threading.Thread(target=compute) for _ in range(3)]
        for thread in threads:
            thread.start()
        end, n_windows = time.monotonic() + 3, 0
        while time.monotonic() < end or n_windows < 3:
            n_windows += 1
            session = _strobe.Session(json.dumps(config), "test")
            session.start()
            time.sleep(0.002)
            session.stop()
            session.close()
        stopping.set()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results(self.folder)), n_windows)

    def test_windows_leave_memory_flat(self):
        """With all options on, no tensor, module, frame or memory is kept."""
        torch, alive = support.torch, []
        model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())

        def step():
            x, passing = torch.ones(3, 2), torch.nn.Identity()
            y = model(passing(x)).sum()
            y.backward()
            alive.extend(weakref.ref(each) for each in (x, y, passing))

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4

        with messages(), profiler.profile(
            activities=CPU, record_shapes=True, with_stack=True, with_modules=True, with_flops=True,
            schedule=profiler.schedule(wait=0, warmup=0, active=1),
        ) as prof:
            for number in range(300):
                if number == 100:
                    gc.collect()
                    before = resident()
                step()
                prof.step()
            gc.collect()
            if "libasan" not in os.environ.get("LD_PRELOAD", ""):  # it keeps freed memory
                self.assertLess(resident() - before, 2048)
        self.assertFalse([reference for reference in alive if reference() is not None])

    # ---- flops ----

    def test_flops_equal_those_of_torch(self):
        ours = self.profile(work_of_flops, with_flops=True)
        cpu = [support.torch.profiler.ProfilerActivity.CPU]
        with support.torch.profiler.profile(activities=cpu, with_flops=True) as theirs:
            work_of_flops()
        expected = [(e.name, e.flops, e.input_shapes) for e in theirs.events() if e.flops]
        found = [(e.name, e.flops, e.input_shapes) for e in ours.events() if e.flops]
        self.assertEqual(found, expected)
        self.assertGreaterEqual({name for name, _, _ in found},
                                {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm",
                                 "aten::add", "aten::mul", "aten::conv2d"})
        ours, theirs = ours.key_averages(), theirs.key_averages()
        self.assertEqual({e.key: e.flops for e in ours}, {e.key: e.flops for e in theirs})
        self.assertIn("FLOPs", ours.table())

    def test_flops_in_the_trace(self):
        prof = self.profile(work_of_flops, with_flops=True)
        prof.export_chrome_trace("trace.json")
        with open("trace.json") as file:
            events = [e for e in trace_events(file.read()) if e.get("cat") == "cpu_op"]
        found = [e["args"]["flops"] for e in events if "flops" in e["args"]]
        expected = [e.flops for e in prof.events() if e.flops]
        self.assertEqual([int(text) for text in found if text != "0"], expected)
        self.assertNotIn("flops", next(e for e in events if e["name"] == "aten::ones")["args"])


def cut(stack):
    """Returns a stack's frames up to the test's own."""
    found = []
    for frame in stack:
        found.append(frame)
        if frame.startswith(HERE) and frame.endswith(": work"):
            break
    return found


if __name__ == "__main__":
    unittest.main()
