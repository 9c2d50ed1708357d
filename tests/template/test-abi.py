#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers keep the ABI of sdk/abi/MAJOR.MINOR.abi, and the test finds a change that breaks it.
All names that a linked library exports begin with Strobe's prefix."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "sdk" / "abi")]
import abi  # noqa: E402
import tap  # noqa: E402

BUILD = pathlib.Path(os.environ.get("STROBE_BUILD") or TOP / "build").resolve()
TRACK_END = "    uint32_t reserved; /* 0 */\n} StrobeTrack;"
# Header, text in it, replacement, abidiff's message about the change ("": none).
CHANGES = (
    ("record.h", "    int32_t device;", "    int32_t device, other;", "StrobeTrack"),
    ("record.h", "    uint64_t id;", "    uint32_t id, more;", "StrobeTrack"),
    ("record.h", TRACK_END, "} StrobeTrack;", "StrobeTrack"),
    ("record.h", TRACK_END, "    uint32_t reserved, more;\n} StrobeTrack;", ""),
    ("option.h", "STROBE_OPTION_BOOL = 1,", "STROBE_OPTION_BOOL = 11,", "STROBE_OPTION_BOOL"),
    ("option.h", "STROBE_OPTION_KINDS = 10", "STROBE_OPTION_KINDS = 10, STROBE_OPTION_NEW", ""),
    ("record.h", "STROBE_KIND_FIELDS_MAX 64", "STROBE_KIND_FIELDS_MAX 63", "STROBE_KIND_FIELDS_MAX"),
    ("kinds.h", "struct strobe_step {\n    int64_t", "struct strobe_step {\n    double", "strobe_step"),
    ("plugin.h", "typedef struct StrobeProbe {", "struct StrobeNew {\n    int a;\n};\n"
     "typedef struct StrobeProbe {", ""),
    ("plugin.h", "typedef struct StrobeProbe {", "typedef struct StrobeOther {", "StrobeProbe"),
)


@unittest.skipUnless(shutil.which("abidiff"), "no abidiff (package abigail-tools)")
@unittest.skipUnless(struct.calcsize("P") == 8, "the kept ABI is that of 64-bit machines")
class AbiTest(unittest.TestCase):
    def test_kept_versions(self):
        major, minor = abi.read_version(abi.INCLUDE)
        kept = abi.list_versions(major)
        self.assertIn("%d.%d.abi" % (major, minor), [path.name for path in kept])
        for path in kept:
            self.assertEqual(abi.compare(abi.INCLUDE, path), "", "see docs/topics/abi.md")

    def test_changes(self):
        kept = abi.list_versions(abi.read_version(abi.INCLUDE)[0])[-1]
        for header, text, other, named in CHANGES:
            with self.subTest(other), tempfile.TemporaryDirectory() as folder:
                include = pathlib.Path(shutil.copytree(abi.INCLUDE, pathlib.Path(folder, "include")))
                path = include / "strobe" / header
                old = path.read_text()
                self.assertEqual(old.count(text), 1, text)
                path.write_text(old.replace(text, other))
                found = abi.compare(include, kept)
                self.assertEqual(bool(found), bool(named), found)
                self.assertIn(named, found)

    def test_every_header_counts(self):
        source = abi.make_source(abi.INCLUDE)
        for name in ("StrobeOption", "StrobeKind", "StrobePlugin", "StrobeHost", "StrobeConsumerOps",
                     "StrobeImporterHost", "strobe_step", "strobe_hbm", "strobe_host_cpu",
                     "strobe_head_overhead"):
            self.assertIn("struct %s *use_%s;\n" % (name, name), source)
        for name in "STROBE_OK", "STROBE_CLOCK_OF_TRACK", "STROBE_ABSENT_U64", "STROBE_RECORD_VERSION":
            self.assertIn("VALUE_OF_%s =" % name, source)


class NamesTest(unittest.TestCase):
    """Programs that link the libraries may use any other name; names that begin with "__" belong to
    the compiler."""

    def assertPrefixed(self, *words):
        done = subprocess.run(["nm", "--defined-only", *map(str, words)], capture_output=True,
                              text=True, check=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        names = [parts[2].split("@")[0] for parts in lines if len(parts) == 3 and parts[1] != "A"]
        self.assertIn("strobe_version" if "-D" in words else "strobe_json_init", names)
        self.assertEqual([name for name in names if not name.startswith(("strobe_", "__"))], [])

    def test_helpers(self):
        self.assertPrefixed("-g", BUILD / "sdk" / "libstrobe-sdk.a")

    def test_library(self):
        self.assertPrefixed("-D", BUILD / "core" / "libstrobe.so")


if __name__ == "__main__":
    tap.main()
