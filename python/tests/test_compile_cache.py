# SPDX-License-Identifier: Apache-2.0
"""Inductor's cache separates kernels that report themselves from those that do not. Takes long."""

import json
import os
import subprocess
import sys
import unittest
import unittest.mock

import test_compile
from support import FolderTest, results
from strobe import command

_PROGRAM = """
import json, torch
torch.set_num_threads(1)
compiled = torch.compile(lambda x: x.sin() + 1)
def work():
    compiled(torch.ones(8))
"""
_PLAIN = (
    _PROGRAM
    + """
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as prof:
    work()
print(json.dumps([event.name for event in prof.events()]))
from torch._dynamo.utils import counters
print(json.dumps({name: counters["inductor"][name] for name in ("fxgraph_cache_hit",
                                                                 "fxgraph_cache_miss")}))
"""
)


@test_compile.needs_compile
class Cache(FolderTest):
    def setUp(self):
        super().setUp()
        variables = {
            "TORCHINDUCTOR_CACHE_DIR": os.path.join(self.folder, "cache"),
            "TORCHINDUCTOR_VEC_ISA_OK": "0",
        }
        patch = unittest.mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    def plain(self):
        """Returns names of the kernels that PyTorch's profiler records, and the cache's hits and
        misses."""
        done = self.run_python(_PLAIN)
        self.assertEqual(done.returncode, 0, done.stderr)
        names, counts = map(json.loads, done.stdout.splitlines()[-2:])
        return [name for name in names if "_cpp_fused_" in name], counts

    def recorded(self, *options):
        """Returns names of the kernels that Strobe records."""
        script = self.write("recorded.py", _PROGRAM + "work()\n")
        out = os.path.join(self.folder, "out%d" % len(os.listdir(self.folder)))
        collect = ":".join(["cpu_op", *options])
        done = subprocess.run(
            [command.find(), "run", "-o", out, "--collect", collect, "--", sys.executable, script],
            stderr=subprocess.PIPE, universal_newlines=True, timeout=240)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        (directory,) = results(out)
        rows = test_compile.rows_of(directory, "cpu_op")
        return [row["name"] for row in rows if "_cpp_fused_" in row["name"]]

    def test_a_program_gets_the_kernels_that_it_had(self):
        self.assertEqual(self.plain()[0], [])
        self.assertEqual(len(self.recorded()), 1)
        kernels, counts = self.plain()
        self.assertEqual(kernels, [])
        self.assertEqual(counts.get("fxgraph_cache_miss"), 0, counts)
        self.assertEqual(self.recorded("compiled_kernels=false"), [])
        self.assertEqual(len(self.recorded()), 1)


if __name__ == "__main__":
    unittest.main()
