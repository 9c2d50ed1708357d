#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks pages that name a test for each requirement: each test exists and runs.

The column `test` has the name of a test in meson, or the number of a functional test, and then the names
of its cases: t182 `test_run`, `test_exit`; formats-svp `config`; fuzz-reader. "(long)" follows a case
that runs only in the suite long.
"""

import ast
import functools
import json
import os
import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
INFO = pathlib.Path(os.environ.get("STROBE_BUILD") or TOP / "build").resolve() / "meson-info"
sys.path.insert(0, str(TOP / "tests"))
import tap  # noqa: E402

PAGES = {"svp-parity.md": 50, "ascend-parity.md": 400}  # the least number of rows of each page
STATES = ("works", "double", "otherwise", "partly", "missing")
NUMBERED = ["number", "item", "state", "test", "remark"]
DOUBLES = re.compile(r"^\| (\w[\w ]*) \| `([\w./-]+/[\w./-]+)` \|", re.M)
# A test, a case of it, or both. A case without a test belongs to the test named before.
NAMED = re.compile(r"(?:(?P<test>[a-z][\w-]*)\s*)?(?:`(?P<case>[a-z0-9][\w/-]*)`)?(?P<mark> \(long\))?")
BENCH = re.compile(r"`\./dev bench --only (\w+)`")
LONG = "long_test"


def tables_of(page):
    """The rows of each table, as (titles, cells)."""
    titles = None
    for line in (TOP / "docs" / page).read_text().splitlines():
        cells = [cell.strip().replace("\0", "|")
                 for cell in line.replace("\\|", "\0").strip().strip("|").split("|")]
        if not line.startswith("|"):
            titles = None
        elif titles is None:
            titles = cells
        elif not re.fullmatch(r"[|\s-]+", line):
            yield titles, cells


def rows_of(page):
    """The rows of the tables with tests, as dictionaries."""
    for titles, cells in tables_of(page):
        if "test" in titles:
            yield dict(zip(titles, cells, strict=True))


@functools.cache
def programs():
    """The source files of each program of the build."""
    targets = json.loads((INFO / "intro-targets.json").read_text())
    return {target["filename"][0]: [pathlib.Path(source) for group in target["target_sources"]
                                    for source in group.get("sources", ())]
            for target in targets if target["type"] == "executable"}


def sources_of(command):
    """The source files of a test, by its command."""
    for word, following in zip(command, [*command[1:], ""]):
        if word.endswith("functional/run.py"):
            return list((TOP / "tests" / "functional").glob("t%s-*.py" % following))
        if word.endswith("tests/run.py"):
            return [TOP / "python" / "tests" / (following.partition(".")[0] + ".py")]
        if re.search(r"/test-[\w-]+\.py$", word):
            return [pathlib.Path(word)]
    return programs().get(command[0], [])


@functools.cache
def run_tests():
    """The files of each test that runs, by its name, or by the number of a functional test."""
    found = {}
    for test in json.loads((INFO / "intro-tests.json").read_text()):
        name = re.sub(r"^(t\d{3})-.*", r"\1", test["name"])
        found[name] = sources_of(test["cmd"])
    return found


def cases_in_python(text):
    """Returns each case, and whether it runs only in the suite long."""
    functions = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)]
    return {each.name: any(LONG in ast.unparse(mark) for mark in each.decorator_list)
            for each in functions if each.name.startswith("test_")}


def cases_in_c(text):
    """The same for paths of GLib's tests, which macros put together."""
    texts = re.findall(r'"([\w/.-]+)"', text)
    folders = [each for each in texts if each.startswith("/") and each.endswith("/")]
    whole = [each for each in texts if each.startswith("/") and not each.endswith("/")]
    return dict.fromkeys(whole + [folder + each for folder in folders for each in texts], False)


@functools.cache
def cases_of(name):
    paths = run_tests()[name]
    headers = {header for path in paths if path.suffix == ".c" for header in path.parent.glob("test-*.h")}
    found = cases_in_c("\n".join(path.read_text() for path in [*paths, *headers] if path.suffix != ".py"))
    for path in paths:
        if path.suffix == ".py":
            found.update(cases_in_python(path.read_text()))
    return found


def find_case(name, case):
    """Does the case run only in the suite long? None: there is no such case."""
    for each, is_long in cases_of(name).items():
        if each == case or each.endswith("/" + case):
            return is_long
    return None


def tests_of(text):
    """Returns (test, case, whether the page says that it is long) for each test in a cell."""
    name = None
    for part in re.split(r"[,;]\s*", BENCH.sub("", text)):
        named = NAMED.fullmatch(part.strip())
        if not named:
            yield None, part, False
        elif named["test"] or named["case"]:
            name = named["test"] or name
            yield name, named["case"], bool(named["mark"])


