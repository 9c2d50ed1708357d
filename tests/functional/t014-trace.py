# SPDX-License-Identifier: Apache-2.0
"""Reads trace_view.json with an independent, strict reader: it refuses everything that a viewer
could fail on, and checks that the spans of every row nest."""

import collections
import json
import unittest

from support import PYTHON, StrobeTest, has_torch, needs_python

THREADS = """
import threading, torch
def work():
    for i in range(50):
        with torch.profiler.record_function('"outer"\\n\\x01\\u00e4 %d' % i if i % 2 else "x" * 100000):
            torch.ones(8, 8).mm(torch.ones(8, 8)).sum()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
work()
for thread in threads: thread.join()
"""


def refuse(constant):
    raise ValueError("not JSON: %s" % constant)


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key twice: %r" % keys)
    return dict(pairs)


def nanoseconds(number):
    """The ns of a number of microseconds, which is a text."""
    whole, part = number.split(".")
    if len(part) != 3:
        raise ValueError("not three decimals: %s" % number)
    return int(whole) * 1000 + int(part)


class TraceTest(StrobeTest):
    def read(self, result):
        path = result / "ASCEND_PROFILER_OUTPUT" / "trace_view.json"
        with open(path, encoding="utf-8", errors="strict") as file:
            text = file.read()
        trace = json.loads(text, parse_constant=refuse, parse_float=str, object_pairs_hook=unique)
        events = trace["traceEvents"]
        self.assertGreater(trace["baseTimeNanoseconds"], 1 << 60)
        self.assertNotIn("\n", text)
        for event in events:
            self.assertIn(event["ph"], "XMCisf")
            self.assertIsInstance(event["pid"], int)
            self.assertIsInstance(event["tid"], int)
            if event["ph"] in "XCi":
                nanoseconds(event["ts"])
        return events

    def check_nesting(self, events):
        rows = collections.defaultdict(list)
        for event in events:
            if event["ph"] == "X" and event["cat"] == "cpu_op":
                begin = nanoseconds(event["ts"])
                end = begin + round(float(event["dur"]) * 1000)
                # Data that a viewer derives from the trace.
                self.assertLess(abs(float(event["ts"]) + float(event["dur"]) - end / 1000), 1e-6)
                rows[event["pid"], event["tid"]].append((begin, -end, event["name"][:40]))
        for row, spans in rows.items():
            stack = []
            for begin, negative, name in sorted(spans):
                end = -negative
                while stack and stack[-1][0] <= begin:
                    stack.pop()
                if stack:
                    self.assertLessEqual(end, stack[-1][0], "%s in %s on %s" %
                                         (name, stack[-1][1], row))
                stack.append((end, name))
        return rows

    def test_hostile_names(self):
        self.record(collect=["fake:records=300,kind=all,names=hostile,threads=3"])
        events = self.read(self.result())
        self.assertGreater(len(events), 300)
        self.assertGreater(max(len(event["name"]) for event in events), 50000)

    @needs_python
    @unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
    def test_threads_nest(self):
        script = self.script("threads.py", THREADS)
        self.strobe("run", "-o", self.out, "--collect", "cpu_op", "--", PYTHON, script)
        rows = self.check_nesting(self.read(self.result()))
        self.assertEqual(len(rows), 4)
        for spans in rows.values():
            self.assertEqual(sum(name == "aten::mm" for _, _, name in spans), 50)
