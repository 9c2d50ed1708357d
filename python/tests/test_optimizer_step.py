# SPDX-License-Identifier: Apache-2.0
"""Which calls of an optimizer end a step. Each case patches PyTorch in its own process."""

import contextlib
import importlib
import os
import sys
import tempfile
import traceback
import unittest

from support import FolderTest, needs_torch

_PRELUDE = """
import sys, gc, threading
from strobe.run import attach, stepping

class Session:
    steps = 0
    def step(self):
        self.steps += 1
    def retry(self):
        pass

session = stepping.run_session = Session()
attach._hook(sys.argv[1])
import torch
from torch.optim import SGD, Adam, Optimizer
assert not [finder for finder in sys.meta_path if type(finder).__module__.startswith("strobe")]
parameter = torch.nn.Parameter(torch.ones(3))
parameter.grad = torch.ones(3)

class Outer(Optimizer):
    # Wraps another optimizer and never calls Optimizer.__init__.
    def __init__(self, inner):
        self.inner = inner
        self.param_groups = inner.param_groups
    def step(self, closure=None):
        self.inner.step()
        self.inner.step()

class Own(SGD):
    def step(self, closure=None):
        super().step(closure)
        return "own"

def check(expected):
    assert session.steps == expected, (session.steps, expected)
"""


def _run_in_child(text, step_on, stderr):
    code = 1
    try:
        sys.stderr, sys.argv = stderr, ["script", step_on]
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        stderr.flush()
        os._exit(code)


@needs_torch
class OptimizerStep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Imports here what PyTorch 2 imports with the first optimizer, so that children need
        not."""
        with contextlib.suppress(ImportError):
            importlib.import_module("torch._dynamo")

    def check(self, step_on, text, expected_stderr=""):
        """Runs a script in a forked child, so PyTorch is loaded only once."""
        with tempfile.TemporaryFile("w+") as stderr:
            child = os.fork()
            if child == 0:
                _run_in_child(_PRELUDE + text, step_on, stderr)
            status = os.waitpid(child, 0)[1]
            stderr.seek(0)
            found = stderr.read()
        self.assertEqual((status, found), (0, expected_stderr), found)

    def test_first(self):
        self.check("first", """
one, two = SGD([parameter], 0.1), Adam([parameter])
for _ in range(3):
    two.step()
    one.step()
check(3)
""")

    def test_any(self):
        self.check("any", """
one, two = SGD([parameter], 0.1), Adam([parameter])
for _ in range(3):
    two.step()
    one.step()
check(6)
""")

    def test_class(self):
        for name in ("Adam", "torch.optim.adam.Adam"):
            self.check(name, """
one, two = SGD([parameter], 0.1), Adam([parameter])
one.step()
check(0)
two.step()
two.step()
check(2)
""")

    def test_first_is_gone(self):
        self.check("first", """
one = SGD([parameter], 0.1)
one.step()
del one
gc.collect()
two = Adam([parameter])
two.step()
check(2)
""")

    def test_subclass_overrides_step(self):
        self.check("first", """
own = Own([parameter], 0.1)
for _ in range(2):
    assert own.step() == "own"
check(2)
class Later(Own):
    def step(self, closure=None):
        return super().step(closure)
""")

    def test_step_patched_by_scheduler(self):
        self.check("first", """
one = SGD([parameter], 0.1)
scheduler = torch.optim.lr_scheduler.StepLR(one, 1)
for _ in range(3):
    one.step()
    scheduler.step()
check(3)
counted = getattr(one, "_step_count", None)  # PyTorch 1.13 counts, 2.x notes a first call
assert counted == 3 or one._opt_called, counted
""")

    def test_nested(self):
        self.check("first", """
outer = Outer(Own([parameter], 0.1))
for _ in range(3):
    outer.step()
check(3)
""")

    def test_nested_class(self):
        self.check("SGD", """
