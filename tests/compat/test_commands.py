# SPDX-License-Identifier: Apache-2.0
"""Programs of the system: shells, interpreters, compilers, allocators; limits and users that are
set from outside."""

import ctypes.util
import os

from matrix import (ANY, NATIVE, NEEDS_ROOT, PROGRAM, PYTHON, Case, MatrixTest, add_cases,
                    needs_programs)
from support import program

OTHER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

BASH = r"""
trap 'echo trapped' USR1
kill -USR1 $$
numbers=(3 1 2)
sort <(printf '%s\n' "${numbers[@]}") | while read -r number; do echo "number $number"; done
(exit 7); echo "subshell $?"
sleep 0.01 & wait $!; echo "job $?"
coproc cat; echo through >&"${COPROC[1]}"; exec {COPROC[1]}>&-; cat <&"${COPROC[0]}"
echo error >&2
exec bash -c 'echo executed; exit 5'
"""

PERL = r"""
use strict; use POSIX ":sys_wait_h";
$SIG{ALRM} = sub { print "alarm\n" };
kill ALRM => $$;
open(my $pipe, "-|", "echo", "from a pipe") or die; print while <$pipe>; close $pipe;
my $child = fork // die; if (!$child) { exit 3 } waitpid $child, 0; print "child ", $? >> 8, "\n";
print "more children: ", waitpid(-1, WNOHANG), "\n";
my @numbers = map { $_ ** 2 } 1 .. 1000; print "sum ", eval { my $n = 0; $n += $_ for @numbers; $n }, "\n";
warn "warned\n"; die "died\n";
"""

GCC = r"""
printf '#include <stdio.h>\nint main(void) { puts("compiled"); return 6; }\n' >own.c
gcc -O1 -pipe -o own own.c && ./own; echo "ended with $?"; gcc -c missing.c
"""


def find_library(name):
    return ctypes.util.find_library(name)


def preloaded(name, *command):
    """LD_PRELOAD already contains another library."""
    library = find_library(name)
    return Case(list(command), NATIVE if command[0] == PROGRAM else ANY, quick=("heap",),
                environment={"LD_PRELOAD": library or ""},
                skip=None if library else "no %s" % name)


NO_STATIC = None if os.path.exists(program("static-program")) else "no static libc"

CASES = {
    "static": Case([program("static-program")], quick=("all",), is_recorded=False,
                   says="Nothing was recorded", skip=NO_STATIC),
    "static from outside": Case([program("static-program")], ("default",), is_recorded=None,
                                says="Recorded from outside only|Nothing was recorded", skip=NO_STATIC),
    "bash": Case(["bash", "-c", BASH], quick=("heap",), skip=needs_programs("bash")),
    "perl": Case(["perl", "-e", PERL], quick=("heap",), skip=needs_programs("perl")),
    "gcc": Case(["sh", "-c", GCC], skip=needs_programs("gcc")),
    "pipe to cat": Case(["sh", "-c", '"$0" daemon | cat', PROGRAM], quick=("marks",)),
    "pipe to tee": Case(["sh", "-c", '"$0" threads | tee copy', PROGRAM]),
    "launchers": Case(["env", "A=b", "nice", "timeout", "50", PROGRAM, "state"]),
    "jemalloc": preloaded("jemalloc", PROGRAM, "allocator"),
    "tcmalloc": preloaded("tcmalloc_minimal", PROGRAM, "allocator"),
    "jemalloc in Python": preloaded("jemalloc", PYTHON, "-c", "print(sum(map(len, ['a'] * 10000)))"),
    "tcmalloc in Python": preloaded("tcmalloc_minimal", PYTHON, "-c", "import json; print(json)"),
    "own LD_PRELOAD": Case(["env", "LD_PRELOAD=libm.so.6", PROGRAM, "state"], is_recorded=None),
    "another user": Case([*OTHER, PROGRAM, "state"], quick=("marks",), is_recorded=False,
                         says="Nothing was recorded", skip=NEEDS_ROOT),
    "few descriptors given": Case(["prlimit", "--nofile=64", PROGRAM, "state"], NATIVE,
                                  quick=("marks",)),
    "no descriptors given": Case(["prlimit", "--nofile=4", PROGRAM, "state"], NATIVE,
                                 is_recorded=None),
    "small files given": Case(["prlimit", "--fsize=1048576", PROGRAM, "state"], NATIVE,
                              quick=("marks",), is_recorded=False, says="File too large"),
    "small memory given": Case(["prlimit", "--as=419430400", PROGRAM, "allocate", "200"], NATIVE,
                               quick=("heap",), marks=2000, says="limited to 400 MB"),
    "tiny memory given": Case(["prlimit", "--as=33554432", "perl", "-e", 'print "perl\n"'],
                              quick=("heap",), is_recorded=False, says="failed to map",
                              skip=needs_programs("perl")),
    "no processes given": Case([*OTHER, "prlimit", "--nproc=1", PROGRAM, "state"], ANY,
                               is_recorded=None, skip=NEEDS_ROOT),
    "no processes for a session": Case([*OTHER, "prlimit", "--nproc=1", PROGRAM, "state"],
                                       ("own-marks", "own-host"), quick=("own-marks",),
                                       is_recorded=False, says="ulimit -u", skip=NEEDS_ROOT,
                                       unstable="SigCgt.*"),
}


class CommandsTest(MatrixTest):
    """The cases of the table above."""


add_cases(CommandsTest, CASES)
