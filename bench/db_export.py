# SPDX-License-Identifier: Apache-2.0
"""Compares the export of a database, `strobe analyse --export db` on a capture, with a plain loop of prepared
statements for the same rows (bench/insert), measured in turn, on one processor and on two."""

import json
import os
import pathlib
import shutil
import subprocess
import time

NAME = "ascend_pytorch_profiler"


def limited(processors, first=0):
    """A function for a child process, which limits it to this number of processors."""
    chosen = sorted(os.sched_getaffinity(0))[first : first + processors]
    return lambda: os.sched_setaffinity(0, chosen)


def processors():
    return len(os.sched_getaffinity(0))


class DbExport:
    """Exports a capture repeatedly."""

    def __init__(self, bench, capture):
        self.output = os.path.join(bench.scratch, "database")
        self.command = [str(bench.build / "tools" / "strobe"), "analyse", capture]
        self.command += ["--export", "db", "-o", self.output]
        self.environment = bench.environment

    def seconds(self, n):
        shutil.rmtree(self.output, ignore_errors=True)
        begin = time.perf_counter()
        subprocess.run(self.command, check=True, env=self.environment, preexec_fn=limited(n),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - begin

    def path(self):
        (path,) = pathlib.Path(self.output).rglob(NAME + "*.db")
        return str(path)


def insert(bench, database, n):
    """Seconds of the plain loop, and the number of rows that it wrote."""
    done = subprocess.run([bench.program("insert"), database, bench.scratch], check=True,
                          preexec_fn=limited(n), stdout=subprocess.PIPE, text=True)
    found = {line["name"]: line["samples"] for line in map(json.loads, done.stdout.splitlines())}
    return found["seconds"][0], int(found["rows"][0])


def measure(bench, capture, n, repeats):
    """Rows per second of the export and of the plain loop, measured in turn, and the number of rows."""
    own, mine, theirs = DbExport(bench, capture), [], []
    for _ in range(repeats):
        spent, (plain, rows) = own.seconds(n), insert(bench, own.path(), n)
        mine.append(rows / spent)
        theirs.append(rows / plain)
    return mine, theirs, rows
