# SPDX-License-Identifier: Apache-2.0
"""Runs unittest tests and prints TAP. All Python tests use this runner."""

import os
import signal
import sys
import traceback
import unittest


# A long test, which runs only in the suite `long`.
_IS_LONG = bool(os.environ.get("STROBE_TEST_LONG"))
long_test = unittest.skipUnless(_IS_LONG, "runs in the suite long")
# A test for which PyTorch's version matters little: it runs with each version in the suite `long`,
# and otherwise only with the system's.
once_test = unittest.skipIf(os.environ.get("STROBE_TEST_PYTHON") and not _IS_LONG,
                            "runs with the PyTorch of pip in the suite long")  # fmt: skip


def chosen(whole, few):
    """Returns all of a test's cases in the suite `long`; otherwise a few of them."""
    return whole if _IS_LONG else few


class TapResult(unittest.TestResult):
    """Prints one line for each test, and after it its diagnostics as comments."""

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
        """Prints the failure to stderr too, because meson prints only stderr of a failed test."""
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
    """From now on runs only tests with this text in their name; None: all."""
    if pattern:
        unittest.defaultTestLoader.testNamePatterns = ["*%s*" % pattern]


def heed_signals():
    """Restores default signal handling. If the tests run in the background of a shell, INT and QUIT
    are ignored, and below nohup HUP too; programs that the tests start would inherit that."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def run(suite):
    """Runs the tests. Returns the exit code: 2 if there are no tests."""
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
    """Runs all tests of __main__; with `-k TEXT` only those with TEXT in their name."""
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "-k":
        select(arguments[1])
    elif arguments:
        sys.exit("usage: %s [-k TEXT]" % sys.argv[0])
    sys.exit(run(unittest.defaultTestLoader.loadTestsFromName("__main__")))
