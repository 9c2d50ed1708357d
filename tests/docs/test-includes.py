#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the graph of includes: it has no cycle, and no file includes a file of a folder that it
may not include.

A unit is X.h with X.c and X-inline.h. If several folders have a file of the included name, the one in
the nearest folder that may be included counts."""

import collections
import pathlib
import re
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

# For each folder, the other folders whose files its files may include. core/ has a separate table.
MAY_INCLUDE = {
    "sdk": ["sdk"],
    "formats": ["sdk", "formats"],
    "core": ["core", "sdk"],
    "plugins": ["sdk", "formats", "plugins/torch_bridge"],
    "exporters": ["sdk", "formats", "exporters/gzip", "exporters/memory_flow", "exporters/page_text",
                  "exporters/passes/id_index", "exporters/passes/id_rows",
                  "exporters/passes/nesting", "exporters/passes/path_nodes",
                  "exporters/passes/sorted_values", "exporters/passes/statistic",
                  "exporters/path_sources", "exporters/svp", "exporters/trace_text"],
    "board": ["board", "core", "sdk", "formats"],
    "remote": ["remote", "core", "sdk"],
    "tools": ["tools", "remote", "core", "sdk", "formats", "exporters/page_text",
              "exporters/passes/nesting"],
    "python": ["python", "core", "sdk", "plugins/cpu_op", "plugins/marker"],
    "bench": ["bench", "core", "sdk", "formats", "exporters/chrome_trace", "exporters/trace_text"],
}
# Folders whose files meson compiles into the module of another folder.
SHARED = {
    "plugins/ascend_raw": ["plugins/ascend_db", "plugins/ascend_text"],
}
# Only for tests and benchmarks: the mock hosts, and the test doubles of vendors' libraries.
OF_TESTS = ("exporters/fixture", "sdk/check", "tests")

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
PART = re.compile(r"'[\w-]+': \[(\w+), *\s*\[([^\]]*)\]\]")


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def unit_of(path):
    stem = path.rsplit(".", 1)[0]
    return stem[:-len("-inline")] if stem.endswith("-inline") else stem


class Tree:
    """The sources below a folder, and the units that each unit includes."""

    def __init__(self, top):
        self.top = top
        self.files = sorted(
            str(path.relative_to(top)) for folder in MAY_INCLUDE
            for path in (top / folder).rglob("*") if path.suffix in (".c", ".h", ".cpp"))
        self.by_name = collections.defaultdict(list)
        for path in self.files:
            self.by_name[path.rsplit("/", 1)[1]].append(path)
        self.parts = self.read_parts()
        self.includes = [(path, found) for path in self.files
                         for name in INCLUDE.findall((top / path).read_text(errors="replace"))
                         for found in [self.find(path, name)] if found]
        self.edges = collections.defaultdict(dict)  # unit: {unit: (file, included file)}
        for path, found in self.includes:
            if unit_of(path) != unit_of(found):
                self.edges[unit_of(path)].setdefault(unit_of(found), (path, found))

    def read_parts(self):
        """For each part of core/, the parts that it may include, from core/meson.build. A folder
        may have several libraries."""
        table = self.top / "core" / "meson.build"
        parts = collections.defaultdict(set)
        for variable, used in PART.findall(table.read_text()) if table.exists() else ():
            for build in self.top.glob("core/*/meson.build"):
                if re.search(r"^%s\b" % variable, build.read_text(), re.MULTILINE):
                    parts[build.parent.name] |= set(re.findall(r"'(\w+)", used))
        return parts

    def find(self, path, name):
        """The file to which an include refers; None if it is no file of the tree."""
        folder = self.top / path.rsplit("/", 1)[0]
        if (folder / name).exists():
            return str((folder / name).resolve().relative_to(self.top.resolve()))
        found = [other for other in self.by_name[name.rsplit("/", 1)[-1]]
                 if other.endswith("/" + name)
                 and (name.startswith("strobe/") or "/include/" not in other)]
        return min(found, key=lambda other: (not self.may_include(path, other),
                                             -self.n_common(path, other)), default=None)

    @staticmethod
    def n_common(path, other):
        n = 0
        for a, b in zip(path.split("/"), other.split("/")):
            if a != b:
                break
            n += 1
        return n

    def may_include(self, path, found):
        top, folder = path.split("/")[0], path.rsplit("/", 1)[0]
        of_tests = next((one for one in OF_TESTS if is_below(found, one)), None)
        if of_tests and not is_below(path, of_tests):
            return top != "core" and (top == "bench" or "/test-" in path)
        if found.startswith("core/") and path.startswith("core/"):
            part, used = path.split("/")[1], found.split("/")[1]
            return part == used or used == "include" or used in self.parts[part]
        allowed = [folder, *MAY_INCLUDE[top], *SHARED.get(folder, ())]
        return any(is_below(found, one) for one in allowed)

    def upward_includes(self):
        return ["%s includes %s" % (path, found) for path, found in self.includes
                if not self.may_include(path, found)]

    def ring_from(self, first, banned):
        """The shortest ring of units through a unit; None if there is none."""
        before, queue = {}, collections.deque([first])
        while queue:
            unit = queue.popleft()
            for other in sorted(self.edges.get(unit, ())):
                if other == first:
                    ring = [unit]
                    while ring[-1] != first:
                        ring.append(before[ring[-1]])
                    return ring[::-1]
                if other not in before and other not in banned:
                    before[other] = unit
                    queue.append(other)
        return None

    def rings(self):
        """Rings without a common unit, each as a text with its edges."""
        banned, texts = set(), []
        for unit in sorted(self.edges):
            ring = None if unit in banned else self.ring_from(unit, banned)
            if not ring:
                continue
            banned.update(ring)
            texts.append("a circle:" + "".join(
                "\n  %s includes %s" % self.edges[a][b]
                for a, b in zip(ring, ring[1:] + ring[:1])))
        return texts


class IncludesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = Tree(TOP)

    def test_no_circle(self):
        rings = self.tree.rings()
        self.assertFalse(rings, "\n".join(rings))

    def test_nothing_from_above(self):
        upward = self.tree.upward_includes()
        self.assertFalse(upward, "\n".join(upward))

    def test_the_parts_of_core(self):
        """The table has all folders, and every part is above the parts that it includes."""
        folders = {path.split("/")[1] for path in self.tree.files if path.startswith("core/")}
        self.assertEqual(folders - {"include"}, set(self.tree.parts))
        left = {part: used - {part} for part, used in self.tree.parts.items()}
        while left:
            lowest = {part for part, used in left.items() if not used}
            self.assertTrue(lowest, "a circle among the parts %s" % sorted(left))
            left = {part: used - lowest for part, used in left.items() if part not in lowest}


class MadeTreeTest(unittest.TestCase):
    """The check finds the faults that it is made for."""

    def make(self, more=None):
        files = {
            "core/meson.build": "x = {\n 'base': [base_sources, ['base']],\n"
                                " 'top': [top_sources,\n  ['base', 'top']],\n}\n",
            "core/base/meson.build": "base_sources = files('low.c')\n",
            "core/top/meson.build": "top_sources = files('high.c')\n",
            "core/base/low.h": "", "core/base/low.c": '#include "low.h"\n',
            "core/top/high.h": '#include "low.h"\n',
            "sdk/check/mock.h": "", "sdk/include/strobe/kinds.h": "",
            "plugins/one/a.h": "#include <strobe/kinds.h>\n",
            "plugins/one/a.c": '#include "a.h"\n', "plugins/one/b.h": '#include "a.h"\n',
            "plugins/one/test-a.c": '#include "mock.h"\n',
        }
        files.update(more or {})
        work = tempfile.TemporaryDirectory(prefix="strobe-includes-")
        self.addCleanup(work.cleanup)
        for name, text in files.items():
            path = pathlib.Path(work.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Tree(pathlib.Path(work.name))

    def check_upward(self, name, include, found):
        tree = self.make({name: '#include "%s"\n' % include})
        self.assertEqual(tree.upward_includes(), ["%s includes %s" % (name, found)])

    def test_good_tree(self):
        tree = self.make()
        self.assertEqual((tree.rings(), tree.upward_includes()), ([], []))

    def test_circle_over_sources(self):
        tree = self.make({"plugins/one/a.c": '#include "c.h"\n', "plugins/one/c.h": "",
                          "plugins/one/c-inline.h": '#include "b.h"\n'})
        self.assertEqual(tree.rings(), [
            "a circle:\n  plugins/one/a.c includes plugins/one/c.h\n"
            "  plugins/one/c-inline.h includes plugins/one/b.h\n"
            "  plugins/one/b.h includes plugins/one/a.h"])

    def test_plugin_includes_core(self):
        self.check_upward("plugins/one/d.c", "low.h", "core/base/low.h")

    def test_plugin_includes_another(self):
        self.check_upward("plugins/two/d.c", "a.h", "plugins/one/a.h")

    def test_core_includes_plugin(self):
        self.check_upward("core/base/low.c", "../../plugins/one/a.h", "plugins/one/a.h")

    def test_product_includes_mock_host(self):
        self.check_upward("core/top/high.c", "mock.h", "sdk/check/mock.h")
        self.check_upward("plugins/one/d.c", "mock.h", "sdk/check/mock.h")

    def test_part_of_core_includes_upwards(self):
        self.check_upward("core/base/low.c", "high.h", "core/top/high.h")


if __name__ == "__main__":
    tap.main()
