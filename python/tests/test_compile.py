# SPDX-License-Identifier: Apache-2.0
"""torch.compile: what Strobe records of it, compared with PyTorch's own profiler."""

import collections
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

from support import FolderTest, messages, results, torch
from strobe import command, profiler

_COMPILER = os.environ.get("CXX", "g++")


def _problem():
    """Returns why nothing can be compiled here, or None."""
    if not hasattr(torch, "compile"):
        return "PyTorch has no torch.compile"
    return None if shutil.which(_COMPILER) else "there is no C++ compiler %r" % _COMPILER


needs_compile = unittest.skipIf(_problem(), _problem())

# Inductor compiles a small model, and compiles it again. Graph breaks and nested functions use a
# backend that compiles nothing.
_PROGRAM = """
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
compiled = torch.compile(model, dynamic=False)

def train():
    optimizer.zero_grad()
    compiled(torch.ones(8, 16)).pow(2).sum().backward()
    optimizer.step()

@torch.compile(backend="eager")
def broken(x):
    y = x.sin() + 1
    print("broken")
    return y.cos()

@torch.compile(backend="eager", dynamic=False, fullgraph=True)
def whole(x):
    return inner(x) * 2

@torch.compile(backend="eager")
def inner(x):
    return x.tanh()

def work():
    for _ in range(3):
        train()
    broken(torch.ones(3))
    for n in (4, 4, 5):
        whole(torch.ones(n))
"""

_KINETO = (
    _PROGRAM
    + """
import json, sys
import torch._inductor.config
torch._inductor.config.cpp.enable_kernel_profile = True
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                            record_shapes=True) as prof:
    work()
prof.export_chrome_trace("trace.json")
print(json.dumps({each.key: each.count for each in prof.key_averages()}))
"""
)

_STROBE = (
    _PROGRAM
    + """
import json, sys
from strobe import profiler
handler = profiler.tensorboard_trace_handler("out")
with profiler.profile(activities=[profiler.ProfilerActivity.CPU], record_shapes=True,
                      on_trace_ready=handler) as prof:
    work()
prof.export_chrome_trace("trace.json")
print(json.dumps({each.key: each.count for each in prof.key_averages()}))
"""
)

_RUN = _PROGRAM + "work()\n"


class _Finished:
    """A finished program: its trace, and the last line that it printed."""

    def __init__(self, folder, text, before=()):
        os.mkdir(folder)
        script = os.path.join(folder, "script.py")
        with open(script, "w") as file:
            file.write(text)
        done = subprocess.run([*before, sys.executable, script], cwd=folder, timeout=240,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)  # fmt: skip
        self.folder, self.script, self.stderr = folder, script, done.stderr
        if done.returncode:
            raise AssertionError("exit status %d: %s" % (done.returncode, done.stderr[-3000:]))
        self.output = done.stdout.splitlines()

    def events(self):
        """Returns the trace's operators and ranges."""
        with open(os.path.join(self.folder, "trace.json")) as file:
            trace = json.load(file)["traceEvents"]
        kinds = ("cpu_op", "user_annotation")
        return [each for each in trace if each.get("ph") == "X" and each.get("cat") in kinds]

    def averages(self):
        return json.loads(self.output[-1])


_OWN_FOLDER = _environment = None
_programs = {}  # name -> _Finished, in the order in which the first test asks for them


def setUpModule():
    """All programs have the same Inductor cache, so each graph is compiled once. Vector
    instructions are off, since with them the C++ compiler takes twice as long."""
    global _OWN_FOLDER, _environment
    _OWN_FOLDER = tempfile.mkdtemp(prefix="strobe-test-")
    _environment = unittest.mock.patch.dict(os.environ, {
        "TORCHINDUCTOR_CACHE_DIR": os.path.join(_OWN_FOLDER, "cache"),
        "TORCHINDUCTOR_VEC_ISA_OK": "0",
    })  # fmt: skip
    _environment.start()


def tearDownModule():
    _environment.stop()
    shutil.rmtree(_OWN_FOLDER, ignore_errors=True)


def _program(name):
    """Runs the program, unless it has run before. The program `run` is always the first; it fills
    Inductor's cache."""
    if not _programs and name != "run":
        _program("run")
    if name not in _programs:
        text = {"run": _RUN, "kineto": _KINETO, "strobe": _STROBE}[name]
        folder = os.path.join(_OWN_FOLDER, name)
        before = [command.find(), "run", "--no-default-collectors", "-o", "out", "--collect", "cpu_op:shapes=true", "--"]
        _programs[name] = _Finished(folder, text, before if name == "run" else ())
    return _programs[name]


