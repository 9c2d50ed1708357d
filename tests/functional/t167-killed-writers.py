# SPDX-License-Identifier: Apache-2.0
"""The program, its writer or both are killed at random moments, with each policy: every record that
the program knows to be committed is there once, or counted as lost.

STROBE_TEST_KILLS sets how often; the long suite sets a larger number.
"""

import os
import random
import shutil
import signal
import subprocess
import time

from numbered import NUMBERED, NumberedTest
from support import program

ROUNDS = int(os.environ.get("STROBE_TEST_KILLS", "9"))
THREADS = 2
# number of records of a program that ends by itself, slow and fast
N_RECORDS = {False: 20000, True: 400000}
CAUSES = {"pool_empty", "writer_gone", "overwritten"}


class KilledWritersTest(NumberedTest):
    def start_numbered(self, *words, **options):
        self.progress.unlink(missing_ok=True)
        shutil.rmtree(self.out, ignore_errors=True)
        return super().start_numbered(*words, **options)

    def start_round(self, policy, is_fast, ends):
        """Starts a program. A fast program fills the pool more than once before the writer looks at
        it."""
        size = "8MB" if is_fast or policy == "ring" else "32MB"
        words = ["-t", THREADS, "-u", 0 if is_fast else 500, "-n", N_RECORDS[is_fast] if ends else 0]
        return self.start_numbered(*words, flags=["--buffer", "size=%s,policy=%s" % (size, policy),
                                                  "--export", "stacks"])

    def kill_program(self):
        os.kill(self.pid, signal.SIGKILL)
        self.wait_until(lambda: not os.path.exists("/proc/%d" % self.pid), "the end of the program")

    def strike(self, process, victim, seconds):
        """Kills the victim at a random moment. Returns whether the program ended by itself."""
        time.sleep(random.uniform(0, seconds))
        if victim == "writer":
            self.kill_writer_if_any()
            self.finish(process)
            return True
        process.kill()
        process.wait()
        deaths = [self.kill_program]
        if victim == "both":
            deaths.append(self.kill_writer_if_any)
            random.shuffle(deaths)
        for death in deaths:
            death()
            time.sleep(random.choice((0, 0, 0.01)))
        self.wait_until(lambda: self.writer_of(self.pid) is None, "the end of the writer")
        return False

    def kill_writer_if_any(self):
        writer = self.writer_of(self.pid)
        if writer is not None:  # otherwise the program has ended, and everything is written
            try:
                os.kill(writer, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def found(self):
        """The numbers of each thread's records, in the order of the capture."""
        text = subprocess.run([program("dump-capture"), self.result() / "FRAMEWORK" / "capture.strobe"],
                              check=True, capture_output=True, text=True).stdout
        numbers = [[] for _ in range(THREADS)]
        for line in text.splitlines():
            words = line.split("\t")
            if words[0] == "marker" and words[6][0] == "t":
                argument = dict(word.split("=", 1) for word in words[7:]).get("argument")
                numbers[int(words[6][1:])].append(int(argument))
        return numbers

    def check(self, policy, committed):
        info = self.json("info", self.result())[0]
        self.assertTrue(info["sealed"])
        self.assertEqual(info["damaged"], 0)
        self.assertFalse(os.path.exists(info["metadata"]["pool"]))
        lost = {cause: n for cause, n in info["lost"].items() if n}
        self.assertLessEqual(set(lost), CAUSES)
        found = self.found()
        for numbers, n in zip(found, committed):
            self.assertEqual(numbers, sorted(set(numbers)))
            if policy == "ring" and not numbers:
                continue  # the other threads may overwrite all records of a thread that waits
            if n and set(lost) <= {"overwritten"}:
                first = numbers[0] if policy == "ring" else 0
                self.assertWithoutGap(numbers, first)
                # The program was killed between the record and its report, or inside of the record.
                self.assertIn(numbers[-1] + 1, (n, n + 1, n + 2))
        n, all_found = sum(committed), sum(map(len, found)) + sum(lost.values())
        self.assertGreaterEqual(all_found, n)
        if policy != "ring":
            self.assertLessEqual(all_found, n + 2 * THREADS + 1)
        return lost

    def strike_all(self, rounds):
        """Returns how often records were lost, by cause."""
        all_lost, n_committed = {}, 0
        for number in range(rounds):  # 9 kills for each victim and policy, 18 for slow and for fast
            policy = ("drop", "block", "ring")[number % 3]
            victim = ("program", "writer", "both")[(number // 3 + number) % 3]
            is_fast = bool(number % 2)
            with self.subTest(number=number, policy=policy, victim=victim, is_fast=is_fast):
                process = self.start_round(policy, is_fast, victim == "writer")
                self.strike(process, victim, 0.05 if is_fast else 0.3)
                committed = self.committed(THREADS)
                self.strobe("analyse", self.out, "--export", "stacks")
                for cause in self.check(policy, committed):
                    all_lost[cause] = all_lost.get(cause, 0) + 1
                n_committed += sum(committed)
        print("# %d kills, %d records, losses in %s" % (rounds, n_committed, all_lost))
        return all_lost

    def test_kills(self):
        self.strike_all(ROUNDS)

    def test_cause(self):
        """Records without a free block are lost because the writer has ended, not because the disk
        is busy."""
        for policy in "drop", "block":
            process = self.start_numbered("-t", 1, "-n", 2000000, "-u", 1,
                                          flags=["--buffer", "size=8MB,policy=" + policy])
            self.kill_writer(self.pid)
            self.finish(process)
            lost = self.json("info", self.result())[0]["lost"]
            self.assertGreater(lost["writer_gone"], 0)
            self.assertEqual(lost["pool_empty"], 0)
