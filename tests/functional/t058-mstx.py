# SPDX-License-Identifier: Apache-2.0
"""Scripts with marks of strobe.mstx, in the style of the vendor's documentation."""

import glob
import sqlite3
import subprocess
import unittest

import tap
from support import (
    BUILD,
    PYTHON,
    SANITIZERS,
    TIMEOUT,
    StrobeTest,
    has_torch,
    needs_python,
    program,
)
from trace_file import trace_events

# As documented for a profile that collects only marks, and writes only the database.
TRAINING = """
import torch
import strobe as torch_npu

experimental_config = torch_npu.profiler._ExperimentalConfig(
    profiler_level=torch_npu.profiler.ProfilerLevel.Level_none,
    mstx=True,
    %s
    export_type=[torch_npu.profiler.ExportType.%s],
)
data = torch.utils.data.TensorDataset(torch.ones(8, 4))
loader = torch.utils.data.DataLoader(data, batch_size=2)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

@torch_npu.mstx.mstx_range("train one step", domain="training")
def train_one_step(batch):
    optimizer.zero_grad()
    net(batch).sum().backward()
    optimizer.step()

with torch_npu.profiler.profile(
    activities=[torch_npu.profiler.ProfilerActivity.CPU, torch_npu.profiler.ProfilerActivity.NPU],
    schedule=torch_npu.profiler.schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=0),
    on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("out"),
    experimental_config=experimental_config,
) as prof:
    for batch, in loader:
        id = torch_npu.mstx.range_start("load", None)
        torch_npu.mstx.range_end(id)
        train_one_step(batch)
        torch_npu.mstx.mark("loss", domain="evaluation")
        prof.step()
    torch.save(net.state_dict(), "late.pt")
"""

NO_CANN = "profiler.py: ProfilerActivity.NPU has no effect: ASCEND_HOME_PATH is not set, there is no CANN."

PLAIN = """
from strobe import mstx

mstx.mark("begin")
epoch = mstx.range_start("epoch", domain="training")
with mstx.annotate("inner"):
    mstx.mark("loss", domain="training")
mstx.range_end(epoch, domain="training")
print(mstx.range_push("outer"), mstx.range_push("inner"), mstx.range_pop(), mstx.range_pop())
mstx.range_start("never ends")
"""

LOADING = """
import torch
from strobe import marks, mstx

loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(6, 4)), batch_size=2)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for batch, in loader:
    optimizer.zero_grad()
    net(batch).sum().backward()
    optimizer.step()
torch.save(net.state_dict(), "checkpoint.pt")
"""


class MstxTest(StrobeTest):
    def rows(self, table, columns):
        """The rows in the order of their begins."""
        columns = ["begin", *columns.split(",")]
        shown = self.json("show", self.out, "--table", table, "--columns", ",".join(columns))
        rows = sorted(shown[0]["rows"], key=lambda row: row["begin"])
        return [tuple(row[name] for name in columns[1:]) for row in rows]

    def marks(self):
        return [
            sorted(self.rows(table, "name,marker.domain"), key=str)
            for table in ("marker", "marker_instant")
        ]

    def python(self, text, *arguments):
        """Runs a script without strobe run."""
        return subprocess.run(
            [PYTHON, self.script("script.py", text), *arguments],
            cwd=self.work,
            env={**self.environment, "PYTHONPATH": str(BUILD / "python"), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )

    def events(self, columns):
        path, = glob.glob(str(self.out / "*" / "ASCEND_PROFILER_OUTPUT" / "*.db"))
        with sqlite3.connect(path) as database:
            return database.execute(
                "SELECT %s FROM (SELECT *, (SELECT value FROM STRING_IDS WHERE id = message) AS "
                "name, (SELECT value FROM STRING_IDS WHERE id = domainId) AS domain FROM "
                "MSTX_EVENTS ORDER BY startNs)" % columns
            ).fetchall()

    def train(self, options="", export_type="Db"):
        done = self.python(TRAINING % (options, export_type))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stderr.replace(NO_CANN, ""), r"WARNING\] \[\d+\] \S")
        return done


