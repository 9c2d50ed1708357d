# SPDX-License-Identifier: Apache-2.0
"""Profiles that a file asks for while the program runs."""

import glob
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import unittest

import tap
from strobe.profiler import dynamic_profile as dp
from strobe.profiler import dynamic_watch
from support import FolderTest, messages, results

_FILE = "profiler_config.json"


class DynamicTest(FolderTest):
    def setUp(self):
        super().setUp()
        poll, dynamic_watch.POLL_S = dynamic_watch.POLL_S, 0.01
        self.addCleanup(setattr, dynamic_watch, "POLL_S", poll)
        self.addCleanup(self.end)
        self.told = []

    @staticmethod
    def end():
        dp._present.finish()
        dp._forget()

    def call(self, function, *arguments):
        """Calls the function; adds its messages to `told`."""
        with messages() as told:
            result = function(*arguments)
        self.told += [text for _, text in told if "won't be using warmup" not in text]
        return result

    def ask(self, name=_FILE, **values):
        """Replaces the configuration file by one with these keys, as an editor does."""
        values = {"activities": ["CPU"], "prof_dir": os.path.join(self.folder, "out"), **values}
        self.write("new", json.dumps(values))
        os.replace("new", name)

    def asked(self, **values):
        """Replaces the configuration file, and waits until the watch has seen it."""
        self.ask(**values)
        self.await_change()

    def await_change(self):
        self.wait(dp._present._watch._file.has_change)

    def wait(self, condition):
        end = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)

    def steps(self, n):
        for _ in range(n):
            self.call(dp.step)

    def log(self):
        (path,) = glob.glob("log/dp_*.log")
        with open(path) as file:
            return file.read()

    def results(self):
        return results("out") if os.path.exists("out") else []

    def schedule_of(self, result):
        with open(glob.glob(os.path.join(result, "profiler_info*.json"))[0]) as file:
            return json.load(file)["config"]["common_config"]["schedule"]


class StepTest(DynamicTest):
    def test_file_is_made(self):
        self.call(dp.init, ".")
        with open(_FILE) as file:
            made = json.load(file)
        self.assertEqual((made["active"], made["start_step"]), (1, 0))
        self.assertEqual(stat.S_IMODE(os.stat(_FILE).st_mode) & 0o137, 0)
        self.steps(3)
        self.assertEqual((self.results(), self.told), ([], []))
        self.assertIn("Create profiler_config.json default.", self.log())

    def test_what_is_there_asks_for_nothing(self):
        self.ask(start_step=-1)
        self.call(dp.init, ".")
        time.sleep(0.1)
        self.steps(3)
        self.assertEqual(self.results(), [])

    def test_now(self):
        self.call(dp.init, ".")
        self.steps(2)
        self.asked(start_step=-1, active=2, metadata={"run": {"id": 7}})
        self.steps(3)
        (result,) = self.results()
        self.assertEqual(self.schedule_of(result)["skip_first"], 3)
        with open(os.path.join(result, "profiler_metadata.json")) as file:
            self.assertEqual(json.load(file)["run"], {"id": 7})
        self.assertRegex(self.log(), r"Start Dynamic Profiler at 3 step.\n[^\n]*"
                                     r"Stop Dynamic Profiler at 5 step.")
        self.steps(5)
        self.assertEqual(len(self.results()), 1)
        self.asked(start_step=-1)
        self.steps(2)
        self.assertEqual(len(self.results()), 2)
        self.assertEqual(self.told, [])

    def test_at_a_step(self):
        """The manual's example: a warm-up and two steps, from call 4 on."""
        self.call(dp.init, ".")
        self.asked(start_step=4, warmup=1, active=2, with_stack=False)
        seen = []
        for _ in range(8):
            self.steps(1)
            profile = dp._present._profile
            seen.append(profile and profile.current_action.name)
        self.assertEqual(seen, [None, None, None, "WARMUP", "RECORD", "RECORD_AND_SAVE", None, None])
        (result,) = self.results()
        with open(os.path.join(result, "FRAMEWORK", "capture.strobe"), "rb") as file:
            capture = file.read()
        names = {int(each) for each in re.findall(rb"ProfilerStep#(\d+)", capture)}
        self.assertEqual(names, {5, 6})
        self.assertEqual(self.told, [])

    def test_marks_of_steps(self):
        """With mstx the steps are marks `step N` in place of ProfilerStep#N."""
        self.call(dp.init, ".")
        self.asked(start_step=2, active=2, experimental_config={
            "mstx": True, "profiler_level": "Level_none"})
        self.steps(5)
        (result,) = self.results()
        with open(os.path.join(result, "FRAMEWORK", "capture.strobe"), "rb") as file:
            capture = file.read()
        self.assertEqual(set(re.findall(rb"step \d", capture)), {b"step 2", b"step 3"})

    def test_too_late(self):
        self.call(dp.init, ".")
        self.steps(3)
        for start_step in (0, 3):
            self.asked(start_step=start_step)
            self.steps(1)
            self.assertIn("Dynamic Profiler config is not effective. The start_step=%d" % start_step,
                          self.told[-1])
        self.asked(start_step=100)
        self.steps(1)
        self.asked(start_step=-1)  # replaces the one that waits
        self.steps(2)
        self.assertEqual(len(self.results()), 1)

    def test_while_it_runs(self):
        """A request that comes during a profile waits until the profile has ended."""
        self.call(dp.init, ".")
        self.asked(start_step=-1, active=2)
        self.steps(1)
        self.asked(start_step=-1)
        self.steps(2)
        self.assertEqual(len(self.results()), 1)
        self.steps(2)
        self.assertEqual(len(self.results()), 2)

    def test_rank(self):
        os.environ["RANK"] = "3"
        self.addCleanup(os.environ.pop, "RANK")
        self.call(dp.init, ".")
        self.asked(start_step=-1, is_rank=True, rank_list=[1, "3", True])
        self.steps(2)
        self.assertEqual(self.results(), [])
        self.assertIn("Rank 3 not in valid rank_list [1]!", self.log())
        self.asked(start_step=-1, is_rank=True, rank_list=[3])
        self.steps(2)
        self.assertEqual(len(self.results()), 1)

    def test_state(self):
        self.call(dp.init, ".")
        self.call(dp.set_state, {"cur_step": 1000})
        self.asked(start_step=1002)
        self.steps(3)
        self.assertEqual(self.schedule_of(self.results()[0])["skip_first"], 1002)
        for bad in (None, [], {"cur_step": -1}, {"cur_step": True}, {"cur_step": "1"}):
            self.call(dp.set_state, bad)
            self.assertIn("Call set_state failed", self.told[-1])
        self.assertEqual(dp._present.counter, 1003)


