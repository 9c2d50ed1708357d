#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""relative-path.py FROM FOLDER...: prints the path of each FOLDER relative to FROM, each on a line."""

import os
import sys

for folder in sys.argv[2:]:
    print(os.path.relpath(folder, sys.argv[1]))
