# SPDX-License-Identifier: Apache-2.0
"""`strobe diff --by kernel` and `communication` on synthetic traces: kernels by the operators that
launched them."""

import json

import kineto
from support import StrobeTest


class DiffKernelsTest(StrobeTest):
    """Traces of PyTorch's profiler, two steps of 1 ms; times in us."""

    def trace(self, name, rows, steps=2):
        """The rows of a step: ("op", thread, name, begin, end), ("call", thread, id, begin, end),
        or ("kernel", id, name, begin, end)."""
        events = []
        for step in range(steps):
            at = 1000 * step
            events.append(self.event("user_annotation", "ProfilerStep#%d" % step, 1, at, at + 1000))
            for kind, *more in rows:
                events.append(getattr(self, kind)(step, at, *more))
        path = self.work / (name + ".pt.trace.json")
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events,
                                    "baseTimeNanoseconds": kineto.BASE}))
        return path

    @staticmethod
    def event(category, name, thread, begin, end, pid=1, **args):
        return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": thread, "ts": begin,
                "dur": end - begin, "args": args}

    def op(self, step, at, thread, name, begin, end):
        return self.event("cpu_op", name, thread, at + begin, at + end, **{"External id": 1})

    def mark(self, step, at, thread, name, begin, end):
        return self.event("user_annotation", name, thread, at + begin, at + end)

    def call(self, step, at, thread, number, begin, end):
        return self.event("cuda_runtime", "cudaLaunchKernel", thread, at + begin, at + end,
                          correlation=100 * step + number)

    def kernel(self, step, at, number, name, begin, end):
        return self.event("kernel", name, 7, at + begin, at + end, pid=0, stream=7, device=0,
                          correlation=100 * step + number)

    def diff(self, *words):
        return self.json("diff", *words, "--all")

    def times(self, *words):
        """The means by path, innermost name first, in us."""
        return {" < ".join(row["path"]): tuple(
            row[side] and row[side]["value"] / 1000 for side in "ab")
                for row in self.diff(*words)["rows"]}

    # ---- cases ----

    def rows(self, second=20):
        """The same kernel, launched by two operators; the one of the second operator takes
        `second`."""
        return [("op", 1, "aten::addmm", 110, 190), ("op", 1, "aten::linear", 100, 200),
                ("call", 1, 1, 120, 130), ("kernel", 1, "gemm", 140, 150),
                ("op", 1, "aten::conv2d", 300, 400), ("call", 1, 2, 320, 330),
                ("kernel", 2, "gemm", 340, 340 + second)]

    def test_kernels_of_two_operators(self):
        """One of them is slower; the name of the kernel alone does not show which."""
        a, b = self.trace("a", self.rows()), self.trace("b", self.rows(50))
        self.assertEqual(self.times(a, b, "--by", "kernel"), {
            "gemm < aten::conv2d": (20, 50),
            "gemm < aten::addmm < aten::linear": (10, 10)})
        found = self.json("diff", a, b, "--by", "kernel", "--threshold", "0", code=7)
        self.assertEqual([row["path"] for row in found["rows"]], [["gemm", "aten::conv2d"]])
        self.assertEqual(found["not_compared"], [])
        text = self.strobe("diff", a, b, "--by", "kernel").stdout
        self.assertIn("gemm < aten::conv2d\n", text)

    def test_equal_runs(self):
        a = self.trace("a", self.rows())
        found = self.json("diff", a, a, "--by", "kernel", "--threshold", "0")
        self.assertEqual((found["rows"], found["total_rows"], found["different_rows"]), ([], 2, 0))

    def test_threads_at_the_same_time(self):
        """Backward runs at the same time as forward: a launch belongs to the operators of its own
        thread."""
        rows = [("op", 1, "aten::linear", 100, 200), ("op", 2, "MmBackward0", 110, 300),
                ("call", 1, 1, 120, 130), ("call", 2, 2, 210, 220),
                ("op", 1, "aten::relu", 205, 290),
                ("kernel", 1, "gemm", 140, 150), ("kernel", 2, "gemm", 240, 270)]
        a = self.trace("a", rows)
        self.assertEqual(self.times(a, a, "--by", "kernel"), {
            "gemm < aten::linear": (10, 10), "gemm < MmBackward0": (30, 30)})

    def test_kernels_of_one_launch(self):
        """A graph is one call with many kernels, which all belong to its operator."""
        rows = [("op", 1, "replay", 100, 200), ("call", 1, 1, 120, 130),
                ("kernel", 1, "gemm", 140, 150), ("kernel", 1, "relu", 150, 155)]
        a = self.trace("a", rows)
        self.assertEqual(self.times(a, a, "--by", "kernel"), {
            "gemm < replay": (10, 10), "relu < replay": (5, 5)})

    def test_marks_are_no_operators(self):
        rows = self.rows() + [("mark", 1, "my range", 90, 210)]
        a, b = self.trace("a", self.rows()), self.trace("b", rows)
        self.assertEqual(self.diff(a, b, "--by", "kernel")["different_rows"], 0)

    def test_launches_that_one_result_does_not_tell(self):
        """If only one result has the launches, only the names of kernels are compared."""
        a = self.trace("a", self.rows())
        b = self.trace("b", [row for row in self.rows(50) if row[0] == "kernel"])
        for pair, name in (((a, b), "B"), ((b, a), "A")):
            found = self.diff(*pair, "--by", "kernel")
            self.assertEqual([row["path"] for row in found["rows"]], [["gemm"]])
            self.assertEqual({found["rows"][0][side]["calls"] for side in "ab"}, {4})
            self.assertEqual(abs(found["total"]["difference"]), 30000)
            self.assertIn("%s does not say which operators launched its kernels and copies: "
                          "they are compared by name" % name, found["not_compared"])

    def test_too_deep_for_a_path(self):
        """A path has at most 512 names. A kernel that is launched further inside counts only in the
        sum, and in no row of kernels without an operator."""
        rows = [("op", 1, "op%d" % i, 100 + i / 4, 900 - i / 4) for i in reversed(range(600))]
        rows += [("call", 1, 1, 300, 310), ("kernel", 1, "gemm", 500, 520)]
        a = self.trace("a", rows)
        found = self.diff(a, a, "--by", "kernel")
        self.assertEqual([row["path"] for row in found["rows"]], [])
        self.assertIn("A: 2 kernels and copies are in the sum only", " ".join(found["not_compared"]))
        self.assertEqual(found["total"]["a"]["calls"], 2)

    def test_communication(self):
        rows = [("op", 1, "c10d::allreduce_", 100, 200), ("call", 1, 1, 120, 130),
                ("kernel", 1, "ncclDevKernel_AllReduce_Sum_f32", 140, 190)]
        a = self.trace("a", rows)
        (path,) = self.times(a, a, "--by", "communication")
        self.assertRegex(path, "^nccl.* < c10d::allreduce_$")


if __name__ == "__main__":
    import unittest
    unittest.main()