class StartTest(DynamicTest):
    def test_at_once(self):
        self.call(dp.init, ".")
        self.ask("other.json", start_step=50, active=2)
        self.call(dp.start, "other.json")
        self.call(dp.start, "other.json")
        self.assertIn("Profiler already started", self.told.pop())
        self.steps(2)
        self.assertEqual((len(self.results()), self.told), (1, []))
        self.steps(3)
        self.assertEqual(len(self.results()), 1)

    def test_without_a_file(self):
        self.call(dp.start)
        self.assertIn("Call start failed", self.told.pop())
        self.call(dp.init, ".")
        self.asked(start_step=100)
        self.call(dp.start, "none.json")
        self.assertIn("The provided config_path is invalid: none.json", self.told.pop())
        self.steps(1)
        self.assertEqual(len(self.results()), 1)

    def test_bad_files(self):
        self.call(dp.init, ".")
        for text, says in (("", "not JSON"), ("{", "not JSON"), ("[" * 100000, "not JSON"),
                           ("[]", "expected an object"), ("{}", "expected an object"),
                           (" " * (1 << 20) + "{}", "more than 1 MiB")):
            self.write("bad.json", text)
            self.call(dp.start, "bad.json")
            self.assertRegex(self.told.pop(), "Call start failed.*bad.json: .*" + says)
        self.steps(1)
        self.assertEqual(self.results(), [])


