# SPDX-License-Identifier: Apache-2.0
"""Compares the export of Chrome traces: `strobe analyse` on a capture, and `uftrace dump --chrome` on the calls of
a program that was compiled with -pg, each on one processor, measured in turn. A span is one event in Strobe's trace
(X), and two events in uftrace's (B and E)."""

import os
import shutil
import subprocess
import time

from db_export import limited

BYTES_A_RECORD = 320  # of the synthetic capture, in the trace


class ExportError(Exception):
    """An export that cannot be measured."""


def count(path, needle):
    """The number of times that the bytes occur in a file."""
    found, rest = 0, b""
    with open(path, "rb") as file:
        while True:
            chunk = file.read(1 << 22)
            if not chunk:
                return found
            found += (rest + chunk).count(needle)
            rest = chunk[len(chunk) - len(needle) + 1 :]


class StrobeExport:
    """Exports a capture repeatedly, below a folder."""

    def __init__(self, strobe, capture, folder, environment):
        self.output = os.path.join(folder, "exported")
        self.command = [strobe, "analyse", capture, "--export", "chrome_trace", "-o", self.output]
        self.environment = environment

    def seconds_written_nowhere(self, library):
        """Seconds of an export with the library that drops writes to files."""
        return self.seconds(dict(self.environment or os.environ, LD_PRELOAD=library))

    def seconds(self, environment=None):
        self.remove()
        begin = time.perf_counter()
        subprocess.run(
            self.command,
            check=True,
            env=environment or self.environment,
            preexec_fn=limited(1),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return time.perf_counter() - begin

    def remove(self):
        shutil.rmtree(self.output, ignore_errors=True)

    def path(self):
        for folder, _, names in os.walk(self.output):
            if "trace_view.json" in names:
                return os.path.join(folder, "trace_view.json")
        raise ExportError("strobe analyse has made no trace_view.json")

    def counts(self):
        """The number of events and spans in the output."""
        path = self.path()
        return count(path, b'"ph"'), count(path, b'"ph": "X"') + count(path, b'"ph":"X"')

    def write_seconds(self):
        """The floor: writing as many bytes to a new file on the same disk."""
        left, chunk = os.path.getsize(self.path()), b"x" * (1 << 18)
        path = os.path.join(os.path.dirname(self.output), "plain")
        begin = time.perf_counter()
        with open(path, "wb", buffering=0) as file:
            while left > 0:
                left -= file.write(chunk[:left])
        spent = time.perf_counter() - begin
        os.unlink(path)
        return spent


class UftraceExport:
    """Records the calls once and dumps them repeatedly."""

    def __init__(self, program, calls, folder, outputs):
        self.data = os.path.join(folder, "uftrace.data")
        self.output = os.path.join(outputs, "uftrace.json")
        subprocess.run(
            ["uftrace", "record", "--no-libcall", "--no-event", "-b", "64m", "-d", self.data]
            + [program, str(calls)],
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def seconds(self):
        begin = time.perf_counter()
        with open(self.output, "wb") as file:
            subprocess.run(
                ["uftrace", "dump", "--chrome", "-d", self.data],
                check=True,
                preexec_fn=limited(1),
                stdout=file,
                stderr=subprocess.DEVNULL,
            )
        return time.perf_counter() - begin

    def spans(self):
        return count(self.output, b'"ph":"E"')


class BabeltraceExport:
    """Prints a CTF trace as text repeatedly."""

    def __init__(self, trace, folder):
        self.command = ["babeltrace2", trace]
        self.output = os.path.join(folder, "babeltrace.txt")

    def seconds(self):
        begin = time.perf_counter()
        with open(self.output, "wb") as file:
            subprocess.run(self.command, check=True, stdout=file, stderr=subprocess.DEVNULL)
        return time.perf_counter() - begin

    def count(self):
        return count(self.output, b" strobe_bench:span_")


def measure(own, peer, repeats):
    """Seconds of the export, of its floor and of the peer (empty without a peer), measured in turn."""
    mine, floor, theirs = [], [], []
    own.seconds()
    for _ in range(repeats):
        mine.append(own.seconds())
        floor.append(own.write_seconds())
        if peer:
            theirs.append(peer.seconds())
    return mine, floor, theirs