def faults_of_tests(text):
    """The faults of the tests in a cell."""
    for bench in BENCH.findall(text):
        if '"%s": ' % bench not in (TOP / "bench" / "bench.py").read_text():
            yield "no benchmark %s" % bench
    for name, case, says_long in tests_of(text):
        if name not in run_tests():
            yield "%s %s: no test that runs" % (name, case)
        elif case is not None:
            is_long = find_case(name, case)
            if is_long is None:
                yield "%s has no case `%s`" % (name, case)
            elif is_long != says_long:
                yield "%s `%s` %s in the suite long alone" % (
                    name, case, "runs" if is_long else "does not run")


def faults_of_row(row, doubles):
    """The faults of a row, except for its number."""
    yield from faults_of_tests(row["test"])
    names_tests = bool(list(tests_of(row["test"])) or BENCH.search(row["test"]))
    state = row.get("state", "works")
    if state not in STATES:
        yield "state %r, expected one of %s" % (state, ", ".join(STATES))
    elif names_tests == (state == "missing"):
        yield "a row that is missing has a test" if names_tests else "no test"
    elif state not in ("works", "missing") and not row["remark"]:
        yield "no remark says what is other"
    elif state == "double" and not any(double in row["remark"] for double in doubles):
        yield "no remark names a double: one of %s" % ", ".join(doubles)


def faults_of_numbers(numbers):
    """The numbers of each prefix count from 1, in order and without gaps."""
    counted = {}
    for text in numbers:
        prefix, _, number = text.rpartition("-")
        if not prefix or number != "%02d" % (counted.get(prefix, 0) + 1):
            yield "%s: expected %s-%02d" % (text, prefix, counted.get(prefix, 0) + 1)
        counted[prefix] = counted.get(prefix, 0) + 1


@unittest.skipUnless(INFO.is_dir(), "no build: tests are not known")
class PagesTest(unittest.TestCase):
    maxDiff = None

    def test_rows(self):
        for page, least in PAGES.items():
            doubles = [name for name, _ in DOUBLES.findall((TOP / "docs" / page).read_text())]
            rows = list(rows_of(page))
            found = ["%s: %s" % (list(row.values())[0], fault) for row in rows
                     for fault in faults_of_row(row, doubles)]
            self.assertEqual(found, [], page)
            self.assertGreaterEqual(len(rows), least, page)

    def test_numbers(self):
        rows = list(rows_of("ascend-parity.md"))
        self.assertEqual({tuple(row) for row in rows}, {tuple(NUMBERED)})
        self.assertEqual(list(faults_of_numbers(row["number"] for row in rows)), [])

    def test_doubles_are_there(self):
        found = DOUBLES.findall((TOP / "docs" / "ascend-parity.md").read_text())
        self.assertGreater(len(found), 5)
        self.assertEqual([place for _, place in found if not (TOP / place).exists()], [])

    def test_counts(self):
        """The page's own counts of its rows by state."""
        states = [row["state"] for row in rows_of("ascend-parity.md")]
        text = (TOP / "docs" / "ascend-parity.md").read_text()
        stated = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", text, re.M))
        self.assertEqual(stated, {state: str(states.count(state)) for state in STATES})


@unittest.skipUnless(INFO.is_dir(), "no build: tests are not known")
class CheckTest(unittest.TestCase):
    """The checks find faults."""

    def fault(self, state="works", test="t182 `test_run`", remark=""):
        row = {"number": "X-01", "item": "x", "state": state, "test": test, "remark": remark}
        return list(faults_of_row(row, ["MSPTI"]))

    def test_sound_rows(self):
        self.assertEqual(self.fault(), [])
        self.assertEqual(self.fault("missing", ""), [])
        self.assertEqual(self.fault("double", remark="MSPTI"), [])
        self.assertEqual(self.fault(test="t182 `test_run`, `test_exit`; formats-svp `config`"), [])
        self.assertEqual(self.fault(test="python-parameters `test_switches`; db `tables/others`"), [])
        self.assertEqual(self.fault(test="gc `test_threshold`; `./dev bench --only board_calls`"), [])
        self.assertEqual(self.fault(test="t182; fuzz-reader, host_items `threads`"), [])

    def test_faults(self):
        for wrong in ({"state": "done"}, {"test": ""}, {"state": "missing"}, {"state": "partly"},
                      {"state": "double", "remark": "a double"}, {"test": "t182 `test_no_such`"},
                      {"test": "t999 `test_run`"}, {"test": "db `tables/no-such`"},
                      {"test": "t182 `test_run` (long)"}, {"test": "t182 `test_kill_at_any_moment`"},
                      {"test": "`test_run`"}, {"test": "fuzz-nothing"}, {"test": "`a b`"}, {"test": "`./dev bench --only no_such`"}):
            self.assertEqual(len(self.fault(**wrong)), 1, wrong)

    def test_wrong_numbers(self):
        self.assertEqual(list(faults_of_numbers(["A-01", "A-02", "B-01"])), [])
        for numbers in (["A-02"], ["A-01", "A-03"], ["A-01", "A-01"], ["7"]):
            self.assertTrue(list(faults_of_numbers(numbers)), numbers)


if __name__ == "__main__":
    tap.main()
