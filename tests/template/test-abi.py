#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes, offsets and values of the ABI are those of sdk/abi/MAJOR.MINOR.txt.

The present version's file says exactly what the headers say. What an earlier file of the same
major says stays true, but for sizes: a struct may grow at its end. Names that linking makes known
are Strobe's.
"""

import os
import pathlib
import re
import struct
import subprocess
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

BUILD = pathlib.Path(os.environ.get("STROBE_BUILD") or TOP / "build").resolve()
PROGRAM = BUILD / "tests" / "template" / "print-abi"
HEADERS = ("option", "record", "plugin", "collector", "exporter", "importer", "kinds", "kinds-device",
           "kinds-host", "kinds-derived")


@unittest.skipUnless(struct.calcsize("P") == 8, "the snapshot is that of 64-bit machines")
class AbiTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.text = subprocess.run([str(PROGRAM)], check=True, capture_output=True, text=True).stdout
        cls.lines = cls.text.splitlines()

    def version(self):
        number = {name: int(re.search(r"^%s (\d+)$" % name, self.text, re.M)[1])
                  for name in ("STROBE_ABI_MAJOR", "STROBE_ABI_MINOR")}
        return number["STROBE_ABI_MAJOR"], number["STROBE_ABI_MINOR"]

    def test_present_version(self):
        path = TOP / "sdk" / "abi" / ("%d.%d.txt" % self.version())
        self.assertMultiLineEqual(
            path.read_text(), self.text,
            "The ABI is not that of %s. A released version's file never changes; before the "
            "release: build/tests/template/print-abi > sdk/abi/%s" % (path, path.name),
        )

    def test_earlier_versions(self):
        major, minor = self.version()
        for path in (TOP / "sdk" / "abi").glob("%d.*.txt" % major):
            if int(path.stem.split(".")[1]) >= minor:
                continue
            for line in path.read_text().splitlines():
                if " offset " in line or " size " not in line and "ABI_MINOR" not in line:
                    self.assertIn(line, self.lines, path.name)

    def test_every_struct_of_the_headers_is_there(self):
        for name in HEADERS:
            text = (TOP / "sdk" / "include" / "strobe" / (name + ".h")).read_text()
            found = re.findall(r"^(typedef )?struct (\w+) \{", text, re.M)
            self.assertTrue(found, name)
            for typedef, struct_name in found:
                title = struct_name if typedef else "struct " + struct_name
                self.assertIn("\n%s size " % title, "\n" + self.text)

    def test_no_member_is_left_out(self):
        """Members fill a struct but for padding, which is smaller than the largest member."""
        size = end = 0
        title = ""
        for line in self.lines + ["end size 0"]:
            if member := re.match(r"  (\S+|struct \S+) offset (\d+) size (\d+)$", line):
                offset = int(member[2])
                self.assertLess(offset - end, 8, line)
                end = offset + int(member[3])
            elif match := re.match(r"(\S.*) size (\d+)$", line):
                self.assertLess(size - end, 8, title)
                title, size, end = match[1], int(match[2]), 0


class NamesTest(unittest.TestCase):
    """Whoever links the libraries may have anything of another name; what begins with "__" is the
    compiler's."""

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
