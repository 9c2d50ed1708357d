# SPDX-License-Identifier: Apache-2.0
"""torch_library.py SOURCE LIBRARY: compiles a C++ file against the PyTorch of this interpreter, unless
the library is newer than the file and PyTorch. Tests and benchmarks need it for PyTorch from pip."""

import os
import pathlib
import shlex
import subprocess
import sys

ACCOUNT = 'libstrobe-test-account.so'


def is_fresh(library, *inputs):
    return os.path.exists(library) and all(
        os.path.getmtime(library) >= os.path.getmtime(path) for path in inputs)


def build(source, library):
    """Compiles to a temporary name and renames: nobody loads half a library."""
    import torch
    home = pathlib.Path(torch.__file__).parent
    if is_fresh(library, source, home / 'lib' / 'libtorch_cpu.so'):
        return
    fresh = '%s.%d' % (library, os.getpid())
    os.makedirs(os.path.dirname(os.path.abspath(library)), exist_ok=True)
    subprocess.run(
        [*shlex.split(os.environ.get('CXX') or 'c++'), '-std=c++17', '-O2', '-fPIC', '-shared',
         '-fvisibility=hidden', '-D_GLIBCXX_USE_CXX11_ABI=%d' % torch._C._GLIBCXX_USE_CXX11_ABI,
         '-isystem', home / 'include', '-isystem', home / 'include/torch/csrc/api/include',
         source, '-o', fresh, '-L%s' % (home / 'lib'), '-ltorch_cpu', '-lc10'], check=True)
    os.rename(fresh, library)


def find_account(plugins):
    """The library of memory/test-account.cpp for the PyTorch that a test runs with: the build makes
    that for the system's PyTorch, this function that for the interpreter STROBE_TEST_PYTHON."""
    python = os.environ.get('STROBE_TEST_PYTHON')
    if not python:
        return os.path.join(plugins, ACCOUNT)
    library = os.path.join(plugins, 'torch2', ACCOUNT)
    source = pathlib.Path(__file__).resolve().parent.parent / 'memory' / 'test-account.cpp'
    subprocess.run([python, __file__, source, library], check=True)
    return library


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build(*sys.argv[1:])