def rows_of(directory, table):
    text = command.run(["show", directory, "--table", table, "--json", "--limit", "100000"])
    return json.loads(text)[0]["rows"]


def _overlaps(events):
    """Returns names of events that overlap another one of the thread, with neither inside the
    other."""
    found, inside = [], {}
    spans = [(round(e["ts"] * 1000), round(e["dur"] * 1000), e["tid"], e["name"]) for e in events]
    for begin, length, thread, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        ends = inside.setdefault(thread, [])
        while ends and ends[-1] <= begin:
            ends.pop()
        if ends and begin + length > ends[-1]:
            found.append(name)
        ends.append(begin + length)
    return found


def _names(rows):
    return collections.Counter(row["name"] for row in rows)


def _counted(events):
    return collections.Counter(each["name"] for each in events)


@needs_compile
class BesideKineto(unittest.TestCase):
    """A program whose graphs are in the cache runs with Strobe and with PyTorch's profiler."""

    def test_all_names_are_there_as_often(self):
        ours, theirs = (_counted(_program(name).events()) for name in ("strobe", "kineto"))
        self.assertEqual(ours, theirs)

    def test_what_is_special_is_among_them(self):
        names = _counted(_program("strobe").events())
        for name in ("CompiledFunction", "CompiledFunctionBackward", "Torch-Compiled Region: 0/0"):
            self.assertEqual(names[name], 3, name)
        self.assertGreater(names["TorchDynamo Cache Lookup"], 0)
        self.assertEqual(len({each for each in names if "_cpp_fused_" in each}), 3, names)

    def test_averages_are_those_of_kineto(self):
        """The averages are the same, except for marks of compilations, which Kineto lacks, and calls
        of the CUDA runtime, which it records without being asked."""
        marks = re.compile(r"compile \d+/\d+ ")
        calls = re.compile(r"cu(da)?[A-Z]|Activity Buffer Request")
        ours, theirs = (_program(name).averages() for name in ("strobe", "kineto"))
        self.assertEqual(
            {name: count for name, count in ours.items() if not marks.match(name)},
            {name: count for name, count in theirs.items() if not calls.match(name)},
        )

    def test_threads_and_links_from_forward_to_backward(self):
        def links(events):
            names = ("CompiledFunction", "CompiledFunctionBackward")
            found = sorted((e for e in events if e["name"] in names), key=lambda e: float(e["ts"]))
            home = found[0]["tid"]
            args = ("Sequence number", "Fwd thread id")
            return [(e["name"], e["tid"] == home, *(e["args"][a] for a in args)) for e in found]

        ours, theirs = (links(_program(name).events()) for name in ("strobe", "kineto"))
        self.assertEqual(ours, theirs)
        self.assertEqual(ours[0][2], ours[1][2])  # both are of the same graph
        self.assertGreater(ours[1][3], 0)

    def test_kernels_and_regions_are_in_operator_details(self):
        (directory,) = results(os.path.join(_program("strobe").folder, "out"))
        path = os.path.join(directory, "ASCEND_PROFILER_OUTPUT", "operator_details.csv")
        with open(path, newline="") as file:
            rows = collections.Counter(row["Name"] for row in csv.DictReader(file))
        for name, count in _counted(_program("kineto").events()).items():
            if "_cpp_fused_" in name or name.startswith(("Torch-Compiled", "CompiledFunction")):
                self.assertEqual(rows[name], count, name)


