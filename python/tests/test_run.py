# SPDX-License-Identifier: Apache-2.0
"""Python programs under `strobe run`: what the bootstrap does, and that programs do not see it."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from support import FolderTest, needs_torch, results, without_fork_warning
from strobe import command
import tap

_TRAIN = """
import torch
parameter = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([parameter], 0.1)
def train(n):
    for _ in range(n):
        parameter.grad = torch.ones(3).cosh()
        optimizer.step()
        optimizer.zero_grad()
"""
_SCHEDULE = ["--schedule", "wait=1,warmup=1,active=2,repeat=1"]
# The begin of lines that `strobe run` itself prints.
_OWN = re.compile(r"^(strobe: |  )")


class RunTest(FolderTest):
    def run_strobe(self, text, *flags, before=(), **variables):
        """Runs a script under `strobe run`. Returns the finished process, with the results'
        directories in `result`."""
        script = self.write("script.py", text)
        environ = dict(os.environ)
        environ.pop("PYTHONPATH", None)
        environ.update(variables)
        alone = ["--no-default-collectors"] if "--collect" in flags else []
        done = subprocess.run(
            [command.find(), "run", "-o", "out", *alone, *flags, "--", sys.executable, *before, script],
            cwd=self.folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=120,
        )
        done.results = results("out") if os.path.isdir("out") else []
        told = without_fork_warning(done.stderr)
        done.external = [line for line in told.splitlines() if not _OWN.match(line)]
        return done

    def rows(self, directory, table):
        text = command.run(["show", directory, "--table", table, "--json", "--limit", "1000"])
        return json.loads(text)[0]["rows"]

    def steps(self, directory):
        return sorted(row["number"] for row in self.rows(directory, "step"))

    def count(self, directory, name):
        return sum(row["name"] == name for row in self.rows(directory, "cpu_op"))


@tap.once_test
class Traces(RunTest):
    """A script can see next to nothing of Strobe."""

    _SHOW = """
import json, os, subprocess, sys
names = [name for name in os.environ if name.startswith("STROBE_") or name in
         ("PYTHONPATH", "LD_PRELOAD")]
print(json.dumps({name: os.environ[name] for name in names if name != "STROBE_PLUGIN_PATH"}))
print(json.dumps([path for path in sys.path if "strobe" in path.lower() and
                  "strobe-test" not in path]))
child = "import sys; print('strobe' in sys.modules)"
print(subprocess.run([sys.executable, "-c", child], stdout=subprocess.PIPE).stdout.decode(), end="")
"""

    @unittest.skipIf(os.environ.get("LD_PRELOAD"), "a library is preloaded already")
    def test_none(self):
        plain = self.run_python(self._SHOW, PYTHONPATH="", LD_PRELOAD="")
        done = self.run_strobe(self._SHOW)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines, known = done.stdout.splitlines(), plain.stdout.splitlines()
        given = {name: value for name, value in json.loads(known[0]).items() if value}
        self.assertEqual((json.loads(lines[0]), lines[2]), (given, "False"))
        self.assertEqual(lines[1], known[1])
        self.assertEqual((done.external, len(done.results)), ([], 1))

    def test_path_of_the_script(self):
        text = "import sys; print(sys.path)"
        plain = self.run_python(text, PYTHONPATH="/a:/b")
        done = self.run_strobe(text, PYTHONPATH="/a:/b")
        self.assertEqual(done.stdout, plain.stdout)

    def test_sitecustomize_is_chained(self):
        os.mkdir("site")
        self.write("site/sitecustomize.py", "import sys\nsys.mine = __file__\n")
        done = self.run_strobe(
            "import sys, sitecustomize; print(sys.mine, sitecustomize.__file__)",
            PYTHONPATH=os.path.join(self.folder, "site"),
        )
        path = os.path.join(self.folder, "site", "sitecustomize.py")
        self.assertEqual((done.stdout, done.external), ("%s %s\n" % (path, path), []))

    def test_sitecustomize_that_fails(self):
        os.mkdir("site")
        self.write("site/sitecustomize.py", "raise KeyError('mine')\n")
        variables = {"PYTHONPATH": os.path.join(self.folder, "site")}
        plain = self.run_python("print(1)", **variables)
        done = self.run_strobe("print(1)", **variables)
        self.assertEqual((done.returncode, done.stdout), (0, "1\n"))
        self.assertEqual(done.external, plain.stderr.splitlines())

    def test_strobe_can_be_imported(self):
        done = self.run_strobe("""
