#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a test program with Python 3.12 or later: newer_python.py PROGRAM [ARGUMENT]...

The interpreter is STROBE_TEST_PYTHON313, or the first of the usual names that works.
"""

import os
import subprocess
import sys

NAMES = ('python3.13', 'python3.12', '/usr/bin/python3')
IS_NEWER = 'import sys; sys.exit(sys.version_info < (3, 12))'


def works(name):
    try:
        return subprocess.run([name, '-c', IS_NEWER], capture_output=True).returncode == 0
    except OSError:
        return False


def main():
    named = os.environ.get('STROBE_TEST_PYTHON313')
    if sys.version_info >= (3, 12) and not named:
        print('1..0 # SKIP the interpreter of all tests is that new')
        return
    for name in [named] if named else NAMES:
        if works(name):
            os.execvp(name, [name, *sys.argv[1:]])
    if named:
        sys.exit('STROBE_TEST_PYTHON313="%s" is no Python 3.12 or later' % named)
    print('1..0 # SKIP no Python 3.12 or later; STROBE_TEST_PYTHON313 names one')


main()
