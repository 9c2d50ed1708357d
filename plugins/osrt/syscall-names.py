#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of system call names by number from the macros of <sys/syscall.h>, which the
compiler prints.

    syscall-names.py OUTPUT COMPILER...
"""

import re
import subprocess
import sys


def main():
    output, compiler = sys.argv[1], sys.argv[2:]
    macros = subprocess.run(
        compiler + ["-E", "-dM", "-include", "sys/syscall.h", "-xc", "/dev/null"],
        check=True, capture_output=True, text=True,
    ).stdout
    calls = sorted(set(re.findall(r"^#define (__NR_([a-z]\w*)) \d+$", macros, re.M)))
    with open(output, "w", encoding="utf-8") as file:
        for macro, name in calls:
            file.write('[%s] = "%s",\n' % (macro, name))


main()
