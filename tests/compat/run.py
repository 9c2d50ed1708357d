#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the compatibility tests and prints TAP.

    tests/compat/run.py                    all of them
    tests/compat/run.py programs -k exec   those of test_programs.py with "exec" in their name

The build folder is STROBE_BUILD or build/ at the top of the tree.
"""

import argparse
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "functional")]
import tap  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as programs")
    parser.add_argument("-k", dest="pattern", help="only tests with this in their name")
    arguments = parser.parse_args()
    tap.select(arguments.pattern)
    names = arguments.names or sorted(path.stem[5:] for path in HERE.glob("test_*.py"))
    return tap.run(
        unittest.defaultTestLoader.loadTestsFromNames("test_" + name for name in names)
    )


if __name__ == "__main__":
    sys.exit(main())
