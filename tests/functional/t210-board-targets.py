# SPDX-License-Identifier: Apache-2.0
"""Targets, host keys and connections: `strobe doctor --on TARGET` and `strobe svp collect`."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time
import unittest

import tap
from board_servers import PASSWORD, Board, CollectTest, needs_servers
from support import without_sanitizer


class TargetFileTest(CollectTest):
    """Faults in a target's file are reported before Strobe connects."""

    def refuse(self, path, *texts):
        self.ini = path
        done = self.collect(code=3)
        for text in (str(path), *texts):
            self.assertIn(text, done.stderr)
        self.assertNotIn("secret", done.stdout + done.stderr)
        self.assertEqual(self.jobs(), [])

    def write(self, text, name="ssh.ini", mode=0o600):
        path = self.place / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(mode)
        return path

    def test_name_and_file(self):
        head = "[ssh_config]\nip=127.0.0.1\nusername=a\n"
        self.refuse(self.write(head + "pwd=secret\n", "ssh.cfg"), "ends in .ini")
        self.refuse(self.place / "none.ini", "No such file")
        folder = self.place / "folder.ini"
        folder.mkdir()
        self.refuse(folder, "no regular file")
        os.mkfifo(self.place / "pipe.ini")
        self.refuse(self.place / "pipe.ini", "no regular file")
        other = self.write(head + "pwd=secret\n", "other.ini")
        if os.geteuid() == 0:
            os.chown(other, 4711, 4711)
            self.refuse(other, "belongs to another user")

    def test_keys(self):
        head = "[ssh_config]\nip=127.0.0.1\nusername=a\n"
        for text, named in ((head + "pwd=secret\nport=0\n", "line 5: port"),
                            (head + "pwd=secret\nport=65536\n", "1 to 65535"),
                            (head + "pwd=secret\npwd=secret\n", "line 5: pwd is there twice"),
                            ("[ssh_config]\nusername=a\npwd=secret\n", "the key ip is missing"),
                            (head, "the key pwd is missing"),
                            (head.encode() + b"pwd=secret\0\n", "NUL"),
                            (head + "pwd=secret\x1b\n", "line 4: a control character"),
                            ("[ssh]\npwd=secret\n", "[ssh_config] is missing")):
            self.refuse(self.write(text), named)

    def test_readable_by_others(self):
        path = self.write("[ssh_config]\nip=127.0.0.1\nusername=a\npwd=secret\nport=1\nprt=1\n",
                          mode=0o644)
        self.ini = path
        done = self.collect(code=9)
        self.assertIn("other users can read it (mode 0644)", done.stderr)
        self.assertIn('line 6: unknown key "prt", did you mean "port"?', done.stderr)
        self.assertNotIn("secret", done.stderr)

    def test_stored_targets(self):
        for name, named in (("none", "none.ini"), ("../x", "no name of a target"),
                            ("ssh:", "expected ssh:HOST")):
            done = self.strobe("doctor", "--on", name, code=3)
            self.assertIn(named, done.stderr)


    def test_without_libssh(self):
        """A command without the module for SSH says so, and does not connect."""
        alone = self.work / "bin" / "strobe"
        alone.parent.mkdir()
        shutil.copy(self.command, alone)
        self.command = str(alone)
        self.ini = self.write("[ssh_config]\nip=127.0.0.1\nusername=a\npwd=secret\nport=1\n")
        done = self.collect(code=4)
        self.assertIn("built without libssh", done.stderr)


class Listener:
    """A server that does not speak SSH."""

    def __init__(self, serve):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.serve = serve
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.attend, args=(peer,), daemon=True).start()

    def attend(self, peer):
        try:
            self.serve(peer)
        except OSError:
            pass

    def close(self):
        self.socket.close()


def send_banner(peer):
    while True:
        peer.sendall(b"x" * 65536)


def send_lines(peer):
    while True:
        peer.sendall(b"welcome\r\n" * 4096)


class UnreachedTest(CollectTest):
    def doctor(self, port, code=9):
        self.ini = self.work / "config" / "strobe" / "targets" / "cam.ini"
        self.ini.parent.mkdir(parents=True, exist_ok=True)
        self.ini.write_text("[ssh_config]\nip=127.0.0.1\nusername=root\npwd=secret\nport=%d\n" % port)
        self.ini.chmod(0o600)
        begin = time.monotonic()
        done = self.strobe("doctor", "--on", "cam", code=code)
        self.assertNotIn("secret", done.stdout + done.stderr)
        self.assertIn("root@127.0.0.1, port %d" % port, done.stderr)
        return done.stderr, time.monotonic() - begin

    def listen(self, serve):
        server = Listener(serve)
        self.addCleanup(server.close)
        return server.port

    def test_refused(self):
        with socket.create_server(("127.0.0.1", 0)) as one:
            port = one.getsockname()[1]
        text, _ = self.doctor(port)
        self.assertIn("cannot connect: Connection refused", text)

    @tap.long_test
    def test_silent(self):
        text, took = self.doctor(self.listen(lambda peer: peer.recv(1 << 20) and time.sleep(60)))
        self.assertIn("no answer within 15 s", text)
        self.assertLess(took, 30)

    def test_closing(self):
        text, took = self.doctor(self.listen(lambda peer: peer.close()))
        self.assertIn("cannot connect", text)
        self.assertLess(took, 15)

    @tap.long_test
    def test_banners(self):
        """A banner that never ends, with and without line ends: Strobe gives up."""
        for serve in send_banner, send_lines:
            _, took = self.doctor(self.listen(serve))
            self.assertLess(took, 30)


