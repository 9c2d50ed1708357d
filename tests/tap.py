# SPDX-License-Identifier: Apache-2.0
"""Runs unittest tests and prints TAP: the one runner of all tests in Python."""

import os
import signal
import sys
import traceback
import unittest


# A test that takes long runs in the suite `long` alone.
_IS_LONG = bool(os.environ.get("STROBE_TEST_LONG"))
long_test = unittest.skipUnless(_IS_LONG, "runs in the suite long")
# A test in which PyTorch's version matters little runs with each in the suite `long`, else with the system's.
once_test = unittest.skipIf(os.environ.get("STROBE_TEST_PYTHON") and not _IS_LONG,
                            "runs with the PyTorch of pip in the suite long")  # fmt: skip


def chosen(whole, few):
    """All of a test's cases in the suite `long`; else a few of them."""
    return whole if _IS_LONG else few


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
        """To stderr too: of a failed test meson prints that alone."""
        details = "".join(traceback.format_exception(*error))
        self._line("not ok", test, details=details)
        print(details, end="", file=sys.stderr, flush=True)

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


def select(pattern):
    """Only tests with this in their name from now on; None: all."""
    if pattern:
        unittest.defaultTestLoader.testNamePatterns = ["*%s*" % pattern]


def heed_signals():
    """Whoever runs tests in the background of a shell has INT and QUIT ignored, below nohup HUP
    too; what the tests start would inherit that."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def run(suite):
    """Runs the tests and returns the exit code: 2 when there are none."""
    if not suite.countTestCases():
        print("Bail out! No test has that name")
        return 2
    heed_signals()
    print("TAP version 13")
    result = TapResult()
    suite.run(result)
    print("1..%d" % result.number)
    return 0 if result.wasSuccessful() else 1


def main():
    """All tests of __main__; `-k TEXT`: only those with TEXT in their name."""
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "-k":
        select(arguments[1])
    elif arguments:
        sys.exit("usage: %s [-k TEXT]" % sys.argv[0])
    sys.exit(run(unittest.defaultTestLoader.loadTestsFromName("__main__")))
