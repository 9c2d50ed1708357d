# SPDX-License-Identifier: Apache-2.0
"""Runs the unittest tests of the program that calls it and prints TAP."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "functional"))
from run import TapResult  # noqa: E402


def main():
    """All tests of __main__; `-k TEXT`: only those with TEXT in their name."""
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "-k":
        unittest.defaultTestLoader.testNamePatterns = ["*%s*" % arguments[1]]
    elif arguments:
        sys.exit("usage: %s [-k TEXT]" % sys.argv[0])
    suite = unittest.defaultTestLoader.loadTestsFromName("__main__")
    if not suite.countTestCases():
        sys.exit("Bail out! No test has that name")
    print("TAP version 13")
    result = TapResult()
    suite.run(result)
    print("1..%d" % result.number)
    sys.exit(0 if result.wasSuccessful() else 1)
