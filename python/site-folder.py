# SPDX-License-Identifier: Apache-2.0
"""Prints the folder of Python modules for a prefix: the interpreter's own folder below the prefix,
if it has one.

Meson's answer for Debian is a folder in which the interpreter does not look for modules below
/usr/local.
"""

import site
import sys

prefix = sys.argv[1].rstrip("/")
local = "/usr/local"
for folder in site.getsitepackages():
    if folder.startswith(prefix + "/") and (prefix == local or not folder.startswith(local + "/")):
        break
else:
    folder = "%s/lib/python%d.%d/site-packages" % (prefix, *sys.version_info[:2])
print(folder)