@needs_compile
class UnderRun(unittest.TestCase):
    """What `strobe run` records of a program that does not use Strobe itself."""

    def setUp(self):
        (self.result,) = results(os.path.join(_program("run").folder, "out"))
        self.script = _program("run").script
        with open(self.script) as file:
            lines = file.read().splitlines()
        self.line = {name: lines.index("def %s(x):" % name) for name in ("broken", "whole")}
        self.line["print"] = lines.index('    print("broken")') + 1

    def marks(self, table):
        rows = [row for row in rows_of(self.result, table)]
        return [row for row in rows if row["marker.domain"] == "torch.compile"]

    def place(self, name):
        return "%s:%d" % (self.script, self.line[name])

    def test_kernels_and_regions(self):
        names = _names(rows_of(self.result, "cpu_op"))
        kernels = {name: count for name, count in names.items() if "_cpp_fused_" in name}
        self.assertEqual(sorted(kernels.values()), [3, 3, 3], kernels)
        self.assertEqual(names["Torch-Compiled Region: 0/0"], 3)
        self.assertGreater(names["Pregraph bytecode"] + names["TorchDynamo Cache Lookup"], 0)

    def test_each_compilation_is_a_range(self):
        rows = {row["cpu_op.compile_id"]: row for row in self.marks("marker")
                if row["cpu_op.function"] != "backward"}  # fmt: skip
        regions = {n for n in _names(rows_of(self.result, "cpu_op")) if n.startswith("Torch-Comp")}
        self.assertEqual({"Torch-Compiled Region: " + each for each in rows}, regions)
        broken = next(row for row in rows.values() if row["cpu_op.function"] == "broken")
        self.assertEqual(broken["name"].split()[0::3], ["compile", "script.py:%d" % (
            self.line["broken"])])  # fmt: skip
        self.assertEqual(broken["cpu_op.place"], self.place("broken"))
        self.assertGreater(broken["cpu_op.nodes"], 0)
        self.assertGreater(broken["cpu_op.guards"], 0)
        self.assertGreater(rows["0/0"]["duration"], broken["duration"])

    def test_flow_events_and_nesting_in_the_trace_for_tensorboard(self):
        out = os.path.join(_program("run").folder, "tensorboard")
        command.run(["export", self.result, "-o", out, "--export", "tensorboard"])
        (path,) = glob.glob(os.path.join(out, "*", "ASCEND_PROFILER_OUTPUT", "*.pt.trace.json"))
        with open(path) as file:
            events = json.load(file)["traceEvents"]
        operators = [e for e in events if e.get("cat") in ("cpu_op", "user_annotation")]
        names = {e["ts"]: e["name"] for e in operators if e["name"].startswith("CompiledFunction")}
        flow_events = [names.get(e["ts"]) for e in events if e.get("cat") == "fwdbwd"]
        self.assertEqual(flow_events.count("CompiledFunction"), 3)
        self.assertEqual(flow_events.count("CompiledFunctionBackward"), 3)
        self.assertEqual(_overlaps(operators), [])

    def test_a_graph_break_is_an_instant(self):
        (row,) = (r for r in self.marks("marker_instant") if r["name"].startswith("graph break"))
        self.assertEqual(row["cpu_op.place"], self.place("print"))
        self.assertIn("print", row["cpu_op.reason"])

    def test_a_recompilation_names_the_guard(self):
        (row,) = (r for r in self.marks("marker_instant") if r["name"].startswith("recompile"))
        self.assertEqual(row["cpu_op.function"], "whole")
        self.assertRegex(row["cpu_op.reason"], r"size mismatch.*expected 4, actual 5")
        (again,) = (
            r for r in self.marks("marker") if r["cpu_op.compile_id"] == row["cpu_op.compile_id"]
        )
        self.assertEqual(again["cpu_op.reason"], row["cpu_op.reason"])
        self.assertEqual(again["cpu_op.cache_size"], 1)
        self.assertLessEqual(row["begin"], again["begin"] + again["duration"])


class InProcessTest(FolderTest):
    """A test that profiles this process."""

    def setUp(self):
        super().setUp()
        import torch._dynamo

        torch._dynamo.reset()
        self.addCleanup(torch._dynamo.reset)

    def record(self, work):
        """Profiles work(); returns the result directory."""
        handler = profiler.tensorboard_trace_handler("out")
        with profiler.profile(activities=[profiler.ProfilerActivity.CPU], on_trace_ready=handler):
            work()
        return results("out")[-1]

    def marks(self, work, table="marker_instant"):
        rows = rows_of(self.record(work), table)
        return [row for row in rows if row["marker.domain"] == "torch.compile"]


