# SPDX-License-Identifier: Apache-2.0
"""The speed of importing results of other profilers, and of making output files from them."""

import os
import pathlib
import shutil
import subprocess
import time

import db_export
import json_load
import kineto_trace
from rows import Row
from workplace import PYTHON, Skipped

RAW_OPERATORS = 1000000
TRACE_MEGABYTES = 200


def import_raw(bench):
    source = bench.raw(RAW_OPERATORS)
    size = sum(entry.stat().st_size for entry in os.scandir(os.path.join(source, "FRAMEWORK")))
    environment = dict(bench.environment, STROBE_PLUGIN_PATH=str(bench.build / "plugins"))
    command = [bench.program("import_source"), source, bench.scratch]
    reader = str(pathlib.Path(__file__).with_name("raw_reader.py"))
    found = {}
    # The peer takes ten seconds and runs between two halves of Strobe's runs, so that other programs on the
    # machine disturb both equally.
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
    """Runs `strobe analyse` on raw files as a user does. Returns wall and processor time. Calls look()
    with the folder before the folder is removed."""
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
    """The `look` of _chain_seconds. Adds the seconds that it takes only to write the same output: a plain loop of
    prepared statements inserts each row of the database, and then each byte of the other files is written from one
    buffer."""
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
    """From raw files to the trace, all tables and the database; also with ten times as many operators."""
    sources = {n: bench.raw(n) for n in (RAW_OPERATORS // 10, RAW_OPERATORS)}
    runs, floor = {operators: [] for operators in sources}, []
    for _ in range(3):  # in turn, so that other programs on the machine disturb all equally
        runs[RAW_OPERATORS // 10].append(_chain_seconds(bench, sources[RAW_OPERATORS // 10]))
        runs[RAW_OPERATORS].append(
            _chain_seconds(bench, sources[RAW_OPERATORS], look=_floor_into(bench, floor)))
    parts = ["%s %.2f s" % (kind, _chain_seconds(bench, sources[RAW_OPERATORS], (kind,))[0])
             for kind in ("chrome_trace", "csv", "db")]
    walls = {operators: [seconds for seconds, _ in done] for operators, done in runs.items()}
    used = {operators: [seconds for _, seconds in done] for operators, done in runs.items()}
    chain = Row("raw_chain", "s", walls[RAW_OPERATORS], "plain inserts and writes of the same",
                floor, "<= 2.5 s",
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
                ">= 400 MB/s and 5 x", best="most",
                note="%s events into a synced capture; processor time %.2f s, %.1f x less than the "
                "peer's" % (format(events, ","), used, less))]
