# SPDX-License-Identifier: Apache-2.0
"""Call paths of Python calls and of the heap, as folded stacks, flame graphs and profiles."""

import subprocess
import unittest
import xml.etree.ElementTree as xml

import chromium
from pprof import Profile
from support import PYTHON, StrobeTest, needs_python, needs_symbols, without_sanitizer

SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = """
def leaf(n):
    return [i * i for i in range(n)]

def large():
    leaf(30000)

def small():
    leaf(10000)

def main():
    for _ in range(20):
        large()
        small()

main()
"""
ALLOCATIONS = """
#include <stdlib.h>
__attribute__((noinline)) void *take(int n) { return malloc(n + 1); }
__attribute__((noinline)) void *keep(void) { return take(199999); }
int main(void)
{
    for (int i = 0; i < 10; i++)
        free(take(99999));
    return keep() == NULL;
}
"""
EXPORTS = ("--export", "stacks", "--export", "flamegraph", "--export", "pprof")


class CallPathTest(StrobeTest):
    def file(self, name):
        return self.result() / "ASCEND_PROFILER_OUTPUT" / name

    def folded(self, name):
        """Returns path -> sum of its numbers."""
        sums = {}
        for line in self.file(name).read_text().splitlines():
            stack, _, number = line.rpartition(" ")
            frames = tuple(stack.split(";"))
            sums[frames] = sums.get(frames, 0) + int(number)
        return sums

    def widths(self, name):
        """Returns frame -> share of the picture's width."""
        widths = {}
        for group in xml.parse(self.file(name)).iter(SVG + "g"):
            title = group.find(SVG + "title").text.rpartition(" (")[0]
            width = float(group.find(SVG + "rect").get("width")) / 1180
            widths[title] = widths.get(title, 0) + width
        return widths

    def functions(self):
        table, = self.json("show", "--table", "function", "--limit", 100000, self.result())
        return table["rows"]

    def allocate(self, *flags):
        source = self.script("leak.c", ALLOCATIONS)
        path = self.work / "leak"
        subprocess.run(["cc", "-g", "-O1", "-fno-builtin", "-fno-optimize-sibling-calls",
                        "-o", path, source], check=True)  # fmt: skip
        self.record(path, collect=["heap:stacks=true,threshold=64KB"], flags=flags)


@needs_python
class PythonCallTest(CallPathTest):
    def setUp(self):
        super().setUp()
        script = self.script("calls.py", SCRIPT)
        self.record(PYTHON, script, collect=["python_call:builtins=false"], flags=EXPORTS)

    def test_paths(self):
        """A function by its callers: all files, and the table of functions, have the same time."""
        names = {name: "calls.py(%d): %s" % (line, name)
                 for name, line in (("leaf", 2), ("large", 5), ("small", 8), ("main", 11))}  # fmt: skip
        table, = self.json("show", "--table", "call_path", "--limit", 100000, self.result())
        self.assertEqual({row["source"] for row in table["rows"]}, {"python_call"})
        rows = {row["name"]: row for row in self.functions()}
        profile = Profile(self.file("python.pb.gz"))
        self.assertEqual(profile.types, [("calls", "count"), ("self", "nanoseconds")])
        calls, times = {}, {}
        for frames, values, _ in profile.samples:
            path = tuple(name for name, _, _ in frames)
            calls[path] = calls.get(path, 0) + values["calls"]
            times[path] = times.get(path, 0) + values["self"]
        mine = {path: n for path, n in calls.items() if names["main"] in path}
        ends = {tuple(path[path.index(names["main"]):]): n for path, n in mine.items()
                if path[-1] in names.values()}  # fmt: skip
        self.assertEqual(ends, {
            (names["main"],): 1, (names["main"], names["large"]): 20,
            (names["main"], names["small"]): 20,
            (names["main"], names["large"], names["leaf"]): 20,
            (names["main"], names["small"], names["leaf"]): 20})  # fmt: skip
        self.assertEqual(rows[names["leaf"]]["count"], 40)
        for name in names.values():
            self.assertEqual(sum(time for path, time in times.items() if path[-1] == name),
                             rows[name]["self"])  # fmt: skip
        folded = self.folded("python_stacks.log")
        self.assertLessEqual(abs(sum(folded.values()) - sum(times.values()) // 1000), 1)
        for path, time in folded.items():
            self.assertLessEqual(abs(time * 1000 - times[path]), 2000, path)

    def test_picture(self):
        widths = self.widths("python_flamegraph.svg")
        rows = {row["name"]: row for row in self.functions()}
        for name in "calls.py(5): large", "calls.py(2): leaf", "calls.py(11): main":
            self.assertAlmostEqual(widths[name], rows[name]["total_share"] / 100, delta=0.02)
        for name in "flamegraph.svg", "heap_flamegraph.svg", "cpu_stacks.log", "profile.pb.gz":
            self.assertFalse(self.file(name).exists(), name)

    @unittest.skipUnless(chromium.PROGRAM, "no chromium")
    def test_browser(self):
        with chromium.Page(self.file("python_flamegraph.svg")) as page:
            page.value("window.prompt = () => ': large$', 1")
            page.value("document.getElementById('search').dispatchEvent(new Event('click'))")
            self.assertRegex(page.value("document.getElementById('result').textContent"),
                             r"^Found: \d+\.\d\d %$")  # fmt: skip
            self.assertEqual(page.value("document.querySelectorAll('g.found').length"), 1)


@needs_symbols
@without_sanitizer
class HeapTest(CallPathTest):
    def test_bytes(self):
        """The largest use at one time: 100000 bytes by the loop, 200000 by the function that keeps
        its blocks."""
        self.allocate(*EXPORTS)
        sums = {}
        for path, size in self.folded("heap_stacks.log").items():
            key = "keep" if any(frame.startswith("keep ") for frame in path) else "main"
            self.assertTrue(path[-1].startswith("take "), path)
            sums[key] = sums.get(key, 0) + size
        self.assertEqual(sums, {"main": 100000, "keep": 200000})
        widths = {name.split(" ")[0]: width for name, width in
                  self.widths("heap_flamegraph.svg").items()}  # fmt: skip
        self.assertAlmostEqual(widths["keep"], 2 / 3, delta=0.001)
        self.assertIn("195.312 KB", self.file("heap_flamegraph.svg").read_text())

    def test_metrics(self):
        """The memory that remains at the end, and all allocated memory."""
        self.allocate("--export", "stacks:heap_metric=live_bytes")
        self.assertEqual(sum(self.folded("heap_stacks.log").values()), 200000)
        self.strobe("analyse", self.result(), "--export", "stacks:heap_metric=allocated_bytes")
        self.assertEqual(sum(self.folded("heap_stacks.log").values()), 1200000)
        done = self.strobe("analyse", self.result(), "--export", "stacks:heap_metric=lost_bytes",
                           code=3)  # fmt: skip
        self.assertIn("heap_metric", done.stderr)
        self.assertIn("live_bytes", done.stderr)


if __name__ == "__main__":
    unittest.main()
