# SPDX-License-Identifier: Apache-2.0
"""The files in the vendor's form that the two worked examples must give, byte for byte. They are
computed from the examples by code that is independent of the exporters."""

from fractions import Fraction
import json
import re

import made_job

UNITS = {"AA_CORE": (0, "AA CORE"), "AA_CPU": (1, "AA CPU"), "AA_VECTOR_CORE": (2, "AA VECTOR CORE")}
TITLES = {
    "op_summary": "Layer Id,Ori Layer Name,Layer Name,Layer Type,Time(us),Time Ratio,Mac Busy Ratio,"
    "Mac Ppen Ratio,Vec Busy Ratio,Vec Ppen Ratio,Dstr Ratio,Dtrans Ratio,DLD Ratio,WLD Ratio,"
    "Memory Bound,DDR Read(byte),DDR Write(byte),DDR Total(byte)",
    "op_statistic": "Task ID,Stream ID,OP Name,Task Type,Total Time Ratio(%),Total Time(us),Count,"
    "Avg(us),Max(us),Min(us)",
    "acl_statistic": "Process ID,Thread ID,Type,Name,Total Time Ratio(%),Total Time(us),Count,Avg(us),"
    "Max(us),Min(us)",
}
PID = 4242


def rounded(value, digits=3):
    """Rounds half away from zero."""
    scaled = (Fraction(value) * 10 ** digits + Fraction(1, 2)).__floor__()
    return "%d.%0*d" % (scaled // 10 ** digits, digits, scaled % 10 ** digits)


def us(ns):
    return rounded(Fraction(ns, 1000))


# ---- timelines ----


def event(name, phase, pid, tid, args, ts=None, dur=None):
    times = "" if ts is None else ',"ts":%s,"dur":%s' % (us(ts), us(dur))
    return '{"name":%s,"ph":"%s","pid":%d,"tid":%d%s,"args":%s}' % (
        json.dumps(name), phase, pid, tid, times, json.dumps(args, separators=(",", ":")))


def rows(pid, names):
    """The names of the rows, in their order."""
    for tid, name in names:
        yield event("thread_name", "M", pid, tid, {"name": name})
        yield event("thread_sort_index", "M", pid, tid, {"sort_index": tid})


def array(events):
    return "[" + ",\n".join(events) + "\n]"


def task_time(captures):
    """`captures` have: number, begin, batch, current picture, layers, and the number of existing
    layers."""
    events = [event("process_name", "M", 0, 0, {"name": "Task Scheduler (device 0)"}),
              *rows(0, ((0, "Stream 0 AA CORE"), (1, "Stream 0 AA CPU"), (3, "Captures")))]
    for number, begin, batch, current, layers, there in captures:
        total = sum(layer[4] for layer in layers) * 1000
        events.append(event("capture %d" % number, "X", 0, 3, {
            "Batch Num": batch, "Input Pic Num": 1, "Current Pic Count": current}, begin, total))
        for index, layer in enumerate(layers[:there]):
            tid, unit = UNITS[layer[3]]
            events.append(event(layer[1], "X", 0, tid, {
                "Task Type": unit, "Stream Id": 0, "Task Id": index}, begin, layer[4] * 1000))
            begin += layer[4] * 1000
    return array(events)


def acl(calls):
    return array([event("process_name", "M", PID, PID, {"name": "ACL"}),
                  *rows(PID, ((PID, "Thread %d" % PID),)),
                  *(event(name, "X", PID, PID, {"Mode": mode, "Process_Id": PID, "Thread_Id": PID},
                          begin, duration) for name, mode, _, begin, duration in calls)])


# ---- tables ----


def op_summary(layers):
    total = sum(layer[4] for layer in layers)
    sums = [sum(column) for column in zip(*(layer[5] for layer in layers if layer[5]))]
    for index, (ori, name, kind, _, time, counters) in enumerate(
            (*layers, ("-", "-", "-", "", total, sums))):
        cells = ["-" if name == "-" else str(index), ori, name, kind, "%d.000" % time,
                 rounded(Fraction(time, total) * 100)]
        if not counters:
            yield cells + ["N/A"] * 12
            continue
        shares = [Fraction(counter, counters[0]) for counter in counters[1:9]]
        bound = max(shares[4], shares[6], shares[7]) / max(shares[0], shares[3])
        yield [*cells, *(rounded(share * 100) for share in shares), rounded(bound),
               *map(str, (counters[9], counters[10], counters[9] + counters[10]))]


def durations(times, total):
    return [rounded(Fraction(sum(times), total) * 100), us(sum(times)), str(len(times)),
            us(Fraction(sum(times), len(times))), us(max(times)), us(min(times))]


def op_statistic(layers):
    total = sum(layer[4] for layer in layers) * 1000
    for index, layer in enumerate(layers):
        yield [str(index), "0", layer[1], layer[3], *durations([layer[4] * 1000], total)]


def acl_statistic(calls):
    times = {}
    for name, mode, _, _, duration in calls:
        times.setdefault((mode, name), []).append(duration)
    total = sum(sum(some) for some in times.values())
    for (mode, name), some in sorted(times.items(), key=lambda item: (-sum(item[1]), item[0][1])):
        yield [str(PID), str(PID), mode, name, *durations(some, total)]


def as_csv(kind, table):
    return "".join(",".join(cells) + "\r\n" for cells in (TITLES[kind].split(","), *table))


def as_json(kind, table):
    value = lambda cell: cell if re.fullmatch(r"[0-9.]+", cell) else json.dumps(cell)
    return "[" + ",\n".join("{%s}" % ",".join(
        "%s:%s" % (json.dumps(title), value(cell))
        for title, cell in zip(TITLES[kind].split(","), cells)) for cells in table) + "\n]"


# ---- the examples ----


def miss_rate(layers):
    counted = [layer[5] for layer in layers if layer[5]]
    rate = Fraction(sum(row[12] for row in counted), sum(row[11] for row in counted)) * 100
    return rounded(rate, 2).replace(".", "_")


def tables(model, batch, captures, calls):
    for number, _, _, current, layers, there in captures:
        name = "%s.1.%d.1.%d.%s.1000" % (model, batch, current, miss_rate(layers[:there]))
        yield "op_summary_0." + name, "op_summary", list(op_summary(layers[:there]))
        yield ("op_statistic_0_1_%d_%d" % (current, number), "op_statistic",
               list(op_statistic(layers[:there])))
    yield "acl_statistic_0_1_1", "acl_statistic", list(acl_statistic(calls))


def files(model, batch, captures, calls):
    """The folder, name and text of each file."""
    found = {"timeline/task_time_0.%s.1.%d.json" % (model, batch): task_time(captures),
             "timeline/acl_0.%s.1.%d.json" % (model, batch): acl(calls)}
    for name, kind, table in tables(model, batch, captures, calls):
        found["summary/%s.csv" % name] = as_csv(kind, table)
        found["summary/%s.json" % name] = as_json(kind, table)
    return found


def example():
    return files("resnet50", 1, [(1, 1041000000, 1, 0, made_job.LAYERS, 4)], made_job.CALLS)


def captures():
    """In the last capture the fourth layer is torn."""
    return files("a.b-c.1", 100, [
        (number, number * 100000000, 100, (number - 1) * 200, made_job.LAYERS, 4 - (number == 5))
        for number in range(1, 6)],
        [("svp_acl_mdl_execute", "model", 1, 95000000 + 50000000 * number, 20000000)
         for number in range(10)])
