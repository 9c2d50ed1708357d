# SPDX-License-Identifier: Apache-2.0
"""Common functions of the tests of npu_task's backend aclprof: test doubles of CANN's library and
of msprof."""

import csv
import json
import os
import shutil

from launching_operator import LAUNCHING_OPERATOR
from support import BUILD, TOP, StrobeTest, program

PROGRAM = program("aclprof-program")
HOME = BUILD / "tests" / "aclprof-double"

# A kernel is launched within each operator but the first. CANN_AHEAD_US: by how much CANN's time
# of day is ahead of the host's.
OPERATORS = """
import ctypes, os
home = os.environ["ASCEND_HOME_PATH"] + "/lib64/"
ctypes.CDLL(home + "libascendcl.so", mode=ctypes.RTLD_GLOBAL).aclInit(None)
""" + LAUNCHING_OPERATOR + """
for _ in range(5000):
    try:
        prof = ctypes.CDLL(home + "libmsprofiler.so", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        break
    except OSError:
        time.sleep(0.01)
time.sleep(0.2)
ahead = 1000 * int(os.environ.get("CANN_AHEAD_US", 0))
time_within_operator()
for i in range(1, 6):
    at = time_within_operator() + ahead
    prof.aclprof_double_launch(ctypes.c_uint64(at), ctypes.c_uint64(at + 100),
                               ctypes.c_uint64(1000 * i))
print("done")
"""


class AclprofTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.calls_file = self.work / "calls"
        self.bin = self.work / "bin"
        self.bin.mkdir(mode=0o755)
        self.environment.update(
            ASCEND_HOME_PATH=str(HOME),
            ACLPROF_DOUBLE_LOG=str(self.calls_file),
            PATH=str(self.bin) + ":" + self.environment["PATH"],
        )
        for name in ("ACLPROF_DOUBLE", "ACL_DOUBLE", "MSPROF_DOUBLE", "PROFILER_SAMPLECONFIG"):
            self.environment.pop(name, None)

    def install_msprof(self):
        path = self.bin / "msprof"
        shutil.copy(TOP / "tests" / "aclprof-double" / "msprof", path)
        os.chmod(path, 0o755)
        return path

    def play(self, options="", *, before=0, within=2000, launches=3, wrong="", collect=(),
             flags=("--export", "csv"), **others):
        """Runs the program. Returns the process and the calls that the double has logged."""
        if wrong:
            self.environment["ACLPROF_DOUBLE"] = wrong
        self.calls_file.unlink(missing_ok=True)
        done = self.record(PROGRAM, before, within, launches, flags=flags,
                           collect=["npu_task:backend=aclprof" + (options and "," + options), *collect], **others)
        self.assertTrue(done.stdout.endswith("done\n"), done.stdout)
        calls = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.assertEqual([line for line in calls if line.startswith("WRONG")], [])
        return done, calls

    def folder(self):
        """The only folder PROF_* of the only result."""
        found = list(self.result().glob("PROF_*"))
        self.assertEqual(len(found), 1, found)
        return found[0]

    def external(self):
        """The metadata of the result about its external folders."""
        return self.json("info", self.result())[0]["metadata"].get("external")

    def metadata(self):
        return {row["name"]: row["value"] for row in self.rows("metadata")}

    def rows(self, table):
        return self.json("show", self.result(), "--table", table, "--limit", "100000")[0]["rows"]

    def log(self):
        return "".join(path.read_text() for path in self.result().glob("logs/*"))

    def csv(self, name, result=None):
        path = (result or self.result()) / "ASCEND_PROFILER_OUTPUT" / (name + ".csv")
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def output(self, name, result=None):
        return json.loads(((result or self.result()) / "ASCEND_PROFILER_OUTPUT" / name).read_text())
