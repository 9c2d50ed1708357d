# SPDX-License-Identifier: Apache-2.0
"""torch_library.py SOURCE FOLDER [OPTION...]: compiles a C++ file against the PyTorch of this interpreter and prints
the path of the library, which has the version in its name. Nothing is compiled where the library is newer
than the file and PyTorch. Tests and benchmarks need it for PyTorch from pip."""

import os
import pathlib
import shlex
import subprocess
import sys


def is_fresh(library, *inputs):
    return os.path.exists(library) and all(
        os.path.getmtime(library) >= os.path.getmtime(path) for path in inputs)


def build(source, folder, *options):
    """Compiles to a temporary name and renames, so that the library appears whole. Returns its path."""
    import torch
    home = pathlib.Path(torch.__file__).parent
    library = os.path.join(folder, '%s-%s.so' % (pathlib.Path(source).stem, torch.__version__))
    if is_fresh(library, source, home / 'lib' / 'libtorch_cpu.so'):
        return library
    fresh = '%s.%d' % (library, os.getpid())
    subprocess.run(
        [*shlex.split(os.environ.get('CXX') or 'c++'), '-std=c++17', '-O2', '-fPIC', '-shared',
         '-fvisibility=hidden', '-D_GLIBCXX_USE_CXX11_ABI=%d' % torch._C._GLIBCXX_USE_CXX11_ABI,
         '-isystem', home / 'include', '-isystem', home / 'include/torch/csrc/api/include',
         source, '-o', fresh, '-L%s' % (home / 'lib'), '-ltorch_cpu', '-lc10', *options],
        check=True)
    os.rename(fresh, library)
    return library


def find_library(built, source, folder, *options):
    """The library of a C++ file for the PyTorch that a test runs with: `built` is for the system's
    PyTorch; for the interpreter STROBE_TEST_PYTHON the file is compiled into the folder."""
    python = os.environ.get('STROBE_TEST_PYTHON')
    if not python or not os.path.exists(built):
        return str(built)
    done = subprocess.run([python, __file__, source, folder, *options], stdout=subprocess.PIPE, text=True,
                          check=True)
    return done.stdout.split()[-1]


def find_account(plugins):
    """The library of memory/test-account.cpp."""
    source = pathlib.Path(__file__).resolve().parent.parent / 'memory' / 'test-account.cpp'
    return find_library(os.path.join(plugins, 'libstrobe-test-account.so'), source,
                        os.path.join(plugins, 'common'))


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(build(*sys.argv[1:]))
