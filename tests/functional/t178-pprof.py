# SPDX-License-Identifier: Apache-2.0
"""The exporter pprof: profiles of samples, operators and the heap, read by an independent
decoder."""

import subprocess
import unittest

import kineto
import json
from pprof import Profile
from support import STROBE, StrobeTest, needs_symbols, program, without_sanitizer


def may_sample():
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


class PprofTest(StrobeTest):
    def profile(self, name):
        return Profile(self.result() / "ASCEND_PROFILER_OUTPUT" / name)

    @needs_symbols
    @unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")
    def test_samples(self):
        """Three to one by thread; functions with file and line; the same sums as in the table."""
        self.record(program("cpu-program"), "threads", 0.6, collect=["cpu_sample:kernel=false"],
                    flags=("--export", "pprof"))  # fmt: skip
        profile = self.profile("profile.pb.gz")
        self.assertEqual(profile.types, [("samples", "count"), ("cpu", "nanoseconds")])
        times, files = {}, set()
        for frames, values, labels in profile.samples:
            times[labels["thread"]] = times.get(labels["thread"], 0) + values["cpu"]
            files |= {(name, file, line > 0) for name, file, line in frames if "work_large" in name}
        self.assertAlmostEqual(times["large"] / (times["large"] + times["small"]), 0.75, delta=0.1)
        self.assertEqual({name for name, _, _ in files}, {"work_large (cpu-program)"})
        self.assertTrue(all(file.endswith("cpu-program.c") and has_line
                            for _, file, has_line in files))  # fmt: skip
        table, = self.json("show", self.out, "--table", "cpu_sample", "--limit", 100000)
        self.assertEqual(sum(values["cpu"] for _, values, _ in profile.samples),
                         sum(row["time"] for row in table["rows"]))
        self.assertEqual(sum(values["samples"] for _, values, _ in profile.samples),
                         table["total_rows"])
        info, = self.json("info", self.out)
        self.assertEqual(profile.time_ns, info["begin_ns"])
        self.assertIn("cpu-program", profile.comments[0])
        folder = self.result() / "ASCEND_PROFILER_OUTPUT"
        self.assertEqual([path.name for path in folder.glob("*.pb.gz")], ["profile.pb.gz"])

    def test_operators(self):
        events = [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": begin,
                   "dur": duration, "args": {"External id": i}}
                  for i, (name, begin, duration) in enumerate(
                      (("outer", 0, 1000), ("inner", 100, 300), ("inner", 500, 200)))]
        path = self.work / "made.pt.trace.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events,
                                    "baseTimeNanoseconds": kineto.BASE}))
        self.strobe("import", path, "-o", self.out, "--export", "pprof")
        profile = self.profile("operators.pb.gz")
        found = {tuple(name for name, _, _ in frames): values for frames, values, _ in profile.samples}
        self.assertEqual(found, {("outer",): {"calls": 1, "self": 500000},
                                 ("outer", "inner"): {"calls": 2, "self": 500000}})

    @without_sanitizer
    def test_heap(self):
        script = self.script("leak.c", "#include <stdlib.h>\n"
                             "__attribute__((noinline)) void *take(int n) { return malloc(n + 1); }\n"
                             "int main(void)\n{\n    for (int i = 0; i < 10; i++)\n"
                             "        free(take(99999));\n    return take(199999) == NULL;\n}\n")
        path = self.work / "leak"
        subprocess.run(["cc", "-g", "-O1", "-fno-builtin", "-fno-optimize-sibling-calls",
                        "-o", path, script], check=True)  # fmt: skip
        self.record(path, collect=["heap:stacks=true,threshold=64KB"], flags=("--export", "pprof"))
        profile = self.profile("heap.pb.gz")
        self.assertEqual([name for name, _ in profile.types],
                         ["inuse_objects", "inuse_space", "alloc_objects", "alloc_space"])
        sums = {name: sum(values[name] for _, values, _ in profile.samples)
                for name, _ in profile.types}
        self.assertEqual(sums, {"inuse_objects": 1, "inuse_space": 200000, "alloc_objects": 11,
                                "alloc_space": 1200000})  # fmt: skip

    def test_options(self):
        """Another file name, which gets the ending .gz if necessary."""
        self.record(collect=["fake:threads=0,records=300,kind=all"],
                    flags=("--export", "pprof:operators_file=mine.pb"))  # fmt: skip
        self.assertTrue(self.profile("mine.pb.gz").samples)


if __name__ == "__main__":
    unittest.main()
