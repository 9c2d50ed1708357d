#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests of the strobe command and prints TAP.

    tests/functional/run.py                all tests
    tests/functional/run.py 003 011        those of t003-*.py and t011-*.py
    tests/functional/run.py 003 -k usr1    those of them with "usr1" in their name

The build folder is STROBE_BUILD or build/ at the top of the tree.
"""

import argparse
import importlib.util
import pathlib
import sys
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class TapResult(unittest.TestResult):
    """One line a test, its diagnostics as comments behind it."""

    def __init__(self):
        super().__init__()
        self.number = 0

    def _line(self, word, test, note="", details=""):
        self.number += 1
        print("%s %d - %s%s" % (word, self.number, test.id(), note))
        for line in details.splitlines():
            print("#", line)
        sys.stdout.flush()

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line("ok", test)

    def _fail(self, test, error):
        self._line("not ok", test, details="".join(traceback.format_exception(*error)))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fail(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._fail(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self._fail(subtest, err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._line("ok", test, " # SKIP %s" % reason.replace("\n", " "))


def load(path):
    """A test file as a module; its name has a dash, which import does not take."""
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="*", metavar="NNN", help="such as 003")
    parser.add_argument("-k", dest="pattern", help="only tests with this in their name")
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE))
    files = sorted(
        path
        for path in HERE.glob("t[0-9][0-9][0-9]-*.py")
        if not arguments.numbers or path.name[1:4] in arguments.numbers
    )
    if arguments.pattern:
        pattern = arguments.pattern
        unittest.defaultTestLoader.testNamePatterns = ["*%s*" % pattern]
    suite = unittest.TestSuite(
        unittest.defaultTestLoader.loadTestsFromModule(load(path)) for path in files
    )
    count = suite.countTestCases()
    if not count:
        print("Bail out! No test has that number or name")
        return 2
    print("TAP version 13")
    result = TapResult()
    suite.run(result)
    print("1..%d" % result.number)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
