# SPDX-License-Identifier: Apache-2.0
"""The rows V1 to V23: each compares data that Strobe derives with the data that the original wrote.

A row is a function that takes a Results and returns the numbers (equal, compared), or None if these
data have nothing to compare. CASES names the hand-made case of every row, which needs no data.
"""

import csv
import json
import sqlite3

LABELS = {
    "V1": "operator tree, device self and total",
    "V2": "async_npu pairs",
    "V3": "fwdbwd flows",
    "V4": "pid, tid and sort index",
    "V5": "wait time, within 2 ns",
    "V6": "step of a kernel",
    "V7": "step trace from the trace",
    "V8": "overlap layer, within 2 ns",
    "V9": "free time, within 2 ns",
    "V10": "op_statistic, cells",
    "V11": "api_statistic, rows",
    "V12": "communication.json, numbers",
    "V13": "communication_matrix.json, links and fields",
    "V14": "hash of a group",
    "V15": "operator_memory, names and durations",
    "V16": "memory_record PTA+GE, rows",
    "V17": "analysis.db StepTraceTime, values",
    "V18": "analysis.db CommAnalyzerTime, within 2e-6",
    "V19": "CONNECTION_IDS",
    "V20": "OP_MEMORY and MEMORY_RECORD",
    "V21": "analysis.db against communication*.json",
    "V22": "step trace from kernel_details.csv alone, within 0.03 us",
    "V23": "word of the operation in matrix keys",
}

# The test program and the case that test each rule, next to its code; for the others, the
# exporters' tests.
CASES = {
    "V1": "operator_device /operator-device/tree",
    "V2": "operator_device /operator-device/links",
    "V3": "forward_backward",
    "V4": "chrome_trace",
    "V5": "kernel_detail /kernel-detail/wait",
    "V6": "operator_device /operator-device/step, kernel_detail /kernel-detail/step",
    "V7": "step_trace /step-trace/text",
    "V8": "overlap /overlap/layers",
    "V9": "overlap /overlap/free",
    "V10": "op_statistic /op-statistic/groups",
    "V11": "api_statistic /api-statistic/variance",
    "V12": "communication /communication/time, comm_json /comm-json/figures",
    "V13": "communication /communication/matrix, comm_json /comm-json/matrix",
    "V14": "communication /communication/names",
    "V15": "memory_block /memory-block/operators",
    "V16": "memory_total /memory-total/sums",
    "V17": "step_trace /step-trace/database",
    "V18": "communication /communication/time",
    "V19": "db",
    "V20": "memory_block /memory-block/states",
    "V21": "communication /communication/bandwidth",
    "V22": "step_trace /step-trace/receive",
    "V23": "communication /communication/names",
}


def rows_of(path):
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def trace_of(path):
    """The events of a trace, and the name of each process in it."""
    if not path.is_file():
        return [], {}
    events = json.loads(path.read_text(encoding="utf-8"))
    names = {
        event["pid"]: event["args"]["name"]
        for event in events
        if event["ph"] == "M" and event["name"] == "process_name"
    }
    return events, names


def ns_of(text):
    whole, _, rest = text.strip().partition(".")
    return int(whole) * 1000 + int((rest + "000")[:3])


def plain(text):
    """The text of a cell; version control may have changed its line ends."""
    return text.replace("\r\n", "\n")


def count_cells(mine, theirs, columns):
    pairs = zip(mine, theirs)
    equal = sum(plain(a.get(c) or "") == plain(b[c]) for a, b in pairs for c in columns)
    return equal, max(len(mine), len(theirs)) * len(columns)


def table(results, name):
    """A text table: Strobe's, the original's, and its columns."""
    theirs = rows_of(results.text / name)
    mine = rows_of(results.text_out / name)
    return (mine, theirs, list(theirs[0])) if theirs else None


def v1(results):
    found = table(results, "operator_details.csv")
    return count_cells(*found) if found else None


def flow_pairs(events, category):
    ends = {"s": {}, "f": {}}
    for event in events:
        if event.get("cat") == category:
            ends[event["ph"]].setdefault(event["id"], []).append(ns_of(event["ts"]))
    return ends


def v2(results):
    ends = flow_pairs(results.events, "async_npu")
    theirs = {(ends["s"][i][k], end) for i, at in ends["f"].items() for k, end in enumerate(at)}
    mine = {
        (ns_of(row["Begin(us)"]), int(row["to_begin(ns)"]))
        for row in rows_of(results.text_out / "kernel_link.csv")
    }
    return (len(mine & theirs), len(mine | theirs)) if theirs else None


def v3(results):
    ends = flow_pairs(results.events, "fwdbwd")
    theirs = {(at[0], ends["f"][i][0]) for i, at in ends["s"].items()}
    mine = {
        (ns_of(row["Begin(us)"]), int(row["to_begin(ns)"]))
        for row in rows_of(results.text_out / "operator_link.csv")
        if row["Track"] != row["to_track"]
    }
    return (2 * len(mine & theirs), 2 * len(mine | theirs)) if theirs else None