@tap.once_test
@needs_python
class PlainTest(MstxTest):
    """Python without PyTorch."""

    def test_alone(self):
        done = self.python(PLAIN)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "-1 -1 -1 -1\n", ""))

    def test_run(self):
        done = self.record(PYTHON, self.script("plain.py", PLAIN), collect=["marker"])
        self.assertEqual(done.stdout, "0 1 1 0\n")
        self.assertEqual(
            self.rows("marker", "name,marker.domain,marker.event"),
            [
                ("epoch", "training", 2),
                ("inner", "default", 2),
                ("outer", "default", 2),
                ("inner", "default", 2),
                ("never ends", None, 0),  # only its name is known
            ],
        )
        self.assertEqual(
            self.rows("marker_instant", "name,marker.domain"),
            [("begin", "default"), ("loss", "training")],
        )

    def test_trace_and_database(self):
        self.record(
            PYTHON,
            self.script("plain.py", PLAIN),
            collect=["marker"],
            flags=["--export", "chrome_trace", "--export", "db"],
        )
        folder = self.result() / "ASCEND_PROFILER_OUTPUT"
        events = trace_events((folder / "trace_view.json").read_text())
        found = {
            (each["name"], each["args"]["domain"], each["args"]["event_type"])
            for each in events
            if "domain" in each.get("args", {})
        }
        left, = [each["args"] for each in events if each["name"] == "never ends"]
        self.assertEqual(left, {"event_type": "start/end", "Unfinished": True})
        self.assertLessEqual(
            {
                ("begin", "default", "marker"),
                ("epoch", "training", "start/end"),
                ("loss", "training", "marker"),
            },
            found,
        )
        rows = self.events("name, eventType, domain, startNs = endNs")
        self.assertIn(("begin", 0, "default", 1), rows)
        self.assertIn(("epoch", 2, "training", 0), rows)
        left = self.events("name, eventType, rangeId, domain, endGlobalTid = globalTid")[-1]
        self.assertEqual(left, ("never ends", 2, 4294967295, None, 1))

    def test_include(self):
        done = self.record(
            PYTHON, self.script("plain.py", PLAIN), collect=["marker:domain_include=training"]
        )
        self.assertEqual(done.stdout, "-1 -1 -1 -1\n")
        self.assertEqual(self.marks(), [[("epoch", "training")], [("loss", "training")]])

    def test_exclude(self):
        self.record(
            PYTHON, self.script("plain.py", PLAIN), collect=["marker:domain_exclude=default"]
        )
        self.assertEqual(self.marks(), [[("epoch", "training")], [("loss", "training")]])

    def test_children(self):
        text = "import subprocess, sys\nfrom strobe import mstx\nmstx.mark('parent')\n"
        text += "subprocess.run([sys.executable, 'plain.py'], check=True)\n"
        self.script("plain.py", PLAIN)
        self.record(PYTHON, self.script("parent.py", text), collect=["marker"], flags=["--follow"])
        self.assertEqual(len(self.results()), 2)

    def test_forked_child_records_nothing(self):
        text = "import os\nfrom strobe import mstx\nmstx.mark('parent')\n"
        text += "if os.fork() == 0:\n    print(mstx.range_start('child'), flush=True)\n"
        text += "    os._exit(0)\n"
        text += "os.wait()\nmstx.mark('after')\n"
        done = self.record(PYTHON, self.script("fork.py", text), collect=["marker"])
        self.assertEqual(done.stdout, "0\n")
        self.assertEqual(self.rows("marker_instant", "name"), [("parent",), ("after",)])

    @unittest.skipIf(SANITIZERS, "AddressSanitizer's heap may be locked in a child for good")
    def test_forked_child_that_records(self):
        """A forked child begins anew: the ranges that the parent has open are not the child's."""
        text = "import os, strobe\nfrom strobe import mstx\n"
        text += "mstx.range_push('of the parent')\nstrobe.step()\nchild = os.fork() == 0\n"
        text += "if child:\n    print(mstx.range_pop(), mstx.range_push('of the child'), flush=True)\n"
        text += "strobe.step()\nmstx.range_pop()\nif not child:\n    os.wait()\n"
        for flags, printed in (([], "-1 -1\n"), (["--follow"], "-1 0\n")):
            script = self.script("fork.py", text)
            done = self.record(PYTHON, script, collect=["marker", "metadata"], flags=flags)
            self.assertEqual((done.stdout, done.stderr.count("Traceback")), (printed, 0))

    def test_ranges_are_checked(self):
        done = self.strobe(
            "run", "-o", self.out, "--collect", "marker:ranges=dataloder", "--", "true", code=3
        )
        self.assertIn('"dataloader"', done.stderr)


