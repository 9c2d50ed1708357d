# SPDX-License-Identifier: Apache-2.0
"""Boards for tests: OpenSSH's server and dropbear on 127.0.0.1, in a separate mount namespace with
separate users, so that nothing on this machine changes. sshd has its own SFTP server; dropbear has
none."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from support import StrobeTest, program
from svp_board import LAYERS, PROGRAM

SSHD = "/usr/sbin/sshd"
DROPBEAR = "/usr/sbin/dropbear"
BUSYBOX = "/bin/busybox"
PASSWORD = "p %#;=w\"x' \u00e4\u4e2d"

HAS_SERVERS = (os.geteuid() == 0 and all(map(os.path.exists, (SSHD, DROPBEAR)))
               and subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0)
needs_servers = unittest.skipUnless(HAS_SERVERS, "needs root, private mounts, sshd and dropbear")

# In the namespace: the users of the board, and the home.
ENTER = """\
set -e
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/sshd
for file in passwd shadow group hosts; do
    [ ! -e "$1/$file" ] || mount --bind "$1/$file" "/etc/$file"
done
for file in /usr/lib/sftp-server /usr/lib/openssh/sftp-server; do
    [ ! -e "$file" ] || mount --bind /dev/null "$file"
done
[ -z "$5" ] || mount --bind "$5" "$(readlink -f /bin/sh)"
[ -z "$3" ] || mount -t tmpfs -o "size=$3,uid=$4,mode=755" tmpfs "$2"
shift 5
exec "$@"
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def processes_below(pid):
    """The processes that a process started, and their descendants."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        more = children.get(queue.pop(), [])
        found += more
        queue += more
    return found


class Board:
    """A server with a user `board`."""

    def __init__(self, work, server="sshd", size=None, home=True, shell="/bin/sh", path=None,
                 password=PASSWORD, busybox=False, under=()):
        self.uid = 20000 + os.getpid() % 40000  # not the user id of other tests' processes
        self.work = pathlib.Path(work)
        self.server, self.size, self.password = server, size, password
        self.port = free_port()
        self.home = self.work / "home"
        self.files = self.work / "etc"
        self.files.mkdir(parents=True)
        self.work.chmod(0o755)
        if home:
            self.home.mkdir(mode=0o755)
            os.chown(self.home, self.uid, self.uid)
        self.make_users(shell)
        self.host_key = self.make_key("host")
        self.path = self.make_busybox() if busybox else path
        self.sh = BUSYBOX if busybox else ""
        self.under = under  # a command that runs the server
        self.process = None

    def make_users(self, shell):
        for name in "passwd", "shadow", "group":
            shutil.copy("/etc/" + name, self.files / name)
        hashed = subprocess.run(["openssl", "passwd", "-6", "-stdin"], input=self.password, text=True,
                                capture_output=True, check=True).stdout.strip()
        add = lambda name, line: open(self.files / name, "a").write(line + "\n")
        if "\nsshd:" not in (self.files / "passwd").read_text():
            add("passwd", "sshd:x:4712:65534::/run/sshd:/usr/sbin/nologin")
        add("passwd", "board:x:%d:%d::%s:%s" % (self.uid, self.uid, self.home, shell))
        add("shadow", "board:%s:19000:0:99999:7:::" % hashed)
        add("group", "board:x:%d:" % self.uid)

    def make_busybox(self):
        """Makes a folder with only busybox's commands. Debian's busybox has no cksum."""
        folder = self.work / "busybox"
        folder.mkdir()
        subprocess.run([BUSYBOX, "--install", "-s", folder], check=True)
        (folder / "cksum").unlink(missing_ok=True)
        return folder

    def make_key(self, name):
        path = self.work / name
        path.unlink(missing_ok=True)
        if self.server == "dropbear" and name == "host":
            subprocess.run(["dropbearkey", "-t", "ed25519", "-f", path], check=True,
                           capture_output=True)
        else:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        return path

    def authorize(self):
        """Makes a key of the user, and makes the board accept it."""
        key = self.make_key("user-key")
        folder = self.home / ".ssh"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "authorized_keys").write_text((self.work / "user-key.pub").read_text())
        for path in folder, folder / "authorized_keys":
            os.chown(path, self.uid, self.uid)
            path.chmod(0o700 if path == folder else 0o600)
        return key

    def command(self):
        if self.server == "dropbear":
            return [DROPBEAR, "-F", "-E", "-p", "127.0.0.1:%d" % self.port, "-r", self.host_key,
                    "-P", self.work / "dropbear.pid"]
        config = self.work / "sshd_config"
        config.write_text(
            "Port %d\nListenAddress 127.0.0.1\nHostKey %s\nUsePAM no\nStrictModes no\n"
            "PidFile none\nSubsystem sftp internal-sftp\nMaxStartups 100\n%s"
            % (self.port, self.host_key,
               "SetEnv PATH=%s\n" % self.path if self.path else ""))
        return [SSHD, "-D", "-e", "-f", config]

    def start(self):
        log = open(self.work / "server.log", "ab")
        words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh",
                 self.files, self.home, self.size or "", str(self.uid), self.sh, *self.under, *self.command()]
        self.process = subprocess.Popen(list(map(str, words)), stdout=log, stderr=log,
                                        stdin=subprocess.DEVNULL, start_new_session=True)
        log.close()
        self.await_port()
        return self

    def await_port(self):
        end = time.monotonic() + 20
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5) as one:
                    if one.recv(4) == b"SSH-":
                        return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("no server: " + (self.work / "server.log").read_text())
            time.sleep(0.02)

    def stop(self):
        if self.process is None:
            return
        for pid in [*processes_below(self.process.pid), *self.owned()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.process.kill()
        self.process.wait()
        self.process = None

    def connections(self):
        """The server's processes that serve a connection."""
        return processes_below(self.process.pid)

    def cut(self):
        """Cuts the connection: the processes that serve it end at once."""
        for pid in processes_below(self.process.pid):
            try:
                name = pathlib.Path("/proc/%d/comm" % pid).read_text().strip()
                if name in ("sshd", "sshd-session", "sshd-auth", "dropbear"):
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                pass

    def owned(self):
        """The processes of the user `board`, except the server's and those that have ended: the
        first process of a container need not reap them."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and entry.stat().st_uid == self.uid:
                    name = (entry / "comm").read_text().strip()
                    state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                    if state != "Z" and name not in ("sshd", "sshd-session", "dropbear"):
                        found.append(int(entry.name))
            except OSError:
                pass
        return found

    def inside(self, *words):
        """Runs a command in the namespace with the board's files."""
        pid = self.process.pid
        return subprocess.run(["nsenter", "--mount=/proc/%d/ns/mnt" % pid,
                               "--root=/proc/%d/root" % pid, *map(str, words)],
                              capture_output=True, text=True)

    def files_left(self):
        found = self.inside("find", self.home, "-mindepth", "1", "-not", "-path", "*/.ssh*")
        if not found.stdout and found.returncode:
            raise AssertionError("cannot list the board's files: " + found.stderr)
        return sorted(found.stdout.split("\n")[:-1])

    def ini(self, path, **keys):
        """Writes a target's file."""
        values = {"ip": "127.0.0.1", "username": "board", "pwd": self.password, "port": self.port,
                  **keys}
        path = pathlib.Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[ssh_config]\n" + "".join(
            "%s = %s\n" % item for item in values.items() if item[1] is not None))
        path.chmod(0o600)
        return path


