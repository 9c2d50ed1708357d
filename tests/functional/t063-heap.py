# SPDX-License-Identifier: Apache-2.0
"""Compares the recorded memory of a C program with the program's own counts."""

import csv
import glob
import os
import subprocess
import unittest

from support import BUILD, PYTHON, StrobeTest, needs_symbols, program


class HeapTest(StrobeTest):
    def run_heap(self, options, *words, seed=1, **more):
        self.done = self.record(
            program("heap-program"), seed, *words,
            collect=["heap" + options], flags=("--export", "csv"), **more,
        )  # fmt: skip
        counted = {}
        for line in self.done.stdout.splitlines():
            name, *numbers = line.split()
            counted[name] = tuple(map(int, numbers))
        return counted

    def table(self, name):
        path = self.result() / "ASCEND_PROFILER_OUTPUT" / name
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def found(self):
        """Returns function that allocated -> blocks, bytes, and those that are still allocated."""
        paths = {}
        for row in self.table("heap_path.csv"):
            name = row["Name"].split(" (")[0]
            numbers = [int(row[column]) for column in
                       ("allocated_blocks", "allocated_bytes(B)", "live_blocks", "live_bytes(B)")]
            before = paths.get(name, [0] * 4)
            paths[name] = [a + b for a, b in zip(before, numbers)]
        return {name: tuple(numbers) for name, numbers in paths.items()}

    @needs_symbols
    def test_every_block(self):
        for seed in (1, 2):
            counted = self.run_heap(":stacks=true", seed=seed)
            found = self.found()
            self.assertEqual({name: found.get(name) for name in counted}, counted)
            self.assertGreater(counted["take_moved"][0], 1000)
            self.out = self.work / "other"

    def test_records(self):
        counted = self.run_heap("")
        rows = self.table("heap.block.csv")
        self.assertEqual({row["stack"] for row in rows}, {""})
        taken = [row for row in rows if int(row["size(B)"]) >= 0 and row["weight"] == "1.0"]
        self.assertGreaterEqual(len(taken), sum(numbers[0] for numbers in counted.values()))
        held, total = {}, None
        for row in sorted(rows, key=lambda row: row["Begin(us)"]):
            size, address = int(row["size(B)"]), row["address"]
            if size < 0 and address in held:
                self.assertEqual(held.pop(address), -size)
            elif size > 0:
                held[address] = size
            total = int(row["total(B)"])
        self.assertGreater(total, sum(numbers[3] for numbers in counted.values()))
        cost, = self.table("heap.cost.csv")
        self.assertEqual(int(cost["allocations"]) + int(cost["releases"]), len(rows))
        self.assertGreater(int(cost["duration(ns)"]), 10 * len(rows))

    @needs_symbols
    def test_threshold(self):
        counted = self.run_heap(":threshold=4KB,stacks=true")
        found = self.found()
        self.assertNotIn("take_small", found)
        self.assertLess(found["take_plain"][0], counted["take_plain"][0] / 2)
        sizes = [int(row["size(B)"]) for row in self.table("heap.block.csv")]
        self.assertGreaterEqual(min(map(abs, sizes)), 4096)

    @needs_symbols
    def test_sampling(self):
        counted = self.run_heap(":sampling=16KB,stacks=true")
        found = self.found()
        for name in ("take_plain", "take_cleared", "take_aligned", "take_moved"):
            self.assertAlmostEqual(found[name][1] / counted[name][1], 1, delta=0.35)
        whole = sum(numbers[1] for numbers in counted.values())
        sampled = sum(found[name][1] for name in counted if name in found)
        self.assertAlmostEqual(sampled / whole, 1, delta=0.2)
        self.assertLess(self.records_of(self.result(), "heap.block"), 10000)

    @needs_symbols
    def test_forked_child_is_left_out(self):
        counted = self.run_heap(":stacks=true")
        tracks = {row["Track"] for row in self.table("heap.block.csv")}
        self.assertLessEqual(len(tracks), 5)  # main and four threads
        self.assertEqual(self.found()["take_plain"], counted["take_plain"])

    @needs_symbols
    def test_threads_that_end(self):
        """The threads still release memory when nothing can be reported any more."""
        counted = self.run_heap(":stacks=true,depth=2", seed="brief")
        before_main = sum(range(1000, 1100))
        self.assertEqual(counted["take_plain"],
                         (2500 + 100, 250000 + before_main, 100, before_main))  # fmt: skip
        self.assertEqual(self.found()["take_plain"], counted["take_plain"])
        self.assertNotIn("lost", self.done.stderr)
        rows = self.table("heap_path.csv")
        self.assertLess(sum(int(row["live_blocks"]) for row in rows), 100 + 50)

    @needs_symbols
    def test_constructors(self):
        """Allocations before main, when nothing can be recorded yet, count from the beginning."""
        counted = self.run_heap(":stacks=true", seed="first")
        kept = sum(range(1050, 1100))
        self.assertEqual(counted["take_plain"], (100, sum(range(1000, 1100)), 50, kept))
        self.assertEqual(counted["take_cleared"], (100, 5000, 0, 0))
        found = self.found()
        self.assertEqual({name: found.get(name, (0, 0, 0, 0)) for name in counted}, counted)

    def test_more_before_a_session_than_is_kept(self):
        """All of these allocations are unknown then, and so are their releases."""
        script = "import ctypes; x = [bytes(70000 + i) for i in range(500)]; del x"
        self.record(PYTHON, "-c", script, collect=["heap:threshold=64KB"],
                    flags=("--export", "csv"))  # fmt: skip
        held = {}
        for row in sorted(self.table("heap.block.csv"), key=lambda row: row["Begin(us)"]):
            size = int(row["size(B)"])
            if size < 0:
                self.assertEqual(held.pop(row["address"]), -size)
            else:
                held[row["address"]] = size

    def test_python(self):
        """Python allocates much early, and loads many libraries."""
        self.record(PYTHON, "-c", "x = [bytes(100000) for _ in range(50)]",
                    collect=["heap:threshold=64KB"], flags=("--export", "csv"))  # fmt: skip
        sizes = [int(row["size(B)"]) for row in self.table("heap.block.csv")]
        self.assertGreaterEqual(len([size for size in sizes if 100000 < size < 100100]), 50)

    @needs_symbols
    def test_another_allocator(self):
        """Another preloaded allocator, behind Strobe's library."""
        found = [path for name in ("jemalloc", "tcmalloc_minimal", "tcmalloc")
                 for path in glob.glob("/usr/lib/*/lib%s.so.[0-9]" % name)]  # fmt: skip
        if not found:
            self.skipTest("neither jemalloc nor tcmalloc is installed")
        for number, path in enumerate(found):
            self.out = self.work / ("out%d" % number)
            self.environment["LD_PRELOAD"] = path
            counted = self.run_heap(":stacks=true")
            names = self.found()
            self.assertEqual({name: names.get(name) for name in counted}, counted, path)

    def test_library_alone(self):
        """The library in front of a program without `strobe run`: it looks in vain for the
        program's symbols."""
        environment = dict(os.environ, LD_PRELOAD=str(BUILD / "plugins" / "heap-preload.so"))
        done = subprocess.run([program("heap-program"), "first"], env=environment,
                              capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("take_plain 100", done.stdout)

    def test_only_under_run(self):
        """Without the preloaded library nothing can be recorded, and a message says so."""
        done = self.strobe("plugins", "heap")
        self.assertIn("malloc", done.stdout)
        self.record("sh", "-c", "echo $LD_PRELOAD", collect=["fake:threads=0,records=1"])
        done = self.strobe("run", "-o", self.work / "x", "--collect", "heap", "--", "sh", "-c",
                           "echo $LD_PRELOAD")  # fmt: skip
        self.assertIn("heap-preload.so", done.stdout)


if __name__ == "__main__":
    unittest.main()
