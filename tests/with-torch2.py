#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a Python test with the PyTorch of pip: with-torch2.py VENV SCRIPT [ARGUMENT]...

Without the environment VENV the test is skipped, unless STROBE_REQUIRE lists "torch2". A test that
starts Python programs finds the interpreter in STROBE_TEST_PYTHON.
"""

import os
import sys


def main(venv, *command):
    python = os.path.join(os.path.abspath(venv), "bin", "python")
    if os.access(python, os.X_OK):
        os.environ["STROBE_TEST_PYTHON"] = python
        # Meson puts folders of the build here; one of them has a test double of libc10.
        os.environ.pop("LD_LIBRARY_PATH", None)
        os.execv(python, [python, *command])
    if "torch2" in os.environ.get("STROBE_REQUIRE", "").split(","):
        sys.exit('Bail out! "%s" is missing: see tests/make-torch2.py' % python)
    print("1..0 # SKIP PyTorch 2 from pip is not installed in %s" % venv)


if __name__ == "__main__":
    main(*sys.argv[1:])
