#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the id of the bridge's source: the begin of a hash of the named files. The id is part of
the bridge's file name, so a Strobe whose source of the bridge has changed does not find an older
bridge.
"""

import hashlib
import sys

total = hashlib.sha256()
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        total.update(hashlib.sha256(file.read()).digest())
print(total.hexdigest()[:8], end="")
