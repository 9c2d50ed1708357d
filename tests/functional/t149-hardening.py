# SPDX-License-Identifier: Apache-2.0
"""The build options of the installed programs and libraries, as `readelf` shows them."""

import json
import pathlib
import platform
import re
import subprocess
import unittest

from support import BUILD, TOP

MAP = TOP / "core" / "libstrobe.map"
LINKED = ("executable", "shared library", "shared module")
HEADER = TOP / "core" / "include" / "strobe" / "strobe.h"
# Processors for which the compiler guards jumps, and the property of a file that shows this.
GUARDS = {"x86_64": "IBT, SHSTK", "aarch64": "BTI"}


def readelf(flags, path):
    return subprocess.run(["readelf", "-W", flags, path], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True, timeout=60).stdout


def introspect(what):
    return json.loads((BUILD / "meson-info" / ("intro-%s.json" % what)).read_text())


def installed_files():
    """Strobe's own installed programs and libraries."""
    return [pathlib.Path(target["filename"][0]) for target in introspect("targets")
            if target["installed"] and target["type"] in LINKED]


def build_option(name):
    return {option["name"]: option["value"] for option in introspect("buildoptions")}[name]


def symbols(path):
    """The dynamic symbols as (name with version, is defined)."""
    for line in readelf("--dyn-syms", path).splitlines():
        words = line.split()
        if len(words) >= 8 and words[0][:-1].isdigit():
            yield words[7], words[6] != "UND"


class HardeningTest(unittest.TestCase):
    def each(self):
        files = installed_files()
        self.assertIn("strobe", [path.name for path in files])
        for path in files:
            with self.subTest(path.name):
                yield path

    def test_relocations_are_read_only(self):
        for path in self.each():
            self.assertIn("GNU_RELRO", readelf("-l", path))
            self.assertRegex(readelf("-d", path), r"\(FLAGS_1\) .*\bNOW\b")

    def test_no_memory_is_writable_and_executable(self):
        for path in self.each():
            segments = readelf("-l", path)
            self.assertRegex(segments, r"GNU_STACK .* RW +0x")
            self.assertNotRegex(segments, r"LOAD .* RWE ")
            self.assertNotIn("TEXTREL", readelf("-d", path))

    def of_all(self, pattern):
        """The files that use a function of the C library with a matching name."""
        return {path.name for path in installed_files()
                if any(re.match(pattern, name) for name, is_defined in symbols(path) if not is_defined)}

    @unittest.skipIf(build_option("b_sanitize") != "none", "a sanitizer checks by itself")
    @unittest.skipIf(build_option("optimization") in ("0", "plain"), "needs an optimizer")
    def test_calls_are_checked(self):
        checked = self.of_all(r"__\w+_chk@")
        for name in ("strobe", "libstrobe.so", "host_sys.so", "ascend_raw.so", "csv.so", "db.so"):
            self.assertTrue([each for each in checked if each.startswith(name)], (name, checked))

    def test_stacks_are_guarded(self):
        guarded = self.of_all("__stack_chk_fail@")
        for name in ("strobe", "libstrobe.so", "host_sys.so", "ascend_raw.so", "csv.so", "db.so",
                     "libstrobe-preload.so", "_strobe.abi3.so"):
            self.assertTrue([each for each in guarded if each.startswith(name)], (name, guarded))

    def test_jumps_are_guarded(self):
        """Checked in the static library, because a linked file has the property only if the C
        library's parts have it."""
        guard = GUARDS.get(platform.machine())
        if not guard:
            self.skipTest("not known to have it")
        (library,) = [target["filename"][0] for target in introspect("targets")
                      if target["name"] == "strobe-sdk"]
        notes = readelf("-n", library).split("\nFile: ")[1:]
        self.assertGreater(len(notes), 10)
        self.assertEqual([each.split("\n")[0] for each in notes if guard not in each], [])


class VersionsTest(unittest.TestCase):
    """The map lists exactly the functions that the headers declare and the file exports."""

    def in_map(self):
        text = MAP.read_text()
        return {symbol: version for version, body in re.findall(r"(\w+) \{(.*?)\}", text, re.S)
                for symbol in re.findall(r"^ +(\w+);$", body, re.M)}

    def library(self):
        (path,) = [path for path in installed_files() if path.name.startswith("libstrobe.so")]
        return path

    def test_each_symbol_has_the_version_of_the_map(self):
        exported = dict(name.split("@@") for name, is_defined in symbols(self.library())
                        if is_defined and name.startswith("strobe_"))
        self.assertEqual(exported, self.in_map())

    def test_public_symbols_are_those_of_the_header(self):
        declared = set(re.findall(r"STROBE_API[^;(]*?\b(strobe_\w+)\s*[;(]", HEADER.read_text()))
        public = {name for name, version in self.in_map().items() if version != "STROBE_PRIVATE"}
        self.assertTrue(declared)
        self.assertEqual(declared, public)

    def test_users_are_bound_to_versions(self):
        (module,) = [path for path in installed_files() if path.name.startswith("_strobe.")]
        used = {name for name, is_defined in symbols(module)
                if not is_defined and name.startswith("strobe_")}
        self.assertTrue(used)
        self.assertEqual([name for name in used if "@STROBE_" not in name], [])