import strobe, strobe.profiler
assert strobe.enabled()
with strobe.range("mine"):
    strobe.mark("here")
""")
        self.assertEqual((done.returncode, done.external), (0, []), done.stderr)
        self.assertEqual([row["name"] for row in self.rows(done.results[0], "marker")], ["mine"])


@tap.once_test
class Ends(RunTest):
    """Under `strobe run` a script ends as it does without, and its result is complete."""

    def _check(self, end, code, text=""):
        done = self.run_strobe("import strobe, os, sys\nstrobe.mark('x')\n" + end)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)
        (directory,) = done.results
        self.assertEqual(len(self.rows(directory, "marker_instant")), 1)

    def test_exit(self):
        self._check("sys.exit(7)", 7)

    def test_exception(self):
        self._check("raise KeyError('mine')", 1, "KeyError: 'mine'")

    def test_hard_exit(self):
        self._check("os._exit(8)", 8)

    def test_killed(self):
        self._check("os.kill(os.getpid(), 9)", -9)

    def test_threads(self):
        self._check("""
import threading, time
threading.Thread(target=time.sleep, args=(0.2,)).start()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
""", 0)

    def test_in_another_atexit(self):
        done = self.run_strobe("import atexit, strobe\natexit.register(strobe.mark, 'late')\n")
        self.assertEqual(len(self.rows(done.results[0], "marker_instant")), 1)


@needs_torch
class Steps(RunTest):
    def test_optimizer(self):
        done = self.run_strobe(_TRAIN + "train(6)", *_SCHEDULE)
        self.assertEqual((done.returncode, done.external), (0, []), done.stderr)
        (directory,) = done.results
        self.assertEqual(self.steps(directory), [2, 3])
        self.assertEqual(self.count(directory, "aten::cosh"), 2)
        # The optimizer's own range ends inside its step.
        self.assertEqual(self.count(directory, "Optimizer.step#SGD.step"), 2)

    @tap.once_test
    def test_the_scripts_own(self):
        done = self.run_strobe(_TRAIN + """
import strobe
for _ in range(6):
    train(2)
    strobe.step()
""", *_SCHEDULE)
        (directory,) = done.results
        self.assertEqual(self.steps(directory), [2, 3])

    @tap.once_test
    def test_manual(self):
        done = self.run_strobe(_TRAIN + "train(6)", "--step-on", "manual", *_SCHEDULE)
        self.assertEqual((done.returncode, done.results), (0, []))

    @tap.once_test
    def test_class(self):
        done = self.run_strobe(_TRAIN + "train(6)", "--step-on", "Adam", *_SCHEDULE)
        self.assertEqual(done.results, [])
        done = self.run_strobe(_TRAIN + "train(6)", "--step-on", "SGD", *_SCHEDULE)
        self.assertEqual(self.steps(done.results[0]), [2, 3])


@needs_torch
class OwnProfile(RunTest):
    """A script profiles itself: the run goes on recording, and the profile reports that and passes
    its data to the run."""

    def test_passes_on(self):
        done = self.run_strobe(_TRAIN + """
from strobe import profiler
schedule = profiler.schedule(wait=0, warmup=1, active=1, repeat=1)
for _ in range(2):
    with profiler.profile(schedule=schedule) as prof:
        prof.add_metadata("mine", "kept")
        for _ in range(3):
            train(1)
            prof.step()
