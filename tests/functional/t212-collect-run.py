# SPDX-License-Identifier: Apache-2.0
"""`strobe svp collect`: how the program runs on the board, how it ends, and which component
records."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import tap
from board_servers import CollectTest, needs_servers
from support import program


@needs_servers
class RunTest(CollectTest):
    def script(self, text, name="run.sh"):
        """Makes a script that is the project's program."""
        path = self.project / "out" / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return "out/" + name

    def each_server(self):
        for server in "sshd", "dropbear":
            board = self.board(server)
            yield board
            self.check_clean(board)
            board.stop()
            shutil.rmtree(self.project / "profiling", ignore_errors=True)

    # ---- ends ----

    def test_status(self):
        for board in self.each_server():
            done = self.collect("--json", code=10, main="out/main acl.json a.om load execute 1 exit 7")
            self.assertIn("exit status 7", done.stderr)
            (job,) = self.jobs()
            self.assertEqual(json.loads((job / "info.json.0").read_text())["state"],
                             "incomplete_exit")
            self.assertEqual(json.loads(done.stdout)["main"], {"status": 7})

    def test_signal(self):
        """A crashed program leaves a JOB with its calls too, which is fetched."""
        for board in self.each_server():
            done = self.collect("--all", code=10, main="out/main acl.json a.om load execute 1 crash")
            self.assertIn("ended by signal SEGV", done.stderr)
            (job,) = self.jobs()
            (table,) = (job / "summary").glob("acl_statistic*")
            self.assertIn("svp_acl_mdl_execute", table.read_text())

    def test_timeout(self):
        board = self.board()
        begin = time.monotonic()
        main = self.script("trap '' TERM\necho begun\nwhile :; do sleep 0.1; done\n")
        done = self.collect("--timeout", "1s", code=10, main=main)
        self.assertIn("--timeout has passed", done.stderr)
        self.assertEqual(done.stdout, "begun\n")
        self.assertLess(time.monotonic() - begin, 30)
        self.check_clean(board)

    def test_no_job(self):
        board = self.board()
        done = self.collect(code=5, main="out/main acl.json a.om load")
        for text in ("left no JOB", "--online_model_type=2", "loading and unloading alone"):
            self.assertIn(text, done.stderr)
        done = self.collect("--switch", "off")
        self.assertIn("ran without profiling", done.stderr)
        self.assertEqual(self.jobs(), [])
        self.check_clean(board)

    # ---- output and input ----

    def test_output_is_unchanged(self):
        """Both streams are separate, with each byte unchanged."""
        every = self.project / "out" / "bytes"
        every.write_bytes(bytes(range(256)) * 1000)
        main = self.script("cat bytes; cat bytes >&2; printf '\\033]0;x\\007'\n")
        for board in self.each_server():
            process = subprocess.run([self.command, *map(str, self.words(main=main))],
                                     env=self.environment, capture_output=True, timeout=60)
            self.assertEqual(process.returncode, 5)
            self.assertEqual(process.stdout, every.read_bytes() + b"\x1b]0;x\x07")
            self.assertIn(every.read_bytes(), process.stderr)

    def test_output_is_live(self):
        board = self.board()
        main = self.script("echo one; read -r x; echo two $x\n")
        process = self.start(*self.words("--stdin", main=main), stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "one\n")
        self.assertTrue(board.owned())
        process.stdin.write("three\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "two three\n")
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 5)

    def test_input_is_empty(self):
        self.board()
        done = self.collect(code=5, main=self.script("wc -c\n"), input="something")
        self.assertEqual(done.stdout.strip(), "0")

    @tap.long_test
    def test_much_output(self):
        """200 MB for a reader that pauses: heartbeats continue in the meantime."""
        board = self.board()
        main = self.script("head -c 200000000 /dev/zero\n")
        process = subprocess.Popen([self.command, *map(str, self.words(main=main))],
                                   env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        n = len(process.stdout.read(1000))
        time.sleep(3)
        while part := process.stdout.read(1 << 20):
            n += len(part)
        self.assertEqual(n, 200000000)
        self.assertEqual(process.wait(timeout=30), 5, process.stderr.read())
        process.stdout.close(), process.stderr.close()

    def test_arguments(self):
        """No shell interprets the arguments; the program runs in its own folder, as on the
        board."""
        board = self.board()
        main = self.script("printf '[%s]' \"$@\"; pwd; printf '%s' \"$A\"\n")
        done = self.collect("--env", "A=$(id) '\"", code=5,
                            main=main + " 'a b' '$(id)' \"it's\" '' \\; '*'")
        self.assertTrue(done.stdout.startswith("[a b][$(id)][it's][][;][*]/"), done.stdout)
        self.assertTrue(done.stdout.endswith("/out\n$(id) '\""), done.stdout)
        self.assertIn(str(board.home / "strobe"), done.stdout)

    def test_processes_that_stay(self):
        """Processes that the program leaves in the background are ended, and nothing waits for
        them."""
        board = self.board()
        done = self.collect(code=5, main=self.script("sleep 1000 & echo done\n"))
        self.assertEqual(done.stdout, "done\n")
        self.check_clean(board)

    # ---- acl.json ----

    def config(self):
        (path,) = self.home_files("acl.json")
        return json.loads(path.read_text())["profiler"]

    def home_files(self, name):
        return [path for path in self.place.glob("b*/home/strobe/*/src/*") if path.name == name]

    def test_config(self):
        """The user's file is not changed; keys on the command line replace those of the file."""
        board = self.board()
        own = {"dump": {}, "x": 1,
               "profiler": {"switch": "off", "output": "/desk", "aicpu": "off", "interval": "3"}}
        own.pop("dump")
        path = self.project / "src" / "acl.json"
        path.write_text(json.dumps(own))
        self.collect("--switch", "on", "--interval", "2", "--aacpu", "on",
                     main="out/main acl.json a.om load execute 5")
        self.assertEqual(json.loads(path.read_text()), own)
        sent = self.config()
        self.assertEqual((sent["switch"], sent["interval"], sent["aacpu"], "aicpu" in sent),
                         ("on", "2", "on", False))
        self.assertTrue(sent["output"].startswith(str(board.home)))
        self.assertEqual(len(list(self.jobs()[0].glob("data/AAcore*"))), 6)  # each has its mark

    def test_no_config(self):
        self.board()
        self.collect()
        sent = self.config()
        self.assertEqual((sent["switch"], sent["interval"], sent["aacpu"], sent["acl_api"],
                          sent["aac_metrics"]),
                         ("on", "0", "on", "on", "ArithmeticUtilization"))
        self.assertFalse((self.project / "src" / "acl.json").exists())

    def test_bad_config(self):
        """The fault is reported before Strobe connects."""
        self.ini = self.place / "ssh.ini"
        self.ini.write_text("[ssh_config]\nip=127.0.0.1\nport=1\nusername=a\npwd=b\n")
        path = self.project / "src" / "acl.json"
        for text, named in (('{"profiler": {"interval": "x"}}', "profiler.interval"),
                            ('{"profiler": {"intervall": "1"}}', 'did you mean "interval"'),
                            ('{"dump": {"a": 1}, "profiler": {"switch": "on"}}', "both on"),
                            ('{"profiler": {', "acl.json")):
            path.write_text(text)
            done = self.collect(code=3)
            self.assertIn(named, done.stderr)
            self.assertIn(str(path), done.stderr)

    # ---- who records ----

    def test_vendor(self):
        """The board's own runtime writes a JOB, whose format is not documented: it is fetched
        unchanged."""
        main = self.script("mkdir -p ../profiling/JOBVENDOR/data && cd ../profiling/JOBVENDOR &&\n"
                           "echo '{}' >info.json.0 && echo raw >data/aicore.0\n"
                           "echo ${LD_PRELOAD:-none}\n")
        for board in self.each_server():
            done = self.collect("--recorder", "vendor", "--json", main=main)
            first, _, rest = done.stdout.partition("\n")
            self.assertEqual(first, "none")
            self.assertEqual(json.loads(rest)["recorder"], "vendor")
            (job,) = self.jobs()
            self.assertEqual((job / "data" / "aicore.0").read_text(), "raw\n")

    @unittest.skipUnless(os.path.exists(program("static-program")), "no static program")
    def test_static(self):
        self.board()
        shutil.copy(program("static-program"), self.project / "out" / "static")
        done = self.collect("--recorder", "strobe", code=3, main="out/static")
        self.assertIn("is linked statically", done.stderr)
        done = self.collect(code=5, main="out/static")
        self.assertIn("is linked statically", done.stderr)

    def test_wrong_machine(self):
        self.board()
        main = bytearray((self.project / "out" / "main").read_bytes())
        main[18:20] = (183 if os.uname().machine == "x86_64" else 62).to_bytes(2, "little")
        (self.project / "out" / "main").write_bytes(main)
        done = self.collect(code=3)
        self.assertIn("is a program for ", done.stderr)
        self.assertIn(os.uname().machine, done.stderr)


class MainTest(CollectTest):
    """Faults of the program are reported before Strobe connects."""

    def setUp(self):
        super().setUp()
        self.ini = self.place / "ssh.ini"
        self.ini.write_text("[ssh_config]\nip=127.0.0.1\nport=1\nusername=a\npwd=b\n")
        self.ini.chmod(0o600)

    def test_main(self):
        (self.project / "out" / "plain").write_text("x")
        outside = self.place / "outside"
        shutil.copy(self.project / "out" / "main", outside)
        for main, named in (("out/none", "no such file"), ("out", "no such file"),
                            ("out/plain", "is not executable"), ("../outside", "not in the project"),
                            ("out/main 'a", "Text ended before matching quote")):
            self.assertIn(named, self.collect(code=3, main=main).stderr)

    def test_options(self):
        for words, code, named in (
                (["--interval", "x"], 3, "--interval"), (["--interval", "2147483648"], 3, "2147483647"),
                (["--acl_api", "maybe"], 3, "--acl_api"), (["--recorder", "vendr"], 3,
                                                           'did you mean "vendor"'),
                (["--timeout", "x"], 3, "--timeout"), (["--env", "A"], 3, "NAME=VALUE"),
                (["--env", "A;B=1"], 3, "a bad name"), (["--interval", "1", "--interval", "2"], 2,
                                                        "more than once"),
                (["word"], 2, "Unexpected word"), (["--target", "x"], 2, "exclude each other"),
                (["--output", "/a b"], 3, "not allowed"), (["--nothing"], 2, "Unknown option")):
            self.assertIn(named, self.collect(*words, code=code).stderr)
        self.assertIn("--main is needed", self.strobe("svp", "collect", code=2).stderr)
        self.assertIn("--config or --target is needed",
                      self.strobe("svp", "collect", "-m", "x", code=2).stderr)

    def test_project_files(self):
        """Files that cannot be sent are named."""
        outside = self.project / "out" / "link"
        outside.symlink_to("/etc/passwd")
        self.assertIn("leads out of the project", self.collect("--dry-run", code=3).stderr)
        outside.unlink()
        os.mkfifo(outside)
        self.assertIn("is no file", self.collect("--dry-run", code=3).stderr)
        outside.unlink()
        (self.project / "a\nb").write_text("")
        self.assertIn("control character", self.collect("--dry-run", code=3).stderr)

    def test_dry_run(self):
        (self.project / ".strobeignore").write_text("*.tmp\n")
        for name in "x.tmp", "JOBOLD", "profiling/y", ".git/z":
            (self.project / name).parent.mkdir(exist_ok=True)
            (self.project / name).write_text("")
        (self.project / "out" / "inside").symlink_to("../model/a.om")
        done = self.collect("--dry-run", "--all")
        self.assertIn("connect to a@127.0.0.1, port 1\n", done.stdout)
        files = [line[2:] for line in done.stdout.splitlines() if line.startswith("  ") and "{" not in
                 line and '"' not in line]
        self.assertEqual(files[:3], ["model/a.om", "out/inside", "out/main"])
        for name in ".tmp", "JOBOLD", "profiling/y", ".git":
            self.assertNotIn(name, done.stdout)
        self.assertIn('"interval": "0"', done.stdout)


if __name__ == "__main__":
    unittest.main()
