# SPDX-License-Identifier: Apache-2.0
"""Checks that results are accepted by other programs, by the rules of each form: folded stacks for
FlameGraph and speedscope, trace_view.json for trace viewers, databases for the sqlite3 shell,
tables for spreadsheets and Python's csv module. Each check returns a list of complaints."""

import csv
import io
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess

PHASES = {"X", "M", "s", "f", "C", "i", "t"}


def check_folded(text):
    """Each line has frames joined by ';', a blank, and an integer. FlameGraph splits a line at its
    last blank; speedscope requires that every line matches and that no frame is empty. Debian has
    no package of either, so the tests check these rules instead of running them."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        match = re.fullmatch(r"(.+) (\d+)", line)
        if not match:
            found.append("line %d: no stack and number: %r" % (number, line[:80]))
            continue
        if int(match[2]) <= 0:
            found.append("line %d: %s is no time" % (number, match[2]))
        if any(not frame.strip() for frame in match[1].split(";")):
            found.append("line %d: an empty frame" % number)
        if "\r" in line or "\0" in line:
            found.append("line %d: a control character" % number)
    return found


def no_constant(word):
    raise ValueError("%s is no JSON" % word)


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key twice: %s" % keys)
    return dict(pairs)


def load_json(path):
    """Reads JSON strictly: no NaN, no key twice, valid UTF-8."""
    return json.loads(pathlib.Path(path).read_bytes().decode("utf-8"), parse_constant=no_constant,
                      object_pairs_hook=no_duplicates)


def is_time(value):
    return isinstance(value, (int, float)) or bool(re.fullmatch(r"\d+(\.\d+)?", str(value)))


def check_event(event):
    phase = event.get("ph")
    if phase not in PHASES:
        return "phase %r" % phase
    if "pid" not in event or "name" not in event:
        return "no pid or name"
    if phase != "M" and not is_time(event.get("ts")):
        return "time %r" % event.get("ts")
    if phase == "X" and (isinstance(event.get("dur"), str) or not is_time(event.get("dur"))):
        return "duration %r" % event.get("dur")
    if phase in "sft" and ("id" not in event or "cat" not in event):
        return "an arrow without id or category"
    if phase == "C" and not all(isinstance(v, (int, float)) for v in event["args"].values()):
        return "a counter that is no number"
    if phase == "M" and not isinstance(event.get("args"), dict):
        return "metadata without arguments"
    return None


def check_trace(path):
    """Rules of Chromium's viewer, Perfetto and MindStudio Insight: the file is a list of events,
    every process with events has a name, and the spans of a row nest or follow each other as far as
    those of the source do."""
    events = load_json(path)
    found = []
    if not isinstance(events, list):
        return ["no list of events"]
    named = {event["pid"] for event in events
             if event.get("ph") == "M" and event.get("name") == "process_name"}
    for number, event in enumerate(events):
        complaint = check_event(event)
        if complaint:
            found.append("event %d: %s" % (number, complaint))
        elif event["ph"] == "X" and event["pid"] not in named:
            found.append("event %d: process %r has no name" % (number, event["pid"]))
    return found[:20]


def check_database(path):
    """The sqlite3 shell opens the database, finds no fault, and dumps every table."""
    shell = shutil.which("sqlite3")
    if shell:
        done = subprocess.run([shell, "-batch", "-readonly", str(path), "PRAGMA integrity_check;",
                               "PRAGMA quick_check;", "PRAGMA journal_mode;"],
                              capture_output=True, text=True)
        if done.stdout.split() != ["ok", "ok", "delete"] or done.returncode:
            return ["sqlite3: %s%s" % (done.stdout[:200], done.stderr[:200])]
        dump = subprocess.run([shell, "-batch", "-readonly", str(path), ".dump"],
                              capture_output=True)
        if dump.returncode or b"ROLLBACK" in dump.stdout[-200:]:
            return ["sqlite3 .dump: %s" % dump.stderr[:200]]
    database = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    try:
        result = database.execute("PRAGMA integrity_check").fetchall()
        views = database.execute(
            "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index')").fetchall()
        empty = [name for (name,) in database.execute(
            "SELECT name FROM sqlite_master WHERE type='table'").fetchall()
            if not name.startswith("ENUM_")
            and not database.execute("SELECT 1 FROM %s LIMIT 1" % name).fetchall()]
    finally:
        database.close()
    found = [] if result == [("ok",)] else ["integrity: %s" % result[:3]]
    found += ["%s is no table or index" % name for name in views]
    return found + ["table %s is empty" % name for name in empty]


def check_csv(path):
    """Rows end with CR LF, have as many cells as the head, and can be read and written again
    unchanged."""
    text = pathlib.Path(path).read_bytes().decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    found = []
    if not rows or len(rows) < 2:
        return ["no rows: there should be no file"]
    if len(set(rows[0])) != len(rows[0]):
        found.append("a column twice: %s" % rows[0])
    found += ["row %d has %d cells, the head %d" % (number, len(row), len(rows[0]))
              for number, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    again = io.StringIO(newline="")
    csv.writer(again).writerows(rows)
    if again.getvalue() != text:
        found.append("not as Python's csv module writes it")
    return found[:20]


def check_result(output):
    """Returns the complaints about every file of a folder, by name."""
    checks = {".csv": check_csv, ".db": check_database}
    found = {}
    for path in sorted(pathlib.Path(output).iterdir()):
        if path.name == "trace_view.json":
            found[path.name] = check_trace(path)
        elif path.suffix == ".json":
            load_json(path)
            found[path.name] = []
        elif path.suffix in checks:
            found[path.name] = checks[path.suffix](path)
        elif path.name == "stacks.log":
            found[path.name] = check_folded(path.read_bytes().decode("utf-8"))
    return found
