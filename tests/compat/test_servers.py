# SPDX-License-Identifier: Apache-2.0
"""Servers: redis saves in a child process, nginx reads a new configuration and drops its rights,
PostgreSQL serves pgbench. The clients' results, and the end of the server, are the same under
Strobe."""

import glob
import os
import shutil
import subprocess
import unittest

from matrix import ANY, IS_LONG, Case, MatrixTest, is_root, needs_programs
from support import TIMEOUT

NGINX = """
worker_processes 2;
daemon off;
pid %(place)s/nginx.pid;
error_log stderr notice;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path %(place)s/body;
    proxy_temp_path %(place)s/proxy;
    fastcgi_temp_path %(place)s/fastcgi;
    uwsgi_temp_path %(place)s/uwsgi;
    scgi_temp_path %(place)s/scgi;
    server {
        listen unix:%(place)s/web.socket;
        location / { return 200 "%(answer)s"; }
    }
}
"""


def find_postgres():
    """The folder of the newest PostgreSQL's programs; None if there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(found[-1]) if found else None


POSTGRES = find_postgres()
# PostgreSQL refuses to run as root.
OTHER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if is_root() else []


class ServersTest(MatrixTest):
    """Each server has a method that starts it, uses it, ends it, and returns the results."""

    def compare_servers(self, serve, quick=("marks",)):
        plain = self.serve_in_empty_folder(serve, [])
        for name in ANY if IS_LONG else quick:
            self.make_output_folder()
            with self.subTest(collectors=name):
                self.assertEqual(self.serve_in_empty_folder(serve, self.run_words(name)), plain)
                self.assertCaptures(Case([]))
                self.assertNoPool()
                self.assertNothingLeft()

    def serve_in_empty_folder(self, serve, words):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        self.place.chmod(0o777)
        seen = serve(words)
        self.assertNothingRuns(serve.__name__)
        return seen

    def begin_server(self, *command):
        """Starts a server, whose output goes to the file log."""
        with open(self.place / "log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(list(map(str, command)), cwd=self.place, stdout=log,
                                       stderr=log, env=self.environment, stdin=subprocess.DEVNULL)
        self.addCleanup(self.end, process)
        return process

    def ask(self, *command):
        """Runs a client; returns its output."""
        done = subprocess.run(list(map(str, command)), cwd=self.place, text=True, check=False,
                              capture_output=True, timeout=TIMEOUT, env=self.environment)
        log = (self.place / "log").read_text(encoding="utf-8") if done.returncode else ""
        self.assertEqual(done.returncode, 0, done.stderr + log)
        return done.stdout

    def answers(self, *command):
        """Can the client reach the server?"""
        return subprocess.run(list(map(str, command)), cwd=self.place, check=False,
                              capture_output=True, env=self.environment).returncode == 0

    # ---- redis ----

    def serve_redis(self, words):
        """The server is the program redis-check-rdb of redis-tools under another name."""
        server = self.work / "redis-server"
        if not server.exists():
            server.symlink_to(shutil.which("redis-check-rdb"))
        client = ("redis-cli", "-e", "-s", self.place / "redis.socket")
        process = self.begin_server(*words, server, "--port", 0, "--unixsocket",
                                    self.place / "redis.socket", "--save", "", "--dir", self.place)
        self.wait_until(lambda: self.answers(*client, "ping"), "redis", process)
        seen = [self.ask(*client, "set", "key-%d" % number, number) for number in range(8)]
        self.ask("redis-benchmark", "-s", self.place / "redis.socket", "-n", 2000, "-r", 500,
                 "-q", "-t", "set,lpush")
        seen.append(self.ask(*client, "bgsave"))
        self.wait_until(lambda: "rdb_bgsave_in_progress:0" in self.ask(*client, "info"), "BGSAVE")
        info = self.ask(*client, "info", "persistence").splitlines()
        seen += [line for line in info if line.startswith("rdb_last_bgsave_status")]
        seen.append((self.place / "dump.rdb").exists())
        self.ask(*client, "shutdown", "nosave")
        return [*seen, process.wait(timeout=TIMEOUT)]

    def test_redis(self):
        missing = needs_programs("redis-check-rdb", "redis-cli")
        if missing:
            self.skipTest(missing)
        self.compare_servers(self.serve_redis)

    # ---- nginx ----

    def configure_nginx(self, answer):
        self.script("nginx.conf", NGINX % {"place": self.place, "answer": answer})

    def serve_nginx(self, words):
        self.configure_nginx("first")
        server = ("nginx", "-p", self.place, "-c", self.work / "nginx.conf")
        client = ("curl", "-sS", "--unix-socket", self.place / "web.socket", "http://localhost/")
        process = self.begin_server(*words, *server)
        self.wait_until(lambda: self.answers(*client), "nginx", process)
        seen = [self.ask(*client) for _ in range(8)]
        self.configure_nginx("second")
        self.ask(*server, "-s", "reload")  # SIGHUP
        # An earlier worker may still accept a connection.
        self.wait_until(lambda: all(self.ask(*client) == "second" for _ in range(8)),
                        "the new configuration", process)
        seen += [self.ask(*client) for _ in range(8)]
        self.ask(*server, "-s", "quit")
        return [*seen, process.wait(timeout=TIMEOUT)]

    def test_nginx(self):
        missing = needs_programs("nginx", "curl")
        if missing:
            self.skipTest(missing)
        self.compare_servers(self.serve_nginx)

    # ---- PostgreSQL ----

    def serve_postgres(self, words):
        data, client = self.place / "data", ("-h", self.place, "-p", 5432, "-U", "tester")
        self.begin_server("true").wait()
        self.ask(*OTHER, POSTGRES + "/initdb", "--no-sync", "-A", "trust", "-U", "tester", data)
        process = self.begin_server(*OTHER, *words, POSTGRES + "/postgres", "-D", data, "-k",
                                    self.place, "-c", "listen_addresses=", "-F")
        self.wait_until(lambda: self.answers(POSTGRES + "/pg_isready", *client[:4]), "PostgreSQL",
                        process)
        bench = (POSTGRES + "/pgbench", *client)
        self.ask(*bench, "-i", "-q", "postgres")
        text = self.ask(*bench, "-c", 4, "-j", 2, "-t", 50, "postgres")
        seen = [line for line in text.splitlines() if "actually processed" in line]
        rows = (POSTGRES + "/psql", *client, "-tAc", "select count(*) from pgbench_history", "postgres")
        seen.append(self.ask(*rows))
        self.ask(*OTHER, POSTGRES + "/pg_ctl", "-D", data, "-m", "fast", "-w", "stop")
        return [*seen, process.wait(timeout=TIMEOUT)]

    @unittest.skipUnless(POSTGRES, "PostgreSQL is not installed")
    def test_postgres(self):
        self.compare_servers(self.serve_postgres, ("heap",))
