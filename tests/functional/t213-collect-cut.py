# SPDX-License-Identifier: Apache-2.0
"""`strobe svp collect` is interrupted: by a lost connection, by signals, by another collect."""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

import tap
from board_servers import CollectTest, needs_servers

STEADY = "out/main acl.json a.om load execute 1 wait"


@needs_servers
class CutTest(CollectTest):
    def await_(self, condition, what, limit=30):
        end = time.monotonic() + limit
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def runs(self, board, program=b"out/main"):
        return any(program in self.command_of(pid) and b"sh\0-c" not in self.command_of(pid)
                   for pid in board.owned())

    def begin(self, board, *words, main=STEADY):
        """Starts a collect, and waits until its program runs."""
        process = self.start(*self.words(*words, main=main), stdin=subprocess.PIPE)
        name = main.split()[0].encode()
        self.await_(lambda: process.poll() is not None or self.runs(board, name), "the program runs")
        self.assertIsNone(process.poll())
        return process

    def collect_again(self, board):
        done = self.collect("--all")
        self.assertTrue(done.stdout.splitlines()[-1].startswith(str(self.project)))
        self.check_clean(board)

    # ---- signals ----

    def test_interrupted(self):
        """The first signal ends the program; its data is fetched."""
        for server in "sshd", "dropbear":
            for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
                board = self.board(server)
                process = self.begin(board, "--stdin")
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                output, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 128 + number, errors)
                self.assertIn("ended after signal %d" % number, errors)
                (job,) = self.jobs()
                self.assertEqual(output.splitlines()[-1], str(job))
                self.check_clean(board)
                board.stop()
                shutil.rmtree(self.project / "profiling")

    @tap.long_test
    def test_insisted(self):
        """The second signal ends the command at once; the board itself ends the program."""
        board = self.board()
        path = self.project / "out" / "stubborn"
        path.write_text("#!/bin/sh\ntrap 'echo asked' TERM\necho ready\nwhile :; do sleep 0.1; done\n")
        path.chmod(0o755)
        process = self.begin(board, main="out/stubborn")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.readline(), "asked\n")  # the first signal has been handled
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, 2)
        self.assertEqual(process.returncode, 130)
        self.assertIn("given up after signal 2", errors)
        self.check_clean(board)

    def test_killed(self):
        """The command itself is killed: the board cleans up."""
        for server in "sshd", "dropbear":
            board = self.board(server)
            process = self.begin(board, "--stdin")
            process.kill()
            process.wait()
            self.await_(lambda: not board.owned(), "the board ends the program")
            self.assertEqual([path for path in board.files_left() if "lock" in path], [])
            board.stop()

    # ---- the link ----

    def test_link_is_cut(self):
        for server in "sshd", "dropbear":
            board = self.board(server)
            process = self.begin(board, "--stdin")
            board.cut()
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 9, errors)
            self.assertIn("127.0.0.1: the connection is lost", errors)
            self.await_(lambda: not board.owned(), "the board ends the program")
            board.stop()
            board.start()
            self.collect_again(board)
            board.stop()
            shutil.rmtree(self.project / "profiling")

    @tap.long_test
    def test_board_hangs(self):
        """The board does not answer heartbeats."""
        board = self.board()
        board.ini(self.ini, keepalive=1)
        process = self.begin(board, "--stdin")
        frozen = board.connections()
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        begin = time.monotonic()
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(process.returncode, 9, errors)
        self.assertIn("no answer within 3 s", errors)
        for pid in frozen:
            try:
                os.kill(pid, signal.SIGCONT)
            except OSError:
                pass
        self.await_(lambda: not board.owned(), "the board ends the program")
        self.collect_again(board)

    def interrupt_at(self, board, chance, times):
        """Interrupts at any moment, by cutting the connection or by a signal."""
        (self.project / "model" / "big.om").write_bytes(os.urandom(3000000))
        for number in range(times):
            process = self.start(*self.words(main="out/main acl.json a.om load execute 1 threads 1 4000"))
            time.sleep(chance.random() * 1.2)
            ways = [lambda: board.cut(), lambda: process.send_signal(signal.SIGINT),
                    lambda: process.kill()]
            ways[number % 3]()
            _, errors = process.communicate(timeout=60)
            self.assertIn(process.returncode, (0, 9, 130, -2, -9, 10), errors)
            # a guard that the server was just starting takes the lock, and then finds the end of
            # its input
            self.await_(lambda: not board.owned() and not any("lock" in path for path in
                                                              board.files_left()),
                        "the board ends the program, and the lock goes (%d)" % number)
            if number % 3 == 0 and board.server == "dropbear" or board.process.poll() is not None:
                board.stop()
                board.start()
            for job in self.jobs():  # a JOB with its final name is complete
                if not job.name.endswith(".part"):
                    self.assertTrue((job / "info.json.0").exists())
                    shutil.rmtree(job)
        done = self.collect()
        self.assertRegex(done.stdout.splitlines()[-1], r"/JOB[A-Z]{29}$")

    @tap.long_test
    def test_at_random_times(self):
        for server in "sshd", "dropbear":
            board = self.board(server)
            self.interrupt_at(board, random.Random(server), 6)
            board.stop()

    @tap.long_test
    def test_at_many_times(self):
        for server in "sshd", "dropbear":
            board = self.board(server)
            self.interrupt_at(board, random.Random(), 50)
            board.stop()

    # ---- two at once ----

    def test_second_collect(self):
        """The second collect waits 5 s, and names the holder of the lock; after the first one has
        ended, it works."""
        board = self.board()
        process = self.begin(board, "--stdin")
        begin = time.monotonic()
        done = self.collect(code=9)
        self.assertGreater(time.monotonic() - begin, 4)
        self.assertIn("another session holds ~/strobe/net_", done.stderr)
        self.assertIn("(%d)" % process.pid, done.stderr)
        process.stdin.close()
        process.stdin = None
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.collect_again(board)

    def lock(self, board):
        (path,) = board.home.glob("strobe/net_*")
        lock = path / ".strobe-lock"
        lock.mkdir()
        return lock

    def test_stale_locks(self):
        """Locks of another boot, of a guard that is gone, and of a guard that died before it wrote
        its name."""
        board = self.board()
        self.collect()
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        other = "0" * 8 + boot[8:]
        gone = 1 << 22  # larger than any process id
        for holder in "%s 1 of a@b (3)\n" % other, "%s %d of a@b (3)\n" % (boot, gone), None:
            lock = self.lock(board)
            if holder:
                (lock / "holder").write_text(holder)
                # from another boot: the process id means nothing now
                (lock / "group").write_text("%d\n" % os.getpid() if holder.startswith(other) else "")
            subprocess.run(["chown", "-R", str(board.uid), lock], check=True)
            self.collect()
            self.check_clean(board)

    # ---- what is sent and fetched again ----

    def test_second_sends_little(self):
        board = self.board()
        (self.project / "model" / "big.om").write_bytes(os.urandom(5000000))
        counts = []
        for _ in range(2):
            done = self.collect("--json")
            counts.append(json.loads(done.stdout[done.stdout.index("{"):]))
        self.assertGreater(counts[0]["uploaded_bytes"], 5000000)
        self.assertEqual(counts[0]["reused_bytes"], 0)
        self.assertLess(counts[1]["uploaded_bytes"], counts[0]["uploaded_bytes"] / 100)
        self.assertGreater(counts[1]["reused_bytes"], 5000000)
        self.assertEqual(len(self.jobs()), 2)
        self.check_clean(board)

    def test_changed_files_are_sent(self):
        """A file that was changed on either side, and a file whose mode was changed, are sent."""
        board = self.board()
        self.collect()
        (folder,) = board.home.glob("strobe/net_*")
        (folder / "model" / "a.om").write_bytes(b"other" * 1000)
        (folder / "out" / "main").chmod(0o600)
        done = self.collect("--json")
        self.assertEqual((folder / "model" / "a.om").read_bytes(), b"model" * 1000)
        sent = json.loads(done.stdout[done.stdout.index("{"):])["uploaded_bytes"]
        self.assertEqual(sent, 5000 + (self.project / "out" / "main").stat().st_size)

    def test_part_goes_on(self):
        """If a part of a JOB is here, the next collect fetches the rest."""
        board = self.board()
        self.collect("--keep")
        (job,) = self.jobs()
        read = lambda: {path.relative_to(job): path.read_bytes() for path in job.rglob("*")
                        if path.is_file() and path.name != "info.json.0"}
        whole = read()
        part = job.with_name(job.name + ".part")
        job.rename(part)
        calls = part / "data" / "AclModule.0.a.1"
        calls.write_bytes(calls.read_bytes()[:100])
        (part / "info.json.0").unlink()
        done = self.collect("--json")
        self.assertEqual(read(), whole)
        # the clocks that were compared now are not those of the earlier run
        self.assertEqual(len(json.loads((job / "info.json.0").read_text())["sync"]), 1)
        self.assertEqual(len(json.loads(done.stdout[done.stdout.index("{"):])["jobs"]), 2)
        self.assertFalse(part.exists())
        self.check_clean(board)

    def test_earlier_jobs_stay(self):
        """Only new JOBs are fetched."""
        board = self.board()
        self.collect("--keep")
        first = self.jobs()
        self.collect()
        self.assertEqual(len(self.jobs()), 2)
        self.assertEqual([pathlib.Path(path).name for path in board.files_left()
                          if re.search(r"/JOB[A-Z]{29}$", path)], [first[0].name])


if __name__ == "__main__":
    unittest.main()
