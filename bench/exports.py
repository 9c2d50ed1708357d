# SPDX-License-Identifier: Apache-2.0
"""The speed of reading and exporting a capture, and how the time grows with the capture."""

import os
import pathlib
import shutil
import subprocess

import chrome_export
import db_export
from lttng import Lttng, LttngError
from rows import Row
from scaling import Scaling
from workplace import PYTHON, SPANS, Skipped

TEXT_PAIRS = 250000
DATABASE_RECORDS = 500000
FORMATTED_EVENTS = 2000000


def reader(bench):
    found = bench.lines([bench.program("reader"), bench.capture()])
    row = Row("reader", "records/s", found["own"], "plain read of the bytes", found["floor"],
              best="most")
    row.note = "%.1f GB/s, at most %.1f MB resident; the floor only copies out of the page cache" % (
        row.value() * found["bytes"][0] / 1e9, found["peak"][0] / 1e6)
    return [row]


def bytes_per_span(bench):
    rows = []
    for name, compress, goal in (("bytes_per_span", "none", "<= 24"), ("bytes_per_span_zstd", "zstd", "<= 8")):
        size = os.path.getsize(bench.capture(compress))
        note = "capture of %s marker spans, buffer.compress=%s; a record has 24 bytes" % (format(SPANS, ","), compress)
        rows.append(Row(name, "bytes", [size / SPANS], goal=goal, note=note))
    return rows


def _formatter(bench):
    """The speed of the exporter alone, without a capture, passes and sorting."""
    rows = []
    for name, folder, what in (("chrome_export_format", bench.room(FORMATTED_EVENTS * 400), "a file"),
                               ("chrome_export_format_null", "nowhere", "nowhere")):
        command = [bench.program("format"), str(FORMATTED_EVENTS), folder]
        rates = []
        for _ in range(3):
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True,
                                  preexec_fn=db_export.limited(1))
            rates.append(float(done.stdout.split()[0]) * 1e6)
        rows.append(Row(name, "events/s", rates, best="most",
                        note="operators with shapes from memory to %s, on one processor" % what))
    return rows


def _against_babeltrace(bench, row):
    """The events per second, compared with babeltrace2, which converts LTTng's traces to text."""
    theirs = Row("chrome_export_babeltrace", row.unit, row.samples, best=row.best)
    if not shutil.which("babeltrace2"):
        theirs.peer_name = "babeltrace2 is not installed"
        return theirs
    try:
        program = bench.program("lttng", "liblttng-ust-dev")
        with Lttng(bench.environment) as peer:
            recorded = peer.begin("text")
            command, environment = peer.command(program, "emit", str(TEXT_PAIRS))
            subprocess.run(command, check=True, env=environment)
            peer.end("text")
            trace = shutil.copytree(recorded, os.path.join(bench.scratch, "lttng"))
    except (Skipped, LttngError, subprocess.CalledProcessError) as error:
        theirs.note = "babeltrace2 not measured: %s" % error
        return theirs
    export = chrome_export.BabeltraceExport(trace, bench.scratch)
    seconds = [export.seconds() for _ in range(3)]
    theirs.peer_name = "babeltrace2 to text"
    theirs.peer = [export.count() / s for s in seconds]
    theirs.note = "babeltrace2 %s events" % format(export.count(), ",")
    return theirs


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
                [peer_spans / s for s in theirs], best="most"),
            Row("chrome_export_bytes", "MB/s", [megabytes / s for s in mine],
                "plain write of the bytes", [megabytes / s for s in floor], ">= 600 MB/s",
                best="most"),
            Row("chrome_export_events", "events/s", [events / s for s in mine], best="most")]
    rows[0].note = "mix of a real run, on one processor: %s spans, %s events; uftrace %s spans" % (
        format(spans, ","), format(events, ","), format(peer_spans, ","))
    rows[1].note = "%.0f MB %s" % (megabytes, "to the build folder" if folder == bench.scratch
                                   else "to a folder in memory")
    dropped = [own.seconds_written_nowhere(bench.program("null-writes.so")) for _ in range(5)]
    own.remove()
    rows += [Row("chrome_export_null", "MB/s", [megabytes / s for s in dropped],
                 best="most", note="its writes dropped, as on /dev/null"),
             Row("chrome_export_null_spans", "spans/s", [spans / s for s in dropped], peer_name,
                 rows[0].peer, best="most", note="the same")]
    marks = chrome_export.StrobeExport(strobe, bench.capture(), folder, bench.environment)
    alone = [marks.seconds() for _ in range(3)]
    rows.append(Row("chrome_export_marks", "spans/s", [SPANS / s for s in alone], peer_name,
                    rows[0].peer, ">= 3 x", best="most", note="nested marks, nothing else"))
    marks.remove()
    return rows + _formatter(bench) + [_against_babeltrace(bench, rows[2])]


def database_export(bench):
    rows = []
    for name, capture, what in (("db_export", bench.capture(), "marks"),
                                ("db_export_mix", bench.mix(DATABASE_RECORDS), "mix of a real run")):
        for n in (1, 2):
            if n > db_export.processors():
                continue
            mine, theirs, count = db_export.measure(bench, capture, n, 2)
            rows.append(Row("%s_%d" % (name, n), "rows/s", mine, "plain prepared statements", theirs,
                            ">= 0.8 x", "%s rows, %s, on %d processor%s" % (format(count, ","), what, n,
                                                                      "s" * (n > 1)), best="most"))
    return rows


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


def scaling(bench):
    own, rows = Scaling(bench), []
    own.prepare()
    for what in ("import", "trace", "csv"):
        found = own.measure(what)
        per_ten = 10 / own.times[what]  # inputs consist of whole steps, so their ratio is not exactly ten
        row = Row("growth_" + what, "x", [b / a * per_ten for a, b in zip(found.small, found.large)],
                  goal="<= 10.5 x", note="for ten times the %s, of %.2f times; %.2f s on one processor"
                  % (own.units[what], own.times[what], min(found.large)))
        row.best_value = min(found.large) / min(found.small) * per_ten
        rows.append(row)
        row = Row("two_processors_" + what, "x", [a / b for a, b in zip(found.large, found.two)],
                  "two commands at once", [2 * a / b for a, b in zip(found.large, found.pair)],
                  note="the rate of one; the peer has a processor for each command",
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