def v4(results):
    def rows(events):
        return {
            json.dumps([e["name"], e["pid"], e["tid"], e["args"]])
            for e in events
            if e["ph"] == "M" and "sort" in e["name"] or e["name"] == "process_name"
        }

    theirs, mine = rows(results.events), rows(results.own_events)
    return (len(mine & theirs), len(theirs)) if theirs else None


def within(a, b, tolerance):
    try:
        return abs(float(a) - float(b)) <= tolerance
    except ValueError:
        return False


def v5(results):
    found = table(results, "kernel_details.csv")
    if not found or "Wait Time(us)" not in found[2]:
        return None
    name = "Wait Time(us)"
    pairs = zip(found[0], found[1])
    return sum(within(a.get(name, ""), b[name], 0.00201) for a, b in pairs), len(found[1])


def v6(results):
    found = table(results, "kernel_details.csv")
    if not found or "Step Id" not in found[2]:
        return None
    return count_cells(found[0], found[1], ["Step Id"])


def v7(results):
    """Uses the overlap layer of the trace itself if the importer reads it."""
    theirs = rows_of(results.text / "step_trace_time.csv")
    if not theirs:
        return None
    columns = [column for column in theirs[0] if column not in ("Step", "Device_id")]
    mine = rows_of(results.text_stored / "step_trace_time.csv")
    return count_cells(mine, theirs, columns)


def overlap_of(results, names):
    mine = {
        (row["Name"], ns_of(row["Begin(us)"]), round(float(row["Duration(us)"]) * 1000))
        for row in rows_of(results.text_out / "overlap.csv")
        if row["Name"] in names
    }
    theirs = [
        (event["name"], ns_of(event["ts"]), round(event["dur"] * 1000))
        for event in results.events
        if event["ph"] == "X" and results.processes.get(event["pid"]) == "Overlap Analysis"
        and event["name"] in names
    ]
    if not theirs:
        return None
    near = [(at, by) for at in range(-2, 3) for by in range(-2, 3)]
    return sum(
        any((name, begin + at, length + by) in mine for at, by in near)
        for name, begin, length in theirs
    ), max(len(theirs), len(mine))


def v8(results):
    return overlap_of(
        results, {"Computing", "Communication", "Communication(Not Overlapped)"}
    )


def v9(results):
    return overlap_of(results, {"Free"})


def v10(results):
    found = table(results, "op_statistic.csv")
    return count_cells(*found) if found else None


def v11(results):
    found = table(results, "api_statistic.csv")
    if not found:
        return None
    equal = sum(all(a.get(c) == b[c] for c in found[2]) for a, b in zip(*found[:2]))
    return equal, max(len(found[0]), len(found[1]))


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, part in value.items():
            # The hash needs a name that the text form may lack; V14 checks it.
            yield from leaves(part, path + (key.partition("@")[0],))
    elif isinstance(value, list):
        for key, part in enumerate(value):
            yield from leaves(part, path + (key,))
    else:
        yield path, value


def count_json(results, name):
    if not (results.text / name).is_file():
        return None
    theirs = dict(leaves(json.loads((results.text / name).read_text())))
    path = results.text_out / name
    mine = dict(leaves(json.loads(path.read_text()))) if path.is_file() else {}
    equal = sum(repr(mine.get(at)) == repr(value) for at, value in theirs.items())
    return equal, len(theirs.keys() | mine.keys())


def v12(results):
    return count_json(results, "communication.json")


def v13(results):
    return count_json(results, "communication_matrix.json")


def select(path, query):
    if not path.is_file():
        return []
    # immutable: SQLite writes no file next to the real database
    database = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    try:
        return database.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        database.close()


def v14(results):
    theirs = {row[0] for row in select(results.analysis, "SELECT group_name FROM CommAnalyzerTime")}
    mine = {row["group"] for row in rows_of(results.db_out / "communication_time.csv")}
    return (len(mine & theirs), len(theirs)) if theirs and results.has_database else None


def v15(results):
    found = table(results, "operator_memory.csv")
    if not found or not found[0]:
        return None
    columns = ["Name", "Duration(us)", "Active Duration(us)"]
    return count_cells(found[0], found[1], columns)


def v16(results):
    found = table(results, "memory_record.csv")
    if not found or not found[0]:
        return None
    equal = sum(a == b for a, b in zip(*found[:2]) if b["Component"] == "PTA+GE")
    return equal, sum(row["Component"] == "PTA+GE" for row in found[1])


STEP_COLUMNS = (
    "computing communication_not_overlapped overlapped communication free stage bubble "
    "communication_exclude_receive preparing".split()
)


