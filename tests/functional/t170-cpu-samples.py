# SPDX-License-Identifier: Apache-2.0
"""Samples of processor time, for a program that knows its own times."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from other_user import OTHER, needs_other_user
from support import BUILD, STROBE, StrobeTest, program

PROGRAM = program("cpu-program")
STATIC = program("cpu-static")


def read_paranoid():
    try:
        return int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    except OSError:
        return None


PARANOID = read_paranoid()


def may_sample():
    """Does the kernel let this user sample processes?"""
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


# The default of compilers: no function has a frame pointer. The last call goes through the C
# library, whose functions have none either.
CHAIN = """
#include <stdlib.h>
#include <time.h>
#define NOINLINE __attribute__((noinline))
static volatile unsigned long sink;
static NOINLINE int spin(const void *a, const void *b)
{
    for (unsigned long i = 0; i < 100000; i++)
        sink = sink * 3 + i;
    return *(const int *)a - *(const int *)b;
}
static NOINLINE int third(void) { int v[2] = {2, 1}; qsort(v, 2, sizeof *v, spin); return v[0]; }
static NOINLINE int second(void) { volatile char room[3000]; room[7] = 1; return third() + room[7]; }
static NOINLINE int first(void) { return second() + 3; }
static NOINLINE int deep(int n) { volatile char room[500]; room[n] = 1; return (n ? deep(n - 1) : first()) + room[n]; }
int main(int argc, char **argv)
{
    clock_t end = clock() + (clock_t)(atof(argv[1]) * CLOCKS_PER_SEC);
    int n = atoi(argv[2]);
    while (clock() < end)
        sink += deep(n);
    return 0;
}
"""

WAITS = """
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
static volatile unsigned long sink;
static NOINLINE void wait_here(void) { nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); sink++; }
static NOINLINE void spin(void)
{
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    while (clock() < end)
        for (int i = 0; i < 10000; i++)
            sink += sink;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < atoi(argv[1]); i++)
        wait_here();
    if (argc > 2) {
        pid_t child = fork();
        spin();
        child ? waitpid(child, NULL, 0) : (_exit(0), 0);
    }
    return 0;
}
"""

needs_static = unittest.skipUnless(os.path.exists(STATIC), "no static libraries")
needs_unwinder = unittest.skipUnless(
    (BUILD / "plugins" / "cpu_sample-unwind").exists(), "built without libdw"
)
needs_perf = unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")


class CpuSamplesTest(StrobeTest):
    def sample(self, mode, options="", seconds=0.6, flags=(), name=PROGRAM):
        """The samples as rows, each with its thread."""
        self.done = self.record(name, mode, seconds, collect=["cpu_sample" + options], flags=flags)
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, self.result())
        return table["rows"]

    def assertBalanced(self, rows):
        """Each offered record is stored or counted as lost."""
        info, = self.json("info", self.result())
        self.assertEqual(info["kinds"]["cpu_sample"], len(rows))
        self.assertEqual(info["offered"], info["stored"] + sum(info["lost"].values()))

    @needs_perf
    def test_processor_time(self):
        rows = self.sample("plain")
        used = float(self.done.stdout) * 1e9
        total = sum(row["time"] for row in rows)
        self.assertAlmostEqual(total / used, 1, delta=0.3)
        self.assertEqual(len({row["track"] for row in rows}), 1)
        self.assertEqual({row["track"] for row in rows}, {row["process"] for row in rows})
        self.assertGreater(sum("cpu-program" in row["stack"] for row in rows), len(rows) * 0.8)
        self.assertBalanced(rows)
        self.assertNothingLeft()

    @needs_perf
    def test_frequency(self):
        rows = self.sample("plain", ":frequency=200,event=clock")
        self.assertEqual({row["time"] for row in rows}, {5000000})
        self.assertAlmostEqual(len(rows), 120, delta=40)

    @needs_perf
    def test_threads(self):
        rows = self.sample("threads")
        times = {}
        for row in rows:
            times[row["name"]] = times.get(row["name"], 0) + row["time"]
        self.assertGreaterEqual(len({row["track"] for row in rows}), 2)
        self.assertAlmostEqual(times["large"] / (times["large"] + times["small"]), 0.75, delta=0.1)

    @needs_perf
    def test_children(self):
        rows = self.sample("fork")
        main = {row["track"] for row in rows if row["track"] == row["process"]}
        times = {}
        for row in rows:
            times[row["process"]] = times.get(row["process"], 0) + row["time"]
        self.assertEqual(len(times), 2)
        self.assertEqual(len(main), 2)
        shares = sorted(time / sum(times.values()) for time in times.values())
        self.assertAlmostEqual(shares[0], 0.25, delta=0.1)

    @needs_perf
    def test_no_children(self):
        rows = self.sample("fork", ":children=none")
        self.assertEqual(len({row["process"] for row in rows}), 1)

    @needs_perf
    def test_another_program(self):
        """A shell starts the program twice."""
        script = "%s plain 0.2; %s plain 0.2; exit 0" % (PROGRAM, PROGRAM)
        self.record("sh", "-c", script, collect=["cpu_sample"])
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, self.result())
        rows = [row for row in table["rows"] if "cpu-program" in row["stack"]]
        self.assertEqual(len({row["process"] for row in rows}), 2)
        self.assertEqual({row["name"] for row in rows}, {"cpu-program"})

    def times_of_processes(self, result):
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, result)
        times = {}
        for row in table["rows"]:
            # the kernel has a function irq_work_queue
            if re.search(r"\bwork_(large|small)\b", row["stack"]):
                times[row["process"]] = times.get(row["process"], 0) + row["time"] / 1e9
        return times

    @needs_perf
    def test_size_of_the_pool(self):
        """The program itself records only marks, unless a collector records in it."""
        for size, flags in ((32, ()), (64, ("--collect", "gc")), (64, ("--buffer", "policy=block")),
                            (16, ("--buffer", "size=16MB"))):
            with self.subTest(flags=flags):
                shutil.rmtree(self.out, ignore_errors=True)
                self.record("true", collect=["cpu_sample"], flags=flags)
                info = self.json("info", self.result())[0]["metadata"]
                self.assertEqual(info["buffer"]["size"], "%dB" % (size << 20))

    @needs_perf
    @needs_static
    def test_static_program_in_the_process(self):
        """Nothing can be loaded into the program that the shell executes, but its samples
        continue."""
        done = self.record("sh", "-c", "exec %s plain 0.6" % STATIC, collect=["cpu_sample"])
        time, = self.times_of_processes(self.result()).values()
        self.assertAlmostEqual(time / float(done.stdout), 1, delta=0.15)
        self.assertNothingLeft()

    @needs_perf
    @needs_static
    def test_followed_children_once(self):
        """The samples of a child with its own result are in no other result; those of a child
        without one are in its parent's."""
        script = "%s plain 0.4; %s fork 0.4; %s plain 0.4; exit 0" % (STATIC, PROGRAM, PROGRAM)
        done = self.record("sh", "-c", script, collect=["cpu_sample"], flags=("--follow",))
        results = [self.times_of_processes(result) for result in self.results()]
        self.assertEqual(sorted(map(len, results)), [1, 1, 2])
        every = [pid for times in results for pid in times]
        self.assertEqual(len(every), len(set(every)))
        total = sum(sum(times.values()) for times in results)
        self.assertAlmostEqual(total, 1.2, delta=0.2)
        self.assertNotIn("child processes", done.stderr)

    @needs_perf
    def test_sampled_children_are_not_missed(self):
        done = self.record("sh", "-c", "%s plain 0.3; exit 0" % PROGRAM, collect=["cpu_sample"])
        self.assertNotIn("child processes", done.stderr)

    @needs_perf
    def test_innermost_alone(self):
        rows = self.sample("plain", ":unwind=none,kernel=false")
        self.assertGreater(len(rows), 100)
        self.assertFalse([row for row in rows if ";" in row["stack"]])

    @needs_perf
    def test_lost_samples(self):
        """The writer is stopped until the kernel's buffers are full."""
        process = self.start("run", "-o", self.out, "--collect", "cpu_sample:frequency=9999",
                             "--", PROGRAM, "plain", 3)  # fmt: skip
        pid = self.wait_until(lambda: self.child_of(process), "the program")
        writer = self.wait_until(lambda: self.writer_of(pid), "its writer")
        self.wait_until(lambda: b"anon_inode:[perf_event]" in self.files_of(writer), "its events")
        # A program whose writer does not become ready in two seconds starts another one.
        self.wait_until(lambda: self.user_seconds(pid) > 0.3, "the program's work")
        os.kill(writer, signal.SIGSTOP)
        self.addCleanup(self.wake, writer)
        self.wait_until(lambda: not self.is_alive(pid), "the end of the program")
        os.kill(writer, signal.SIGCONT)
        self.assertEqual(process.wait(60), 0, process.stderr.read())
        info, = self.json("info", self.result())
        self.assertGreater(info["lost"]["collector_dropped"], 100)
        self.assertGreater(info["kinds"]["cpu_sample"], 100)
        self.assertEqual(info["offered"], info["stored"] + sum(info["lost"].values()))
        offered = info["lost"]["collector_dropped"] + info["kinds"]["cpu_sample"]
        self.assertAlmostEqual(offered / 9999 / 3, 1, delta=0.25)

    def child_of(self, process):
        """The program that `strobe run` has started; the writer is also a child of strobe."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                status = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if words[0] == os.fsencode(PROGRAM) and int(status[1]) == process.pid:
                return int(folder.name)
        return None

    @staticmethod
    def files_of(pid):
        found = []
        for path in pathlib.Path("/proc/%d/fd" % pid).iterdir():
            try:
                found.append(os.readlink(os.fsencode(path)))
            except FileNotFoundError:  # the process has closed it meanwhile
                pass
        return found

    @staticmethod
    def user_seconds(pid):
        words = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()
        return int(words[11]) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def is_alive(pid):
        try:
            return "Z" not in pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2]
        except OSError:
            return False

    @staticmethod
    def wake(pid):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def test_refused(self):
        """The program runs, the other collectors record, and a message says what is missing."""
        done = subprocess.run(
            [program("without-perf"), STROBE, "run", "-o", self.out, "--collect", "cpu_sample:source=perf",
             "--collect", "fake:threads=0,records=100", "--", PROGRAM, "plain", "0.1"],
            cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("perf_event_open is not permitted", done.stderr)
        self.assertIn("--cap-add PERFMON", done.stderr)
        self.assertEqual(self.records_of(self.result(), "marker"), 100)
        self.assertEqual(self.records_of(self.result(), "cpu_sample"), 0)
        self.assertNothingLeft()


class UnwindTest(StrobeTest):
    """unwind=dwarf: a process next to the writer finds the callers by the tables for unwinding."""

    def build(self):
        source = self.script("chain.c", CHAIN)
        path = self.work / "chain"
        subprocess.run(["cc", "-O2", "-g", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-o", path, source],
                       check=True)  # fmt: skip
        return path

    def stacks(self, options, *words, seconds=0.5):
        """The functions of each sample in spin, innermost first."""
        self.done = self.record(*(words or (self.build(), seconds, 3)),
                                collect=["cpu_sample:kernel=false," + options])
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, self.result())
        self.assertGreater(len(table["rows"]), 100)
        names = [[frame.split(" (")[0] for frame in row["stack"].split(";")] for row in table["rows"]]
        return [each for each in names if each[0] == "spin"]

    @needs_perf
    @needs_unwinder
    def test_chain(self):
        """Nearly all samples lead through the C library to main; frame pointers find none of these
        callers."""
        expected = ["third", "second", "first", "deep", "deep", "deep", "deep", "main"]
        found = self.stacks("unwind=dwarf")
        mine = [[name for name in each[1:] if name in expected] for each in found]
        whole = sum(each == expected for each in mine)
        self.assertGreater(whole, 0.95 * len(found), mine[:3])
        self.assertTrue(any("qsort" in name for name in found[0]), found[0])
        shutil.rmtree(self.out)
        by_pointers = self.stacks("unwind=fp")
        self.assertFalse([each for each in by_pointers if "second" in each and "main" in each])

    @needs_perf
    @needs_unwinder
    def test_bounded_copy(self):
        """If a stack is larger than the copy, the sample has the inner part of the stack, and is
        not lost."""
        found = self.stacks("unwind=dwarf,stack_bytes=4KB", self.build(), 0.5, 200)
        self.assertGreater(len(found), 100)
        for each in found:
            self.assertNotIn("main", each)
        self.assertTrue(all("second" in each for each in found[10:]), found[:3])
        info, = self.json("info", self.result())
        self.assertEqual(sum(info["lost"].values()), 0)

    @needs_perf
    @needs_unwinder
    def test_children(self):
        """Frames of each process are found in its own objects."""
        path = self.build()
        found = self.stacks("unwind=dwarf", "sh", "-c", "%s 0.3 1; %s 0.3 2; exit 0" % (path, path))
        depths = {each.count("deep") for each in found if "main" in each}
        self.assertEqual(depths, {2, 3})

    @needs_perf
    @needs_unwinder
    def test_killed_process(self):
        """The process is started again; the result says that some stacks have no callers."""
        process = self.start("run", "-o", self.out, "--collect",
                             "cpu_sample:kernel=false,unwind=dwarf", "--", self.build(), 1, 1)  # fmt: skip
        killed = set()
        self.wait_until(lambda: self.kill_unwinder(process.pid, killed), "two unwinders", process)
        _, errors = process.communicate(timeout=60)
        self.assertRegex(errors, r"cpu_sample-unwind\) ended \d+ times")
        table, = self.json("show", "--table", "cpu_sample", "--limit", 100000, self.result())
        self.assertTrue([row for row in table["rows"] if "main (chain)" in row["stack"]])

    def kill_unwinder(self, run, killed):
        """Kills the unwinding processes of the run's writers. Were there two?"""
        try:
            for writer in self.children(run):
                for child in self.children(writer) - killed:
                    if pathlib.Path("/proc/%d/comm" % child).read_text().startswith("cpu_sample-unw"):
                        os.kill(child, signal.SIGKILL)
                        killed.add(child)
        except OSError:  # one of them has just ended
            pass
        return len(killed) > 1

    @staticmethod
    def children(pid):
        found = set()
        for path in pathlib.Path("/proc/%d/task" % pid).glob("*/children"):
            found |= set(map(int, path.read_text().split()))
        return found

    @needs_perf
    @needs_unwinder
    def test_without_unwinder(self):
        """unwind=dwarf with timers, and without the unwinding program."""
        done = self.record(PROGRAM, "plain", 0.1, collect=["cpu_sample:unwind=dwarf,source=timer"])
        self.assertRegex(done.stderr, r"unwind=dwarf.*timers .*copy no stacks.*unwind=fp")


