# SPDX-License-Identifier: Apache-2.0
"""`strobe run --on`: what is refused before anything is sent, and runs that are cut off."""

import json
import os
import pathlib
import shutil
import signal
import struct
import time
import unittest

import tap
from board_servers import RunOnTest, needs_servers
from support import needs_pool_in_memory


class RefusedTest(RunOnTest):
    """No board is reached: each fault is reported before."""

    def setUp(self):
        super().setUp()
        path = self.work / "config" / "strobe" / "targets" / "camera.ini"
        path.parent.mkdir(parents=True)
        path.write_text("[ssh_config]\nip = 127.0.0.1\nport = 1\nusername = a\npwd = secret\n")
        path.chmod(0o600)

    def refuse(self, *texts, command=("./cpu-program", "plain", "0.1"), code=3, flags=()):
        done = self.run_on(*command, flags=flags, code=code)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertNotIn("secret", done.stderr)
        self.assertEqual(self.results(), [])

    def test_collectors(self):
        self.refuse('"host_syss"', 'did you mean "host_sys"', code=4,
                    flags=("--collect", "host_syss"))
        self.refuse('"cpu_op" does not work on a board', "doctor --on",
                    flags=("--collect", "cpu_op"))
        self.refuse("items", "cpv", flags=("--collect", "host_sys:items=cpv"))
        self.refuse("nonesuch", code=4, flags=("--export", "nonesuch"))

    def test_flags(self):
        for flag, value in (("--schedule", "active=1"), ("--rotate", "size=1MB"),
                            ("--step-on", "any"), ("--as", "torch_npu"),
                            ("--preload", "libm.so.6")):
            self.refuse(flag, "does not work with --on", flags=(flag, value))
        self.refuse("--follow", flags=("--follow",))
        ring = ("--buffer", "policy=ring")
        self.refuse("policy=ring", "does not work with --on", flags=ring)
        self.refuse("--dump", "does not work with --on", flags=(*ring, "--dump", "signal=SIGUSR2"))
        self.refuse("compress=zstd", flags=("--buffer", "compress=zstd"))
        self.refuse("--env A", "NAME=VALUE", flags=("--env", "A"))
        for flag in "--project", "--env":
            done = self.strobe("run", flag, "A=1", "--", "true", code=2)
            self.assertIn("%s: works only with --on" % flag, done.stderr)

    def test_configuration_of_a_runtime(self):
        path = self.work / "acl.json"
        path.write_text('{"profiler": {"switch": "on", "acl_api": "on"}}')
        done = self.run_on("true", flags=("-c", path), code=2)
        self.assertIn("strobe svp collect --target camera", done.stderr)

    def test_programs(self):
        self.refuse("./none", "no such file", command=("./none",))
        (self.project / "text").write_text("#!/bin/sh\n")
        self.refuse("./text", "is not executable", command=("./text",))
        self.refuse("is not in the folder of --project",
                    flags=("--project", self.work))
        self.refuse("none", "no such folder", flags=("--project", "none"))

    def test_targets(self):
        done = self.strobe("run", "--on", "none", "-o", self.out, "--", "true", code=3)
        self.assertIn("none.ini", done.stderr)
        self.refuse("127.0.0.1", code=9)