@tap.once_test
class BadTest(DynamicTest):
    def test_bad_values_are_replaced(self):
        self.call(dp.init, ".")
        self.asked(start_step=-1, active=0, warmup="x", analyse=1, record_shapes=None, is_rank="no",
                   activities=["CPU", "GPU", 4], metadata=[], sirial=1,
                   experimental_config={"profiler_level": "Level9", "nonesuch": 1})
        self.steps(2)
        self.assertEqual(len(self.results()), 1)
        for text in ("record_shapes: expected true or false, found null",
                     'expected CPU or NPU, found "GPU"; left out',
                     "Invalid parameter profiler_level", "experimental_config.nonesuch is not a known key"):
            self.assertTrue([each for each in self.told if text in each], (text, self.told))

    def test_each_is_told(self):
        from strobe.profiler.dynamic_config import read

        self.ask(active=0, warmup="x", analyse=1, is_rank="no", metadata=[], sirial=1)
        config = self.call(read, _FILE)
        told = "\n".join(self.told)
        for name, found, instead in (("active", "0", "1"), ("warmup", '"x"', "0"),
                                     ("analyse", "1", "false"), ("is_rank", '"no"', "false"),
                                     ("metadata", r"\[\]", "{}")):
            self.assertRegex(told, "%s: %s: expected .*, found %s; reset to %s"
                             % (re.escape(_FILE), name, found, instead))
        self.assertIn("sirial is not a known key", told)
        self.assertEqual((config.active, config.warmup, config.ranks), (1, 0, None))

    def test_file_that_goes_and_comes(self):
        self.call(dp.init, ".")
        os.unlink(_FILE)
        self.await_change()
        self.steps(1)
        self.assertIn("is missing", self.log())
        self.write(_FILE, "{")
        self.await_change()
        self.steps(1)
        self.assertIn("not JSON", self.log())
        self.asked(start_step=-1)
        self.steps(2)
        self.assertEqual(len(self.results()), 1)

    def test_folder_is_a_file(self):
        self.write("file", "")
        self.call(dp.init, "file")
        self.assertIn("Call init failed", self.told.pop())
        self.steps(2)
        self.assertEqual(self.told, ["dynamic_profile.step() takes no effect before init()"])

    def test_twice(self):
        self.call(dp.init, ".")
        self.call(dp.init, ".")
        self.assertEqual(self.told, ["Init dynamic profiling repeatedly"])