@needs_compile
class InProcess(InProcessTest):
    """Functions are compiled in a window, with a backend that compiles nothing."""

    def test_a_function_that_is_skipped_says_why(self):
        @torch.compile(backend="eager")
        def looped(x):
            for _ in range(2):
                x = x + 1
                torch._dynamo.graph_break()
            return x

        directory = self.record(lambda: looped(torch.ones(2)))
        (instant,) = rows_of(directory, "marker_instant")
        self.assertEqual(len(rows_of(directory, "marker")), 1)
        self.assertIn("graph_break", instant["name"])
        self.assertNotIn("gracefully", instant["name"])

    def test_what_fails_in_the_program_fails_as_before(self):
        @torch.compile(backend="eager", fullgraph=True)
        def whole(x):
            torch._dynamo.graph_break()
            return x

        def work():
            with self.assertRaises(torch._dynamo.exc.Unsupported):
                whole(torch.ones(2))

        (attempt,) = self.marks(work, "marker")
        self.assertIn("Unsupported", attempt["cpu_op.reason"])

    def test_the_limit_of_recompilations(self):
        @torch.compile(backend="eager", dynamic=False)
        def sized(x):
            return x + 1

        def work():
            with torch._dynamo.config.patch(cache_size_limit=2):
                for n in range(2, 6):
                    sized(torch.ones(n))

        names = [row["name"].split(" ")[0] for row in self.marks(work)]
        self.assertEqual(names, ["recompile", "not"])

    def test_a_reset_inside_of_the_window(self):
        @torch.compile(backend="eager")
        def simple(x):
            return x + 1

        def work():
            simple(torch.ones(2))
            torch._dynamo.reset()
            simple(torch.ones(2))

        self.assertEqual(len(self.marks(work, "marker")), 2)

    def test_each_thread_has_its_compilation(self):
        def work():
            for function in (lambda x: x + 1, lambda x: x + 2):
                compiled = torch.compile(function, backend="eager")
                thread = threading.Thread(target=compiled, args=(torch.ones(2),))
                thread.start()
                thread.join()

        directory = self.record(work)
        regions = [row for row in rows_of(directory, "cpu_op") if row["name"].startswith("Torch-Comp")]
        self.assertEqual(len({row["track"] for row in regions}), 2)
        self.assertEqual(
            {row["track"] for row in rows_of(directory, "marker")}, {row["track"] for row in regions}
        )

    def test_all_is_put_back(self):
        handler = torch._dynamo.callback.callback_handler
        before = (torch._logging.trace_structured, torch._C._profiler._RecordFunctionFast,
                  torch.autograd.profiler._run_on_profiler_stop)  # fmt: skip

        def check():
            self.assertIsNot(torch._logging.trace_structured, before[0])
            self.assertIn("install_callbacks", vars(handler))
            self.assertIs(torch.autograd.profiler._is_profiler_enabled, True)

        self.record(check)
        after = (torch._logging.trace_structured, torch._C._profiler._RecordFunctionFast,
                 torch.autograd.profiler._run_on_profiler_stop)  # fmt: skip
        self.assertEqual(after, before)
        self.assertNotIn("install_callbacks", vars(handler))
        self.assertIs(torch.autograd.profiler._is_profiler_enabled, False)

    def test_a_window_compiles_nothing_anew(self):
        @torch.compile(backend="eager")
        def simple(x):
            return x + 1

        simple(torch.ones(2))
        directory = self.record(lambda: simple(torch.ones(2)))
        self.assertEqual(rows_of(directory, "marker"), [])
        regions = [n for n in _names(rows_of(directory, "cpu_op")) if n.startswith("Torch-Comp")]
        self.assertEqual(len(regions), 1)

    def test_a_program_without_it_is_left_alone(self):
        done = self.run_python("""
import sys, torch
from strobe import profiler
before = list(sys.meta_path)
for _ in range(3):
    with profiler.profile(on_trace_ready=profiler.tensorboard_trace_handler("out")):
        assert sys.meta_path != before
        torch.ones(2).add(1)
assert sys.meta_path == before, sys.meta_path
assert "torch._dynamo" not in sys.modules
""")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_kernels_are_asked_for_while_one_compiles(self):
        from torch._inductor import config

        seen = []

        def backend(graph, inputs):
            seen.append(config.cpp.enable_kernel_profile)
            return graph

        def compile_one():
            torch._dynamo.reset()
            torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))

        compile_one()
        self.record(compile_one)
        compile_one()
        self.assertEqual(seen, [False, True, False])
        self.assertIs(config.cpp.enable_kernel_profile, False)

    def test_a_compilation_before_the_first_step_that_is_recorded(self):
        from torch._inductor import config

        seen = []

        def backend(graph, inputs):
            seen.append(config.cpp.enable_kernel_profile)
            return graph

        steps = profiler.schedule(wait=1, warmup=1, active=1)
        handler = profiler.tensorboard_trace_handler("out")
        with profiler.profile(activities=[profiler.ProfilerActivity.CPU], schedule=steps,
                              on_trace_ready=handler) as prof:  # fmt: skip
            torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))
            for _ in range(3):
                prof.step()
        self.assertEqual(seen, [True])


