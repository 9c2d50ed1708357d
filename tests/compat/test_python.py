# SPDX-License-Identifier: Apache-2.0
"""Python programs, one for each feature: cases.py CASE."""

import pathlib

from matrix import NEEDS_ROOT, PYTHON, SCRIPT, Case, MatrixTest, add_cases, can_unshare
from support import has_torch, needs_python

SCRIPT_FILE = str(pathlib.Path(__file__).with_name("cases.py"))
# Addresses, and the list of loaded extensions, which contains Strobe's.
DUMP = r"0x[0-9a-f]+|\nExtension modules: strobe\._strobe \(total: 1\)\n"


def script(name, sets=SCRIPT, quick=("python",), **options):
    return Case([PYTHON, SCRIPT_FILE, name], sets, quick=quick, **options)


CASES = {
    "state": script("state", calls=2000),
    "close descriptors": script("close descriptors", calls=4000),
    "few descriptors": script("few descriptors", calls=2000),
    "keeps capabilities": script("keeps capabilities", quick=(), calls=4000, skip=NEEDS_ROOT),
    "user namespace": script("user namespace", calls=4000, skip=can_unshare("--user")),
    "threads": script("threads", quick=(), calls=8000),
    "fork": script("fork", calls=4000),
    "exec": script("exec", quick=()),
    "daemon": script("daemon", quick=()),
    "pool by fork": script("pool by fork"),
    "pool by spawn": script("pool by spawn", quick=()),
    "pool by forkserver": script("pool by forkserver", quick=()),
    "data loader": script("data loader", ("default", "python", "all", "own-profile"), quick=(),
                          skip=None if has_torch() else "no PyTorch"),
    "asyncio": script("asyncio"),
    "fault handler": script("fault handler", calls=2000, unstable=DUMP),
    "profiling timer": script("profiling timer", quick=()),
    "own hooks": script("own hooks", quick=()),
    "error": script("error", quick=(), calls=2000),
    "leave at once": script("leave at once", calls=2000),
}


@needs_python
class PythonTest(MatrixTest):
    """The cases of the table above."""


add_cases(PythonTest, CASES)
