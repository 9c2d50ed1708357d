# SPDX-License-Identifier: Apache-2.0
"""Runs unittest modules of this folder and reports in TAP: run.py [MODULE[.CLASS[.TEST]]]..."""

import os
import sys
import traceback
import unittest

_HERE = os.path.dirname(os.path.abspath(__file__))


class _TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self._failures_of = {}  # a test with subtests has one line

    def _line(self, test, good, note=""):
        print("%s %d - %s%s" % ("ok" if good else "not ok", self.testsRun, test.id(), note))
        sys.stdout.flush()

    def _tell(self, error):
        for line in "".join(traceback.format_exception(*error)).splitlines():
            print("# " + line)

    def addSuccess(self, test):
        failed = self._failures_of.pop(test.id(), False)
        self._line(test, not failed)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            print("# " + str(subtest))
            self._tell(error)
            self._failures_of[test.id()] = True

    def stopTest(self, test):
        if self._failures_of.pop(test.id(), False):
            self._line(test, False)
        super().stopTest(test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._tell(error)
        self._line(test, False)

    addError = addFailure

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._line(test, True, " # SKIP " + reason)

    def addExpectedFailure(self, test, error):
        self._line(test, True, " # TODO expected failure")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._line(test, False)


def _names(arguments):
    if arguments:
        return arguments
    names = sorted(os.listdir(_HERE))
    return [name[:-3] for name in names if name.startswith("test_") and name.endswith(".py")]


def main():
    sys.path.insert(0, _HERE)
    suite = unittest.defaultTestLoader.loadTestsFromNames(_names(sys.argv[1:]))
    print("1..%d" % suite.countTestCases())
    result = _TapResult()
    suite.run(result)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