@needs_compile
class BesideTorchsProfiler(InProcessTest):
    """PyTorch's profiler runs inside of a window, and a window inside of its profile."""

    def test_its_flag_is_its_own_afterwards(self):
        flags = []

        def look():
            flags.append(torch.autograd.profiler._is_profiler_enabled)

        def profile_inside():
            with torch.profiler.profile():
                look()
            look()

        self.record(profile_inside)
        look()
        with torch.profiler.profile():
            self.record(look)
            look()
        look()
        self.assertEqual(flags, [True, True, False, True, True, False])

    def test_both_record_a_function_once(self):
        fast = torch._C._profiler._RecordFunctionFast
        theirs = []

        def work():
            self.assertIsNot(torch._C._profiler._RecordFunctionFast, fast)
            with torch.profiler.profile(record_shapes=True) as prof:
                with torch._C._profiler._RecordFunctionFast("with inputs", [torch.ones(2, 3)]):
                    pass
                with torch._C._profiler._RecordFunctionFast("bare"):
                    pass
            theirs.extend((e.key, e.count) for e in prof.key_averages() if e.key in names)
            shapes = {e.name: e.input_shapes for e in prof.events()}
            self.assertEqual(shapes["with inputs"], [[2, 3]])

        names = ("with inputs", "bare")
        ours = _names(rows_of(self.record(work), "cpu_op"))
        self.assertEqual(dict(theirs), {name: 1 for name in names})
        self.assertEqual({name: ours[name] for name in names}, {name: 1 for name in names})

    def test_a_function_that_outlives_the_window(self):
        left = []

        def work():
            left.append(torch._C._profiler._RecordFunctionFast("left open"))
            left[0].__enter__()

        self.record(work)
        left[0].__exit__(None, None, None)
        left[0].__enter__()
        left.clear()
        with self.assertRaises(TypeError):
            self.record(lambda: torch._C._profiler._RecordFunctionFast(1))


@needs_compile
class OtherReleases(InProcessTest):
    """Names and functions that differ between releases of PyTorch."""

    def report(self, name, metadata, payload=lambda: ""):
        torch._logging.trace_structured(name, metadata_fn=metadata, payload_fn=payload)

    def test_a_graph_break_of_2_6(self):
        text = (
            "Graph break in user code at /app/model.py:7\nReason: Unsupported: builtin: print\n"
            'User code traceback:\n  File "/app/model.py", line 7, in forward\n    print(x)\n'
        )

        def work():
            metadata = {"name": "dynamo_graph_break_reason", "encoding": "string"}
            self.report("artifact", lambda: metadata, lambda: text)

        (row,) = self.marks(work)
        self.assertEqual(row["name"], "graph break: Unsupported: builtin: print")
        self.assertEqual(row["cpu_op.place"], "/app/model.py:7")
        self.assertEqual(row["cpu_op.reason"], "Unsupported: builtin: print")

    def test_texts_that_no_c_string_holds(self):
        def work():
            metadata = {"name": "dynamo_graph_break_reason"}
            self.report("artifact", lambda: metadata, lambda: "a\0b \udc80 " + "long " * 1000)

        (row,) = self.marks(work)
        self.assertTrue(row["name"].startswith("graph break: a b ? long"), row["name"])
        self.assertEqual(len(row["cpu_op.reason"]), 1000)

    def test_a_report_that_fails_is_a_warning(self):
        def work():
            self.report("artifact", lambda: {"name": "recompile_reasons"}, lambda: 1 // 0)
            self.report("compilation_metrics", lambda: None)

        with messages() as found:
            self.assertEqual(self.marks(work), [])
        texts = [text for level, text in found if level == "WARNING"]
        self.assertEqual(len(texts), 2, found)

    def test_a_name_that_is_missing_is_a_warning(self):
        class Handler:
            pass

        missing = unittest.mock.patch.object(
            torch._dynamo.callback, "callback_handler", Handler(), create=True
        )
        with missing, messages() as found:
            self.record(lambda: torch.ones(2).add(1))
        (text,) = (text for level, text in found if level == "WARNING")
        self.assertIn("install_callbacks", text)


if __name__ == "__main__":
    unittest.main()
