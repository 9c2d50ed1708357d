# SPDX-License-Identifier: Apache-2.0
"""torch_library.py SOURCE LIBRARY: compiles a C++ file against the PyTorch of this interpreter, unless
the library is newer than the file and PyTorch. Tests and benchmarks need it for PyTorch from pip."""

import os
import shlex
import subprocess
import sys

import torch

HOME = os.path.dirname(os.path.abspath(torch.__file__))
INCLUDE = os.path.join(HOME, 'include')
LIBRARIES = os.path.join(HOME, 'lib')


def is_fresh(library, *inputs):
    return os.path.exists(library) and all(
        os.path.getmtime(library) >= os.path.getmtime(path) for path in inputs)


def build(source, library):
    """Compiles to a temporary name and renames: nobody loads half a library."""
    if is_fresh(library, source, os.path.join(LIBRARIES, 'libtorch_cpu.so')):
        return
    fresh = '%s.%d' % (library, os.getpid())
    os.makedirs(os.path.dirname(os.path.abspath(library)), exist_ok=True)
    subprocess.run([*shlex.split(os.environ.get('CXX') or 'c++'), '-std=c++17', '-O2', '-fPIC', '-shared',
                    '-fvisibility=hidden', '-D_GLIBCXX_USE_CXX11_ABI=%d' % torch._C._GLIBCXX_USE_CXX11_ABI,
                    '-isystem', INCLUDE, '-isystem', os.path.join(INCLUDE, 'torch/csrc/api/include'),
                    source, '-o', fresh, '-L' + LIBRARIES, '-ltorch_cpu', '-lc10'], check=True)
    os.rename(fresh, library)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build(*sys.argv[1:])
