# SPDX-License-Identifier: Apache-2.0
"""However a program ends, its result is the same, and the program ends as without Strobe."""

import os
import re
import signal
import subprocess
import unittest

from support import TIMEOUT, StrobeTest, program, without_sanitizer

PROGRAM = program("exit-program")
N_RANGES = 2000
CODES = {"exit": 3, "quick": 3, "abort": -signal.SIGABRT, "kill": -signal.SIGKILL, "closed": 3,
         "chroot": 3, "seccomp": 3}


def without_numbers(text):
    return re.sub("[0-9]+", "N", text)


class EndingTest(StrobeTest):
    def run_plain(self, way):
        return subprocess.run([PROGRAM, way, self.work], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=TIMEOUT, cwd=self.work, check=False,
                              env=self.environment)

    def run_recorded(self, way, **options):
        return self.strobe("run", "-o", self.out, "--collect", "marker", "--", PROGRAM, way,
                           self.work, **options)

    def assertWhole(self):
        info = self.json("info", self.result())[0]
        self.assertEqual((info["sealed"], info["recovered"]), (True, False))
        self.assertEqual(info["kinds"]["marker"], N_RANGES)
        self.assertEqual(sum(info["lost"].values()), 0, info["lost"])

    def files(self):
        """The names below the result directory, without the variable parts."""
        result = self.result()
        return sorted(without_numbers(str(path.relative_to(result))) for path in result.rglob("*"))

    def check_way(self, way):
        if way == "chroot" and os.geteuid() != 0:
            self.skipTest("only root changes its root")
        plain = self.run_plain(way)
        self.assertEqual(plain.returncode, CODES[way], plain.stderr)
        done = self.run_recorded(way, code=CODES[way])
        self.assertEqual((done.stdout, plain.stderr), (plain.stdout, ""))
        self.assertWhole()
        info = self.result() / "profiler_info.json"
        self.assertIn("collectionTimeEnd", info.read_text())
        return self.files(), without_numbers(done.stderr)

    def check_as_exit(self, way):
        found = self.check_way(way)
        self.out = self.work / "exit"
        files, errors = self.check_way("exit")
        self.assertEqual(found[0], files)
        self.assertEqual(found[1].replace("/out/", "/exit/"), errors)

    def test_quick_exit(self):
        self.check_as_exit("quick")

    def test_abort(self):
        self.check_as_exit("abort")

    def test_kill(self):
        self.check_as_exit("kill")

    def test_closed_descriptors(self):
        self.check_as_exit("closed")

    def test_chroot(self):
        self.check_as_exit("chroot")

    @without_sanitizer
    def test_seccomp(self):
        self.check_as_exit("seccomp")

    def test_what_is_missing(self):
        """Diagnostics and the log are written even if the program does not end normally."""
        for way in "exit", "quick", "kill":
            with self.subTest(way):
                self.out = self.work / way
                done = self.strobe("run", "-o", self.out, "--collect", "marker", "--collect",
                                   "fake:fail=start", "--", PROGRAM, way, code=CODES[way])
                self.assertIn("fake: start failed: ", done.stderr)
                log, = self.result().glob("logs/*_Strobe.log")
                self.assertIn("fake: start failed: ", log.read_text())
                rows = self.json("show", self.result(), "--table", "diagnostic")[0]["rows"]
                self.assertEqual([row["name"] for row in rows], ["fake"])

    def test_no_analysis(self):
        """The writer alone seals the capture and writes the files next to it."""
        given, kept = os.pipe()
        process = self.start("run", "-o", self.out, "--collect", "marker", "--", PROGRAM, "exit",
                             stdin=given)
        os.close(given)
        self.wait_until(lambda: self.records_so_far("marker"), "records", process)
        process.kill()
        os.close(kept)
        self.wait_until(lambda: self.json("info", self.out)[0]["sealed"], "the seal")
        self.wait_until(lambda: list(self.result().glob("logs/*.log")), "the log")
        self.assertWhole()
        self.assertIn("collectionTimeEnd", (self.result() / "profiler_info.json").read_text())


if __name__ == "__main__":
    unittest.main()