outer = Outer(SGD([parameter], 0.1))
outer.step()
check(2)
""")

    def test_exception(self):
        self.check("first", """
one = SGD([parameter], 0.1)
def closure():
    raise KeyError("x")
for _ in range(2):
    try:
        one.step(closure)
    except KeyError:
        pass
check(0)
one.step()
check(1)
""")

    def test_closure(self):
        self.check("first", """
optimizer = torch.optim.LBFGS([parameter], max_iter=3)
def closure():
    optimizer.zero_grad()
    loss = (parameter * parameter).sum()
    loss.backward()
    return loss
optimizer.step(closure)
check(1)
""")

    def test_threads(self):
        self.check("any", """
def train():
    mine = torch.nn.Parameter(torch.ones(3))
    mine.grad = torch.ones(3)
    optimizer = SGD([mine], 0.1)
    for _ in range(5):
        optimizer.step()
threads = [threading.Thread(target=train) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
check(10)
""")

    def test_step_range_ends_before_the_step(self):
        self.check("first", """
found = []
class Recorder:
    def __init__(self, name, *args): self.name = name
    def __enter__(self): found.append(self.name)
    def __exit__(self, *args): found.append("end")
torch.autograd.profiler.record_function = Recorder
session.step = lambda: found.append("step")
for one in (SGD([parameter], 0.1), Own([parameter], 0.1)):
    for _ in range(2):
        one.step()
assert found == ["Optimizer.step#SGD.step", "end", "step"] * 2 + [
    "Optimizer.step#Own.step", "Optimizer.step#Own.step", "end", "end"] * 2, found
""")

    def test_pickle_and_state(self):
        self.check("first", """
import copy, pickle
one = SGD([parameter], 0.1, momentum=0.9)
again = pickle.loads(pickle.dumps(one))
again.step()
check(1)
copy.deepcopy(one).load_state_dict(one.state_dict())
""")

    def test_script_takes_over(self):
        self.check("first", """
import strobe
one = SGD([parameter], 0.1)
calls = 0
for _ in range(4):
    one.step()
    if stepping.script_steps():
        session.step()
check(4)
assert stepping.announced_by_script()
""")

    def test_script_steps_first(self):
        self.check("first", """
one = SGD([parameter], 0.1)
for _ in range(4):
    if stepping.script_steps():
        session.step()
    one.step()
check(4)
""")

    def test_manual(self):
        self.check("manual", """
SGD([parameter], 0.1).step()
check(0)
""")

    def test_failing_session_is_one_line(self):
        self.check("first", """
def step():
    raise RuntimeError("disk\\nfull")
session.step = step
SGD([parameter], 0.1).step()
""", "strobe: Cannot end the step: disk full\n")


class TorchImport(FolderTest):
    """The import hook, with a simulated module named torch."""

    _HOOK = """
import sys
from strobe.run import torch_import
calls = []
torch_import.call_after(lambda: calls.append(sys.modules["torch"].value))
"""

    def test_called_once_after_the_import(self):
        self.write("torch.py", "value = 7\n")
        done = self.run_python(self._HOOK + """
import importlib.util
importlib.util.find_spec("torch")  # libraries ask before they import
assert calls == []
import torch, torch
assert calls == [7]
assert torch.__spec__.loader is torch.__loader__
assert type(torch.__loader__).__name__ == "SourceFileLoader"
""")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_import_that_fails(self):
        self.write("torch.py", "import os\nif not os.path.exists('good'): raise KeyError(1)\n"
                   "value = 1\n")
        done = self.run_python(self._HOOK + """
try:
    import torch
except KeyError:
    pass
assert calls == []
open("good", "w").close()
import torch
assert calls == [1]
""")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_no_torch(self):
        done = self.run_python(self._HOOK + """
sys.path[:] = []
try:
    import torch
except ImportError as error:
    assert error.name == "torch"
else:
    raise AssertionError
""")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