@needs_servers
class HostKeyTest(CollectTest):
    def doctor(self, code=0, name="cam"):
        return self.strobe("doctor", "--on", name, "--json", code=code)

    def begin(self, server="sshd", **keys):
        board = self.board(server)
        self.file = board.ini(self.work / "config" / "strobe" / "targets" / "cam.ini", **keys)
        self.known = self.work / "config" / "strobe" / "known_hosts"
        return board

    def test_new_known_changed(self):
        for server in "sshd", "dropbear":
            board = self.begin(server)
            self.assertIn("stored in %s" % self.known, self.doctor().stderr)
            self.assertIn("[127.0.0.1]:%d " % board.port, self.known.read_text())
            self.assertEqual(self.doctor().stderr, "")
            first = self.known.read_text()
            board.stop()
            board.make_key("host")
            board.start()
            done = self.doctor(code=9)
            for text in ("the host key has changed", "remove line %d of %s"
                         % (len(first.splitlines()), self.known), "-R '[127.0.0.1]:%d'" % board.port):
                self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("SHA256:"), 2)
            self.assertEqual(self.known.read_text(), first)

    def test_strict(self):
        self.begin(host_keys="strict")
        self.assertIn("host_keys is strict", self.doctor(code=9).stderr)
        self.assertFalse(self.known.exists())
        self.file.write_text(self.file.read_text().replace("strict", "accept-new"))
        self.doctor()
        self.file.write_text(self.file.read_text().replace("accept-new", "strict"))
        self.doctor()

    def test_own_file(self):
        own = self.work / "deep" / "known"
        self.begin(known_hosts=own)
        self.doctor()
        self.assertTrue(own.exists())
        self.assertFalse(self.known.exists())

    def test_properties(self):
        """The properties of a board; nothing is left on the board."""
        for server, has_sftp in ("sshd", "yes"), ("dropbear", "no: files go by plain commands"):
            board = self.begin(server)
            report = json.loads(self.doctor().stdout)
            text = json.dumps(report)
            self.assertIn(os.uname().machine, text)
            self.assertIn(os.uname().release, text)
            self.assertIn('"%s"' % has_sftp, text)
            self.assertIn('"cpu_sample, host_sys"', text)
            self.assertIn("processor samples", text)
            self.check_clean(board)
            self.assertEqual(board.files_left(), [])
            board.stop()


@needs_servers
class AuthenticationTest(CollectTest):
    def refuse(self, board, *texts, **keys):
        board.ini(self.ini, **keys)
        done = self.collect(code=9)
        for text in ("board@127.0.0.1, port %d" % board.port, *texts):
            self.assertIn(text, done.stderr)
        for secret in board.password, "a wrong one":
            self.assertNotIn(secret, done.stdout + done.stderr)

    def test_wrong(self):
        for server in "sshd", "dropbear":
            board = self.board(server)
            self.refuse(board, "refused each method", "password", pwd="a wrong one")
            self.refuse(board, "key /no/such/key (cannot be read)", pwd=None,
                        identity="/no/such/key")
            board.stop()

    def test_command(self):
        board = self.board()
        secret = self.place / "secret"
        secret.write_text(PASSWORD + "\n")
        board.ini(self.ini, pwd=None, pwd_command="cat %s" % secret)
        self.collect("--recorder", "strobe")
        board.ini(self.ini, pwd=None, pwd_command="false")
        self.assertIn('pwd_command "false"', self.collect(code=3).stderr)

    @without_sanitizer
    def test_secret_is_nowhere(self):
        """The password is neither in the arguments or environment on either side, nor in the
        command's memory while the program runs, nor in a file on the board."""
        board = self.board()
        secret = PASSWORD.encode()
        process = self.start(*self.words("--stdin", main="out/main acl.json a.om wait"), stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")  # it now waits for the end of its input
        self.assertTrue(any(b"out/main" in self.read("/proc/%d/cmdline" % pid) for pid in board.owned()))
        for pid in [process.pid, *board.owned()]:
            for name in "cmdline", "environ":
                self.assertNotIn(secret, self.read("/proc/%d/%s" % (pid, name)))
        self.assertFalse(self.memory_has(process.pid, secret))
        output, errors = process.communicate(timeout=60)
        self.assertNotIn(PASSWORD, output + errors)
        found = board.inside("grep", "-r", "-F", "-l", PASSWORD, board.home)
        self.assertEqual(found.stdout, "")

    @staticmethod
    def read(path):
        try:
            return pathlib.Path(path).read_bytes()
        except OSError:
            return b""

    @staticmethod
    def memory_has(pid, secret):
        with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb") as memory:
            for line in maps:
                area, mode = line.split()[:2]
                begin, end = (int(word, 16) for word in area.split("-"))
                if "r" not in mode or "w" not in mode or "[v" in line:
                    continue
                memory.seek(begin)
                try:
                    if secret in memory.read(end - begin):
                        return True
                except OSError:
                    pass
        return False


if __name__ == "__main__":
    unittest.main()