class BoardServersTest(StrobeTest):
    """A folder that the users of boards can enter."""

    def setUp(self):
        super().setUp()
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="strobe-board-"))
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.place.chmod(0o755)
        self.environment["XDG_CONFIG_HOME"] = str(self.work / "config")
        self.environment.pop("SSH_AUTH_SOCK", None)

    def begin_board(self, file, server="sshd", **options):
        """A board, and the file that describes it."""
        board = Board(self.place / ("b%d" % free_port()), server, **options)
        self.addCleanup(board.stop)
        board.start()
        board.ini(file)
        return board


class CollectTest(BoardServersTest):
    """A project whose program runs a network, and a board for it."""

    def setUp(self):
        super().setUp()
        self.project = self.place / "net"
        for name in "out", "src", "model":
            (self.project / name).mkdir(parents=True)
        shutil.copy(PROGRAM, self.project / "out" / "main")
        (self.project / "model" / "a.om").write_bytes(b"model" * 1000)
        self.double = self.place / "double.txt"
        self.double.write_text(LAYERS)

    @staticmethod
    def command_of(pid):
        """The command of a process, which may end at any time."""
        try:
            return pathlib.Path("/proc/%d/cmdline" % pid).read_bytes()
        except OSError:
            return b""

    def board(self, server="sshd", **options):
        self.ini = self.place / "ssh.ini"
        return self.begin_board(self.ini, server, **options)

    def words(self, *words, main="out/main acl.json a.om load execute 1", **options):
        """The program `main` gets the path of acl.json as its first argument, relative to its
        folder."""
        main = main.replace("acl.json", "../src/acl.json")
        return ["svp", "collect", "--project", self.project, "--config", self.ini,
                "--main", "%s/%s" % (self.project, main),
                "--env", "LD_LIBRARY_PATH=%s" % PROGRAM.parent,
                "--env", "SVP_DOUBLE=%s" % self.double, *words]

    def collect(self, *words, code=0, main="out/main acl.json a.om load execute 1", **options):
        if code is not None:
            return self.strobe(*self.words(*words, main=main), code=code, **options)
        process = self.start(*self.words(*words, main=main), **options)
        output, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    def jobs(self, output=None):
        return sorted((output or self.project / "profiling").glob("JOB*"))

    def check_clean(self, board):
        """No process of a collect runs on the board, and no incomplete file is left there or
        here."""
        end = time.monotonic() + 10
        while board.owned() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual([(pid, open("/proc/%d/cmdline" % pid).read()) for pid in board.owned()], [])
        left = [path for path in board.files_left() if re.search(r"lock|JOB|\.strobe-calls", path)]
        self.assertEqual(left, [])
        self.assertEqual([path for path in self.place.rglob("*.part")
                          if board.home not in path.parents], [])