def may_see_switches():
    """Can this user see context switches? Root can, and others if the kernel shows them to all
    users."""
    return os.geteuid() == 0 or (PARANOID is not None and PARANOID < 2)


class WaitTest(StrobeTest):
    """off_cpu=true: the places where threads wait, and the durations."""

    def build(self):
        source = self.script("waits.c", WAITS)
        path = self.work / "waits"
        subprocess.run(["cc", "-O2", "-g", "-o", path, source], check=True)
        return path

    def log_of(self, result):
        return "".join(path.read_text() for path in (result / "logs").iterdir())

    def waits(self, *words, options="", **keywords):
        self.done = self.record(*words, collect=["cpu_sample:off_cpu=true" + options], **keywords)
        table, = self.json("show", "--table", "cpu_sample.wait", "--limit", 100000, self.result())
        return table["rows"]

    @needs_perf
    @needs_unwinder
    @unittest.skipUnless(may_see_switches(), "kernel.perf_event_paranoid hides switches")
    def test_sleep(self):
        """There are at least twenty waits of 20 ms, each with its callers, in all tables and
        files."""
        rows = self.waits(self.build(), 20, options=",unwind=dwarf",
                          flags=("--export", "stacks", "--export", "flamegraph"))  # fmt: skip
        mine = [row for row in rows if "wait_here (waits)" in (row["stack"] or "") and not row["is_preempted"]]
        self.assertEqual(len(mine), 20, [row["stack"] for row in rows])
        self.assertTrue(all(row["duration"] >= 20000000 for row in mine), mine)
        self.assertTrue(all("main (waits)" in row["stack"] for row in mine))
        self.assertEqual({row["track"] for row in mine}, {row["process"] for row in mine})
        total = sum(row["duration"] for row in rows if "wait_here (waits)" in (row["stack"] or ""))
        table, = self.json("show", "--table", "function", "--limit", 100000, self.result())
        sums = {row["name"]: row["total"] for row in table["rows"] if row["source"] == "cpu_sample.wait"}
        self.assertEqual(sums["wait_here (waits)"], total)
        output = self.result() / "ASCEND_PROFILER_OUTPUT"
        lines = [line for line in (output / "wait_stacks.log").read_text().splitlines() if "wait_here" in line]
        self.assertLessEqual(abs(sum(int(line.rpartition(" ")[2]) for line in lines) - total // 1000), 1)
        self.assertIn("wait_here (waits)", (output / "wait_flamegraph.svg").read_text())
        self.assertIn("waiting</text>", (output / "wait_flamegraph.svg").read_text())

    @needs_perf
    @unittest.skipUnless(may_see_switches(), "kernel.perf_event_paranoid hides switches")
    @unittest.skipUnless(shutil.which("taskset"), "no taskset")
    def test_preempted(self):
        """Two processes share a processor: each waits about as long as the other one works."""
        rows = self.waits("taskset", "-c", str(min(os.sched_getaffinity(0))), self.build(), 0, "both")
        times = {}
        for row in rows:
            if row["is_preempted"]:
                times[row["process"]] = times.get(row["process"], 0) + row["duration"]
        self.assertEqual(len(times), 2)
        self.assertGreater(min(times.values()), 200e6)

    @needs_perf
    def test_default(self):
        self.record(self.build(), 2, collect=["cpu_sample"])
        self.assertEqual(self.records_of(self.result(), "cpu_sample.wait"), 0)

    def test_timers(self):
        """With timers a message says that waiting is not recorded, and processor time is
        sampled."""
        self.record(PROGRAM, "plain", 0.2, collect=["cpu_sample:off_cpu=true,source=timer"])
        self.assertIn("Waiting is not recorded (off_cpu=true): timers", self.log_of(self.result()))
        self.assertGreater(self.records_of(self.result(), "cpu_sample"), 0)

    @needs_other_user
    @unittest.skipUnless(PARANOID == 2, "kernel.perf_event_paranoid is not 2")
    def test_refused(self):
        self.work.chmod(0o777)
        done = subprocess.run(["setpriv", "--reuid", str(OTHER), "--clear-groups", STROBE, "run", "-o", self.out,
                               "--collect", "cpu_sample:off_cpu=true", "--", PROGRAM, "plain", "0.2"], cwd=self.work,
                              env={**self.environment, "HOME": str(self.work)}, capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr + self.log_of(self.result()),
                         r"Waiting is not recorded \(off_cpu=true\): .*perf_event_paranoid=1")
        self.assertGreater(self.records_of(self.result(), "cpu_sample"), 0)


if __name__ == "__main__":
    unittest.main()
