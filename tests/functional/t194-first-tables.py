# SPDX-License-Identifier: Apache-2.0
"""Ten programs with one command line each: the first table shows where the time went. They run as
the present user, and as another user to whom the kernel refuses perf. The suite long runs each for
30 s."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import tap
from other_user import OTHER, needs_other_user
from support import STROBE, SYSTEM_PYTHON, StrobeTest, needs_python, needs_symbols, program

SECONDS = 30 if os.environ.get("STROBE_TEST_LONG") else 1
DELTA = 0.02 if SECONDS > 1 else 0.12
SCRIPT = pathlib.Path(__file__).with_name("python_shares.py")
POSTGRES = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
TEMPLATES = """
#include <chrono>
#include <cstdlib>
#include <vector>
static volatile unsigned long sink;
template <int N> __attribute__((noinline)) void spin(const std::vector<unsigned long> &v) {
    for (int i = 0; i < N; i++) for (auto x : v) sink = sink * 3 + x;
}
int main(int, char **argv) {
    std::vector<unsigned long> v(1000, 7);
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
    while (std::chrono::steady_clock::now() < end) { spin<300>(v); spin<100>(v); }
}
"""
RUST = """
use std::hint::black_box;
use std::time::{Duration, Instant};
#[inline(never)]
fn work(n: u64) { let mut x = 0u64; for i in 0..n { x = black_box(x.wrapping_mul(3).wrapping_add(i)); } }
#[inline(never)]
fn work_large() { work(300000); black_box(0); }
fn main() {
    let end = Instant::now() + Duration::from_secs(std::env::args().nth(1).unwrap().parse().unwrap());
    while Instant::now() < end { work_large(); }
}
"""
NUMPY = """
import sys, time, numpy
a = numpy.arange(2e6)
end = time.time() + float(sys.argv[1])
while time.time() < end:
    numpy.sqrt(a, out=a); numpy.multiply(a, a, out=a)
"""
TRAINING = """
import sys, time, torch
model = torch.nn.Linear(256, 256)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
end = time.time() + float(sys.argv[1])
while time.time() < end:
    optimizer.zero_grad(); model(torch.ones(64, 256)).sum().backward(); optimizer.step()