print(prof.step_num)
prof.export_chrome_trace("mine.json")
""", *_SCHEDULE)
        self.assertEqual((done.returncode, done.stdout), (0, "3\n"), done.stderr)
        told = [line for line in done.external if "records this process already" in line]
        self.assertEqual(len(told), 1, done.stderr)
        self.assertIn("Call export_chrome_trace failed", done.stderr)
        (directory,) = done.results
        self.assertEqual(self.steps(directory), [2, 3])
        with open(os.path.join(directory, "profiler_metadata.json")) as file:
            self.assertEqual(json.load(file)["mine"], "kept")


@needs_torch
class Processes(RunTest):
    @unittest.skipIf("libasan" in os.environ.get("LD_PRELOAD", ""),
                     "the sanitizer's allocator may be locked by another thread at fork")
    def test_fork(self):
        done = self.run_strobe(_TRAIN + """
import os, sys
train(2)
child = os.fork()
if child == 0:
    train(5)
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
train(4)
""", *_SCHEDULE)
        self.assertEqual((done.returncode, done.stdout, done.external), (0, "3\n", []), done.stderr)
        (directory,) = done.results
        self.assertEqual(self.steps(directory), [2, 3])

    _WORKERS = _TRAIN + """
import multiprocessing, sys
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1] if len(sys.argv) > 1 else METHOD)
    train(1)
    workers = [multiprocessing.Process(target=train, args=(3,)) for _ in range(2)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    print([worker.exitcode for worker in workers])
"""

    @tap.once_test
    def test_workers_are_left_alone(self):
        for method in ("fork", "spawn"):
            done = self.run_strobe(self._WORKERS.replace("METHOD", repr(method)))
            self.assertEqual((done.stdout, done.external), ("[0, 0]\n", []), done.stderr)
            self.assertEqual(len(done.results), 1)
            shutil.rmtree("out")

    @tap.once_test
    def test_follow(self):
        """Every worker has its own result, also a forked one, which ends without atexit
        functions."""
        for method in ("spawn", "fork"):
            done = self.run_strobe(self._WORKERS.replace("METHOD", repr(method)), "--follow")
            self.assertEqual((done.stdout, done.external), ("[0, 0]\n", []), done.stderr)
            counts = sorted(self.count(directory, "aten::cosh") for directory in done.results)
            self.assertEqual(counts[-3:], [1, 3, 3], method)
            shutil.rmtree("out")


@tap.once_test
class Failures(FolderTest):
    """The bootstrap when recording cannot begin."""

    def _run(self, **variables):
        from strobe.bootstrap import strobe_run_environment as environment

        path = environment.bootstrap_folder() + ":" + environment.package_parent()
        return self.run_python("print('script')", PYTHONPATH=path, **variables)

    def test_no_run(self):
        done = self._run()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "script\n", ""))

    def test_bad_configuration(self):
        os.chmod(self.folder, 0o700)
        self.write("config.json", '{"nonsense": 1}')
        done = self._run(STROBE_RUN_DIR=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "script\n"))
        self.assertRegex(done.stderr, r"\Astrobe: Cannot record this process: .*nonsense.*\n\Z")

    def test_free_threaded(self):
        """Simulates a free-threaded interpreter, for which there is no extension module."""
        from strobe.bootstrap import strobe_run_environment as environment

        os.chmod(self.folder, 0o700)
        self.write("config.json", "{}")
        done = self.run_python("""
import sys, sysconfig
sys.modules["strobe._strobe"] = None
sysconfig.get_config_var = {"Py_GIL_DISABLED": 1}.get
sys.modules.pop("sitecustomize", None)
sys.path.insert(0, sys.argv[1])
import sitecustomize
print("script")
""", environment.bootstrap_folder(), STROBE_RUN_DIR=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "script\n"), done.stderr)
        self.assertEqual(done.stderr, "strobe: Cannot record this process: this Python is "
                         "free-threaded, for which Strobe has no extension module: neither this "
                         "package nor `strobe run` of its programs works; use a Python that has the "
                         "global interpreter lock\n")

    def test_no_folder(self):
        done = self._run(STROBE_RUN_DIR="/no/such/folder")
        self.assertEqual((done.returncode, done.stdout), (0, "script\n"))
        self.assertLessEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
