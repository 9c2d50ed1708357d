# SPDX-License-Identifier: Apache-2.0
"""record_python.py FOLDER [REPEATS]: measures in turn the ns of strobe.mark and of `with strobe.range` in Python, in a
session and without one, and of a call of an empty function. The time of the loop itself is subtracted. Prints one JSON
line for each."""

import itertools
import sys
import time

import strobe
from measure import in_session, print_samples

CALLS = 20000
PAUSE_S = 0.02  # in which the writer empties the pool


def empty(name):
    """The floor: a call that does nothing."""


def nothing(calls):
    for _ in calls:
        pass


def empty_calls(calls):
    function = empty
    for _ in calls:
        function("benchmark")


def marks(calls):
    mark = strobe.mark
    for _ in calls:
        mark("benchmark")


def ranges(calls):
    make = strobe.range
    for _ in calls:
        with make("benchmark"):
            pass


def spent(work):
    """ns per call."""
    calls = itertools.repeat(None, CALLS)
    begin = time.perf_counter_ns()
    work(calls)
    return (time.perf_counter_ns() - begin) / CALLS


def measure(works, samples, repeats):
    """Measures each work in turn, and adds the times without the loop to the samples."""
    for _ in range(repeats):
        for name, work in works.items():
            time.sleep(PAUSE_S)
            loop = spent(nothing)
            samples[name].append(spent(work) - loop)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    works = {"empty": empty_calls, "mark": marks, "range": ranges}
    samples = {name: [] for name in (*works, "mark_disabled", "range_disabled")}
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    for _ in range(repeats):
        loop = spent(nothing)
        samples["mark_disabled"].append(spent(marks) - loop)
        samples["range_disabled"].append(spent(ranges) - loop)
    config = {"collectors": {}, "exporters": {}, "output": {"directory": sys.argv[1]}}

    def warm_and_measure():
        for work in works.values():
            spent(work)
        measure(works, samples, repeats)

    in_session("record_python", config, warm_and_measure)
    print_samples(samples)


if __name__ == "__main__":
    main()
