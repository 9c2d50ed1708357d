# SPDX-License-Identifier: Apache-2.0
"""The operator and the calls that launched each kernel, compared with a program whose launches are
known, with the ids that the test double of MSPTI assigns."""

import random
import shutil
import unittest

from npu import MARK, NpuTest
from support import PROGRAMS

A, B, CONSUMER = 70001, 70002, 70009
LEVELS = {10: "acl", 11: "node", 12: "runtime"}
US = 1000


class Program:
    """A program with nested operators on several threads. The inner operator launches one or two
    kernels: a call of AscendCL contains a call of the node level for each kernel, which contains a
    call of the runtime. `events` has the script's lines, by the time at which each is over. The
    expected results are in `operators` (the inner operator of each kernel) and in `calls` (level
    and begin of the calls that launched each kernel)."""

    def __init__(self, n, threads, seed=1, queue=False, marks=True, steps=()):
        self.random = random.Random(seed)
        self.events, self.operators, self.calls, self.kernels = [], {}, {}, {}
        self.every_call = []  # level, name and begin
        self.queue, self.marks = queue, marks
        self.steps = steps  # (time from which it holds, ns by which the library's clock is shifted)
        self.free = {thread: 100 * US for thread in (*threads, CONSUMER)}
        for i in range(n):
            self.operate(self.random.choice(threads), i)

    def told(self, at):
        """The time on the library's clock for a moment."""
        return at + sum(by for since, by in self.steps if at >= since)

    def add(self, at, *words):
        self.events.append((at, len(self.events), " ".join(map(str, words))))

    def call(self, kind, thread, name, begin, end):
        self.add(end, "call", kind, thread, name, self.told(begin), end - begin)
        self.every_call.append((LEVELS[kind], MARK + name, self.told(begin)))

    def kernel(self, operator):
        name = "k%d" % len(self.kernels)
        self.operators[name] = operator
        device = self.random.randrange(2)
        self.kernels[name] = (device, 3 + self.random.randrange(3))
        return name

    def operate(self, thread, i):
        at = self.free[thread] + self.random.randrange(1, 20) * US
        inner = "inner%d" % i
        self.add(at + 50 * US, "op", thread, inner, at + 5 * US, 45 * US)
        self.add(at + 60 * US, "op", thread, "outer%d" % i, at, 60 * US)
        if self.queue:
            self.enqueue(thread, inner, i, at + 20 * US)
        else:
            self.launch(thread, inner, at + 12 * US)
        self.free[thread] = at + 70 * US

    def launch(self, thread, operator, at):
        n = self.random.choice((1, 1, 2))
        for k in range(n):
            name, begin = self.kernel(operator), at + 4 * US + k * 8 * US
            self.add(begin + US, "launch", thread, *self.kernels[name], "KERNEL_AICORE", name,
                     self.told(begin + 30 * US), 2 * US)
            self.call(12, thread, "rtKernelLaunch", begin, begin + 2 * US)
            self.call(11, thread, "launch", begin - US, begin + 4 * US)
            self.calls[name] = {("runtime", self.told(begin)), ("node", self.told(begin - US))}
        self.call(10, thread, "aclnnOp", at, at + 26 * US)
        self.calls[name].add(("acl", self.told(at)))
        # this call has the id too
        self.call(10, thread, "aclrtQueryStream", at + 28 * US, at + 30 * US)

    def enqueue(self, thread, operator, i, at):
        name = self.kernel(operator)
        if self.marks:
            self.add(at + 2 * US, "queue", thread, i + 1, 0, at, 2 * US)
        self.add(at + 3 * US, "enqueue", *self.kernels[name], "KERNEL_AICORE", name, 2 * US)

    def consume(self):
        """The consumer takes the tasks from the queue in their order, and much later."""
        n = sum(event[2].startswith("enqueue") for event in self.events)
        order = [int(e[2].split()[4][1:]) for e in sorted(self.events) if e[2].startswith("enqueue")]
        at = max(self.free.values())
        for i in range(n):
            at += self.random.randrange(20, 40) * US
            self.add(at + 5 * US, "dequeue", CONSUMER, self.told(at + 2 * US),
                     self.told(at + 50 * US))
            if self.marks:
                self.add(at + 10 * US, "queue", CONSUMER, order[i] + 1, 1, at, 10 * US)
        self.free[CONSUMER] = at

    def replay(self, name, number, times):
        """Launches a captured graph again: its kernels have the id of the first launch each
        time."""
        for _ in range(times):
            at = max(self.free.values()) + 200 * US
            self.free[CONSUMER] = at
            again = "again%d" % len(self.operators)
            self.operators[again], self.calls[again] = self.operators[name], self.calls[name]
            self.add(at, "kernel", *self.kernels[name], number, "KERNEL_AICORE", again,
                     self.told(at), 2 * US)

    def launched(self):
        """The kernels in the order of their launches, which the double numbers from 1."""
        return [event[2].split()[5] for event in sorted(self.events)
                if event[2].startswith("launch")]

    def lines(self):
        # after this time all reported events have happened
        yield "sleep %d" % (max(self.free.values()) // 1000000 + 3)
        for event in sorted(self.events):
            yield event[2]


class FrameworkTest(NpuTest):
    """Tests with operators and a queue of a test double of a framework."""

    def setUp(self):
        super().setUp()
        self.environment["STROBE_PLUGIN_PATH"] = str(PROGRAMS)
        self.environment["OPERATORS_DOUBLE"] = str(PROGRAMS / "operators_double.so")


class LinkTest(FrameworkTest):
    def run_program(self, made, options=":profiler_level=Level2"):
        _, base = self.play(made.lines(), options, collect=["operators_double"])
        self.base = base
        self.tasks = {row["task"]: row for row in self.rows("device_task")}
        self.assertEqual(sorted(row["name"] for row in self.tasks.values()),
                         sorted(MARK + name for name in made.operators))
        self.counts = {row["name"]: row for row in self.rows("correlation")
                       if row["source"] == "npu_task"}

    def check_operators(self, expected):
        found = {self.tasks[row["task"]]["name"][len(MARK):]: row["name"]
                 for row in self.rows("kernel_link")}
        self.assertEqual(found, expected)

    def check_calls(self, made):
        """Exactly the calls that launched a kernel have its id."""
        rows = sorted(self.rows("api_call"), key=lambda row: (row["level"], row["name"], row["begin"]))
        expected = sorted(made.every_call)
        self.assertEqual([(row["level"], row["name"]) for row in rows], [call[:2] for call in expected])
        by_id = {}
        for row, (level, _, begin) in zip(rows, expected):
            # The capture has pairs of readings of two clocks, which a busy machine makes less exact than a ns.
            self.assertAlmostEqual(row["begin"] - self.base, begin, delta=5000)
            if row["connection"] not in (None, ""):
                by_id.setdefault(row["connection"], set()).add((level, begin))
        for row in self.tasks.values():
            self.assertEqual(by_id[row["connection"]], made.calls[row["name"][len(MARK):]])

    def check_counts(self, sort, linked, orphans=0):
        row = self.counts[sort]
        self.assertEqual((row["linked"], row["orphan_effect"], row["ambiguous"], row["violations"]),
                         (linked, orphans, 0, 0), sort)

    def test_launching_threads(self):
        made = Program(60, (A, B))
        self.run_program(made)
        self.check_operators(made.operators)
        self.check_calls(made)
        self.check_counts("api_to_task", len(made.operators))
        self.check_counts("operator_to_api", len(made.operators))

    def test_communication_operations(self):
        """At all levels, the call of an operation has the operation's id, not that of the kernel
        before."""
        lines = ["sleep 3"]
        for i in range(20):
            at = i * 20 * US
            lines += ["launch %d 0 3 KERNEL_AICORE k%d %d %d" % (A, i, at + 6 * US, US),
                      "call 12 %d rtKernelLaunch %d %d" % (A, at + US, US),
                      "call 11 %d k%d %d %d" % (A, i, at, 3 * US),
                      "call 10 %d aclnnOp %d %d" % (A, at, 4 * US),
                      "collective %d 0 4 c%d group %d %d %d" % (A, i, at + 5 * US, at + 9 * US, US)]
        for level in range(3):
            self.play(lines, ":profiler_level=Level%d" % level)
            nodes = {row["connection"]: row["name"] for row in self.rows("api_call")
                     if row["level"] == "node"}
            tasks = self.rows("device_task") + self.rows("comm_op")
            self.assertEqual({row["name"] for row in tasks},
                             {MARK + "%s%d" % (kind, i) for kind in "kc" for i in range(20)})
            for row in self.rows("comm_op"):
                self.assertEqual(row["npu_task.stream"], 4)
            for row in tasks:
                self.assertEqual(nodes[row["connection"]], row["name"], level)
            shutil.rmtree(self.out)

    def test_launches_of_ascendcl_alone(self):
        """Without the node level the arrow begins at the call of AscendCL."""
        lines = ["sleep 3"]
        for i in range(20):
            at = i * 20 * US
            lines += ["launch %d 0 3 KERNEL_AICORE k%d %d %d" % (A, i, at + 6 * US, US),
                      "call 10 %d acl%d %d %d" % (A, i, at, 4 * US)]
        self.play(lines, ":activities=kernel+acl_api", flags=["--export", "chrome_trace"])
        trace = self.trace()
        begins, ends = ({e["id"]: e for e in trace if e["ph"] == phase and e["cat"] == "HostToDevice"}
                        for phase in "sf")
        self.assertEqual(len(ends), 20)
        self.assertEqual(set(begins), set(ends))

    def test_ids_used_again_and_clock_steps(self):
        """The library corrects its clock during the launches; graphs are launched again
        afterwards."""
        made = Program(60, (A, B), seed=2, steps=((800 * US, 1900), (1500 * US, -3300)))
        launched = made.launched()
        for number in (3, 17):
            made.replay(launched[number - 1], number, 4)
        self.run_program(made)
        self.check_operators(made.operators)
        self.check_calls(made)
        self.check_counts("api_to_task", len(made.operators))

    def test_task_queue(self):
        """The operator is the one that added the task to the queue, by the marks of the queue."""
        made = Program(40, (A, B), seed=3, queue=True)
        made.consume()
        self.run_program(made)
        self.check_operators(made.operators)
        self.check_counts("api_to_task", 40)
        self.check_counts("operator_to_api", 40)

    def test_task_queue_without_marks(self):
        """The operator of a task is unknown: all such tasks are counted, and no operator is
        guessed."""
        made = Program(40, (A, B), seed=4, queue=True, marks=False)
        made.consume()
        self.run_program(made)
        self.check_operators({})
        self.check_counts("api_to_task", 40)
        self.check_counts("operator_to_api", 0, orphans=40)


class DeviceTest(FrameworkTest):
    """One process with two devices, of which the second is a step behind."""

    STEPS = (1, 2, 3)

    def lines(self):
        yield "sleep 8"
        for step in self.STEPS:
            at = step * 1000 * US
            for thread, device, after, lag in ((A, 0, 100, 100), (B, 1, 150, 1150)):
                begin = at + after * US
                yield "op %d inner%d %d %d" % (thread, step, begin - 5 * US, 30 * US)
                yield "launch %d %d 3 KERNEL_AICORE k%d_%d %d %d" % (
                    thread, device, device, step, begin + lag * US, (50 + 20 * device) * US)
                yield "call 11 %d launch %d %d" % (thread, begin, 10 * US)
            yield "op %d ProfilerStep#%d %d %d" % (A, step, at, 900 * US)

    def test_steps_of_each_device(self):
        self.play(self.lines(), ":profiler_level=Level2", collect=["operators_double"],
                  flags=["--export", "csv"])
        times = sorted((row["Device_id"], row["Step"], float(row["Computing"]))
                       for row in self.csv("step_trace_time"))
        self.assertEqual([row[:2] for row in times],
                         [(device, str(step)) for device in "01" for step in self.STEPS])
        for device, _, computing in times:
            self.assertAlmostEqual(computing, 50 + 20 * int(device), delta=0.5)
        kernels = {(row["Device_id"], row["Step Id"], row["Name"])
                   for row in self.csv("kernel_details")}
        self.assertEqual(kernels, {(device, str(step), MARK + "k%s_%d" % (device, step))
                                   for device in "01" for step in self.STEPS})


class ExternalTest(NpuTest):
    ONE = ["sleep 2", "push 2 4711", "push 3 8", "launch 70001 0 3 KERNEL_AICORE mm 100000 400",
           "call 11 70001 launch 90000 20000", "pop 2", "push 2 4712",
           "launch 70001 0 3 KERNEL_AICORE mm 200000 400", "call 11 70001 launch 190000 20000"]
    # The id that one thread pushed is on top of the stack when the other thread launches.
    TWO = ["sleep 2", "push 2 1", "push 2 2", "launch 70001 0 3 KERNEL_AICORE mm 100000 400",
           "call 11 70001 launch 90000 20000", "pop 2",
           "launch 70002 0 3 KERNEL_AICORE mm 200000 400", "call 11 70002 launch 190000 20000"]

    def test_of_one_thread(self):
        self.play(self.ONE, ":external_ids=true")
        tasks = {row["connection"]: row["begin"] for row in self.rows("device_task")}
        first = min(tasks.values())
        found = [(round((tasks[row["connection"]] - first) / US), row["sort"], row["id"])
                 for row in self.rows("npu_task.external_id")]
        self.assertEqual(sorted(found), [(0, 2, 4711), (0, 3, 8), (100, 2, 4712), (100, 3, 8)])

    def test_off_by_default(self):
        self.play(self.ONE)
        self.assertEqual(self.records_of(self.result(), "npu_task.external_id"), 0)

    def test_of_two_threads_none_is_believed(self):
        """Ids that were reported before the second thread launched are not used either."""
        self.play(self.TWO, ":external_ids=true")
        self.assertEqual(self.records_of(self.result(), "npu_task.external_id"), 0)
        self.assertIn("2 external ids are not recorded: more than one thread launches", self.log())


if __name__ == "__main__":
    unittest.main()
