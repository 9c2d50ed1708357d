# SPDX-License-Identifier: Apache-2.0
"""A result of another user is only read, and its output goes to the folder of -o."""

import json
import os
import pathlib
import shutil
import signal
import sys

from other_user import OTHER, OUTPUT, changes, entries, give, make_result, needs_other_user
from support import TOP, StrobeTest

sys.path.insert(0, str(TOP / "bench"))
from raw_files import RawFiles  # noqa: E402

REFUSED = "belongs to another user and is only read: name a folder for the output with -o"


@needs_other_user
class OtherOwnersTest(StrobeTest):
    def setUp(self):
        super().setUp()
        self.work.chmod(0o755)
        self.home = self.work / "home"
        self.theirs = make_result(self.home)
        give(self.home)

    def test_analysis_without_a_place_is_refused(self):
        before = entries(self.home)
        for path in (self.theirs, self.theirs / "FRAMEWORK" / "capture.strobe"):
            with self.subTest(path):
                done = self.strobe("analyse", path, code=2)
                self.assertEqual(done.stderr, "strobe: %s %s\n" % (self.theirs, REFUSED))
        self.assertEqual(changes(before, self.home), [])

    def test_each_of_a_folder(self):
        """The user's own result in the same folder is analysed."""
        own = make_result(self.home, name="own_ascend_pt")
        done = self.strobe("analyse", self.home, code=2)
        self.assertIn(REFUSED, done.stderr)
        self.assertTrue((own / OUTPUT / "analyse.done").exists())
        self.assertFalse((self.theirs / OUTPUT).exists())

    def test_lone_capture(self):
        capture = self.home / "lone.strobe"
        shutil.copy(self.theirs / "FRAMEWORK" / "capture.strobe", capture)
        os.chown(capture, OTHER, OTHER)
        self.assertIn("%s %s" % (capture, REFUSED), self.strobe("analyse", capture, code=2).stderr)
        self.assertEqual(list(self.work.glob("*_ascend_pt")), [])
        self.strobe("analyse", capture, "-o", self.out)
        self.assertTrue((self.out / "lone_ascend_pt" / OUTPUT / "analyse.done").exists())

    def test_one_part_of_it_is_theirs(self):
        """If the capture in one's own folder belongs to another user, this user can also change the
        folder."""
        own = make_result(self.work / "mine")
        self.strobe("analyse", own)
        for path in (own / "FRAMEWORK" / "capture.strobe", own / "FRAMEWORK", own):
            with self.subTest(path):
                os.chown(path, OTHER, OTHER)
                self.strobe("analyse", own, code=2)
                os.chown(path, 0, 0)
        self.strobe("analyse", own)

    def test_output_elsewhere(self):
        before = entries(self.home)
        self.strobe("analyse", self.theirs, "-o", self.out)
        self.assertTrue((self.out / self.theirs.name / OUTPUT / "analyse.done").exists())
        self.strobe("export", self.theirs, "-o", self.work / "cut", "--name", "operator 1")
        self.strobe("info", self.theirs)
        self.strobe("show", self.theirs)
        self.assertEqual(changes(before, self.home), [])

    def test_output_into_a_folder_of_theirs(self):
        """The other user could replace the content of the output folder."""
        before = entries(self.theirs)
        done = self.strobe("analyse", self.theirs, "-o", self.home, code=6)
        self.assertIn('Cannot write into "%s": it belongs to another user' % self.theirs, done.stderr)
        self.assertEqual(changes(before, self.theirs), [])

    def test_output_through_a_link_of_theirs(self):
        link = self.home / "link"
        self.out.mkdir()
        link.symlink_to(self.out)
        os.chown(link, OTHER, OTHER, follow_symlinks=False)
        for words in (
            ("analyse", self.theirs, "-o", link),
            ("analyse", self.theirs, "-o", link / "deep"),
            ("export", self.theirs, "-o", link),
            ("import", self.work / "nothing", "-o", link),
        ):
            with self.subTest(words):
                done = self.strobe(*words, code=6)
                self.assertIn('"link" in it is a symbolic link of another user', done.stderr)
        self.assertEqual(list(self.out.iterdir()), [])
        os.chown(link, 0, 0, follow_symlinks=False)
        self.strobe("analyse", self.theirs, "-o", link / "deep")
        self.assertEqual([path.name for path in self.out.iterdir()], ["deep"])

    def test_own_result_behind_a_link_of_theirs(self):
        own = make_result(self.work / "mine")
        link = self.home / "link"
        link.symlink_to(self.work / "mine")
        os.chown(link, OTHER, OTHER, follow_symlinks=False)
        self.assertIn(REFUSED, self.strobe("analyse", link / own.name, code=2).stderr)
        self.assertFalse((own / OUTPUT).exists())

    def test_their_name_for_leavings(self):
        """A folder of root in the other user's folder, with the name of a remainder of a killed
        command."""
        disguised = self.home / ".strobe-import.abc"
        disguised.mkdir()
        (disguised / "precious").write_text("keep")
        source = self.work / "trace.json"
        source.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "name": "a", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}))
        self.strobe("import", source, "-o", self.home)
        self.assertEqual((disguised / "precious").read_text(), "keep")

    def test_users_among_themselves(self):
        """The rules hold for all users, not only for root."""
        give(self.home, 12345)
        os.chmod(self.home, 0o777)
        os.chmod(self.theirs, 0o777)
        for folder, _, names in os.walk(self.theirs):
            os.chmod(folder, 0o777)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o666)
        environment = dict(self.environment, XDG_RUNTIME_DIR="/nonexistent")
        if self.cannot_run_as_other(environment):
            self.skipTest("this build cannot be read by another user")
        options = {"user": OTHER, "group": OTHER, "extra_groups": [], "env": environment}
        before = entries(self.theirs)
        done = self.strobe("analyse", self.theirs, code=2, **options)
        self.assertIn(REFUSED, done.stderr)
        self.strobe("analyse", self.theirs, "-o", self.home / "of-other", **options)
        self.assertEqual(changes(before, self.theirs), [])

    def cannot_run_as_other(self, environment):
        process = None
        try:
            process = self.start("--version", user=OTHER, group=OTHER, extra_groups=[],
                                 env=environment)
        except PermissionError:
            return True
        return process.wait() != 0

    def test_raw_result_of_the_original(self):
        raw = self.home / "node1_4711_20251127123437072_ascend_pt"
        RawFiles(str(raw), 3).make(20)
        give(self.home)
        before = entries(self.home)
        self.assertIn("%s %s" % (raw, REFUSED), self.strobe("analyse", raw, code=2).stderr)
        self.strobe("analyse", raw, "-o", self.out)
        self.assertEqual(changes(before, self.home), [])
        self.assertTrue((self.out / raw.name / OUTPUT / "analyse.done").exists())


@needs_other_user
class UnfinishedTest(StrobeTest):
    def test_their_capture_is_not_finished(self):
        """Only an analysis by the owner finishes the capture with the content of the pool."""
        process = self.start(
            "run", "-o", self.out, "--collect", "fake:records=100,threads=0", "--",
            "sh", "-c", "echo $$ > pid; mkfifo end; touch ready; read line < end",
        )
        self.wait_for_file(self.work / "ready", process)
        pid = int((self.work / "pid").read_text())
        self.kill_writer(pid)
        process.kill()
        process.wait()
        os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: not pathlib.Path("/proc/%d" % pid).exists(), "the end")
        capture = self.result() / "FRAMEWORK" / "capture.strobe"
        os.chown(capture, OTHER, OTHER)
        before = entries(self.out)
        self.strobe("info", self.result())
        done = self.strobe("analyse", self.result(), "-o", self.work / "new")
        self.assertIn("The capture was not closed", done.stderr)
        self.assertEqual(changes(before, self.out), [])
        os.chown(capture, 0, 0)
        self.assertIn("was recovered", self.strobe("analyse", self.result()).stderr)
        self.assertTrue(self.json("info", self.result())[0]["recovered"])