def v17(results):
    theirs = select(results.analysis, "SELECT * FROM StepTraceTime ORDER BY step")
    if not theirs or not results.has_database:
        return None
    mine = rows_of(results.db_out / "step_trace_time.csv")
    equal = 0
    for a, b in zip(mine, theirs):
        values = list(a.values())[-len(STEP_COLUMNS):]
        equal += sum(float(x or 0) == float(y) for x, y in zip(values, b[-len(STEP_COLUMNS):]))
    return equal, len(theirs) * len(STEP_COLUMNS)


def v18(results):
    names = "start_timestamp elapse_time transit_time wait_time synchronization_time idle_time"
    theirs = select(
        results.analysis,
        "SELECT %s, hccl_op_name, group_name FROM CommAnalyzerTime" % names.replace(" ", ","),
    )
    if not theirs or not results.has_database:
        return None
    mine = {}
    for row in rows_of(results.db_out / "communication_time.csv"):
        numbers = [value for key, value in row.items() if "(us)" in key or "(ms)" in key]
        mine[row["Name"]] = [float(value or "nan") for value in numbers[1:]] + [row["group"]]
    equal = 0
    for row in theirs:
        own = mine.get("%s@%s" % (row[6], row[7]), [])
        # The profiler's database has whole ns, but analysis.db was made from times with more
        # digits.
        equal += sum(within(x, y, 2e-6) for x, y in zip(own[:6], row[:6])) + (own[6:] == [row[7]])
    return equal, 7 * len(theirs)


CONNECTIONS = (
    "SELECT p.startNs, p.endNs, p.globalTid, s.value, p.type, group_concat(c.connectionId) FROM "
    "PYTORCH_API p JOIN STRING_IDS s ON s.id = p.name JOIN (SELECT * FROM CONNECTION_IDS ORDER BY "
    "rowid) c ON c.id = p.connectionId GROUP BY p.rowid ORDER BY 1, 2, 3, 4"
)


def v19(results):
    """The lists of connections, of operators and of the queue."""
    theirs, mine = select(results.database, CONNECTIONS), select(results.own_database, CONNECTIONS)
    return (len(set(mine) & set(theirs)), len(set(mine) | set(theirs))) if theirs and mine else None


OP_MEMORY = (
    "SELECT s.value, size, allocationTime, allocationTotalAllocated, allocationTotalReserved, "
    "allocationTotalActive, releaseTime, activeReleaseTime, releaseTotalAllocated, "
    "releaseTotalReserved, releaseTotalActive, duration, activeDuration FROM OP_MEMORY o "
    "LEFT JOIN STRING_IDS s ON s.id = o.name"
)
MEMORY_RECORD = (
    "SELECT s.value, timestamp, totalAllocated, totalReserved, totalActive, streamPtr, deviceId "
    "FROM MEMORY_RECORD m LEFT JOIN STRING_IDS s ON s.id = m.component"
)


def v20(results):
    """Allocations (name, size, time, totals), releases with their totals, durations, records.

    Only OP_MEMORY says which of several blocks of the same size was released.
    """
    theirs, mine = select(results.database, OP_MEMORY), select(results.own_database, OP_MEMORY)
    if not theirs or not mine:
        return None
    equal, total = 0, 0
    for a, b in zip(mine, theirs):
        equal += a[:6] == b[:6]
        equal += b[6] is not None and a[6:11] == b[6:11]
        equal += sum(x is not None and x == y for x, y in zip(a[11:], b[11:]))
        total += 1 + sum(value is not None for value in (b[6], b[11], b[12]))
    records = select(results.database, MEMORY_RECORD)
    equal += sum(a == b for a, b in zip(select(results.own_database, MEMORY_RECORD), records))
    return equal, total + len(records)


def v22(results):
    """For the first generation: its table rounds durations to ns, but the trace has more digits."""
    theirs = rows_of(results.text / "step_trace_time.csv")
    if not theirs:
        return None
    columns = ["Computing", "Communication", "Communication(Not Overlapped)", "Overlapped", "Free"]
    pairs = list(zip(rows_of(results.tables_out / "step_trace_time.csv"), theirs))
    return sum(within(a[column], b[column], 0.03) for a, b in pairs for column in columns), (
        len(columns) * len(theirs))


def no_data(results):
    """For runs of G2 and G3, and tables that the exporter of another row makes: there is nothing to
    compare."""
    return None


ROWS = {
    "V1": v1, "V2": v2, "V3": v3, "V4": v4, "V5": v5, "V6": v6, "V7": v7, "V8": v8, "V9": v9,
    "V10": v10, "V11": v11, "V12": v12, "V13": v13, "V14": v14, "V15": v15, "V16": v16,
    "V17": v17, "V18": v18, "V19": v19, "V20": v20, "V21": no_data, "V22": v22,
    "V23": no_data,
}
