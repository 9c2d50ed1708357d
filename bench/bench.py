# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks of a build folder and prints one table.

Strobe and its peer are measured in turn. The value is that of the least disturbed repeat. The table has the ratio of
these values, and the ratio of the medians."""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

import collectors
import compiled
import exports
import imports
import operators
import recording
import sampling
from chrome_export import ExportError
from lttng import LttngError
from rows import Row, as_json, table
from workplace import MIX_RECORDS, Bench, Skipped

BENCHMARKS = {
    "record_span": recording.record_span,
    "record_span_ring": recording.record_span_ring,
    "record_instant": recording.record_instant,
    "record_span_lttng": recording.record_span_lttng,
    "record_python": recording.record_python,
    "record_disabled": recording.record_disabled,
    "marks": collectors.marks,
    "marks_python": collectors.marks_python,
    "opencl": collectors.opencl,
    "record_two_threads": recording.record_two_threads,
    "bulk_emit": recording.bulk_emit,
    "capture_write": recording.capture_write,
    "op_overhead": operators.op_overhead,
    "memory_overhead": operators.memory_overhead,
    "compiled_overhead": compiled.compiled_overhead,
    "python_call": collectors.python_calls,
    "reader": exports.reader,
    "chrome_export": exports.chrome_trace_export,
    "csv_export": exports.csv_export,
    "import_raw": imports.import_raw,
    "raw_chain": imports.raw_chain,
    "import_trace": imports.import_trace,
    "scaling": exports.scaling,
    "db_export": exports.database_export,
    "bytes_per_span": exports.bytes_per_span,
    "stop_time": recording.stop_time,
    "dump": recording.dump,
    "host_sampling": collectors.host_sampling,
    "cpu_sampling": sampling.cpu_sampling,
    "osrt": collectors.osrt,
    "npu": collectors.npu,
    "board_calls": collectors.board_calls,
    "heap": collectors.heap,
    "memory_shut": collectors.memory_shut,
}


def measure(bench, names):
    rows = []
    for name in names:
        print("bench: %s" % name, end="", file=sys.stderr, flush=True)
        begin = time.monotonic()
        try:
            rows += BENCHMARKS[name](bench)
        except (Skipped, LttngError, ExportError, OSError, ValueError,
                subprocess.CalledProcessError) as error:
            rows.append(Row(name, "", [], note="not measured: %s" % error))
        print(", %.1f s" % (time.monotonic() - begin), file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--only", help="comma-separated: " + ", ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    parser.add_argument("--records", type=int, default=MIX_RECORDS,
                        help="number of records in the synthetic capture for exports and scaling (default: "
                        "%(default)s; growth is measured from a tenth of it)")
    parser.add_argument("--list", action="store_true", help="name the benchmarks and run none")
    flags = parser.parse_args()
    if flags.list:
        print("\n".join(BENCHMARKS))
        return 0
    names = flags.only.split(",") if flags.only else list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            parser.error('unknown benchmark "%s"; there are: %s' % (name, ", ".join(BENCHMARKS)))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that daemons and scratch files are removed too
    # Large captures are written and removed, so the scratch folder is on the build folder's disk.
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=flags.build))
        memory = None
        if os.access("/dev/shm", os.W_OK):
            memory = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir="/dev/shm"))
        rows = measure(Bench(flags.build, os.path.realpath(scratch), memory, flags.records), names)
    print(as_json(rows) if flags.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