OF_ANOTHER = """
from strobe import mstx

class Stream:
    npu_stream = 0x7f00

class OtherStream:
    cuda_stream = 0

mstx.mark("a")
mstx.mark("b", Stream())
mstx.mark("c", OtherStream())  # whose pointer is nothing that the tool could follow
first, second = mstx.range_start("d"), mstx.range_start("e", None, "one")
print(first, second, mstx.range_start("refused"), mstx.range_push("f"), mstx.range_push("refused"))
mstx.range_end(second, "one")
mstx.range_end(first)
mstx.mark("g", Stream(), "one")
print(mstx.range_pop(), mstx.range_pop(), mstx.range_push("h", domain="two"))
"""


@tap.once_test
@needs_python
class OtherToolTest(MstxTest):
    """Python's marks go to any existing tool, by the published protocol."""

    def calls(self, text, modules):
        self.environment.update(
            MSTX_INJECTION_PATH=program("mstx-tool.so"),
            MSTX_TOOL_LOG=str(self.work / "log"),
            MSTX_TOOL_MODULES=str(modules),
        )
        done = self.python(text)
        self.assertEqual(done.returncode, 0, done.stderr)
        log = self.work / "log"
        return done, log.read_text().splitlines() if log.exists() else []

    def test_calls(self):
        done, calls = self.calls(OF_ANOTHER, 2)
        self.assertEqual(done.stdout, "101 102 0 0 -1\n0 -1 0\n")
        self.assertEqual(done.stderr.count("Invalid stream"), 1)
        self.assertEqual(
            calls,
            [
                "mark a 0",
                "mark b 0x7f00",
                "start d 0",
                "create one 0",
                "one e 0",
                "start refused 0",
                "start f 0",
                "start refused 0",
                "one end 0x66",
                "end - 0x65",
                "one g 0x7f00",
                "end - 0x67",
                "create two 0",
                "two h 0",
            ],
        )

    def test_older_tool(self):
        """An older tool does not support domains: marks in domains are ignored without a
        message."""
        done, calls = self.calls(OF_ANOTHER, 1)
        self.assertEqual(done.stdout, "101 0 0 0 -1\n0 -1 -1\n")
        self.assertEqual([each for each in calls if each.split()[1] in "egh"], [])

    def test_tool_that_does_not_start(self):
        done, calls = self.calls(OF_ANOTHER, 0)
        self.assertEqual((done.stdout, calls), ("0 0 0 -1 -1\n-1 -1 -1\n", []))

    def test_profile_beside_it(self):
        """The tool that was there first stays, and a message says so."""
        text = "from strobe import mstx, profiler\nmstx.mark('before')\n"
        text += "with profiler.profile(experimental_config=profiler._ExperimentalConfig(mstx=True)):\n"
        text += "    mstx.mark('in')\n"
        done, calls = self.calls(text, 2)
        self.assertEqual(calls, ["mark before 0", "mark in 0"])
        self.assertIn("MSTX_INJECTION_PATH names another tool", done.stderr)


