#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what tells one source of the bridge from another: the head of a hash of the named files.

It is part of the bridge's file name: a Strobe whose bridge has changed finds no older one.
"""

import hashlib
import sys

total = hashlib.sha256()
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        total.update(hashlib.sha256(file.read()).digest())
print(total.hexdigest()[:8], end="")
