# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks of a build folder and prints one table.

Own figure and peer are measured in turn. The value is the least disturbed repeat; the ratio is
given for these and for the medians."""

import argparse
import contextlib
import glob
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import chrome_export
import json_load
import kineto_trace
import db_export
from lttng import Lttng, LttngError
from raw_files import RawFiles
from rows import Row, as_json, table
from scaling import Scaling

PYTHON = "/usr/bin/python3"
SPANS = 1000000
STOP_SPANS = 50000000
TEXT_PAIRS = 250000
RAW_OPERATORS = 1000000
TRACE_MEGABYTES = 200
MIX_RECORDS = 800000
DATABASE_RECORDS = 500000
FORMATTED_EVENTS = 2000000


class Skipped(Exception):
    """A benchmark that cannot run here."""


class Bench:
    """The build that is measured, a scratch folder, and one in memory, if there is any."""

    def __init__(self, build, scratch, memory=None, records=MIX_RECORDS):
        self.build = pathlib.Path(build).resolve()
        self.scratch = scratch
        self.records = records
        self._memory = memory
        self._capture = None
        self._mixes = {}
        self._raw = {}
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

    def mix(self, records):
        """A capture of so many records with a real run's mix, made once."""
        if records not in self._mixes:
            folder = os.path.join(self.scratch, "mix_%d" % records)
            os.mkdir(folder)
            command = [self.program("mix"), folder, str(records)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            self._mixes[records] = done.stdout.strip()
        return self._mixes[records]

    def room(self, size):
        """Where outputs of so many bytes cost least: in memory if there is plenty of it."""
        if not self._memory:
            return self.scratch
        with open("/proc/meminfo", encoding="ascii") as file:
            free = [int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:")]
        volume = os.statvfs(self._memory)
        free.append(volume.f_bavail * volume.f_frsize)
        return self._memory if min(free) > 2 * size else self.scratch

    def raw(self, operators):
        """A folder with raw files of so many operators, made once."""
        if operators not in self._raw:
            self._raw[operators] = os.path.join(self.scratch, "raw_%d" % operators)
            RawFiles(self._raw[operators]).make(operators)
        return self._raw[operators]


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


def marks(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    plugin = str(bench.build / "plugins" / "marker.so")
    found = bench.lines([bench.program("marks"), plugin, bench.scratch], environment)
    rows = []
    for name in ("mstx", "nvtx"):
        rows.append(Row("marks_" + name, "ns", found[name], "a Strobe range", found["strobe"],
                        "<= 2 x", "begin and end, in a flight recorder"))
        added = min(found[name + "_idle"]) - min(found["nothing"])
        rows.append(Row("marks_%s_idle" % name, "ns", found[name + "_idle"], "empty loop",
                        found["nothing"], "<= 2 ns added", "a mark without a session adds %.2f ns, "
                        "a call of an empty function %.2f ns"
                        % (added, min(found["empty_call"]) - min(found["nothing"]))))
    return rows


def marks_python(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    script = str(pathlib.Path(__file__).with_name("marks_python.py"))
    found = bench.lines([PYTHON, script, bench.scratch], environment)
    rows = []
    for what, peer in (("mark", "strobe.mark"), ("range", "strobe.range_begin and _end")):
        rows.append(Row("marks_python_" + what, "ns", found[what], peer, found["peer_" + what],
                        "<= 2 x", "strobe.mstx"))
        rows.append(Row("marks_python_%s_idle" % what, "ns", found[what + "_disabled"],
                        "empty Python call", found["empty"],
                        note="without a session; both with their loop"))
    return rows


def opencl(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    plugin = str(bench.build / "plugins" / "opencl.so")
    found = bench.lines([bench.program("opencl"), plugin, bench.scratch], environment)
    rows = []
    for what, peer in (("call", "the same, bare"), ("launch", "the same, bare")):
        for name, goal in (("_idle", "<= 2 ns added" if what == "call" else "<= 1.02 x"),
                           ("", "<= 200 ns added" if what == "call" else "<= 1.5 x")):
            own, bare = found[what + name], found[what + "_bare" + name]
            rows.append(Row("opencl_" + what + name, "ns", own, peer, bare, goal,
                            "%s: adds %.1f ns" % ("without a session" if name else "recorded",
                                                  min(own) - min(bare))))
    return rows


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


def _added(found, name, own, plain, peer_name, peer, goal, note=""):
    """What is added to the plain work, beside what the peer adds: least less least."""
    usual = statistics.median(found[plain])
    return Row(name, "ns", [value - usual for value in found[own]], peer_name,
               [value - usual for value in found[peer]], goal, note,
               best_value=min(found[own]) - min(found[plain]),
               best_peer=min(found[peer]) - min(found[plain]))


def python_calls(bench):
    script = str(pathlib.Path(__file__).with_name("python_calls.py"))
    found = bench.lines([PYTHON, script, bench.scratch])
    rows = [_added(found, name, what + "_strobe", what, "cProfile", what + "_cprofile", "<= 1.0 x",
                   "added per call; the call itself %.0f ns" % min(found[what]))
            for name, what in (("python_call", "python"), ("python_builtin", "builtin"))]
    if "module" in found:
        rows.append(_added(found, "python_module", "module_strobe", "module", "hand-written hook",
                           "module_hook", "", "added per module; its inner calls recorded, too"))
    return rows


# ---- PyTorch ----


def _overheads(bench, script):
    """What a script printed, and how rows are made of it."""
    library = bench.program("torch_ops.so")
    script = str(pathlib.Path(__file__).with_name(script))
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

    return found, row


def op_options(bench):
    script = str(pathlib.Path(__file__).with_name("op_options.py"))
    found = bench.lines([PYTHON, script, bench.scratch])
    peer = "profiler_legacy"
    itself = "aten::mm from Python, 20 frames deep: itself %.0f ns" % min(found["plain"])
    rows = [_added(found, "op_" + name, name + "_strobe", "plain", peer, name + "_legacy",
                   "<= 0.5 x", itself) for name in ("shapes", "flops", "stack")]
    more = min(found["tensors_strobe"]) - min(found["memory_strobe"])
    tensors = _added(found, "op_memory_tensors", "tensors_strobe", "plain", peer, "memory_legacy",
                     "", "shapes and memory; of that memory:tensors=true %.0f ns, of what the peer "
                     "tells nothing" % more)
    return rows + [tensors]


def op_overhead(bench):
    found, row = _overheads(bench, "op_overhead.py")
    plain = found["plain"]
    note = "operator itself %.0f ns; without what the empty callback costs %.0f ns" % (
        min(plain), min(found["strobe"]) - min(found["empty"]))
    return [
        row("op_overhead", "strobe", found["peer"], "torch_profiler", goal="<= 0.5 x", note=note),
        row("op_overhead_legacy", "strobe", "torch.autograd.profiler_legacy", "legacy"),
        row("op_empty_callback", "empty", found["peer"], "torch_profiler",
            note="libtorch's own cost of any callback"),
    ]


def memory_overhead(bench):
    found, row = _overheads(bench, "memory_overhead.py")
    note = "an allocation and its release, themselves %.0f ns" % min(found["plain"])
    return [
        row("memory_overhead", "strobe", "torch.autograd.profiler_legacy", "legacy",
            goal="<= 0.5 x", note=note),
        row("memory_overhead_profiler", "strobe", found["peer"], "torch_profiler"),
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
    found = bench.lines([bench.program("reader"), bench.capture(), "6"])
    return [Row("bytes_per_span", "bytes", found["bytes"], goal="<= 32",
                note="capture of %s marker spans" % format(SPANS, ","))]


def _formatter(bench):
    """The exporter alone, without a capture, passes and sorting."""
    rows = []
    for name, folder, what in (("chrome_export_format", bench.room(FORMATTED_EVENTS * 400), "a file"),
                               ("chrome_export_format_null", "nowhere", "nowhere")):
        command = [bench.program("format"), str(FORMATTED_EVENTS), folder]
        rates = []
        for _ in range(3):
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                                  preexec_fn=db_export.limited(1))
            rates.append(float(done.stdout.split()[0]) * 1e6)
        rows.append(Row(name, "events/s", rates, goal=">= 10 M/s", best="most",
                        note="operators with shapes from memory to %s, on one processor" % what))
    return rows


def chrome_trace_export(bench):
    strobe = str(bench.build / "tools" / "strobe")
    folder = bench.room(bench.records * chrome_export.BYTES_A_RECORD)
    own = chrome_export.StrobeExport(strobe, bench.mix(bench.records), folder, bench.environment)
    peer, peer_name = None, "uftrace is not installed"
    if shutil.which("uftrace"):
        peer = chrome_export.UftraceExport(bench.program("traced"), SPANS, bench.scratch, folder)
        peer_name = "uftrace dump --chrome"
    mine, floor, theirs = chrome_export.measure(own, peer, 5)
    events, spans = own.counts()
    megabytes = os.path.getsize(own.path()) / 1e6
    own.remove()
    peer_spans = peer.spans() if peer else 0
    rows = [Row("chrome_export", "spans/s", [spans / s for s in mine], peer_name,
                [peer_spans / s for s in theirs], ">= 4 x", best="most"),
            Row("chrome_export_bytes", "MB/s", [megabytes / s for s in mine],
                "plain write of the bytes", [megabytes / s for s in floor], ">= 1,000 MB/s",
                best="most"),
            Row("chrome_export_events", "events/s", [events / s for s in mine], best="most")]
    rows[0].note = "mix of a real run, on one processor: %s spans, %s events; uftrace %s spans" % (
        format(spans, ","), format(events, ","), format(peer_spans, ","))
    rows[1].note = "%.0f MB %s" % (megabytes, "to the build folder" if folder == bench.scratch
                                   else "to a folder in memory")
    dropped = [own.seconds_written_nowhere(bench.program("null-writes.so")) for _ in range(5)]
    own.remove()
    rows += [Row("chrome_export_null", "MB/s", [megabytes / s for s in dropped],
                 goal=">= 1,000 MB/s", best="most", note="its writes dropped, as on /dev/null"),
             Row("chrome_export_null_spans", "spans/s", [spans / s for s in dropped], peer_name,
                 rows[0].peer, ">= 4 x", best="most", note="the same")]
    marks = chrome_export.StrobeExport(strobe, bench.capture(), folder, bench.environment)
    alone = [marks.seconds() for _ in range(3)]
    rows.append(Row("chrome_export_marks", "spans/s", [SPANS / s for s in alone], peer_name,
                    rows[0].peer, best="most", note="nested marks, nothing else"))
    marks.remove()
    return rows + _formatter(bench) + [_against_babeltrace(bench, rows[2])]


def database_export(bench):
    rows = []
    for name, capture, what in (("db_export", bench.capture(), "marks"),
                                ("db_export_mix", bench.mix(DATABASE_RECORDS), "mix of a real run")):
        for n, goal in ((1, ">= 0.8 x"), (2, ">= 0.95 x")):
            if n > db_export.processors():
                continue
            mine, theirs, count = db_export.measure(bench, capture, n, 2)
            rows.append(Row("%s_%d" % (name, n), "rows/s", mine, "plain prepared statements", theirs,
                            goal, "%s rows, %s, on %d processor%s" % (format(count, ","), what, n,
                                                                      "s" * (n > 1)), best="most"))
    return rows


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


def csv_export(bench):
    script = str(pathlib.Path(__file__).with_name("csv_writer.py"))
    rows = []
    for kind, name in (("kernel", "kernel_details.csv"), ("operator", "operator_details.csv")):
        found = bench.lines([bench.program("csv"), bench.scratch, kind])
        path = os.path.join(bench.scratch, name)
        found.update(bench.lines([PYTHON, script, path]))
        os.unlink(path)
        rows.append(Row("csv_%ss" % kind, "MB/s", found["own"], "Python's csv.writer",
                        found["peer"], ">= 300 MB/s", "exporter alone, %s, synced; a plain write "
                        "of the bytes %.0f MB/s" % (name, max(found["floor"])), best="most"))
    return rows


# ---- results of others ----


def import_raw(bench):
    source = bench.raw(RAW_OPERATORS)
    size = sum(entry.stat().st_size for entry in os.scandir(os.path.join(source, "FRAMEWORK")))
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    command = [bench.program("import_source"), source, bench.scratch]
    reader = str(pathlib.Path(__file__).with_name("raw_reader.py"))
    found = {}
    # The peer takes ten seconds, between two halves of ours: both meet the same neighbours.
    for words, given in (command, environment), ([PYTHON, reader, source, "1"], None), \
                        (command, environment):
        for name, values in bench.lines(words, given).items():
            found.setdefault(name, []).extend(values)
    row = Row("import_raw", "ms", found["own"], "plain Python struct reader", found["peer"],
              "<= 0.05 x")
    row.note = ("%s operators, %.0f MB: %s records in a capture; %.0f ms of a processor, at most "
                "%.0f MB resident; with Python's garbage collector off %.3g x" % (
                    format(RAW_OPERATORS, ","), size / 1e6, format(int(found["records"][0]), ","),
                    min(found["processor"]), max(found["peak"]) / 1e6,
                    min(found["own"]) / min(found["peer_without_gc"])))
    return [row]


def _chain_seconds(bench, source, kinds=("chrome_trace", "csv", "db"), look=None):
    """`strobe analyse` of raw files as a user calls it: wall and processor time. look() is called
    with the folder before that is removed."""
    parent = os.path.join(bench.scratch, "chain")
    command = [str(bench.build / "tools" / "strobe"), "analyse", source, "--max-mem", "256MB", "-o", parent,
               "--plugin-path", str(bench.build / "plugins"), "--plugin-path", str(bench.build / "exporters")]
    for kind in kinds:
        command += ["--export", kind]
    os.mkdir(parent)
    before, begin = os.times(), time.perf_counter()
    done = subprocess.run(command, env=bench.environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    seconds, after = time.perf_counter() - begin, os.times()
    if look and done.returncode == 0:
        look(parent)
    shutil.rmtree(parent)
    if done.returncode:
        raise Skipped("strobe analyse: %s" % done.stdout.strip().splitlines()[-1:])
    return seconds, sum(after[2:4]) - sum(before[2:4])


def _floor_into(bench, floor):
    """For _chain_seconds: adds the seconds of the same output alone. Each row of the database is
    inserted by a plain loop of prepared statements, each byte of the other files written from one
    buffer; one after the other."""
    def look(parent):
        files = [path for path in pathlib.Path(parent).rglob("*") if path.is_file()]
        (database,) = [path for path in files if path.suffix == ".db"]
        inserted, _ = db_export.insert(bench, str(database), 1)
        length = sum(path.stat().st_size for path in files if path.suffix in (".json", ".csv"))
        piece, begin = bytes(range(256)) * 4096, time.perf_counter()
        with open(os.path.join(bench.scratch, "plain"), "wb", buffering=0) as file:
            for _ in range(length // len(piece)):
                file.write(piece)
        floor.append(inserted + time.perf_counter() - begin)
        os.unlink(file.name)

    return look


def raw_chain(bench):
    """Raw files to trace, every table and the database, and what ten times as many take."""
    sources = {n: bench.raw(n) for n in (RAW_OPERATORS // 10, RAW_OPERATORS)}
    runs, floor = {operators: [] for operators in sources}, []
    for _ in range(3):  # by turns, so that all meet the same neighbours
        runs[RAW_OPERATORS // 10].append(_chain_seconds(bench, sources[RAW_OPERATORS // 10]))
        runs[RAW_OPERATORS].append(
            _chain_seconds(bench, sources[RAW_OPERATORS], look=_floor_into(bench, floor)))
    parts = ["%s %.2f s" % (kind, _chain_seconds(bench, sources[RAW_OPERATORS], (kind,))[0])
             for kind in ("chrome_trace", "csv", "db")]
    walls = {operators: [seconds for seconds, _ in done] for operators, done in runs.items()}
    used = {operators: [seconds for _, seconds in done] for operators, done in runs.items()}
    chain = Row("raw_chain", "s", walls[RAW_OPERATORS], "plain inserts and writes of the same",
                floor, "<= 1 s",
                note="%s operators, --max-mem 256MB, %d processors: %.2f s of them; one exporter "
                "alone: %s" % (format(RAW_OPERATORS, ","), len(os.sched_getaffinity(0)),
                               min(used[RAW_OPERATORS]), ", ".join(parts)))
    growth = Row("raw_chain_growth", "x", [many / few for few, many in zip(
        used[RAW_OPERATORS // 10], used[RAW_OPERATORS])], goal="<= 10.5 x",
        note="processor time for ten times the records; wall time %.3g x"
        % (min(walls[RAW_OPERATORS]) / min(walls[RAW_OPERATORS // 10])))
    growth.best_value = min(used[RAW_OPERATORS]) / min(used[RAW_OPERATORS // 10])
    return [chain, growth]


def import_trace(bench):
    path = os.path.join(bench.scratch, "trace.json")
    events = kineto_trace.write(path, TRACE_MEGABYTES)
    megabytes = os.path.getsize(path) / 1e6
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    found = bench.lines([bench.program("import_source"), path, bench.scratch, "5"], environment)
    peer = [json_load.seconds(path) for _ in range(3)]
    used = min(found["processor"]) / 1e3
    less = min(seconds[1] for seconds in peer) / used
    return [Row("import_trace", "MB/s", [megabytes / ms * 1e3 for ms in found["own"]],
                "json.load, gc.disable()", [megabytes / seconds[0] for seconds in peer],
                ">= 500 MB/s and 5 x", best="most",
                note="%s events into a synced capture; processor time %.2f s, %.1f x less than the "
                "peer's" % (format(events, ","), used, less))]


def scaling(bench):
    own, rows = Scaling(bench), []
    own.prepare()
    for what in ("import", "trace", "csv"):
        found = own.measure(what)
        per_ten = 10 / own.times[what]  # inputs come in whole steps
        row = Row("growth_" + what, "x", [b / a * per_ten for a, b in zip(found.small, found.large)],
                  goal="<= 10.5 x", note="for ten times the %s, of %.2f times; %.2f s on one processor"
                  % (own.units[what], own.times[what], min(found.large)))
        row.best_value = min(found.large) / min(found.small) * per_ten
        rows.append(row)
        row = Row("two_processors_" + what, "x", [a / b for a, b in zip(found.large, found.two)],
                  "two commands at once", [2 * a / b for a, b in zip(found.large, found.pair)],
                  ">= 1.7 x", "the rate of one; the peer has a processor for each command",
                  best="most")
        if found.two:
            row.best_value = min(found.large) / min(found.two)
            row.best_peer = 2 * min(found.large) / min(found.pair)
        rows.append(row)
        if what == "csv":
            megabytes = own.written / 1e6
            rows.append(Row("csv_mix", "MB/s", [megabytes / s for s in found.large],
                            goal=">= 300 MB/s", best="most", note="the command, all tables of the "
                            "mix, %.0f MB, on one processor; on two %s MB/s" % (
                                megabytes, "%.0f" % (megabytes / min(found.two)) if found.two else "-")))
    own.remove()
    return rows


# ---- stopping ----


def stop_time(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    found = bench.lines([bench.program("stop"), bench.scratch, str(STOP_SPANS), "3"], environment)
    kept = [100 * min(1, size / STOP_SPANS / 32) for size in found["bytes"]]
    return [Row("stop_time", "ms", found["stop"], goal="< 50 ms",
                note="after %s spans at %.1f M/s on one thread, of which at least %.0f %% stored"
                % (format(STOP_SPANS, ","), max(found["rate"]) / 1e6, min(kept))),
            Row("stop_time_late", "ms", found["late"], goal="< 50 ms",
                note="a collector tells the rest of the window 1 s later")]


def dump(bench):
    found = bench.lines([bench.program("dump"), bench.scratch])
    lost = 100 * found["lost"][0] / sum(found["offered"])
    return [Row("dump", "ms", found["own"], "plain write of the bytes", found["floor"],
                note="%.3g MB while a thread records %.3g M spans/s, of which %.2g %% are lost" % (
                    max(found["bytes"]) / 1e6,
                    sum(found["offered"]) / sum(found["own"]) / 1e3, lost))]


def host_sampling(bench):
    found = {
        threads: bench.lines([bench.program("host"), "sample", bench.scratch, str(threads), "3"])["cost"]
        for threads in (1, 64, 1000)
    }
    # % of a core at ten ticks a second: 1 % is 1,000 us a tick
    more = [(many - few) * 1000 / (1000 - 64) for many, few in zip(found[1000], found[64])]
    return [
        Row("host_sampling", "% of a core", found[64], "with one thread", found[1], goal="<= 0.5 %",
            note="host_sys (all items) and sys_io at 10 Hz, 64 threads"),
        Row("host_sampling_thread", "us", more, goal="<= 5 us", note="a further thread and tick"),
    ]


def osrt(bench):
    preload = str(bench.build / "plugins" / "host_sys-osrt-preload.so")
    command = [bench.program("host"), "calls", bench.scratch]
    without = bench.lines(command)["shut"]
    found = bench.lines(command, dict(bench.environment, LD_PRELOAD=preload))
    extra = min(found["shut"]) - min(without)
    return [
        Row("osrt_shut", "ns", found["shut"], "without the library", without,
            goal="<= 2 ns more", note="a call that does not wait, no session: %.2g ns more" % extra),
        Row("osrt_recorded", "ns", found["open"], "a span", found["span"], goal="ratio <= 3",
            note="a call recorded at threshold 0"),
    ]


def npu(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"),
                       ASCEND_HOME_PATH=str(bench.build / "tests" / "mspti-double"))
    found = bench.lines([bench.program("npu"), bench.scratch], environment)
    return [
        Row("npu_emit", "records/s", found["own"], "memset beyond the caches", found["memory"],
            ">= 20 M/s", "simulated kernels from MSPTI's buffers, by the time of one core", best="most"),
        Row("npu_hand_over", "ns", found["hand_over"],
            note="a buffer of 4 MB, on the vendor's thread; being preempted included"),
    ]


def heap(bench):
    preload = str(bench.build / "plugins" / "heap-preload.so")
    command = [bench.program("heap"), bench.scratch]
    without, plain, found = [], [], {}
    for i in range(3):
        without += bench.lines(command)["shut"]
        plain += bench.lines(command, dict(bench.environment, LD_PRELOAD=bench.program("plain-front.so")))["shut"]
        for name, samples in bench.lines(command, dict(bench.environment, LD_PRELOAD=preload)).items():
            found.setdefault(name, []).extend(samples)

    def more(name):
        return (min(found[name]) - min(without)) / 2

    stands_there = (min(plain) - min(without)) / 2
    return [
        Row("heap_shut", "ns", found["shut"], "without the library", without, goal="<= 4 ns more",
            note="malloc and free, no session: %.2g ns more a call, of which standing there is %.2g" %
            (more("shut"), stands_there)),
        Row("heap_recorded", "ns", [value / 2 for value in found["every"]], "a span", found["span"],
            goal="<= 2 x", note="a malloc or a free, recorded: %.0f ns more" % more("every")),
        Row("heap_not_recorded", "ns", found["none"], "without the library", without,
            note="below the threshold: %.2g ns more a call" % more("none")),
        Row("heap_sampled", "ns", found["sampled"], "without the library", without,
            note="one block in 512 KB: %.2g ns more a call" % more("sampled")),
        Row("heap_stacks", "ns", found["stacks"], "without call paths", found["every"],
            note="call paths of a few frames"),
    ]


def memory_shut(bench):
    libraries = glob.glob("/usr/lib/*/libc10.so.*")
    if not libraries:
        raise Skipped("libc10 of PyTorch is not installed")
    preload = str(bench.build / "plugins" / "memory-preload.so")
    found = bench.lines([bench.program("report"), min(libraries), preload, bench.program("plain-front.so")])

    def more(name):
        return min(found[name]) - min(found["direct"])

    return [
        Row("memory_shut", "ns", found["front"], "without the library", found["direct"], goal="<= 2 ns more",
            note="an allocator's report to PyTorch, no session: %.2g ns more, of which standing there is %.2g" %
            (more("front"), more("plain"))),
    ]


BENCHMARKS = {
    "record_span": record_span,
    "record_span_ring": record_span_ring,
    "record_instant": record_instant,
    "record_span_lttng": record_span_lttng,
    "record_python": record_python,
    "record_disabled": record_disabled,
    "marks": marks,
    "marks_python": marks_python,
    "opencl": opencl,
    "record_two_threads": record_two_threads,
    "bulk_emit": bulk_emit,
    "capture_write": capture_write,
    "op_overhead": op_overhead,
    "memory_overhead": memory_overhead,
    "op_options": op_options,
    "python_call": python_calls,
    "reader": reader,
    "chrome_export": chrome_trace_export,
    "csv_export": csv_export,
    "import_raw": import_raw,
    "raw_chain": raw_chain,
    "import_trace": import_trace,
    "scaling": scaling,
    "db_export": database_export,
    "bytes_per_span": bytes_per_span,
    "stop_time": stop_time,
    "dump": dump,
    "host_sampling": host_sampling,
    "osrt": osrt,
    "npu": npu,
    "heap": heap,
    "memory_shut": memory_shut,
}


def measure(bench, names):
    rows = []
    for name in names:
        print("bench: %s" % name, end="", file=sys.stderr, flush=True)
        begin = time.monotonic()
        try:
            rows += BENCHMARKS[name](bench)
        except (Skipped, LttngError, chrome_export.ExportError, subprocess.CalledProcessError) as error:
            rows.append(Row(name, "", [], note="not measured: %s" % error))
        print(", %.1f s" % (time.monotonic() - begin), file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--only", help="comma-separated: " + ", ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.add_argument("--records", type=int, default=MIX_RECORDS,
                        help="of the mix that exports and scaling are measured on (default: "
                        "%(default)s; the growth is from a tenth of it)")
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
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=flags.build))
        memory = None
        if os.access("/dev/shm", os.W_OK):
            memory = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir="/dev/shm"))
        rows = measure(Bench(flags.build, os.path.realpath(scratch), memory, flags.records), names)
    print(as_json(rows) if flags.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
