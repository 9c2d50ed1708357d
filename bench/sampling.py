# SPDX-License-Identifier: Apache-2.0
"""The cost and accuracy of samples of processor time, compared with perf record -g and py-spy record, for
the same work in the same run."""

import json
import os
import pathlib
import re
import shutil
import statistics

from rows import Row
from workplace import SYSTEM_PYTHON, Skipped

REPEATS = 5
ROUNDS = 25000  # about 5 s
PYTHON_ROUNDS = 6000  # about 5 s
TIMES = ("processor", "elapsed", "start")  # the work's times, and the processor time before the work
TOP = 10  # functions whose shares are compared
# Without generators: a generator and its caller alternate every 60 ns, so that samplers disagree about their
# shares (docs/topics/host-collectors.md).
SCRIPT = """
import sys, time
start, begin = time.process_time_ns(), time.perf_counter_ns()

def work_large():
    total = 0
    for i in range(30000):
        total += i * i
    return total

def work_small():
    total = 0
    for i in range(10000):
        total += i * i
    return total

for _ in range(int(sys.argv[1])):
    work_large()
    work_small()
print(time.process_time_ns() - start, time.perf_counter_ns() - begin, start)
"""


class Profiler:
    """Runs the work under a profiler. Each run returns the times that the program prints, and the shares."""

    def __init__(self, bench):
        self.bench = bench
        self.folder = pathlib.Path(bench.scratch) / type(self).__name__

    def measure(self, command):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        said = self.bench.output(self.command([*map(str, command)]))
        found = re.search(r"^(\d+) (\d+) (\d+)$", said, re.MULTILINE)  # py-spy prints further lines
        return dict(zip(TIMES, (int(ns) / 1e6 for ns in found.groups())))


class Bare(Profiler):
    def command(self, command):
        return command


class Strobe(Profiler):
    share = "self_share"

    def command(self, command):
        return [str(self.bench.build / "tools" / "strobe"), "run", "-o", str(self.folder / "out"),
                "--no-default-collectors", "--collect", "cpu_sample", "--", *command]

    def shares(self):
        text = self.bench.output([str(self.bench.build / "tools" / "strobe"), "show", "--json", "--limit", "100000",
                                  "--table", "function", str(self.folder / "out")])
        shares = {}
        for row in json.loads(text)[0]["rows"]:
            name = row["name"].split(" (")[0].rpartition(": ")[2]
            shares[name] = shares.get(name, 0) + row[self.share]
        return shares


class StrobeTotals(Strobe):
    """Total shares: py-spy counts native code, and the kernel, as part of the Python function that called it."""
    share = "total_share"


class Perf(Profiler):
    def __init__(self, bench):
        super().__init__(bench)
        if not shutil.which("perf"):
            raise Skipped("there is no perf")

    def command(self, command):
        return ["perf", "record", "-q", "-F", "999", "-g", "-o", str(self.folder / "data"), "--", *command]

    def shares(self):
        text = self.bench.output(["perf", "report", "-i", str(self.folder / "data"), "--no-children", "-g", "none",
                                  "--stdio", "-q", "-F", "overhead,sym"])
        found = re.findall(r"^\s*([\d.]+)%\s+\[.\]\s+(\S+)", text, re.MULTILINE)
        shares = {}
        for share, name in found:
            shares[name] = shares.get(name, 0) + float(share)
        return shares


class PySpy(Profiler):
    def __init__(self, bench):
        super().__init__(bench)
        beside = bench.build / "venv-torch" / "bin" / "py-spy"
        self.program = str(beside) if os.access(beside, os.X_OK) else shutil.which("py-spy")
        if not self.program:
            raise Skipped("there is no py-spy (pip install py-spy)")

    def command(self, command):
        return [self.program, "record", "-r", "999", "-f", "raw", "-o", str(self.folder / "raw"), "--", *command]

    def shares(self):
        counts, total = {}, 0
        for line in (self.folder / "raw").read_text().splitlines():
            stack, _, count = line.rpartition(" ")
            for name in {frame.split(" (")[0] for frame in stack.split(";")}:
                counts[name] = counts.get(name, 0) + int(count)
            total += int(count)
        return {name: 100 * count / total for name, count in counts.items()}


def compare(name, bench, command, own, peer, peer_name, rate):
    profilers = {"bare": Bare(bench), "own": own, "peer": peer}
    times = {each: [] for each in profilers}
    points = []
    for _ in range(REPEATS):
        for each, profiler in profilers.items():
            times[each].append(profiler.measure(command))
        theirs, ours = peer.shares(), own.shares()
        top = sorted(theirs, key=theirs.get, reverse=True)[:TOP]
        points.append(max(abs(theirs[each] - ours.get(each, 0)) for each in top))
    rows = [time_row(name, what, times, peer_name, rate) for what in TIMES]
    return rows + [Row(name + "_shares", "points", points, goal="<= 2 points",
                       note="largest difference between the shares of the first %d functions" % TOP)]


def time_row(name, what, times, peer_name, rate):
    found = {each: [run[what] for run in runs] for each, runs in times.items()}
    bare = statistics.median(found["bare"])
    notes = {"processor": "processor time of the work", "elapsed": "elapsed time of the work",
             "start": "processor time before the work"}
    added = ["%+.1f ms" % (statistics.median(found[each]) - bare) for each in ("own", "peer")]
    return Row(name + "_" + what, "ms", found["own"], peer_name, found["peer"], "" if what == "start" else "<= 1.0 x",
               "%s, %.0f ms bare; medians add %s and %s; %s" % (notes[what], bare, *added, rate))


def cpu_sampling(bench):
    rows = compare("cpu_sampling", bench, [bench.program("sampled"), ROUNDS], Strobe(bench), Perf(bench),
                   "perf record -g", "both at 999 Hz")
    script = pathlib.Path(bench.scratch) / "sampled.py"
    script.write_text(SCRIPT)
    return rows + compare("cpu_sampling_python", bench, [SYSTEM_PYTHON, script, PYTHON_ROUNDS], StrobeTotals(bench),
                          PySpy(bench), "py-spy record", "both at 999 Hz")
