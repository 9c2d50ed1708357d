# SPDX-License-Identifier: Apache-2.0
"""marks_python.py FOLDER [REPEATS]: measures in turn the ns of a mark and of a range of strobe.mstx: in a session,
compared with a mark and a range of strobe itself; and without a session, compared with a call of an empty function.
With a session, the time of the loop itself is subtracted. Prints one JSON line for each series."""

import sys

import strobe
from measure import in_session, print_samples
from record_python import empty_calls, marks, measure, spent
from strobe import mstx


def mstx_marks(calls):
    mark = mstx.mark
    for _ in calls:
        mark("benchmark")


def mstx_ranges(calls):
    start, end = mstx.range_start, mstx.range_end
    for _ in calls:
        end(start("benchmark"))


def strobe_ranges(calls):
    begin, end = strobe.range_begin, strobe.range_end
    for _ in calls:
        end(begin("benchmark"))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    works = {"mark": mstx_marks, "range": mstx_ranges, "peer_mark": marks,
             "peer_range": strobe_ranges}
    idle = {"mark_disabled": mstx_marks, "range_disabled": mstx_ranges, "empty": empty_calls}
    samples = {name: [] for name in (*works, *idle)}
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    for _ in range(repeats):
        for name, work in idle.items():
            samples[name].append(spent(work))
    config = {"collectors": {"marker": {}}, "exporters": {}, "output": {"directory": sys.argv[1]}}
    in_session("marks_python", config, lambda: measure(works, samples, repeats))
    print_samples(samples)


if __name__ == "__main__":
    main()