@needs_servers
class CutTest(RunOnTest):
    def begin(self, board, *command, flags=()):
        """A run whose program has printed "ready"."""
        command = command or (self.script("echo ready; exec sleep 1000\n"),)
        process = self.start(*self.words(*command, flags=flags), cwd=self.project)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def finish(self, process, code):
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, errors)
        return errors

    def run_again(self, board):
        self.run_on("true")
        self.assertTrue(self.result())
        self.check_clean(board)

    def test_interrupted(self):
        """The first signal ends the program; what was recorded is fetched and analysed."""
        for server in "sshd", "dropbear":
            for number in signal.SIGINT, signal.SIGTERM:
                board = self.board(server)
                process = self.begin(board)
                process.send_signal(number)
                self.finish(process, 128 + number)
                self.assertTrue((self.result() / "ASCEND_PROFILER_OUTPUT").exists())
                self.check_clean(board)
                board.stop()
                shutil.rmtree(self.out)

    def test_stubborn_program(self):
        """A program that ignores the signal is killed in time for its capture to be completed."""
        board = self.board()
        path = self.script("trap '' TERM INT HUP\necho ready\nwhile :; do sleep 0.1; done\n")
        process = self.begin(board, path)
        process.send_signal(signal.SIGINT)
        self.finish(process, 130)
        self.assertRegex(self.strobe("info", self.result()).stdout, r"state +complete\n")
        self.check_clean(board)

    def test_link_is_cut(self):
        for server in "sshd", "dropbear":
            board = self.board(server)
            process = self.begin(board)
            board.cut()
            errors = self.finish(process, 9)
            self.assertIn("127.0.0.1", errors)
            self.assertEqual(self.results(), [])
            self.check_clean(board)
            board.stop()
            board.start()
            self.run_again(board)
            board.stop()
            shutil.rmtree(self.out)

    def test_killed(self):
        """The command is killed: the board ends the program, and the next run works."""
        board = self.board()
        process = self.begin(board)
        process.kill()
        process.communicate()
        self.check_clean(board)
        self.run_again(board)

    def kinds_so_far(self, capture):
        """The kinds of records in a capture that is being written, with their numbers."""
        process = self.start("info", capture, "--json")
        output, _ = process.communicate(timeout=60)
        return json.loads(output)[0]["kinds"] if process.returncode == 0 else {}

    def test_recorder_is_killed(self):
        """The process that records is killed: what it has written is a result."""
        board = self.board()
        process = self.begin(board, flags=("--buffer", "flush_interval=50ms"))
        recorder = next(pid for pid in board.owned()
                        if pathlib.Path("/proc/%d/comm" % pid).read_text() == "board-run\n")
        capture, = board.home.glob("strobe/*/.strobe-lock/run/capture.strobe")
        self.wait_until(lambda: self.kinds_so_far(capture).get("host_cpu"), "what the processors did")
        os.kill(recorder, signal.SIGKILL)
        errors = self.finish(process, 128 + 9)
        self.assertIn("signal KILL", errors)
        info, = self.json("info", self.result())
        self.assertGreater(info["kinds"]["host_cpu"], 0)
        self.check_clean(board)

    def test_second_run(self):
        """Two runs of one program do not get in each other's way: the second one names the first."""
        board = self.board()
        process = self.begin(board)
        done = self.run_on("./run.sh", code=9)
        self.assertRegex(done.stderr, "is used by|busy|holds")
        self.assertEqual(self.results(), [])
        process.send_signal(signal.SIGINT)
        self.finish(process, 130)
        self.check_clean(board)

    @needs_pool_in_memory
    def test_full_board(self):
        """No room for the program; then no room for the capture while it runs."""
        board = self.board(size="300k")
        done = self.run_on("./cpu-program", "plain", "0.1", code=6)
        self.assertIn("KB are needed", done.stderr)
        self.assertEqual(self.results(), [])
        self.check_clean(board)
        board.stop()
        board = self.board(size="8M")
        path = self.script("head -c 100000000 /dev/zero >fill 2>/dev/null\necho ready\n"
                           "i=0; while [ $i -lt 20 ]; do sleep 0.1; i=$((i+1)); done\nexit 3\n")
        done = self.run_on(path, flags=("--collect", "host_sys:interval=5ms"), code=3)
        self.assertIn("The capture is incomplete: No space left on device", done.stderr)
        self.assertRegex(done.stderr, r"[0-9]+ records lost: disk_full")
        self.assertTrue(self.result())
        self.check_clean(board)

    # ---- what a board cannot do ----

    def test_other_machine(self):
        """A program for another processor is not sent."""
        board = self.board()
        head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 183, 1, 0, 0, 0, 0,
                                                               64, 56, 0, 64, 0, 0)
        path = self.project / "other"
        path.write_bytes(head)
        path.chmod(0o755)
        done = self.run_on("./other", code=3)
        self.assertIn("is a program for aarch64, the board 127.0.0.1 is", done.stderr)
        self.assertEqual(list(board.home.glob("strobe/*/*")), [])

    def test_no_kit(self):
        """The board's processor has no kit here."""
        path = self.commands(uname="case $1 in -m) echo riscv64;; *) exec /bin/uname \"$@\";; esac\n")
        board = self.board(path=path)
        done = self.run_on("true", code=4)
        self.assertIn("No kit is installed for the board 127.0.0.1, riscv64 with glibc", done.stderr)
        self.assertIn("docs/board.md", done.stderr)
        self.assertEqual(list(board.home.glob("strobe/*/*")), [])

    def commands(self, **scripts):
        """A folder with commands of a board that lies, before the usual ones."""
        folder = self.place / "commands"
        folder.mkdir()
        for name, text in scripts.items():
            (folder / name).write_text("#!/bin/sh\n" + text)
            (folder / name).chmod(0o755)
        return "%s:/usr/sbin:/usr/bin:/sbin:/bin" % folder

    def test_size_that_lies(self):
        """A capture that is larger than the disk here is not fetched."""
        path = self.commands(ls="exec /bin/ls \"$@\" | sed '/capture.strobe/s/ [0-9]* \\([A-Z][a-z]* \\)/"
                                " 99999999999999 \\1/'\n")
        board = self.board(path=path)
        done = self.run_on("true", code=6)
        self.assertIn("is said to have 99999999999999 bytes", done.stderr)
        self.assertEqual(self.results(), [])
        self.check_clean(board)

    def test_no_capture(self):
        """A board that hides the capture: the program's status stays."""
        board = self.board(path=self.commands(ls="exec /bin/ls \"$@\" | sed /capture.strobe/d\n"))
        done = self.run_on(self.script("exit 5\n"), code=5)
        self.assertIn("Nothing was recorded", done.stderr)
        self.assertEqual(self.results(), [])
        self.check_clean(board)

    @tap.long_test
    def test_at_random_times(self):
        """The link is cut at moments all over a run."""
        board = self.board()
        for i in range(30):
            process = self.start(*self.words("./cpu-program", "plain", "0.5"), cwd=self.project)
            time.sleep(i * 0.1)
            board.cut()
            process.communicate(timeout=60)
            self.assertIn(process.returncode, (0, 9))
            self.check_clean(board)
            shutil.rmtree(self.out, ignore_errors=True)
        self.run_again(board)


if __name__ == "__main__":
    unittest.main()
