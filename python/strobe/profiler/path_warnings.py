# SPDX-License-Identifier: Apache-2.0
"""Warns of paths that torch_npu's manuals do not allow. Strobe accepts these paths, but other tools
may refuse them, so Strobe gives a Python warning with torch_npu's text."""

import os
import re
import warnings

_PATH_MAX = 4096
_NAME_MAX = 255
_USUAL = re.compile(r"[./_~\s0-9A-Za-z\u4e00-\u9fa5-]*")


def warn_of_path(given):
    """Warns of a user's directory; `given` is the path before any conversion."""
    path = os.path.expanduser(given)
    if os.path.islink(path):
        _warn("Invalid input path is a symbolic link: %s" % path)
    path = os.path.realpath(path)
    if len(path) > _PATH_MAX or any(len(name) > _NAME_MAX for name in path.split("/")):
        _warn("Length of input path exceeds the limit.")
    if not _USUAL.fullmatch(path):
        _warn("Invalid input path: %s" % path)


def warn_of_permission(path, mode):
    """Warns of an existing directory to which this process does not have the access `mode`
    (os.access)."""
    if os.path.exists(path) and not os.access(path, mode):
        _warn("The path permission check failed: %s" % path)


def _warn(text):
    warnings.warn(text, stacklevel=6)
