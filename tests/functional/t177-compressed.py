# SPDX-License-Identifier: Apache-2.0
"""Captures with compressed blocks: the files are the same as from uncompressed ones, and nothing is
lost when the captures are rotated or dumped, or their program is killed."""

import filecmp
import os
import shutil
import signal
import subprocess

from numbered import NUMBERED, NumberedTest
from support import program

COMPRESS = "compress=zstd"
COLLECT = ("--collect", "fake:records=3000,kind=all,names=hostile")


class CompressedTest(NumberedTest):
    def setUp(self):
        super().setUp()
        _, errors = self.start("run", "-o", self.work / "first", "--buffer", COMPRESS, "--", "true").communicate()
        if "built without libzstd" in errors:
            self.skipTest("built without libzstd")

    def capture(self, result):
        return result / "FRAMEWORK" / "capture.strobe"

    def make_plain(self, result):
        """A copy of the result, whose capture is not compressed."""
        copy = self.work / "plain" / result.name
        (copy / "FRAMEWORK").mkdir(parents=True)
        for path in result.glob("*.json"):
            shutil.copy(path, copy)
        done = subprocess.run([program("plain-capture"), self.capture(result), self.capture(copy)], check=True,
                              stdout=subprocess.PIPE, text=True)
        self.assertGreater(int(done.stdout), 3)
        return copy

    def analyse(self, result, name):
        exporters = [word for exporter in ("chrome_trace", "csv", "stacks") for word in ("--export", exporter)]
        self.strobe("analyse", result, *exporters, "-o", self.work / name)
        output, = (self.work / name).iterdir()
        return output

    def assertSameFiles(self, one, other):
        files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
        self.assertEqual(files, sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file()))
        self.assertGreater(len(files), 3)
        _, different, errors = filecmp.cmpfiles(one, other, map(str, files), shallow=False)
        self.assertEqual([name for name in different + errors if not name.endswith(".log")], [])

    def test_same_files(self):
        self.strobe("run", "-o", self.out, *COLLECT, "--buffer", COMPRESS,
                    "--", NUMBERED, "-t", 2, "-n", 20000, "-u", 100)
        result = self.result()
        self.assertEqual(self.json("info", result)[0]["damaged"], 0)
        plain = self.make_plain(result)
        self.assertLess(self.capture(result).stat().st_size, self.capture(plain).stat().st_size * 2 // 3)
        self.assertSameFiles(self.analyse(result, "of-compressed"), self.analyse(plain, "of-plain"))

    def test_rotation(self):
        flags = ("--rotate", "size=1MB", "--buffer", "policy=block," + COMPRESS)
        self.finish(self.start_numbered("-t", 2, "-n", 300000, "-u", 100, flags=flags))
        self.assertGreaterEqual(self.json("info", self.result())[0]["segments"], 2)
        found = self.numbers(self.result())
        for name in ("t0", "t1"):
            self.assertEqual(len(found[name]), 300000)
            self.assertWithoutGap(found[name])

    def test_dump(self):
        flags = ("--buffer", "policy=ring,size=8MB," + COMPRESS, "--dump", "signal=SIGUSR2,min_interval=0s")
        end = self.work / "end"
        process = self.start_numbered("-t", 2, "-n", 60000, "-u", 50, "-w", end, flags=flags)
        self.wait_until(lambda: min(self.committed(2)), "records of both threads", process)
        os.kill(self.pid, signal.SIGUSR2)
        self.wait_until(lambda: len(self.results()) > 1, "a dump", process)
        end.touch()
        self.finish(process)
        for result in self.results():
            found = self.numbers(result)
            for name in ("t0", "t1"):
                self.assertWithoutGap(found[name], found[name][0])

    def test_killed(self):
        """Recovery finds how much of a thread buffer's block a compressed block contains."""
        flags = ("--buffer", "policy=block,flush_interval=1ms," + COMPRESS)
        process = self.start_numbered("-t", 2, "-u", 200, flags=flags)
        self.wait_until(lambda: min(self.committed(2)) > 20000, "records", process)
        self.kill_writer(self.pid)
        self.kill_all(process)
        committed = self.committed(2)
        found = self.numbers(self.result())
        for name, least in zip(("t0", "t1"), committed):
            self.assertWithoutGap(found[name])
            self.assertGreaterEqual(len(found[name]), least)
        self.assertTrue(self.json("info", self.result())[0]["recovered"])

    def test_torn(self):
        """A file that ends inside of a compressed block: the message names the file and the
        offset."""
        self.strobe("run", "-o", self.out, *COLLECT, "--buffer", COMPRESS, "--", NUMBERED, "-n", 50000)
        torn = self.work / "torn.strobe"
        data = self.capture(self.result()).read_bytes()
        torn.write_bytes(data[: len(data) // 2])
        done = self.strobe("info", torn)
        self.assertIn("torn.strobe", done.stdout + done.stderr)
        self.assertRegex(done.stdout + done.stderr, r"offset \d+, \d+ bytes skipped: the file ends inside a block")

