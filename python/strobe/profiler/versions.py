# SPDX-License-Identifier: Apache-2.0
"""The versions of torch_npu and CANN in profiler_info.json."""

import functools
import os
import re
import sys

_INSTALLED = re.compile(r"ascend_.*_install\.info")
_TOOLKIT = "ascend_toolkit_install.info"
_DEPTH_MAX = 3  # below ASCEND_HOME_PATH; a whole CANN has 100,000 files


def torch_npu_version():
    """The version of the imported torch_npu; N/A if it is not imported."""
    version = getattr(sys.modules.get("torch_npu"), "__version__", None)
    return re.sub("[' ]", "", version) if isinstance(version, str) else "N/A"


def cann_version():
    """The version in the files that CANN's installer wrote below ASCEND_HOME_PATH."""
    return _cann_version_below(os.environ.get("ASCEND_HOME_PATH", ""))


@functools.lru_cache(maxsize=1)
def _cann_version_below(home):
    notes = _notes_below(os.path.realpath(home)) if home else []
    for path in sorted(notes, key=lambda path: os.path.basename(path) != _TOOLKIT):
        version = _version_in(path)
        if version:
            return version
    return "not known"


def _notes_below(home):
    """The installer's files; the files in the outermost folders come first."""
    found = []
    for folder, folders, names in os.walk(home):
        if os.path.relpath(folder, home).count(os.sep) + 1 >= _DEPTH_MAX:
            folders.clear()
        folders.sort()
        found += [os.path.join(folder, name) for name in sorted(names) if _INSTALLED.match(name)]
    return found


def _version_in(path):
    """The value of the first line `version=...`."""
    try:
        with open(path, errors="replace") as file:
            for line in file:
                name, _, value = line.strip().partition("=")
                if name.strip() == "version":
                    return value.strip()
    except OSError:  # the file was removed meanwhile, or this user may not read it
        pass
    return None
