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
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import tap  # noqa: E402


def load(path):
    """Loads a test file as a module. Its name has a dash, so `import` cannot load it."""
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
    tap.select(arguments.pattern)
    suite = unittest.TestSuite(
        unittest.defaultTestLoader.loadTestsFromModule(load(path)) for path in files
    )
    return tap.run(suite)


if __name__ == "__main__":
    sys.exit(main())