"""


def has_module(name):
    return subprocess.run([SYSTEM_PYTHON, "-c", "import " + name], capture_output=True).returncode == 0


def may_sample():
    done = subprocess.run([STROBE, "plugins", "cpu_sample"], capture_output=True, text=True)
    return "works here: yes" in done.stdout


class Programs:
    """The ten programs; `words` begin a command, up to its "--"."""

    words = ()

    def first_table(self, *command, seconds=SECONDS):
        done = subprocess.run([*map(str, self.words), *map(str, command)], cwd=self.work, env=self.environment,
                              capture_output=True, text=True, timeout=120 + 3 * seconds)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.shown()

    def shown(self):
        table, = self.json("show", "--limit", 1000, self.result())
        return table

    def functions(self, *command):
        table = self.first_table(*command)
        self.assertEqual(table["table"], "function")
        return table["rows"]

    def share(self, rows, text):
        return sum(row["self_share"] for row in rows if text in row["name"])

    def total(self, rows, text):
        return sum(row["total_share"] for row in rows if text in row["name"])

    def assertThreeToOne(self, large, small):
        self.assertGreater(small, 0)
        self.assertAlmostEqual(large / (large + small), 0.75, delta=DELTA)

    def write(self, name, text):
        path = self.work / name
        path.write_text(text)
        path.chmod(0o644)
        return path

    def build(self, compiler, *words):
        if not shutil.which(compiler):
            self.skipTest("no " + compiler)
        done = subprocess.run([compiler, *map(str, words)], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    @needs_symbols
    def test_c(self):
        rows = self.functions(program("cpu-program"), "plain", SECONDS)
        self.assertThreeToOne(self.share(rows, "work_large"), self.share(rows, "work_small"))
        self.assertIn("work_large", rows[0]["name"])

    @needs_symbols
    def test_cpp_templates(self):
        self.write("templates.cpp", TEMPLATES)
        self.build("c++", "-O2", "-g", "-o", "templates", "templates.cpp")
        rows = self.functions(self.work / "templates", SECONDS)
        self.assertThreeToOne(self.total(rows, "spin<300>"), self.total(rows, "spin<100>"))

    @needs_symbols
    def test_stripped(self):
        """Functions are shown at the begin of their entries in the unwinding tables."""
        rows = self.functions(program("cpu-stripped"), "plain", SECONDS)
        first, second = [row for row in rows if row["name"].startswith("cpu-stripped+0x")][:2]
        self.assertThreeToOne(first["self"], second["self"])

    @needs_symbols
    def test_rust(self):
        self.write("hot.rs", RUST)
        self.build("rustc", "-O", "-g", "-o", "hot", "hot.rs")
        rows = self.functions(self.work / "hot", SECONDS)
        self.assertGreater(self.total(rows, "work"), 80)

    def test_gzip(self):
        text = self.work / "numbers"
        text.write_text("".join("%d " % (i * i * 7919 % 1000003) for i in range(400000 * SECONDS)))
        rows = self.functions("gzip", "-9", "-k", "-f", text)
        self.assertGreater(self.share(rows, "gzip"), 60)

    def test_python(self):
        rows = self.functions(SYSTEM_PYTHON, SCRIPT, "both", 80 * SECONDS)
        self.assertThreeToOne(self.total(rows, ": work_large"), self.total(rows, ": work_small"))
        self.assertIn(": work_large", rows[0]["name"])

    @unittest.skipUnless(has_module("numpy"), "no NumPy")
    def test_numpy(self):
        rows = self.functions(SYSTEM_PYTHON, self.write("arrays.py", NUMPY), SECONDS)
        self.assertIn("_multiarray_umath", rows[0]["name"])

    def test_threads(self):
        rows = self.functions(program("cpu-program"), "threads", SECONDS)
        self.assertThreeToOne(self.share(rows, "work_large"), self.share(rows, "work_small"))

    @needs_python
    @unittest.skipUnless(has_module("torch"), "no PyTorch")
    def test_training(self):
        table = self.first_table(SYSTEM_PYTHON, self.write("train.py", TRAINING), SECONDS)
        self.assertEqual(table["table"], "operator_average")
        names = {row["name"] for row in table["rows"][:10]}
        self.assertTrue(names & {"aten::addmm", "aten::mm"}, names)

    @unittest.skipUnless(POSTGRES and shutil.which("setpriv"), "no PostgreSQL")
    def test_postgres(self):
        """The server's processes work for pgbench; a signal ends the server."""
        bin = POSTGRES[-1]
        with tempfile.TemporaryDirectory(prefix="strobe-postgres-") as folder:
            os.chmod(folder, 0o777)
            self.serve(bin, folder)
        self.assertEqual(len(self.results()), 1, self.said)
        rows = self.shown()["rows"]
        # Without the kernel's frames, its time counts for the functions of libc that call it.
        shares = [self.share(rows, part) for part in ("postgres", "(kernel)", "libc")]
        self.assertGreater(sum(shares), 60, shares)
        self.assertTrue(any("postgres" in row["name"] for row in rows[:10]), rows[:10])

    def serve(self, bin, folder):
        data, log = os.path.join(folder, "data"), open(os.path.join(folder, "log"), "w")
        self.addCleanup(log.close)
        drop = ["setpriv", "--reuid", str(OTHER), "--regid", str(OTHER), "--clear-groups"]
        drop = drop if os.geteuid() == 0 else []
        subprocess.run([*drop, bin / "initdb", "--no-sync", "-A", "trust", "-U", "tester", data],
                       check=True, capture_output=True, cwd=folder)  # fmt: skip
        before = [] if "setpriv" in self.words else drop
        server = subprocess.Popen([*before, *map(str, self.words), str(bin / "postgres"), "-D", data, "-k", folder, "-h", ""],
                                  cwd=self.work, env=self.environment, stdout=log, stderr=log)  # fmt: skip
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        client = ["-h", folder, "-U", "tester"]
        self.wait_until(lambda: subprocess.run([bin / "pg_isready", *client], capture_output=True).returncode == 0,
                        "the server", server)  # fmt: skip
        subprocess.run([bin / "pgbench", *client, "-i", "-q", "postgres"], check=True, capture_output=True)
        subprocess.run([bin / "pgbench", *client, "-c", "4", "-T", str(SECONDS), "postgres"], check=True,
                       capture_output=True)  # fmt: skip
        pid = int(pathlib.Path(data, "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGINT)
        self.assertEqual(server.wait(120), 0)
        self.said = pathlib.Path(folder, "log").read_text()


@unittest.skipUnless(may_sample(), "perf_event_open is not permitted here")
class PrivilegedTest(Programs, StrobeTest):
    def setUp(self):
        super().setUp()
        self.words = [STROBE, "run", "-o", self.out, "--"]
        self.work.chmod(0o777)


@needs_other_user
class RefusedTest(Programs, StrobeTest):
    """A filter of system calls refuses perf, as in a container. Timers sample at the kernel's
    ticks."""

    # Of the ten programs, the suite quick keeps those for which timers and the kernel's events
    # differ.
    test_cpp_templates = tap.long_test(Programs.test_cpp_templates)
    test_rust = tap.long_test(Programs.test_rust)
    test_gzip = tap.long_test(Programs.test_gzip)
    test_numpy = tap.long_test(Programs.test_numpy)
    test_training = tap.long_test(Programs.test_training)
    test_postgres = tap.long_test(Programs.test_postgres)

    def setUp(self):
        super().setUp()
        self.work.chmod(0o777)
        self.environment = {**self.environment, "HOME": str(self.work)}
        self.words = ["setpriv", "--reuid", OTHER, "--regid", OTHER, "--clear-groups",
                      program("without-perf"), STROBE, "run", "-o", self.out, "--"]  # fmt: skip


if __name__ == "__main__":
    unittest.main()
