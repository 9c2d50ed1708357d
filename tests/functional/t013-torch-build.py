# SPDX-License-Identifier: Apache-2.0
"""Compiles the bridge against the headers of a real PyTorch and uses it; this is slow."""

import subprocess
import unittest

from support import PYTHON, StrobeTest, has_torch, needs_python

COMPILED_S = 120  # the compiler needs 13 s of processor time

TRAINING = """
import torch
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    model(torch.ones(3, 4)).sum().backward()
    optimizer.step()
"""


@unittest.skipUnless(has_torch(), "no PyTorch for %s" % PYTHON)
class TorchBuildTest(StrobeTest):
    def test_bridge_is_named_after_the_library(self):
        folder = self.work / "bridges"
        self.strobe("torch", "build", "--python", PYTHON, "-o", folder, timeout=COMPILED_S)
        files = list(folder.iterdir())
        self.assertEqual(len(files), 1, files)
        self.assertRegex(
            files[0].name, r"^cpu_op_torch-\d+\.\d+\.\w+-[0-9a-f]{16}-[0-9a-f]{8}\.so$"
        )
        names = subprocess.run(
            ["nm", "-D", "--defined-only", files[0]], capture_output=True, text=True
        ).stdout
        for name in ("backend_4", "collectives_2", "memory_1", "tensors_1"):
            self.assertIn("strobe_torch_" + name, names)

    @needs_python
    def test_bridge_that_was_built_records(self):
        """The bridge found first on the search path is used, not the one that came with the
        build."""
        folder = self.work / "bridges"
        self.strobe("torch", "build", "--python", PYTHON, "-o", folder, timeout=COMPILED_S)
        script = self.script("train.py", TRAINING)
        self.strobe("run", "-o", self.out, "--plugin-path", folder, "--", PYTHON, script)
        rows = self.json("show", self.result(), "--table", "operator_average", "--limit", "1000")
        calls = {row["name"]: row["calls"] for row in rows[0]["rows"]}
        self.assertEqual(calls["aten::linear"], 3)

    def test_python_that_fails(self):
        fake = self.script("python", "#!/bin/sh\nexit 1\n")
        fake.chmod(0o755)
        done = self.strobe("torch", "build", "--python", fake, "-o", self.work / "x", code=1)
        self.assertIn("Cannot run", done.stderr)
        self.assertFalse((self.work / "x").exists())

    def test_compiler_that_fails(self):
        self.environment["CXX"] = "false"
        folder = self.work / "bridges"
        self.strobe("torch", "build", "--python", PYTHON, "-o", folder, code=1)
        self.assertEqual(list(folder.iterdir()), [])
