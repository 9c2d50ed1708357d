# SPDX-License-Identifier: Apache-2.0
"""`strobe svp collect` from a board that is full, broken or hostile."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import tap
from board_servers import BUSYBOX, CollectTest, needs_servers


@needs_servers
class HostileTest(CollectTest):
    def script(self, text):
        """Makes a script that is the project's program, and that makes a JOB directory itself."""
        path = self.project / "out" / "run.sh"
        path.write_text("#!/bin/sh\nmkdir -p ../profiling/JOBX/data && cd ../profiling/JOBX || exit 1\n"
                        "echo '{}' >info.json.0; echo good >data/good\n" + text)
        path.chmod(0o755)
        return "out/run.sh"

    def fetch(self, board, text, code=5, **options):
        return self.collect("--recorder", "vendor", code=code, main=self.script(text), **options)

    def names(self):
        (job,) = self.jobs()
        return sorted(path.relative_to(job).as_posix() for path in job.rglob("*"))

    def check_refused(self, text, *named):
        for server in "sshd", "dropbear":
            board = self.board(server)
            done = self.fetch(board, text)
            for one in named:
                self.assertIn(one, done.stderr)
            self.assertEqual(re.findall(r"[\x00-\x08\x0b-\x1f\x7f]", done.stderr), [])
            self.assertEqual(self.names(), ["data", "data/good", "info.json.0"])
            self.assertEqual((self.jobs()[0] / "data" / "good").read_text(), "good\n")
            self.check_clean(board)
            board.stop()
            shutil.rmtree(self.project / "profiling")

    def test_links_and_devices(self):
        """No link is followed."""
        self.check_refused("ln -s /etc/passwd data/passwd; ln -s / data/root; mkfifo pipe\n"
                           "ln -s good data/link\n",
                           "passwd", "root", "pipe: no regular file", "left out")

    def test_names(self):
        """Names with escape sequences, line ends, and bytes that are not text."""
        self.check_refused("echo x >data/$(printf '\\033[31mred'); echo x >data/$(printf 'a\\001b')\n"
                           "echo x >data/$(printf '\\377\\376'); echo x >\"data/$(printf 'a\\nb')\"\n",
                           "\\x1b[31mred", "a\\x01b", "left out")

    @tap.long_test
    def test_names_of_folders(self):
        self.check_refused("mkdir data/$(printf 'd\\033d'); echo x >data/$(printf 'd\\033d')/x\n",
                           "d\\x1bd", "left out")

    def test_job_that_is_a_link(self):
        board = self.board()
        done = self.fetch(board, "cd ..; mv JOBX real; ln -s real JOBX\n")
        self.assertIn("left no JOB", done.stderr)
        self.assertEqual(self.jobs(), [])

    @tap.long_test
    def test_deep_folders(self):
        """Allowed names are fetched: with blanks and quotes, and in nested folders."""
        board = self.board()
        self.fetch(board, "mkdir -p 'data/a b/c'; echo x >\"data/a b/c/it's\"; echo y >'-f'\n"
                          "echo z >' first'; printf '' >empty\n", code=0)
        self.assertEqual(self.names(), [" first", "-f", "data", "data/a b", "data/a b/c",
                                        "data/a b/c/it's", "data/good", "empty", "info.json.0"])
        self.check_clean(board)

    def test_unreadable(self):
        board = self.board()
        done = self.fetch(board, "echo x >data/secret; chmod 000 data/secret\n")
        self.assertIn("data/secret: it cannot be read", done.stderr)
        self.assertEqual(self.names(), ["data", "data/good", "info.json.0"])

    def test_sizes_that_lie(self):
        """A file without an end, and a file that is larger than any disk."""
        board = self.board()
        done = self.fetch(board, "truncate -s 10000000000000 data/huge\n", code=6)
        self.assertIn("data/huge is said to have 10000000000000 bytes", done.stderr)
        self.assertEqual([path.name for path in self.jobs()], ["JOBX.part"])
        shutil.rmtree(self.project / "profiling")
        board.stop()
        board = self.board()
        done = self.fetch(board, "(while :; do echo more; done) >data/endless &\n"
                                 "while [ ! -s data/endless ]; do sleep 0.1; done\n"
                                 "setsid sh -c 'while :; do echo more; sleep 0.01; done' "
                                 ">data/growing 2>/dev/null </dev/null &\nsleep 0.1\n", code=None)
        self.assertIn(done.returncode, (0, 5))
        names = set(self.names())
        self.assertTrue({"data/good", "info.json.0"} <= names)

    @tap.long_test
    def test_many_files(self):
        board = self.board()
        self.fetch(board, "cd data; for i in $(seq 300); do echo $i >f$i; done\n", code=0)
        (job,) = self.jobs()
        self.assertEqual(sum(1 for path in job.rglob("f*") if path.is_file()), 300)
        self.assertEqual((job / "data" / "f217").read_text(), "217\n")

    def test_output_of_the_program_is_its_own(self):
        """The program's text is passed on unchanged; Strobe's messages about the board are
        printable."""
        board = self.board()
        done = self.fetch(board, "printf 'JOBFAKE\\n/etc/passwd\\n'\n", code=0)
        self.assertEqual(done.stdout, "JOBFAKE\n/etc/passwd\n%s\n" % self.jobs()[0])

    # ---- a board that lacks something ----

    def test_full_board(self):
        board = self.board(size="1m")
        (self.project / "model" / "big.om").write_bytes(os.urandom(3000000))
        done = self.collect(code=6)
        self.assertRegex(done.stderr, r"127\.0\.0\.1: .* on the board: \d+ KB are free, \d+ KB are")
        self.check_clean(board)

    @tap.long_test
    def test_disk_fills_up(self):
        """The program's own files fill the disk: its data is fetched."""
        board = self.board(size="3m")
        done = self.fetch(board, "head -c 10000000 /dev/zero >data/fill\n", code=None)
        self.assertIn("No space left", done.stderr)
        self.check_clean(board)

    def test_no_home(self):
        for server in "sshd", "dropbear":
            board = self.board(server, home=False)
            done = self.collect(code=None)
            self.assertIn(done.returncode, (6, 9))
            self.assertIn("127.0.0.1", done.stderr)
            board.stop()

    def test_home_that_cannot_be_written(self):
        board = self.board()
        os.chown(board.home, 0, 0)
        done = self.collect(code=6)
        self.assertIn("127.0.0.1: cannot write ~/strobe/net_", done.stderr)
        self.assertIn("Permission denied", done.stderr)

    def test_no_shell(self):
        board = self.board(shell="/bin/false")
        done = self.collect(code=9)
        self.assertIn("the board's shell did not start Strobe's guard", done.stderr)

    @tap.long_test
    def test_other_shells(self):
        """bash has `read -t`, so the program is ended when no heartbeat arrives."""
        board = self.board(shell="/bin/bash")
        self.collect("--all")
        self.check_clean(board)

    @unittest.skipUnless(os.path.exists(BUSYBOX), "no busybox")
    def test_busybox(self):
        """A board like most boards: it has only busybox's shell and commands, with md5sum but
        without cksum."""
        board = self.board(busybox=True)
        (self.project / "model" / "it's a model").write_bytes(os.urandom(100000))
        done = self.collect("--all", "--json", "--interval", "1",
                            main="out/main acl.json a.om load execute 20")
        answer = json.loads(done.stdout[done.stdout.index("{"):])
        self.assertEqual(answer["main"], {"status": 0})
        self.assertGreater(answer["board"]["clock_error_ns"], 0)
        self.check_clean(board)
        done = self.collect("--json", code=10, main="out/main acl.json a.om load execute 1 abort")
        answer = json.loads(done.stdout[done.stdout.index("{"):])
        self.assertEqual((answer["main"], answer["reused_bytes"] > 100000),
                         ({"signal": "KILL"}, True))
        self.assertEqual(answer["board"]["machine"], os.uname().machine)
        self.check_clean(board)

    @tap.long_test
    def test_missing_commands(self):
        """The missing commands are named before anything is sent."""
        tools = self.place / "tools"
        tools.mkdir()
        for name in os.listdir("/usr/bin"):
            if name not in ("cksum", "md5sum", "setsid"):
                (tools / name).symlink_to("/usr/bin/" + name)
        board = self.board(path=tools)
        done = self.collect(code=9)
        self.assertIn("127.0.0.1: the board lacks these commands: setsid, cksum", done.stderr)
        self.check_clean(board)
        self.assertEqual(board.files_left(), [])
        board.ini(self.work / "config" / "strobe" / "targets" / "cam.ini")
        done = self.strobe("doctor", "--on", "cam", code=1)
        self.assertIn("lacks setsid, cksum", done.stdout)

    @tap.long_test
    @unittest.skipUnless(os.path.exists(BUSYBOX), "no busybox")
    def test_no_heartbeat(self):
        """The desk sends nothing more, but the connection stays open: the board ends the
        program."""
        board = self.board(busybox=True)
        process = self.start(*self.words("--stdin", main="out/main acl.json a.om wait"), stdin=-1)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        while any(b"out/main" in self.command_of(pid) for pid in board.owned()):
            self.assertLess(time.monotonic() - begin, 50)
            time.sleep(0.2)
        self.assertGreater(time.monotonic() - begin, 20)
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 9)
        self.collect()  # removes the data that the program's recorder left
        self.check_clean(board)

    def test_date_of_1970(self):
        """A board without a battery for its clock: its date is printed, but not used."""
        tools = self.place / "tools"
        tools.mkdir()
        (tools / "date").write_text("#!/bin/sh\necho 172800\n")
        (tools / "date").chmod(0o755)
        board = self.board(path="%s:/usr/bin:/bin" % tools)
        done = self.collect("--all", "--json")
        answer = json.loads(done.stdout[done.stdout.index("{"):])
        self.assertLess(answer["board"]["date_skew_ns"], -40 * 365 * 86400 * 10**9)
        self.assertLess(answer["board"]["clock_error_ns"], 10**9)
        (table,) = self.jobs()[0].glob("timeline/acl_*")
        for event in json.loads(table.read_text()):
            if event["ph"] == "X":
                self.assertLess(event["ts"] / 1e6, 10 * 365 * 86400)
        self.check_clean(board)

    # ---- this side ----

    def test_output_that_cannot_be_written(self):
        self.board()
        (self.project / "profiling").write_text("")
        done = self.collect(code=6)
        self.assertIn(str(self.project / "profiling"), done.stderr)

    def test_job_that_is_here(self):
        """An existing JOB is not replaced."""
        board = self.board()
        (self.project / "profiling" / "JOBX").mkdir(parents=True)
        done = self.fetch(board, "", code=6)
        self.assertIn("JOBX: File exists", done.stderr)
        self.assertEqual(list((self.project / "profiling" / "JOBX").iterdir()), [])
        self.assertTrue((self.project / "profiling" / "JOBX.part" / "info.json.0").exists())


if __name__ == "__main__":
    unittest.main()