@needs_python
@unittest.skipUnless(has_torch(), "PyTorch is not installed")
class TorchTest(MstxTest):
    """Training scripts."""

    def test_level_none_into_the_database(self):
        self.train()
        self.assertEqual(glob.glob(str(self.out / "*/ASC*/trace_view.json")), [])
        rows = self.events("name, domain, eventType")
        wanted = [
            ("ProfilerStep#2", "default", 2),
            ("dataloader", "default", 2),
            ("load", "default", 2),
            ("train one step", "training", 2),
            ("loss", "evaluation", 0),
            ("ProfilerStep#3", "default", 2),
            ("dataloader", "default", 2),
            ("load", "default", 2),
            ("train one step", "training", 2),
            ("loss", "evaluation", 0),
        ]
        self.assertEqual(rows, wanted)
        steps = self.events("name, startNs, endNs")
        inside = [row for row in steps if not row[0].startswith("Prof")]
        for _, begin, end in inside:
            around = [row for row in steps if row[1] <= begin <= end <= row[2]]
            self.assertEqual(len([row for row in around if row[0].startswith("Prof")]), 1)

    @tap.once_test
    def test_text(self):
        self.train(export_type="Text")
        path, = glob.glob(str(self.out / "*/ASC*/trace_view.json"))
        events = trace_events(open(path).read())
        layer, = {
            each["pid"]
            for each in events
            if each["name"] == "process_sort_index" and each["args"]["sort_index"] == 6
        }
        marks = [each for each in events if each["pid"] == layer and each["ph"] == "X"]
        self.assertEqual(len(marks), 10)
        domains = {each["name"]: each["args"]["domain"] for each in marks}
        self.assertEqual(
            (domains["loss"], domains["train one step"], domains["dataloader"]),
            ("evaluation", "training", "default"),
        )

    @tap.once_test
    def test_include_of_a_profile(self):
        self.train("mstx_domain_include=['training'],")
        self.assertEqual(self.events("DISTINCT name, domain"), [("train one step", "training")])

    @tap.once_test
    def test_exclude_of_a_profile(self):
        self.train("mstx_domain_exclude=['training', 'default'],")
        self.assertEqual(self.events("DISTINCT name, domain"), [("loss", "evaluation")])

    def names_of_run(self, option="", flags=()):
        self.record(
            PYTHON,
            self.script("loading.py", LOADING),
            collect=["marker" + option],
            flags=flags,
        )
        return [name for name, in self.rows("marker", "name")]

    def test_unmarked_script(self):
        """The script is recorded from the import of PyTorch on, and steps from the first announced
        step on."""
        names = self.names_of_run()
        self.assertEqual(names.count("dataloader"), 4)  # the last call finds the end of the data
        self.assertEqual(names.count("save_checkpoint"), 1)
        steps = [name for name in names if name.startswith("Prof")]
        self.assertEqual(steps, ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"])
        self.assertEqual(len(names), 8)

    def test_mark_before_the_import(self):
        """The first mark starts the recording; PyTorch is imported later."""
        self.record(
            PYTHON,
            self.script("late.py", "from strobe import mstx\nmstx.mark('early')\n" + LOADING),
            collect=["marker", "cpu_op"],
        )
        names = [name for name, in self.rows("marker", "name")]
        self.assertEqual((names.count("dataloader"), names.count("ProfilerStep#2")), (4, 1))
        self.assertEqual(self.rows("marker_instant", "name"), [("early",)])
        self.assertGreater(self.records_of(self.result(), "cpu_op"), 0)

    @tap.once_test
    def test_marks_of_libraries(self):
        """A library with marks looks for its tool at its first mark, long after the start."""
        text = "import ctypes, torch\nlibrary = ctypes.CDLL(%r)\n" % str(
            BUILD / "plugins" / "mstx" / "libms_tools_ext.so"
        )
        self.record(
            PYTHON,
            self.script("native.py", text + "library.mstxMarkA(b'native', None)\n"),
            collect=["marker", "cpu_op"],
        )
        self.assertEqual(self.rows("marker_instant", "name"), [("native",)])

    def test_forward_and_step_on_request(self):
        names = self.names_of_run(":ranges=forward+step")
        self.assertEqual(
            names, ["forward", "step 1", "forward", "step 2", "forward", "step 3"]
        )

    @tap.once_test
    def test_no_ranges(self):
        self.assertEqual(self.names_of_run(":ranges="), [])