class RunOnTest(BoardServersTest):
    """A program, and a board that is described by ~/.config/strobe/targets/camera.ini."""

    def setUp(self):
        super().setUp()
        self.project = self.place / "desk"
        self.project.mkdir()
        shutil.copy(program("cpu-program"), self.project)

    def board(self, server="sshd", **options):
        return self.begin_board(self.work / "config" / "strobe" / "targets" / "camera.ini", server,
                                **options)

    def script(self, text):
        path = self.project / "run.sh"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return "./run.sh"

    def words(self, *command, flags=()):
        return ["run", "--on", "camera", "-o", self.out, *flags, "--", *command]

    def run_on(self, *command, flags=(), code=0, **options):
        return self.strobe(*self.words(*command, flags=flags), code=code, cwd=self.project, **options)

    @staticmethod
    def pools_of_user(uid):
        """The pools of a user. Pools of tests that run beside this one may go at any time."""
        found = []
        for path in pathlib.Path("/dev/shm").glob("strobe-*.pool"):
            try:
                if path.stat().st_uid == uid:
                    found.append(path)
            except FileNotFoundError:
                pass
        return found

    def check_clean(self, board):
        """Nothing of a run lives on the board, and only what was sent lies there. A guard that the server
        was just starting when the link was cut takes the lock, and then finds the end of its input."""
        left = lambda: [path for path in board.files_left() if re.search(r"lock|capture|timers", path)]
        end = time.monotonic() + 10
        while (board.owned() or left()) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(board.owned(), [])
        self.assertEqual(left(), [])
        self.assertEqual(self.pools_of_user(board.uid), [])
        if self.out.exists():
            self.assertEqual([path.name for path in self.out.iterdir()
                              if not path.name.endswith("_ascend_pt")], [])
