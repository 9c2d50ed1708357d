#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the types of the SDK's headers with those of a stored version, with libabigail.

    abi.py write     writes sdk/abi/MAJOR.MINOR.abi from the headers
    abi.py compare   compares the headers with every stored version of their major version
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent / "include"
ENUM = re.compile(r"\benum(?: \w+)? \{(.*?)\}", re.S)
# Lines of a report of abidiff that break plugins. A member that moves is reported as changed.
BREAKS = re.compile(r"(data member|enumerator) (change|deletion)|[1-9]\d* Removed")
VALUE = re.compile(r"^#define (STROBE_(?!ABI_)\w+) (?:[(~]*-?\d|\(*U?INT\d+_M)", re.M)


def make_source(include):
    """Returns C source that uses every struct and every named number of the headers."""
    lines, groups = ["#include <strobe/strobe-plugin.h>"], []
    for path in sorted((include / "strobe").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for name in re.findall(r"^(?:typedef )?struct (\w+) \{", text, re.M):
            lines.append("struct %s *use_%s;" % (name, name))
        groups += [re.findall(r"^\s*(STROBE_\w+)", body, re.M) for body in ENUM.findall(text)]
        groups += [[name] for name in VALUE.findall(text)]
    for names in groups:  # separate enums, because abidiff ignores equal numbers in one enum
        values = ", ".join("VALUE_OF_%s = (long long)%s" % (name, name) for name in names)
        lines.append("enum values_%s {%s} *use_%s;" % (names[0], values, names[0]))
    return "\n".join(lines) + "\n"


def compile_types(include, folder):
    """Builds a library with debug information of all these types."""
    source, library = folder / "types.c", folder / "types.so"
    source.write_text(make_source(include))
    command = [*os.environ.get("CC", "cc").split(), "-g", "-shared", "-fPIC", "-I", include,
               source, "-o", library]
    subprocess.run(command, check=True)
    return library


def read_version(include):
    text = (include / "strobe" / "plugin.h").read_text()
    return [int(re.search(r"^#define STROBE_ABI_%s (\d+)" % part, text, re.M)[1])
            for part in ("MAJOR", "MINOR")]


def write_version(include, path):
    """Writes the types to the file, one on each line."""
    with tempfile.TemporaryDirectory() as folder:
        library = compile_types(include, pathlib.Path(folder))
        text = subprocess.run(["abidw", "--no-architecture", "--no-corpus-path", "--no-show-locs",
                               "--no-comp-dir-path", "--no-parameter-names",
                               "--no-write-default-sizes", library],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
    path.write_text(re.sub(r">\n {6,}<", "><", re.sub(r"\n {4}(</\w)", r"\1", text)))


def compare(include, path):
    """The report of abidiff if a change breaks plugins of the stored version; otherwise "". New
    members at the end of a struct, new numbers and new types are allowed."""
    with tempfile.TemporaryDirectory() as folder:
        library = compile_types(include, pathlib.Path(folder))
        done = subprocess.run(["abidiff", "--leaf-changes-only", "--no-architecture",
                               "--no-show-locs", path, library],
                              stdout=subprocess.PIPE, text=True)
    if done.returncode & 3:
        raise RuntimeError("abidiff failed on %s: %s" % (path, done.stdout))
    return done.stdout if BREAKS.search(done.stdout) else ""


def list_versions(major):
    return sorted(HERE.glob("%d.*.abi" % major))


def main():
    major, minor = read_version(INCLUDE)
    if sys.argv[1:] == ["write"]:
        return write_version(INCLUDE, HERE / ("%d.%d.abi" % (major, minor)))
    if sys.argv[1:] == ["compare"]:
        return "".join(compare(INCLUDE, path) for path in list_versions(major)) or None
    return __doc__


if __name__ == "__main__":
    sys.exit(main())
