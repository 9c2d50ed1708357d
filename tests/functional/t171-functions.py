# SPDX-License-Identifier: Apache-2.0
"""Functions by name, file and line, and their times, for a program with known times."""

import os
import shutil
import subprocess
import unittest

from support import BUILD, PYTHON, STROBE, StrobeTest, program

PLAIN = program("cpu-program")
STRIPPED = program("cpu-stripped")
SOURCE = "cpu-program.c"


def may_sample():
    """Does the kernel let this user sample processes, and has Strobe symbols?"""
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout and (BUILD / "core" / "strobe-symbols").exists()


def line_of(text):
    """The number of the source line that has the text."""
    with open(os.path.join(os.path.dirname(__file__), SOURCE)) as file:
        return 1 + next(i for i, line in enumerate(file) if text in line)


@unittest.skipUnless(may_sample(), "perf_event_open is not permitted here, or built without libdw")
class FunctionsTest(StrobeTest):
    def sample(self, *command, collect="cpu_sample", flags=()):
        self.record(*command, collect=[collect], flags=flags)
        return self.functions()

    def functions(self):
        table, = self.json("show", "--table", "function", "--limit", 100000, self.result())
        return table["rows"]

    def row(self, rows, name):
        found = [row for row in rows if row["name"].split(" (")[0] == name]
        self.assertEqual(len(found), 1, (name, rows))
        return found[0]

    def test_shares(self):
        """Static functions with shares of three to one; each is at a line of its loop."""
        rows = self.sample(PLAIN, "plain", 0.8)
        large, small = self.row(rows, "work_large"), self.row(rows, "work_small")
        both = large["self"] + small["self"]
        self.assertAlmostEqual(large["self"] / both, 0.75, delta=0.1)
        self.assertGreater(large["self_share"] + small["self_share"], 75)
        self.assertGreater(self.row(rows, "main")["total_share"], 80)
        self.assertEqual(large["name"], "work_large (cpu-program)")
        first = line_of("void work_large")
        file, line = large["location"].rsplit(":", 1)
        self.assertTrue(file.endswith(SOURCE))
        self.assertIn(int(line), range(first, first + 6))
        for kind in "self_share", "total_share":
            self.assertLessEqual(max(row[kind] for row in rows), 100.001)
        self.assertAlmostEqual(sum(row["self_share"] for row in rows), 100, places=3)

    def test_inlined(self):
        rows = self.sample(PLAIN, "inlined", 0.6)
        self.assertGreater(self.row(rows, "mix")["self_share"], 75)
        large, small = self.row(rows, "mix_large"), self.row(rows, "mix_small")
        self.assertAlmostEqual(large["total"] / (large["total"] + small["total"]), 0.75, delta=0.1)
        self.assertEqual(int(large["location"].rsplit(":", 1)[1]), line_of("mix(3 * ROUND)"))

    def test_stripped(self):
        """A function is shown at the begin of its entry in the unwinding table."""
        rows = self.sample(STRIPPED, "plain", 0.6)
        largest = [row for row in rows if row["name"].startswith("cpu-stripped+0x")][:2]
        self.assertAlmostEqual(largest[0]["self"] / (largest[0]["self"] + largest[1]["self"]), 0.75,
                               delta=0.1)  # fmt: skip
        # The rest is the loading of the program, which takes a tenth of all time on a busy machine.
        self.assertGreater(largest[0]["self_share"] + largest[1]["self_share"], 75)
        self.assertEqual(largest[0]["location"], None)

    def test_other_file_of_that_name(self):
        """At the time of the analysis the file contains another program."""
        mine = self.work / "mine"
        shutil.copy(PLAIN, mine)
        self.record(mine, "plain", 0.2, collect=["cpu_sample"])
        mine.unlink()
        shutil.copy(STROBE, mine)
        names = [row["name"] for row in self.functions()]
        self.assertTrue([name for name in names if name.startswith("mine+0x")])
        self.assertFalse([name for name in names if "(mine)" in name])

    def test_folded_stacks(self):
        self.record(PLAIN, "threads", 0.6, collect=["cpu_sample:kernel=false"],
                    flags=("--export", "stacks"))  # fmt: skip
        sums = {}
        path = self.result() / "ASCEND_PROFILER_OUTPUT" / "cpu_stacks.log"
        for line in path.read_text().splitlines():
            stack, _, number = line.rpartition(" ")
            frames = stack.split(";")
            sums[frames[0], frames[-1]] = sums.get((frames[0], frames[-1]), 0) + int(number)
        large = sums["large", "work_large (cpu-program)"]
        small = sums["small", "work_small (cpu-program)"]
        self.assertAlmostEqual(large / (large + small), 0.75, delta=0.1)
        self.assertGreater(large + small, 0.75 * sum(sums.values()))
        self.assertFalse((path.parent / "stacks.log").exists())

    def test_native_code_of_python(self):
        rows = self.sample(PYTHON, "-c", "sum(i * i for i in range(3000000))")
        self.assertTrue([row for row in rows if "_PyEval_EvalFrame" in row["name"]])

    def test_allocations(self):
        """Allocations of a static function too, at the line that allocates."""
        script = self.work / "allocate.c"
        script.write_text(
            "#include <stdlib.h>\n"
            "static __attribute__((noinline)) void *take(int n)\n"
            "{\n"
            "    return malloc(n + 1);\n"
            "}\n"
            "int main(void)\n"
            "{\n"
            "    for (int i = 0; i < 100; i++)\n"
            "        free(take(99999));\n"
            "}\n"
        )
        path = self.work / "allocate"
        subprocess.run(["cc", "-g", "-O1", "-fno-builtin", "-fno-optimize-sibling-calls",
                        "-o", path, script], check=True)  # fmt: skip
        rows = self.sample(path, collect="heap:stacks=true,threshold=64KB")
        take = self.row(rows, "take")
        self.assertEqual((take["count"], take["self_bytes"]), (100, 10000000))
        self.assertEqual(take["location"].rsplit("/")[-1], "allocate.c:4")
        self.assertEqual(take["source"], "heap.block")
        self.assertEqual(self.row(rows, "main")["location"].rsplit("/")[-1], "allocate.c:9")


if __name__ == "__main__":
    unittest.main()