@tap.once_test
class TrustTest(DynamicTest):
    """Only root and the user may decide what is profiled and where the log is written."""

    def assertRefused(self, reason):
        """Checks that the file is refused with this reason and not profiled, and that a later good
        file is."""
        self.await_change()
        self.steps(1)
        path = os.path.join(self.folder, _FILE)
        self.assertIn("%s is refused: %s %s" % (path, path, reason), self.log())
        self.steps(2)
        self.assertEqual(self.results(), [])
        self.asked(start_step=-1)
        self.steps(2)
        self.assertEqual(len(self.results()), 1)

    def replace(self, prepare):
        """Calls prepare() for a new file, then replaces the watched file by it."""
        self.call(dp.init, ".")
        self.ask("other.json", start_step=-1)
        prepare("other.json")
        os.replace("other.json", _FILE)

    def test_writable_by_everybody(self):
        self.replace(lambda path: os.chmod(path, 0o666))
        self.assertRefused("is writable by everybody")

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_another_owner(self):
        self.replace(lambda path: os.chown(path, 4711, -1))
        self.assertRefused("is owned by user 4711")

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_another_group(self):
        self.replace(lambda path: (os.chown(path, -1, 4711), os.chmod(path, 0o664)))
        self.assertRefused("is writable by group 4711")

    def test_link(self):
        def make_link(path):
            os.rename(path, "target.json")
            os.symlink("target.json", path)
        self.replace(make_link)
        self.assertRefused("is a symbolic link")

    def test_fifo(self):
        def make_fifo(path):
            os.unlink(path)
            os.mkfifo(path)
        self.replace(make_fifo)
        self.assertRefused("is not a regular file")

    def test_file_of_start(self):
        self.ask("other.json", start_step=-1)
        os.chmod("other.json", 0o666)
        self.call(dp.start, "other.json")
        self.assertRegex(self.told.pop(), "Call start failed.*other.json is writable by everybody")

    def test_folder(self):
        for path, mode in (("mine/shared", 0o777), ("mine/shared", 0o1777), ("mine", 0o777)):
            with self.subTest((path, mode)):
                os.makedirs("mine/shared", exist_ok=True)
                os.chmod("mine/shared", 0o755)
                os.chmod(path, mode)
                self.call(dp.init, "mine/shared")
                self.assertRegex(self.told.pop(),
                                 "Call init failed.*%s is writable by everybody$" % path)
                self.assertEqual(os.listdir("mine/shared"), [])

    def test_folder_below_a_sticky_one(self):
        os.makedirs("tmp/mine")
        os.chmod("tmp", 0o1777)
        self.call(dp.init, "tmp/mine")
        self.assertEqual(self.told, [])

    def plant_log(self, plant):
        os.mkdir("log")
        plant("log/dp_%s_%d_rank_-1.log" % (socket.gethostname(), os.getpid()))
        self.call(dp.init, ".")
        self.assertIn("Cannot write the log of the dynamic profile", self.told.pop())

    def test_log_is_a_link(self):
        self.write("precious", "mine\n")
        self.plant_log(lambda path: os.symlink("../precious", path))
        with open("precious") as file:
            self.assertEqual(file.read(), "mine\n")

    def test_log_is_a_fifo(self):
        def make_fifo(path):
            os.mkfifo(path)
            self.addCleanup(os.close, os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        self.plant_log(make_fifo)

    def test_log_folder_of_everybody(self):
        os.mkdir("log")
        os.chmod("log", 0o777)
        self.call(dp.init, ".")
        self.assertRegex(self.told.pop(), "Cannot write the log.*log is writable by everybody")


class ProcessTest(DynamicTest):
    def test_exit_beside_a_fifo(self):
        done = self.run_python(
            "import os, threading, time\n"
            "from strobe.profiler import dynamic_profile as dp, dynamic_watch\n"
            "dynamic_watch.POLL_S = 0.01\n"
            "dp.init('.')\n"
            "os.unlink('profiler_config.json')\n"
            "os.mkfifo('profiler_config.json')\n"
            "while not dp._present._watch._file.has_change():\n"
            "    time.sleep(0.001)\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_is_in_the_program(self):
        """A process beside the program watches the file, and ends with it."""
        done = self.run_python(
            "import os, signal\n"
            "from strobe.profiler import dynamic_profile as dp\n"
            "def files():\n"
            "    links = (os.path.join('/proc/self/fd', each) for each in os.listdir('/proc/self/fd'))\n"
            "    return [os.readlink(each) for each in links if os.path.islink(each)]\n"
            "def is_watcher(each):\n"
            "    try:\n"
            "        words = open('/proc/%s/cmdline' % each, 'rb').read()\n"
            "    except OSError:  # other processes end at any time\n"
            "        return False\n"
            "    return b'strobe-watch' in words and os.fsencode(os.getcwd()) in words\n"
            "dp.init('.')\n"
            "print(os.listdir('/proc/self/task') == [str(os.getpid())])\n"
            "print([each for each in files() if 'strobe-watch' in each])\n"
            "try:\n"
            "    os.wait()\n"
            "except ChildProcessError:\n"
            "    print('no child', flush=True)\n"
            "print(*(each for each in os.listdir('/proc') if each.isdigit() and is_watcher(each)), flush=True)\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n")
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        *said, watcher = done.stdout.splitlines()
        self.assertEqual(said, ["True", "[]", "no child"])
        self.assertRegex(watcher, r"^\d+$")
        self.wait(lambda: not os.path.exists("/proc/" + watcher))

    def test_process_that_cannot_start(self):
        """The first process of a namespace would become its parent, so a thread watches."""
        if subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "true"],
                          capture_output=True).returncode:
            self.skipTest("no namespaces here")
        self.write("first.py",
                   "import os, time\n"
                   "from strobe.profiler import dynamic_profile as dp, dynamic_watch\n"
                   "dynamic_watch.POLL_S = 0.01\n"
                   "dp.init('.')\n"
                   "open('profiler_config.json', 'w').write('{')\n"
                   "while not dp._present._watch._file.has_change():\n"
                   "    time.sleep(0.001)\n"
                   "print(sorted(open('/proc/self/task/%s/comm' % each).read().strip()\n"
                   "             for each in os.listdir('/proc/self/task'))[-1])\n")
        done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "first.py"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "strobe-watch\n"), done.stderr)

    def test_exit_while_it_profiles(self):
        self.ask("now.json", start_step=-1, active=100)
        done = self.run_python(
            "from strobe.profiler import dynamic_profile as dp\n"
            "dp.init('.')\n"
            "dp.start('now.json')\n"
            "dp.step()\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Profiler stop when process exit", done.stderr)
        self.assertEqual(len(self.results()), 1)

    def test_forked_child_has_no_part(self):
        self.call(dp.init, ".")
        self.asked(start_step=-1, active=2)
        self.steps(1)
        child = os.fork()
        if child == 0:
            try:
                dp.step()
                os._exit(0 if dp._present._profile is None else 1)
            finally:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.steps(2)
        self.assertEqual(len(self.results()), 1)


if __name__ == "__main__":
    unittest.main()
