# SPDX-License-Identifier: Apache-2.0
"""Python calls under `strobe run`, in any script, without PyTorch."""

import collections
import os
import signal
import subprocess
import unittest

from support import BUILD, PYTHON, StrobeTest, needs_python
from trace_file import trace_events

SCRIPT = """
import sys, threading

def leaf(n):
    return n

def branch(n):
    return [leaf(i) for i in range(n)]

def lines():
    for n in range(3):
        yield leaf(n)

def main():
    worker = threading.Thread(target=branch, args=(5,))
    worker.start()
    worker.join()
    branch(4)
    list(lines())
    try:
        {}["x"]
    except KeyError:
        leaf(0)
    return len("abc")

main()
"""

WAITS = """
import sys, time

def leaf():
    return 1

def outer():
    for _ in range(1000):
        leaf()
    print("ready", flush=True)
    time.sleep(60)

outer()
"""

OTHER_PROFILER = """
import sys
seen = []
sys.setprofile(lambda frame, event, argument: seen.append(event))
def leaf(): pass
leaf()
sys.setprofile(None)
def after(): pass
after()
assert "call" in seen
"""


@needs_python
class PythonCallsTest(StrobeTest):
    def events(self, path):
        output = path / "ASCEND_PROFILER_OUTPUT"
        trace = trace_events((output / "trace_view.json").read_text())
        return [e for e in trace if e.get("cat") == "python_function"]

    def trace(self, text, *flags, options=""):
        script = self.script("calls.py", text)
        self.strobe("run", "-o", self.out, "--collect", "python_call" + options, *flags, "--",
                    PYTHON, script)
        return self.events(self.result())

    def test_calls(self):
        events = self.trace(SCRIPT)
        found = collections.Counter(e["name"] for e in events)
        self.assertEqual(found["calls.py(4): leaf"], 5 + 4 + 3 + 1)
        self.assertEqual(found["calls.py(7): branch"], 2)
        self.assertEqual(found["calls.py(10): lines"], 4)
        self.assertGreaterEqual(found["<built-in function len>"], 1)
        self.check_tree(events)
        threads = {e["tid"] for e in events if e["name"] == "calls.py(7): branch"}
        self.assertEqual(len(threads), 2)
        roots = {e["name"] for e in events if e["args"]["Python parent id"] == 0}
        self.assertTrue(any(name.endswith(": _bootstrap") or "_bootstrap_inner" in name or
                            name.endswith(": run") for name in roots), roots)

    def check_tree(self, events):
        """Every parent exists, is on the same thread, and encloses its child."""
        by_id = {e["args"]["Python id"]: e for e in events}
        self.assertEqual(len(by_id), len(events))
        for event in events:
            parent = by_id.get(event["args"]["Python parent id"])
            if parent is None:
                self.assertEqual(event["args"]["Python parent id"], 0)
                continue
            begin, end = self.interval(event)
            outer_begin, outer_end = self.interval(parent)
            self.assertEqual(event["tid"], parent["tid"])
            self.assertLessEqual(outer_begin, begin)
            self.assertLessEqual(end, outer_end)

    @staticmethod
    def interval(event):
        """The begin and end in ns, as integers: a float has too few digits for the time of day in
        ns."""
        begin = int(event["ts"].replace(".", ""))
        return begin, begin + round(event["dur"] * 1000)

    def test_without_builtins(self):
        events = self.trace(SCRIPT, options=":builtins=false")
        self.assertFalse([e for e in events if e["name"].startswith("<built-in")])
        self.check_tree(events)

    def test_killed(self):
        """Calls that had returned are recorded; open calls leave no record."""
        script = self.script("waits.py", WAITS)
        process = self.start("run", "-o", self.out, "--collect", "python_call", "--", PYTHON, script)
        self.wait_until(lambda: "ready" in process.stdout.readline(), "the program")
        pid = int(open("/proc/%d/task/%d/children" % (process.pid, process.pid)).read().split()[0])
        os.kill(pid, signal.SIGKILL)
        process.communicate()
        found = collections.Counter(e["name"] for e in self.events(self.result()))
        self.assertEqual(found["waits.py(4): leaf"], 1000)
        self.assertEqual(found["waits.py(7): outer"], 0)

    def test_another_profiler(self):
        """The script's own profiler sees the same as without Strobe. Strobe records the calls
        before it and, from Python 3.12 on, all calls."""
        script = self.script("other.py", OTHER_PROFILER)
        done = self.strobe("run", "-o", self.out, "--collect", "python_call", "--", PYTHON, script)
        names = {e["name"] for e in self.events(self.result())}
        told = "set or removed a thread's profile function" in done.stderr
        seen = "other.py(5): leaf" in names
        self.assertEqual((told, seen), (False, True) if self.monitors() else (True, False))

    def monitors(self):
        """Does the interpreter have sys.monitoring?"""
        words = [PYTHON, "-c", "import sys; sys.exit(sys.version_info < (3, 12))"]
        return subprocess.run(words).returncode == 0

    TAKES_ALL_IDS = """
import sys
for number in range(6):
    sys.monitoring.get_tool(number) or sys.monitoring.use_tool_id(number, "tool %d" % number)
import strobe
"""

    def test_all_tool_ids_are_taken(self):
        """In a session that the script opens itself: the session continues without calls, and a
        message gives the reason."""
        if not self.monitors():
            self.skipTest("this Python has no sys.monitoring")
        text = self.TAKES_ALL_IDS + (
            "from strobe import profiler\n"
            "with profiler.profile(activities=[profiler.ProfilerActivity.CPU], with_stack=True):\n"
            "    len('abc')\n"
            "print('went on')\n")
        self.environment["PYTHONPATH"] = str(BUILD / "python")
        done = subprocess.run([PYTHON, self.script("taken.py", text)], cwd=self.work, text=True,
                              env=self.environment, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "went on\n"), done.stderr)
        self.assertIn('3 by "tool 3", 4 by "tool 4", 5 by "tool 5"; neither calls nor stacks are '
                      'recorded', done.stderr)

    def test_in_a_flight_recorder(self):
        text = "def leaf(): pass\nfor _ in range(400000): leaf()\n"
        events = self.trace(text, "--buffer", "size=8MB,policy=ring")
        self.assertGreater(len(events), 10000)
        self.assertLess(len(events), 400000)
        self.assertEqual({e["name"] for e in events if "leaf" in e["name"]}, {"calls.py(1): leaf"})

    def test_names_of_100_kb(self):
        name = "f" * 100000
        events = self.trace("def %s(): pass\n%s()\n%s()\n" % (name, name, name))
        self.assertEqual(sum(e["name"] == "calls.py(1): " + name for e in events), 2)

    def test_more_names_than_the_table_holds(self):
        """A name for which the session's table has no room is written with its record."""
        text = ("for n in range(70000):\n"
                "    scope = {}\n"
                "    exec('def made_%d(): pass\\nmade_%d()' % (n, n), scope)\n"
                "def last(): pass\n"
                "for _ in range(5): last()\n")
        events = self.trace(text, "--buffer", "size=8MB,policy=block", options=":builtins=false")
        found = collections.Counter(e["name"] for e in events)
        missing = [n for n in range(70000) if found["<string>(1): made_%d" % n] != 1]
        self.assertEqual(missing, [])
        self.assertEqual(found["calls.py(4): last"], 5)


if __name__ == "__main__":
    unittest.main()
