# SPDX-License-Identifier: Apache-2.0
"""Measures how the time of the command grows with its input, and shrinks with a second processor. The command
imports a trace in PyTorch's form, and exports a synthetic capture (bench/mix.c) to a trace and to tables.

The largest possible gain from a second processor is measured too, with two commands at the same time, each on its
own processor. The gain may be less than 2, because both processors may be threads of one core, or other programs may
use them."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import time

import chrome_export
import kineto_trace
from db_export import limited, processors

SMALL, LARGE = 10, 100  # MB of a trace; for the synthetic capture a tenth of the records, and all
REPEATS = 3


@dataclasses.dataclass
class Seconds:
    """The times for the small input, for the large one, for the large one on two processors, and for two
    commands at the same time."""

    small: list = dataclasses.field(default_factory=list)
    large: list = dataclasses.field(default_factory=list)
    two: list = dataclasses.field(default_factory=list)
    pair: list = dataclasses.field(default_factory=list)


class Scaling:
    def __init__(self, bench):
        self.bench = bench
        self.strobe = str(bench.build / "tools" / "strobe")
        self.importer = bench.program("import_source")
        self.environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
        self.scratch = pathlib.Path(bench.scratch)
        room = bench.room(2 * bench.records * chrome_export.BYTES_A_RECORD)
        self.outputs = [os.path.join(room, "scaled-%d" % i) for i in range(2)]
        self.units = {"import": "events", "trace": "records", "csv": "records"}
        self.times = {}
        self.written = 0  # bytes written by the last command
        self._inputs = {}

    def prepare(self):
        events = {}
        for size in SMALL, LARGE:
            trace = self.scratch / ("trace-%d.json" % size)
            events[size] = kineto_trace.write(str(trace), size)
            self._inputs["import", size] = str(trace)
            records = self.bench.records * size // LARGE
            self._inputs["trace", size] = self._inputs["csv", size] = self.bench.mix(records)
        self.times = {"import": events[LARGE] / events[SMALL]}
        self.times["trace"] = self.times["csv"] = self._records(LARGE) / self._records(SMALL)

    def _records(self, size):
        command = [self.bench.program("reader"), self._inputs["trace", size], "1"]
        return self.bench.lines(command)["records"][0]

    def _command(self, what, size, output):
        source = self._inputs[what, size]
        if what == "import":  # the imported capture is exported
            return [self.importer, source, output, "1"]
        exporter = "chrome_trace" if what == "trace" else what
        return [self.strobe, "analyse", source, "--export", exporter, "-o", output]

    def remove(self):
        for output in self.outputs:
            shutil.rmtree(output, ignore_errors=True)

    def _seconds(self, what, size, *places):
        """Seconds of commands that run at the same time. A place is the first processor of a command, and the
    number of its processors."""
        self.remove()
        for output in self.outputs:
            os.mkdir(output)
        begin = time.perf_counter()
        children = [
            subprocess.Popen(self._command(what, size, output), env=self.environment,
                             preexec_fn=limited(n, first), stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
            for (first, n), output in zip(places, self.outputs)
        ]
        codes = [child.wait() for child in children]
        spent = time.perf_counter() - begin
        for child, code in zip(children, codes):
            if code:
                raise subprocess.CalledProcessError(code, child.args)
        self.written = sum(path.stat().st_size for path in pathlib.Path(self.outputs[0]).rglob("*")
                           if path.is_file())
        return spent

    def measure(self, what):
        """Measures all these times in turn."""
        found = Seconds()
        for _ in range(REPEATS):
            found.small.append(self._seconds(what, SMALL, (0, 1)))
            found.large.append(self._seconds(what, LARGE, (0, 1)))
            if processors() > 1:
                found.two.append(self._seconds(what, LARGE, (0, 2)))
                found.pair.append(self._seconds(what, LARGE, (0, 1), (1, 1)))
        return found
