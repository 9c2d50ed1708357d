# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks of a build folder and prints one table.

Own figure and peer are measured in turn. The value is the least disturbed repeat; the ratio is
given for these and for the medians."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import chrome_export
from lttng import Lttng, LttngError
from rows import Row, as_json, table

PYTHON = "/usr/bin/python3"
SPANS = 1000000
STOP_SPANS = 50000000
TEXT_PAIRS = 250000


class Skipped(Exception):
    """A benchmark that cannot run here."""


class Bench:
    """The build that is measured, and a scratch folder."""

    def __init__(self, build, scratch):
        self.build = pathlib.Path(build).resolve()
        self.scratch = scratch
        self._capture = None
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
        self.environment["PYTHONPATH"] = str(self.build / "python")

    def program(self, name):
        path = self.build / "bench" / name
        if not path.exists():
            raise Skipped("bench/%s was not built" % name)
        return str(path)

    def lines(self, command, environment=None):
        """Runs a benchmark program; what it printed, by name."""
        done = subprocess.run(
            command, env=environment or self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            said = done.stderr.strip().splitlines()[-1:] or ["exit code %d" % done.returncode]
            raise Skipped("%s: %s" % (os.path.basename(command[0]), said[0]))
        found = {}
        for line in done.stdout.splitlines():
            values = json.loads(line)
            found[values["name"]] = values.get("samples", values.get("text"))
        return found

    def capture(self):
        """A capture of SPANS spans, made once."""
        if self._capture is None:
            command = [self.program("capture"), self.scratch, str(SPANS)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            self._capture = done.stdout.strip()
        return self._capture


# ---- recording ----


def record_span(bench):
    found = bench.lines([bench.program("record"), "span", bench.scratch])
    return [Row("record_span", "ns", found["own"], "two counter reads", found["floor"],
                note="the pool takes a repeat whole, and is written behind it")]


def record_span_ring(bench):
    found = bench.lines([bench.program("record"), "ring", bench.scratch, "50", "8MB"])
    default = bench.lines([bench.program("record"), "ring", bench.scratch])
    ratio = min(default["own"]) / min(default["floor"])
    return [Row("record_span_ring", "ns", found["own"], "two counter reads", found["floor"],
                "<= 1.5 x", "flight recorder of 8 MB, full: nothing is written; of 64 MB %.3g ns, "
                "%.3g x" % (min(default["own"]), ratio))]


def record_instant(bench):
    found = bench.lines([bench.program("record"), "instant", bench.scratch])
    return [Row("record_instant", "ns", found["own"], "one counter read", found["floor"])]


def record_span_lttng(bench):
    program = bench.program("lttng")
    with Lttng(bench.scratch, bench.environment) as peer:
        peer.begin("pairs", "--snapshot")
        found = bench.lines([program, bench.scratch], peer.environment)
        peer.end("pairs")
    return [Row("record_span_lttng", "ns", found["own"], "pair of LTTng-UST events", found["peer"],
                "<= 0.25 x", "LTTng in overwrite mode without context fields")]


def record_python(bench):
    script = str(pathlib.Path(__file__).with_name("record_python.py"))
    found = bench.lines([PYTHON, script, bench.scratch])
    rows = []
    for name, what in (("record_python", "range"), ("record_python_mark", "mark")):
        disabled = found[what + "_disabled"]
        rows.append(Row(name, "ns", found[what], "empty Python call", found["empty"],
                        note="a %s; without a session %.0f ns" % (what, statistics.median(disabled))))
    return rows


def bulk_emit(bench):
    found = bench.lines([bench.program("bulk"), bench.scratch])
    row = Row("bulk_emit", "records/s", found["own"], "memset beyond the caches", found["memory"],
              ">= 50 M/s or 1 x", best="most")
    row.note = "records of 32 bytes, 1,920 a call: %.1f GB/s" % (row.value() * 32 / 1e9)
    return [row]


def capture_write(bench):
    found = bench.lines([bench.program("write"), bench.scratch])
    lossless = Row("capture_write", "spans/s", found["lossless"], "plain write of the bytes",
                   found["floor"], best="most",
                   note="one thread, a second, nothing lost; the page cache included")
    lost = Row("capture_write_full", "% lost", found["lost"],
               note="at %.1f M spans/s offered" % (max(found["full"]) / 1e6))
    if not max(found["lost"]):
        lossless.note += "; the thread itself is the limit"
    return [lossless, lost]


def record_disabled(bench):
    found = bench.lines([bench.program("record"), "disabled", bench.scratch, "20"])
    added = min(found["own"]) - min(found["floor"])
    return [Row("record_disabled", "ns", found["own"], "empty loop", found["floor"],
                "<= 1 ns added", "begin and end together add %.2f ns" % added)]


def record_two_threads(bench):
    if len(os.sched_getaffinity(0)) < 2:
        raise Skipped("needs two processors")
    found = bench.lines([bench.program("threads"), bench.scratch])
    own = [two / one for one, two in zip(found["one"], found["two"])]
    floor = [two / one for one, two in zip(found["floor_one"], found["floor_two"])]
    row = Row("record_two_threads", "x one", own, "counter reads, two threads", floor, ">= 1.9")
    row.best_value = max(found["two"]) / max(found["one"])
    row.best_peer = max(found["floor_two"]) / max(found["floor_one"])
    row.note = "value: best rate of two over best of one"
    if sorted(floor)[len(floor) // 2] < 1.8:
        row.note += "; the processors are not free: the floor's median is below 1.8"
    return [row]


# ---- PyTorch ----


def op_overhead(bench):
    library = bench.program("torch_ops.so")
    script = str(pathlib.Path(__file__).with_name("op_overhead.py"))
    found = bench.lines([PYTHON, script, library, bench.scratch])
    recorded = _records(bench, found["directory"])
    if recorded < found["operators"][0]:
        raise Skipped("only %d of %d operators recorded" % (recorded, found["operators"][0]))
    plain = found["plain"]

    def row(name, own, peer_name, peer, **more):
        """Least less least and each less the median: neither is led astray by a few outliers."""
        usual = statistics.median(plain)
        return Row(name, "ns/op", [value - usual for value in found[own]], peer_name,
                   [value - usual for value in found[peer]], **more,
                   best_value=min(found[own]) - min(plain),
                   best_peer=min(found[peer]) - min(plain))

    note = "operator itself %.0f ns; without what the empty callback costs %.0f ns" % (
        min(plain), min(found["strobe"]) - min(found["empty"]))
    return [
        row("op_overhead", "strobe", "torch.profiler", "torch_profiler", goal="<= 0.5 x",
            note=note),
        row("op_overhead_legacy", "strobe", "PyTorch's legacy profiler", "legacy"),
        row("op_empty_callback", "empty", "torch.profiler", "torch_profiler",
            note="libtorch's own cost of any callback"),
    ]


def _records(bench, directory):
    found = bench.lines([bench.program("reader"),
                         os.path.join(directory, "FRAMEWORK", "capture.strobe"), "1"])
    return found["records"][0]


# ---- reading ----


def reader(bench):
    found = bench.lines([bench.program("reader"), bench.capture()])
    row = Row("reader", "records/s", found["own"], "plain read of the bytes", found["floor"],
              best="most")
    row.note = "%.1f GB/s, at most %.1f MB resident; the floor only copies out of the page cache" % (
        row.value() * found["bytes"][0] / 1e9, found["peak"][0] / 1e6)
    return [row]


def bytes_per_span(bench):
    found = bench.lines([bench.program("reader"), bench.capture(), "10"])
    return [Row("bytes_per_span", "bytes", found["bytes"], goal="<= 32",
                note="capture of %s marker spans" % format(SPANS, ","))]


def chrome_trace_export(bench):
    own = chrome_export.StrobeExport(str(bench.build / "tools" / "strobe"), bench.capture(),
                                     bench.scratch, bench.environment)
    peer, peer_name = None, "uftrace is not installed"
    if shutil.which("uftrace"):
        peer = chrome_export.UftraceExport(bench.program("traced"), SPANS, bench.scratch)
        peer_name = "uftrace dump --chrome"
    mine, floor, theirs = chrome_export.measure(own, peer, 10)
    events, spans = own.counts()
    megabytes = os.path.getsize(own.path()) / 1e6
    rows = [Row("chrome_export", "events/s", [events / s for s in mine], peer_name,
                goal=">= 4 x", best="most"),
            Row("chrome_export_spans", "spans/s", [spans / s for s in mine], peer_name,
                best="most", note="a span is one event here and two in uftrace"),
            Row("chrome_export_bytes", "MB/s", [megabytes / s for s in mine],
                "plain write of the bytes", [megabytes / s for s in floor], best="most")]
    rows[0].note = "%s events, %s spans" % (format(events, ","), format(spans, ","))
    if peer:
        peer_events, peer_spans = peer.counts()
        rows[0].peer = [peer_events / s for s in theirs]
        rows[1].peer = [peer_spans / s for s in theirs]
        rows[0].note += "; uftrace %s events" % format(peer_events, ",")
    return rows + [_against_babeltrace(bench, rows[0])]


def _against_babeltrace(bench, row):
    """The same events a second against babeltrace2, which makes text of LTTng's traces."""
    theirs = Row("chrome_export_babeltrace", row.unit, row.samples, best=row.best)
    if not shutil.which("babeltrace2"):
        theirs.peer_name = "babeltrace2 is not installed"
        return theirs
    try:
        program = bench.program("lttng")
        with Lttng(bench.scratch, bench.environment) as peer:
            trace = peer.begin("text")
            subprocess.run([program, "emit", str(TEXT_PAIRS)], check=True, env=peer.environment)
            peer.end("text")
    except (Skipped, LttngError) as error:
        theirs.note = "babeltrace2 not measured: %s" % error
        return theirs
    export = chrome_export.BabeltraceExport(trace, bench.scratch)
    seconds = [export.seconds() for _ in range(3)]
    theirs.peer_name = "babeltrace2 to text"
    theirs.peer = [export.count() / s for s in seconds]
    theirs.note = "babeltrace2 %s events" % format(export.count(), ",")
    return theirs


# ---- stopping ----


def stop_time(bench):
    found = bench.lines([bench.program("stop"), bench.scratch, str(STOP_SPANS), "5"])
    kept = [100 * min(1, size / STOP_SPANS / 32) for size in found["bytes"]]
    return [Row("stop_time", "ms", found["stop"], goal="< 50 ms",
                note="after %s spans at %.1f M/s on one thread, of which at least %.0f %% stored"
                % (format(STOP_SPANS, ","), max(found["rate"]) / 1e6, min(kept)))]


def dump(bench):
    found = bench.lines([bench.program("dump"), bench.scratch])
    lost = 100 * found["lost"][0] / sum(found["offered"])
    return [Row("dump", "ms", found["own"], "plain write of the bytes", found["floor"],
                note="%.3g MB while a thread records %.3g M spans/s, of which %.2g %% are lost" % (
                    max(found["bytes"]) / 1e6,
                    sum(found["offered"]) / sum(found["own"]) / 1e3, lost))]


BENCHMARKS = {
    "record_span": record_span,
    "record_span_ring": record_span_ring,
    "record_instant": record_instant,
    "record_span_lttng": record_span_lttng,
    "record_python": record_python,
    "record_disabled": record_disabled,
    "record_two_threads": record_two_threads,
    "bulk_emit": bulk_emit,
    "capture_write": capture_write,
    "op_overhead": op_overhead,
    "reader": reader,
    "chrome_export": chrome_trace_export,
    "bytes_per_span": bytes_per_span,
    "stop_time": stop_time,
    "dump": dump,
}


def measure(bench, names):
    rows = []
    for name in names:
        print("bench: %s" % name, file=sys.stderr)
        try:
            rows += BENCHMARKS[name](bench)
        except (Skipped, LttngError, chrome_export.ExportError, subprocess.CalledProcessError) as error:
            rows.append(Row(name, "", [], note="not measured: %s" % error))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--only", help="comma-separated: " + ", ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.add_argument("--list", action="store_true", help="name the benchmarks and run none")
    flags = parser.parse_args()
    if flags.list:
        print("\n".join(BENCHMARKS))
        return 0
    names = flags.only.split(",") if flags.only else list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            parser.error('unknown benchmark "%s"; there are: %s' % (name, ", ".join(BENCHMARKS)))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # daemons and scratch files go too
    # Large captures come and go: the build folder's disk is the one to be measured.
    with tempfile.TemporaryDirectory(prefix="bench-", dir=flags.build) as scratch:
        rows = measure(Bench(flags.build, os.path.realpath(scratch)), names)
    print(as_json(rows) if flags.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
