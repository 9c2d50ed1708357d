# SPDX-License-Identifier: Apache-2.0
"""Runs HolisticTraceAnalysis on traces, in a Python that has it installed.

    hta_analyses.py FILE...

prints a JSON object: file -> analysis -> its tables as lists of rows, or the error that it ends with.
"""

import json
import logging
import sys
import warnings

warnings.simplefilter("ignore")
from hta.trace_analysis import TraceAnalysis  # noqa: E402

logging.disable(logging.WARNING)
RANK = 0
ANALYSES = {
    "temporal": lambda trace: [trace.get_temporal_breakdown(visualize=False)],
    "kernel": lambda trace: trace.get_gpu_kernel_breakdown(visualize=False, num_kernels=1000),
    "overlap": lambda trace: [trace.get_comm_comp_overlap(visualize=False)],
    "idle": lambda trace: trace.get_idle_time_breakdown(
        ranks=[RANK], visualize=False, show_idle_interval_stats=True),
    "queue": lambda trace: [trace.get_queue_length_summary(ranks=[RANK])],
    "queue over time": lambda trace: [
        trace.get_queue_length_time_series(ranks=[RANK]).get(RANK)],
}  # fmt: skip


def list_rows(table):
    """The values of a table with its index, except an index of events, which belongs to the
    file."""
    if table is None:
        return None
    named = table.index.name != "index" and any(table.index.names)
    plain = table.reset_index(drop=not named)
    return [list(map(str, plain.columns))] + json.loads(plain.to_json(orient="values"))


def analyse(path):
    trace = TraceAnalysis(trace_files={RANK: path}, trace_dir="/")
    found = {}
    for name, run in ANALYSES.items():
        try:
            found[name] = [list_rows(table) for table in run(trace)]
        # an error is compared too, because the original file may cause it as well
        except Exception as error:
            found[name] = "%s: %s" % (type(error).__name__, error)
    return found


if __name__ == "__main__":
    print(json.dumps({path: analyse(path) for path in sys.argv[1:]}))
