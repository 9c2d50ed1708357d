# SPDX-License-Identifier: Apache-2.0
"""`strobe diff --by kernel`: work that was launched before the recording, copies and fills."""

import json
import unittest

import kineto
from support import StrobeTest

STEP = 1000  # us


def span(category, name, thread, begin, duration, pid=1, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": thread, "ts": begin,
            "dur": duration, "args": args}


class DiffLaunchesTest(StrobeTest):
    """Traces of PyTorch's profiler, three steps of 1 ms; times in us."""

    def launch(self, at, number, operator, call="cudaLaunchKernel"):
        """An operator that contains a call with this correlation number."""
        return [span("cpu_op", operator, 1, at, 20, **{"External id": number}),
                span("cuda_runtime", call, 1, at + 5, 5, correlation=number)]

    def task(self, category, name, number, begin, duration, stream=7, **args):
        return span(category, name, stream, begin, duration, 0, stream=stream, device=0,
                    correlation=number, **args)

    def step(self, number):
        """The operators of a step. Its kernel and its fill run 30 us later, its copy in the next
        step."""
        at = STEP * number
        first = 100 + 10 * number
        return [
            span("user_annotation", "ProfilerStep#%d" % number, 1, at, STEP),
            *self.launch(at + 100, first, "aten::mm"),
            self.task("kernel", "gemm", first, at + 130, 50),
            *self.launch(at + 200, first + 1, "aten::zero_", "cudaMemsetAsync"),
            self.task("gpu_memset", "Memset (Device)", first + 1, at + 230, 4, bytes=64),
            *self.launch(at + 900, first + 2, "aten::copy_", "cudaMemcpyAsync"),
            self.task("gpu_memcpy", "Memcpy DtoH", first + 2, at + STEP + 50, 7, bytes=64),
        ]

    def trace(self, name, before=0, others=()):
        """`before`: kernels of 10 us at the begin of the trace whose launch is not in the trace.
        `others`: kernels elsewhere without a launch."""
        events = [event for number in range(3) for event in self.step(number)]
        events += [self.task("kernel", "gemm", 1 + n, 11 * n + 1, 10) for n in range(before)]
        events += [self.task("kernel", "lone", 50 + n, begin, 10, stream)
                   for n, (begin, stream) in enumerate(others)]
        path = self.work / (name + ".pt.trace.json")
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events,
                                    "baseTimeNanoseconds": kineto.BASE}))
        return path

    def diff(self, *words, code=0):
        return self.json("diff", *words, "--by", "kernel", "--all", code=code)

    def rows(self, found):
        return {" < ".join(row["path"]): row for row in found["rows"]}

    def test_launched_before(self):
        """They are neither in the row of a step's kernels nor in the sum, because they would add to
        its spread."""
        a, b = self.trace("a"), self.trace("b", before=10)
        found = self.diff(a, b, "--threshold", "1")
        self.assertEqual(found["different_rows"], 0)
        self.assertEqual(found["total"]["difference"], 0)
        self.assertEqual(found["total"]["b"]["deviation"], found["total"]["a"]["deviation"])
        before = found["launched_before"]
        self.assertIsNone(before["a"])
        self.assertEqual(before["b"], {"value": 100000, "deviation": None, "units": 1, "calls": 10})
        self.assertEqual((before["difference"], before["regression"]), (100000, False))
        text = self.strobe("diff", a, b, "--by", "kernel", "--all").stdout
        self.assertRegex(text, r"\n +\+100\.000 .* 10 +only in B +\(launched before the recording, in "
                               r"all\)\n")

    def test_none_launched_before(self):
        a = self.trace("a")
        self.assertIsNone(self.diff(a, a)["launched_before"])
        self.assertNotIn("launched before",
                         self.strobe("diff", a, a, "--by", "kernel", "--all").stdout)

    def test_a_launch_that_is_missing(self):
        """Only tasks that a stream ran before all others, or before the first call, come from
        before the recording."""
        a = self.trace("a", others=((1500, 7), (90, 8), (500, 8)))
        found = self.diff(a, a)
        self.assertEqual(found["launched_before"]["a"]["calls"], 1)
        self.assertEqual(self.rows(found)["lone"]["a"]["calls"], 2)

    def test_copies_and_fills(self):
        """A copy counts in the step that launched it, even if it runs in the next one; so does the
        last copy, after which there is no step."""
        a = self.trace("a")
        found = self.diff(a, a)
        rows = self.rows(found)
        self.assertEqual({path: (row["a"]["calls"], row["a"]["value"], row["a"]["deviation"])
                          for path, row in rows.items()},
                         {"gemm < aten::mm": (3, 50000, 0), "Memset (Device) < aten::zero_": (3, 4000, 0),
                          "Memcpy DtoH < aten::copy_": (3, 7000, 0)})
        self.assertEqual(found["not_compared"], [])


if __name__ == "__main__":
    unittest.main()
