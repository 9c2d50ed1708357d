# SPDX-License-Identifier: Apache-2.0
"""strobe doctor: the faults that it finds, the data that it never prints, and its exit code."""

import fcntl
import json
import os
import re
import shutil
import stat
import tempfile

from support import BUILD, PROGRAMS, PYTHON, StrobeTest, bad_plugin, needs_python


class DoctorTest(StrobeTest):
    def doctor(self, *words, code=0):
        return json.loads(self.strobe("doctor", "--json", *words, code=code).stdout)

    def finding(self, said, section, name):
        found = [each for each in said["findings"] if (each["section"], each["name"]) == (section, name)]
        self.assertEqual(len(found), 1, (section, name, said["findings"]))
        return found[0]

    def folder_of(self, *plugins):
        folder = self.work / "plugins"
        folder.mkdir(mode=0o755)
        for path in plugins:
            shutil.copy(path, folder)
        return folder

    @needs_python
    def test_works_here(self):
        path = self.work / "doctor.txt"
        # An interpreter without PyTorch answers faster, and only the package is needed.
        said = self.doctor("--python", self.script_python(), "-o", path)
        self.assertIs(said["works"], True)
        for section, name in (
            ("Strobe", "library"), ("Strobe", "collector gc"), ("Python", "interpreter"),
            ("Python", "package strobe"), ("Self-test", "recording"), ("Self-test", "capture"),
            ("Self-test", "loss report"),
        ):
            self.assertEqual(self.finding(said, section, name)["verdict"], "ok", name)
        self.assertRegex(self.finding(said, "Self-test", "loss report")["found"],
                         r"offered (\d+) = stored \1 \+ lost 0")
        self.assertIn("gc ", self.finding(said, "Self-test", "records")["found"])
        self.assertNotIn("collector fake", json.dumps(said))
        text = path.read_text()
        self.assertIn("Strobe works here", text)
        self.assertNotRegex(text.split("====")[0], r"(?m) $")
        self.assertIn("==== output of the self-test ====", text)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o027, 0)
        self.assertNothingLeft()

    def script_python(self):
        """An interpreter that does not find PyTorch."""
        script = self.script(
            "python", "#!/bin/sh\nexec %s -c 'import sys\nsys.modules[\"torch\"] = None\n"
            "sys.argv = [\"-c\"] + sys.argv[3:]\nexec(sys.orig_argv[4])' \"$@\"\n" % PYTHON)
        script.chmod(0o755)
        return script

    @needs_python
    def test_free_threaded_python(self):
        """A test double: an interpreter that claims to be free-threaded, and has no extension
        module."""
        double = self.script(
            "python", "#!/bin/sh\nexec %s -c 'import sys, sysconfig\nsys.modules[\"torch\"] = None\n"
            "sys.modules[\"strobe._strobe\"] = None\n"
            "sysconfig.get_config_var = {\"Py_GIL_DISABLED\": 1}.get\n"
            "sys.argv = [\"-c\"] + sys.argv[3:]\nexec(sys.orig_argv[4])' \"$@\"\n" % PYTHON)
        double.chmod(0o755)
        said = self.doctor("--no-self-test", "--python", double)
        found = self.finding(said, "Python", "interpreter")
        self.assertEqual(found["verdict"], "limited")
        self.assertIn("is free-threaded: neither the package strobe nor the collectors python_call "
                      "and gc work in it", found["found"])
        self.assertIn("this Python is free-threaded, for which Strobe has no extension module",
                      self.finding(said, "Python", "package strobe")["found"])

    def test_without_python(self):
        """Without Python there is only a limit; but an interpreter that the user names must
        work."""
        said = self.doctor("--python", self.work / "none", code=1)
        self.assertIs(said["works"], False)
        self.assertEqual(self.finding(said, "Python", "interpreter")["verdict"], "fails")
        self.assertEqual(self.finding(said, "Self-test", "capture")["verdict"], "ok")
        self.environment["PATH"] = str(self.work)
        said = self.doctor("--no-self-test")
        self.assertEqual(self.finding(said, "Python", "interpreter")["verdict"], "limited")

    def test_secrets_stay(self):
        self.environment.update(
            MY_PASSWORD="hunter2", AWS_SECRET_ACCESS_KEY="hunter3", PROFILER_SAMPLECONFIG="hunter4",
            RANK="7",
        )
        path = self.work / "doctor.txt"
        said = self.doctor("--no-self-test", "-o", path, "--python", self.script_python())
        self.assertNotIn("hunter", json.dumps(said) + path.read_text())
        sample = self.finding(said, "Environment", "PROFILER_SAMPLECONFIG")
        self.assertEqual((sample["found"], sample["verdict"]), ("(set)", "limited"))
        self.assertIn("msprof is in charge", sample["next"])
        self.assertEqual(self.finding(said, "Environment", "RANK")["found"], "7")
        self.assertNotIn("Self-test", [each["section"] for each in said["findings"]])

    def test_refused_plugin(self):
        folder = self.folder_of(bad_plugin("wrong_abi"))
        words = ("--no-self-test", "--python", self.script_python(), "--plugin-path", folder)
        said = self.doctor(*words, code=1)
        self.assertIs(said["works"], False)
        wrong = self.finding(said, "Strobe", "wrong_abi")
        self.assertEqual(wrong["verdict"], "fails")
        self.assertIn("is refused", wrong["found"])
        done = self.strobe("doctor", *words, code=1)
        self.assertIn("1 thing does not work", done.stdout)
        self.assertIn("1. wrong_abi: remove or replace the file", done.stdout)

    def test_folder_that_is_not_there(self):
        words = ("--no-self-test", "--python", self.script_python())
        missing = self.work / "missing"
        said = self.doctor(*words, "--plugin-path", missing, code=1)
        self.assertIn('"%s" (--plugin-path)' % missing, self.finding(said, "Strobe", "plugin folder")["found"])
        self.environment["STROBE_PLUGIN_PATH"] = str(missing)
        wrong = self.finding(self.doctor(*words), "Strobe", "plugin folder")
        self.assertEqual(wrong["verdict"], "limited")

    def test_buffers_left_behind(self):
        """Pools of programs that died are counted; pools of living programs are locked."""
        for is_locked in (False, True):
            # Other programs of the machine may leave pools in the meantime, but not each time.
            self.wait_until(lambda: self.count_one(is_locked) == (not is_locked), is_locked)

    def count_one(self, is_locked):
        """Returns how many more pools the doctor counts if there is one more."""
        named = "buffers left behind"
        with tempfile.NamedTemporaryFile(prefix="strobe-0-", suffix=".pool", dir="/dev/shm") as file:
            file.write(bytes(1 << 20))
            file.flush()
            if is_locked:
                fcntl.flock(file, fcntl.LOCK_EX)
            with_file = self.pool_salvage(named)
            os.unlink(file.name)
            without = self.pool_salvage(named)
            open(file.name, "w").close()  # closing the file removes it
            return with_file - without

    def pool_salvage(self, name):
        said = self.doctor("--python", self.work / "none", code=1)
        found = [each["found"] for each in said["findings"] if each["name"] == name]
        if not found:
            return 0
        self.assertRegex(found[0], "in memory, of programs that were killed: /dev/shm/strobe-.*pool")
        more = re.search(r"and (\d+) more", found[0])
        return 1 + int(more.group(1) if more else 0)

    def test_unruly_library(self):
        """A library in the place of MSPTI that ends its process ends only a child."""
        home = self.work / "cann"
        (home / "lib64").mkdir(parents=True)
        (home / "version.cfg").write_text("runtime_running_version=[7.0.0:\x1b[31m8.0]\n")
        ends = [path for path in PROGRAMS.glob("*.so") if "exit" in path.name]
        self.assertTrue(ends, "no unruly library was built")
        shutil.copy(ends[0], home / "lib64" / "libmspti.so")
        crashes = BUILD / "tests" / "plugins-bad" / "fatal" / "crashes.so"
        shutil.copy(crashes, home / "lib64" / "libprofapi.so")
        (home / "lib64" / "libascendcl.so").write_text("no library\n")
        self.environment["ASCEND_HOME_PATH"] = str(home)
        said = self.doctor("--no-self-test", "--python", self.work / "none", code=1)
        mspti = self.finding(said, "Vendors' libraries", "libmspti.so")
        self.assertEqual(mspti["verdict"], "fails")
        self.assertIn("it ends the process that loads it", mspti["found"])
        crash = self.finding(said, "Vendors' libraries", "libprofapi.so")
        self.assertEqual(crash["verdict"], "fails")
        self.assertIn("it crashes", crash["found"])
        broken = self.finding(said, "Vendors' libraries", "libascendcl.so")
        self.assertEqual(broken["verdict"], "fails")
        version = self.finding(said, "Vendors' libraries", "CANN")["found"]
        self.assertIn("runtime_running_version", version)
        self.assertNotIn("\x1b", version)

    def test_usage(self):
        self.strobe("doctor", "torch", code=2)
        self.strobe("doctor", "--jsno", code=2)
        done = self.strobe("doctor", "--no-self-test", "--python", self.work / "none",
                           "-o", self.work / "no" / "file", code=6)
        self.assertIn("Cannot write", done.stderr)
        self.assertIn("Exit codes: 0 Strobe works here", self.strobe("doctor", "--help").stdout)
