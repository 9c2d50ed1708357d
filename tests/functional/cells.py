# SPDX-License-Identifier: Apache-2.0
"""Compares results cell by cell. The table of docs/ascend-formats.md lists the allowed
differences."""

import collections
import csv
import decimal
import json
import re

from databases import Database
from support import TOP

PAGE = TOP / "docs" / "ascend-formats.md"
HEADING = "## Cells that come back otherwise"
OVERLAP = "trace_view.json, Overlap Analysis"
ANY = decimal.Decimal("Infinity")


def rows_of_page():
    """For each row: (form, whether it differs only when it is derived anew, file or table, columns,
    limit)."""
    section = PAGE.read_text(encoding="utf-8").split(HEADING + "\n", 1)[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| text") or line.startswith("| database"):
            form, when, name, columns, limit, reason = cells
            if not reason:
                raise ValueError("no reason: %s" % line)
            yield (form, when == "anew", name.replace("`", ""), re.findall(r"`([^`]+)`", columns),
                   ANY if limit == "any" else decimal.Decimal(limit))


def limits(form, is_anew):
    """Returns file or table -> column -> the largest allowed difference of a number."""
    found = collections.defaultdict(dict)
    for of_form, only_anew, name, columns, limit in rows_of_page():
        if of_form == form and (is_anew or not only_anew):
            found[name].update(dict.fromkeys(columns, limit))
    return found


def is_within(mine, theirs, limit):
    """Are the values equal, or two numbers whose difference is within the limit?"""
    if mine == theirs or limit == ANY:
        return True
    try:
        return limit is not None and abs(_number(mine) - _number(theirs)) <= limit
    except decimal.InvalidOperation:
        return False


def _number(value):
    return decimal.Decimal(str(value).strip())


# ---- text ----


def read_csv(path):
    """Reads the rows of a file. Version control may have changed the line ends inside its cells."""
    with open(path, newline="", encoding="utf-8") as file:
        return [[cell.replace("\r\n", "\n") for cell in row] for row in csv.reader(file)]


def compare_csv(mine, theirs, may_differ):
    """Returns the differences of a file as texts. Columns that only Strobe's file has do not
    count."""
    titles, *theirs = theirs
    missing = [title for title in titles if title not in mine[0]]
    if missing or len(theirs) != len(mine) - 1:
        return ["columns %s missing, %d rows of %d" % (missing, len(mine) - 1, len(theirs))]
    places = [mine[0].index(title) for title in titles]
    return [
        "row %d, %s: %r, expected %r" % (number, title, a[place], b)
        for number, (a, row) in enumerate(zip(mine[1:], theirs), 2)
        for title, place, b in zip(titles, places, row)
        if not is_within(a[place], b, may_differ.get(title))
    ]


def _split_overlap(events):
    layers = {event["pid"] for event in events if event["name"] == "process_name"
              and event["args"]["name"] == "Overlap Analysis"}
    spans = [event for event in events if event["ph"] == "X" and event["pid"] in layers]
    others = (event for event in events if event["ph"] != "X" or event["pid"] not in layers)
    spans.sort(key=lambda event: (event["pid"], event["tid"], decimal.Decimal(event["ts"])))
    return collections.Counter(map(json.dumps, others)), spans


def compare_traces(mine, theirs, may_differ):
    """Compares events in any order, ignoring the order of their keys and the number of digits."""
    (mine, my_spans), (theirs, their_spans) = map(_split_overlap, (mine, theirs))
    found = ["event %s, expected %s" % pair for pair in
             zip(sorted((mine - theirs).elements()), sorted((theirs - mine).elements()))]
    if mine.total() != theirs.total() or len(my_spans) != len(their_spans):
        found.append("%d events and %d of the overlap, expected %d and %d" % (
            mine.total(), len(my_spans), theirs.total(), len(their_spans)))
    for a, b in zip(my_spans, their_spans):
        if list(a) != list(b) or not all(is_within(a[k], b[k], may_differ.get(k)) for k in b):
            found.append("%s, expected %s" % (a, b))
    return found


def compare_text(mine, theirs, may_differ, only=None):
    """Compares the files of an output folder, or one of them. Returns name -> differences as
    texts."""
    found = {}
    for path in [theirs / only] if only else sorted(theirs.iterdir()):
        if not (mine / path.name).exists():
            found[path.name] = ["missing"]
        elif path.suffix == ".csv":
            found[path.name] = compare_csv(
                read_csv(mine / path.name), read_csv(path), may_differ.get(path.name, {}))
        elif path.name == "trace_view.json":
            found[path.name] = compare_traces(
                *(json.loads((folder / path.name).read_text("utf-8")) for folder in (mine, theirs)),
                may_differ.get(OVERLAP, {}))
        elif path.suffix == ".json":
            a, b = (json.dumps(json.loads((folder / path.name).read_text("utf-8")))
                    for folder in (mine, theirs))
            found[path.name] = [] if a == b else [a, b]
    return {name: texts for name, texts in found.items() if texts}


# ---- databases ----


def _by_exact(database, table, columns, may_differ):
    """Groups rows by their cells that must be equal. Returns these -> the other cells, in order."""
    exact = [at for at, name in enumerate(columns) if name not in may_differ]
    loose = [at for at, name in enumerate(columns) if may_differ.get(name, ANY) != ANY]
    places = [database.columns(table).index(name) for name in columns]
    found = collections.defaultdict(list)
    for row, count in database.rows(table).items():
        if table not in ("STRING_IDS", "CONNECTION_IDS", "PYTORCH_CALLCHAINS"):
            row = [row[place] for place in places]
            key, value = (tuple(row[at] for at in part) for part in (exact, loose))
        else:
            key, value = row, ()
        found[key] += [value] * count
    ordered = {key: sorted(values, key=repr) for key, values in found.items()}
    return ordered, [columns[at] for at in loose]


def compare_table(mine, theirs, table, may_differ):
    columns = theirs.columns(table)
    missing = [name for name in columns if name not in mine.columns(table)]
    if missing:
        return ["columns %s missing" % missing]
    (a, _), (b, names) = (_by_exact(each, table, columns, may_differ) for each in (mine, theirs))
    if table == "STRING_IDS" and may_differ:  # texts that no row refers to
        b = {key: value for key, value in b.items() if key in a}
    found = ["row %r: %d times, expected %d" % (key, len(a.get(key, ())), len(b.get(key, ())))
             for key in {**a, **b} if len(a.get(key, ())) != len(b.get(key, ()))]
    return found + [
        "%s of %r: %r, expected %r" % (name, key, x, y)
        for key in b if len(a.get(key, ())) == len(b[key])
        for mine_row, their_row in zip(a[key], b[key])
        for name, x, y in zip(names, mine_row, their_row)
        if not is_within(x, y, may_differ[name])]


def compare_databases(mine, theirs, may_differ, only=None, has_viewers=False):
    """Compares the databases of an output folder, or one table. Returns table -> differences as
    texts."""
    found = {}
    for path in sorted(theirs.glob("*.db")):
        if not (mine / path.name).exists():
            found[path.name] = ["missing"]
            continue
        a, b = Database(mine / path.name), Database(path, has_viewers)
        for table in b.tables if only is None else b.tables.keys() & {only}:
            found[table] = (compare_table(a, b, table, may_differ.get(table, {}))
                            if table in a.tables else ["missing"])
        a.close()
        b.close()
    return {name: texts for name, texts in found.items() if texts}


def compare(form, mine, theirs, may_differ, **options):
    """Compares two output folders of one form."""
    if form == "text":
        return compare_text(mine, theirs, may_differ)
    return compare_databases(mine, theirs, may_differ, **options)


def few(found):
    """The first differences of each file, as text for people."""
    return {name: texts[:3] + ["... %d" % len(texts)] * (len(texts) > 3)
            for name, texts in found.items()}
