#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the way to each folder from the first one: FROM FOLDER..., one a line."""

import os
import sys

for folder in sys.argv[2:]:
    print(os.path.relpath(folder, sys.argv[1]))
