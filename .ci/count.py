# SPDX-License-Identifier: Apache-2.0
"""Counts the tests in meson's log, down to the TAP subtests, and prints them as one line.

Exits with 1 if a test failed or no test ran.
"""

import json
import re
import sys

SUBTEST = re.compile(r"^(not )?ok\b[^#]*(?:#\s*(SKIP|TODO)\b)?", re.IGNORECASE)
GOOD = ("OK", "EXPECTEDFAIL")


def count_subtests(text):
    passed = failed = skipped = 0
    for line in text.splitlines():
        match = SUBTEST.match(line)
        if not match:
            continue
        if match.group(2):
            skipped += 1
        elif match.group(1):
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_test(test):
    """Returns (passed, failed, skipped) of one program, whether or not it prints TAP."""
    passed, failed, skipped = count_subtests(test.get("stdout") or "")
    result = test["result"]
    if result == "SKIP" and not passed + failed + skipped:
        skipped = 1
    elif result in GOOD and not passed + failed + skipped:
        passed = 1
    elif result not in GOOD + ("SKIP",) and not failed:
        failed = 1  # crashed, timed out, or broke its plan
    return passed, failed, skipped


def main(path):
    totals = [0, 0, 0]
    try:
        with open(path, encoding="utf-8") as log:
            for line in log:
                for i, n in enumerate(count_test(json.loads(line))):
                    totals[i] += n
    except (OSError, ValueError, KeyError) as error:
        print("No test log: %s" % error, file=sys.stderr)
    print("%d passed, %d failed, %d skipped" % tuple(totals))
    return 1 if totals[1] or not totals[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
