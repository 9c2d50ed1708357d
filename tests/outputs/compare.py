#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the output files of a build, and compares those of another build with them.

    compare.py keep BUILD FOLDER
    compare.py compare BUILD FOLDER [--processors N] [--max-mem MB] [--only PATTERN]

`keep` makes the inputs once, in FOLDER/inputs: real results, generated traces, captures. Both builds
read the same inputs. Text is compared byte for byte (gzip unpacked), a database by its schema and its
rows in order of their values, an imported capture by its records as text.
"""

import argparse
import contextlib
import fnmatch
import gzip
import itertools
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("STROBE_DATA") or TOP.parent / "shared" / "data")
for folder in "bench", "tests/functional":
    sys.path.append(str(TOP / folder))

import kineto  # noqa: E402
import kineto_trace  # noqa: E402
import made_ascend  # noqa: E402
import raw_files  # noqa: E402

# Allowed differences: file (a pattern), text (a regular expression), replacement.
MASKS = (
    ("messages", rb"/[^ :]*/(inputs|new|outputs)/", rb""),
)

ALL = ("chrome_trace", "csv", "db", "stacks", "memory_timeline", "comm_json", "tensorboard")
# Each option of an exporter that changes its files; a second exporter writes at the same time.
OPTIONS = (
    "chrome_trace:gzip=true,also=head_overhead", "csv:all_fields=true,gzip=true",
    "db:also=operator_average+correlation", "stacks:metric=self_npu_time_total",
    "memory_timeline:device=npu:0,file=npu.raw.json", "memory_timeline:device=cuda:0,file=cuda.json.gz",
    "tensorboard:worker=kept,gzip=true", "comm_json:gzip=true",
)
FILTERS = {
    "steps": ("--step", "2-3"),
    "time": ("--from", "1ms", "--to", "30ms"),
    "kinds": ("--kind", "cpu_op", "--kind", "device_task", "--name", "*a*"),
    "parts": ("--max-file-mb", "20"),
}


class Build:
    """Runs the command of a build."""

    def __init__(self, folder, processors=0, megabytes=512):
        self.folder = pathlib.Path(folder).resolve()
        self.processors = processors
        self.memory = "--max-mem=%dMB" % megabytes
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("STROBE_")}
        self.environment.update(LC_ALL="C.UTF-8", TZ="UTC")

    def limit_processors(self):
        if self.processors:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:self.processors])

    def run(self, *words, program="tools/strobe", check=True):
        """The output of a program of the build, and its exit code."""
        done = subprocess.run([self.folder / program, *map(str, words)], env=self.environment,
                              preexec_fn=self.limit_processors, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if check and done.returncode:
            sys.exit("%s %s: exit code %d\n%s" % (program, " ".join(map(str, words)),
                                                  done.returncode, done.stdout.decode()))
        return done.stdout + b"exit code %d\n" % done.returncode

    def make(self, folder, *words):
        """Runs strobe with a folder as output, and stores its messages there."""
        folder.mkdir(parents=True)
        messages = self.run(*words, "-o", folder, self.memory, check=False)
        (folder / "messages").write_bytes(messages)

    def dump(self, capture):
        """Replaces an imported capture by its records as text."""
        text = self.run(capture, program="tests/functional/dump-capture")
        capture.with_name("records.tsv").write_bytes(text)
        capture.unlink()


# ---- inputs ----

def make_sources(build, sources):
    """Results of other profilers: real ones and synthetic ones."""
    sources.mkdir()
    if not DATA.is_dir():
        print("no real results: STROBE_DATA names their folder", file=sys.stderr)
    else:
        for path in sorted(DATA.glob("*/*")):
            (shutil.copytree if path.is_dir() else shutil.copy)(path, sources / path.name)
    made_ascend.make_text(sources)
    made_ascend.make_database(sources)
    raw_files.RawFiles(str(sources / "made_raw_ascend_pt"), python=True, stacks=True,
                       details=True).make(20000)
    kineto_trace.write(str(sources / "made_kineto.json"), 20)
    (sources / "made_devices.json").write_text(json.dumps(kineto.made()))
    (sources / "made_training.json").write_text(json.dumps(kineto.training()))
    build.run(sources / "hostile.json", 100000, program="bench/hostile")  # fits into 128 MB


def record(build, captures, name, *words):
    """Records a run of a program."""
    with tempfile.TemporaryDirectory() as folder:
        build.run("run", "-o", folder, "--export", "stacks", *words)
        (capture,) = pathlib.Path(folder).glob("*/FRAMEWORK/capture.strobe")
        shutil.move(capture, captures / (name + ".strobe"))


def make_captures(build, captures):
    """Captures of the demo, of simulated records, and of the synthetic training run."""
    captures.mkdir()
    demo = ("--", "/usr/bin/python3", TOP / "tools" / "demo" / "train.py")
    record(build, captures, "demo", "--schedule", "wait=1,warmup=1,active=3,repeat=1", *demo)
    every = [word for name in ("cpu_op:shapes=true,stack=true", "memory", "python_call", "gc", "heap")
             for word in ("--collect", name)]
    record(build, captures, "demo_all", "--schedule", "wait=1,warmup=1,active=1,repeat=1", *every, *demo)
    for names, number in ("plain", 9000), ("hostile", 400):
        record(build, captures, "fake_" + names, "--collect", "fake:kind=all,threads=3,depth=5,"
               "unfinished=2,names=%s,records=%d" % (names, number), "--", "true")
    with tempfile.TemporaryDirectory() as folder:
        for program, number in ("mix", 200000), ("capture", 100000):
            printed = build.run(folder, number, program="bench/" + program).decode()
            shutil.move(printed.splitlines()[0], captures / (program + ".strobe"))


# ---- outputs ----

def list_cases(build, inputs):
    """The name and the maker of each folder of outputs."""
    exporters = {"all": ALL, "options": OPTIONS}
    flags = {name: [word for text in texts for word in ("--export", text)]
             for name, texts in exporters.items()}
    for source in sorted((inputs / "sources").iterdir()):
        yield ("import/" + source.name,
               lambda out, source=source: build.make(out, "import", *flags["all"], source))
    for capture in sorted((inputs / "captures").iterdir()):
        for name, words in [*flags.items(), *(("generation%d" % n, [*flags["all"], "--generation", n])
                                              for n in (1, 2))]:
            yield ("analyse/%s/%s" % (capture.stem, name), lambda out, capture=capture, words=words:
                   build.make(out, "analyse", *words, capture))
        for name, words in FILTERS.items() if capture.stem != "fake_hostile" else ():
            yield ("export/%s/%s" % (capture.stem, name), lambda out, capture=capture, words=words:
                   build.make(out, "export", *flags["all"], *words, capture))


def make_outputs(build, inputs, outputs, pattern="*"):
    names = []
    for name, make in list_cases(build, inputs):
        if not fnmatch.fnmatch(name, pattern):
            continue
        print(name, file=sys.stderr, flush=True)
        make(outputs / name)
        for capture in sorted((outputs / name).rglob("capture.strobe")):
            build.dump(capture)
        names.append(name)
    return names


# ---- comparison ----

def read_lines(path):
    """The lines of a text file, unpacked and with allowed differences replaced."""
    patterns = [(re.compile(text), new) for file, text, new in MASKS
                if fnmatch.fnmatch(path.name, file)]
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        for line in file:
            for text, new in patterns:
                line = text.sub(new, line)
            yield line


def read_database(path):
    """The schema and the rows of a database as text, with the rows of each table in the order of
    their values."""
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)) as base:
        base.text_factory = lambda text: text.decode(errors="surrogateescape")
        yield repr(base.execute("PRAGMA user_version").fetchone())
        schema = base.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
        yield from map(repr, schema)
        for name in (name for kind, name, _ in schema if kind == "table"):
            columns = len(base.execute('PRAGMA table_info("%s")' % name).fetchall())
            order = ",".join(map(str, range(1, columns + 1)))
            for row in base.execute('SELECT * FROM "%s" ORDER BY %s' % (name, order)):
                yield "%s: %r" % (name, row)


def compare_file(kept, new):
    """None if two files are equal; otherwise the first difference."""
    if not kept.exists() or not new.exists():
        return "only in the %s build" % ("new" if new.exists() else "kept")
    read = read_database if kept.suffix == ".db" else read_lines
    for number, (one, other) in enumerate(itertools.zip_longest(read(kept), read(new)), 1):
        if one != other:
            return "line %d\n    kept %.300r\n    new  %.300r" % (number, one, other)
    return None


def list_files(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def compare_case(kept, new, name):
    """Prints a line for a case, and a line for each file that differs. Returns the number of such
    files."""
    files = sorted(list_files(kept) | list_files(new))
    found = [(path, compare_file(kept / path, new / path)) for path in files]
    different = [(path, text) for path, text in found if text]
    print("%-44s %4d equal %4d differ" % (name, len(found) - len(different), len(different)))
    for path, text in different:
        print("  %s: %s" % (path, text))
    sys.stdout.flush()
    return len(different)


# ---- commands ----

def keep(build, folder):
    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    make_captures(build, inputs / "captures")
    make_sources(build, inputs / "sources")
    make_outputs(build, inputs, folder / "outputs")


def compare(build, folder, pattern):
    different = cases = 0
    with tempfile.TemporaryDirectory(prefix="strobe-outputs-") as work:
        for name, make in list_cases(build, folder / "inputs"):
            if fnmatch.fnmatch(name, pattern):
                new = pathlib.Path(work, "new")
                make_outputs(build, folder / "inputs", new, name)
                different += compare_case(folder / "outputs" / name, new / name, name)
                shutil.rmtree(new)
                cases += 1
    if not cases:
        sys.exit("no case is called %s" % pattern)
    print("%d files differ" % different)
    return different != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("keep", "compare"))
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--processors", type=int, default=0)
    parser.add_argument("--max-mem", type=int, default=512, metavar="MB")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="such as 'import/*'")
    args = parser.parse_args()
    build = Build(args.build, args.processors, args.max_mem)
    if args.command == "keep":
        return keep(build, args.folder.resolve())
    return compare(build, args.folder.resolve(), args.only)


if __name__ == "__main__":
    sys.exit(main())
