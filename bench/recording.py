# SPDX-License-Identifier: Apache-2.0
"""The cost of a record, and of a session's work: writing, stopping, dumping."""

import os
import pathlib
import statistics

from lttng import Lttng
from rows import Row
from workplace import PYTHON, Skipped

STOP_SPANS = 50000000


def record_span(bench):
    found = bench.lines([bench.program("record"), "span", bench.scratch])
    return [Row("record_span", "ns", found["own"], "two counter reads", found["floor"],
                note="a repeat fits into the pool, which is written after it")]


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
    program = bench.program("lttng", "liblttng-ust-dev")
    with Lttng(bench.environment) as peer:
        peer.begin("pairs", "--snapshot")
        found = bench.lines(*peer.command(program, bench.scratch))
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
    row = Row("record_two_threads", "x", own, "counter reads, two threads", floor, ">= 1.9")
    row.best_value = max(found["two"]) / max(found["one"])
    row.best_peer = max(found["floor_two"]) / max(found["floor_one"])
    row.note = "value: best rate of two over best of one"
    if sorted(floor)[len(floor) // 2] < 1.8:
        row.note += "; the processors are not free: the floor's median is below 1.8"
    return [row]


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


def stop_time(bench):
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    found = bench.lines([bench.program("stop"), bench.scratch, str(STOP_SPANS), "3"], environment)
    kept = [100 * min(1, size / STOP_SPANS / 32) for size in found["bytes"]]
    return [Row("stop_time", "ms", found["stop"], goal="< 50 ms",
                note="after %s spans at %.1f M/s on one thread, of which at least %.0f %% stored"
                % (format(STOP_SPANS, ","), max(found["rate"]) / 1e6, min(kept))),
            Row("stop_time_late", "ms", found["late"],
                note="a collector reports the rest of the window for 1 s, and stop() waits for it"),
            Row("start_time", "ms", found["start"], note="a session is made and started, no collector")]


def dump(bench):
    found = bench.lines([bench.program("dump"), bench.scratch])
    lost = 100 * found["lost"][0] / sum(found["offered"])
    return [Row("dump", "ms", found["own"], "plain write of the bytes", found["floor"],
                note="%.3g MB while a thread records %.3g M spans/s, of which %.2g %% are lost" % (
                    max(found["bytes"]) / 1e6,
                    sum(found["offered"]) / sum(found["own"]) / 1e3, lost))]
