# SPDX-License-Identifier: Apache-2.0
"""Runs unittest modules of this folder, and prints the results as TAP: run.py
[MODULE[.CLASS[.TEST]]]..."""

import os
import sys
import unittest

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(_HERE, "..", "..", "tests"))
import tap  # noqa: E402


def _names(arguments):
    if arguments:
        return arguments
    names = sorted(os.listdir(_HERE))
    return [name[:-3] for name in names if name.startswith("test_") and name.endswith(".py")]


def main():
    """Makes the folders of PYTHONPATH absolute, since tests run scripts in other folders."""
    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(os.path.abspath(each) for each in folders if each)
    sys.path.insert(0, _HERE)
    return tap.run(unittest.defaultTestLoader.loadTestsFromNames(_names(sys.argv[1:])))


if __name__ == "__main__":
    sys.exit(main())
