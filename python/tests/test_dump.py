# SPDX-License-Identifier: Apache-2.0
"""Flight recorders and rotation: dumps of a session, a profile and a process, and their
handlers."""

import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

import tap
from support import FolderTest, messages, needs_torch, results, torch
from trace_file import trace_events
import strobe
from strobe import Error, command, profiler
from strobe._strobe import Session

RING = {"size": "8MB", "policy": "ring"}
PATIENCE = 30


def info(directory):
    return json.loads(command.run(["info", directory, "--json"]))[0]


class DumpTest(FolderTest):
    def make(self, **config):
        config.setdefault("buffer", RING)
        config.setdefault("output", {"directory": self.folder})
        session = Session(json.dumps({"collectors": {}, **config}), "test")
        self.addCleanup(session.close)
        return session

    def started(self, **config):
        session = self.make(**config)
        session.start()
        return session


@tap.once_test
class SessionDump(DumpTest):
    def test_directory_of_its_own(self):
        session = self.started()
        for _ in range(10):
            strobe.mark("x")
        first = session.dump("first reason")
        for _ in range(5):
            strobe.mark("x")
        second = session.dump()
        session.stop()
        self.assertEqual(len({first, second, session.directory}), 3)
        self.assertEqual(sorted([first, second, session.directory]), results(self.folder))
        found = [info(each) for each in (first, second, session.directory)]
        self.assertEqual([each["kinds"]["marker_instant"] for each in found], [10, 15, 15])
        reasons = [each["metadata"].get("dump_reason") for each in found]
        self.assertEqual(reasons, ["first reason", "call", None])
        self.assertTrue(all(each["sealed"] for each in found))

    def test_arguments(self):
        session = self.started()
        for arguments in ((1,), (b"x",), ("x", "y")):
            self.assertRaises(TypeError, session.dump, *arguments)
        self.assertTrue(os.path.isdir(session.dump(reason="x")))

    def test_handler_that_stops(self):
        for by_signal in (False, True):
            told = threading.Event()

            def ready(prof):
                prof.stop()
                told.set()

            options = {"dump": {"signal": "SIGUSR2"}} if by_signal else {}
            with messages() as lines:
                prof = profiler.profile(buffer=RING, on_trace_ready=ready, **options)
                prof.start()
                if by_signal:
                    os.kill(os.getpid(), signal.SIGUSR2)
                    step_until(prof, told)
                else:
                    self.assertTrue(os.path.isdir(prof.dump()))
                after = profiler.profile(buffer=RING)
                after.start()
                self.assertTrue(os.path.isdir(after.dump()))
                after.stop()
            self.assertEqual([text for level, text in lines if level == "ERROR"], [])

    def test_no_flight_recorder(self):
        session = self.make(buffer={"size": "8MB"})
        session.start()
        self.assertRaisesRegex(Error, "buffer.policy", session.dump)
        self.assertIs(strobe.dump(), False)

    def test_not_while_it_records(self):
        session = self.make()
        self.assertRaisesRegex(Error, "flight recorder", session.dump)
        session.start()
        session.stop()
        self.assertRaisesRegex(Error, "started", session.dump)
        session.close()
        self.assertRaisesRegex(Error, "closed", session.dump)
        self.assertEqual(len(results(self.folder)), 1)

    def test_forked_child(self):
        session = self.started()
        child = os.fork()
        if child == 0:
            os._exit(0 if session.dump() is None and strobe.dump() is False else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertTrue(session.dump())


def step_until(prof, told):
    """Calls prof.step() until the event `told` is set."""
    end = time.monotonic() + PATIENCE
    while not told.is_set() and time.monotonic() < end:
        time.sleep(0.01)
        prof.step()
    assert told.is_set()


@tap.once_test
class Told(DumpTest):
    """After a dump, on_trace_ready is called in the thread that dumps, or in the next step."""

    def test_in_the_thread_that_dumps(self):
        session, told = self.started(), []
        session.on_trace_ready(lambda path: told.append((path, threading.get_ident())))
        path = session.dump()
        self.assertEqual(told, [(path, threading.get_ident())])

    def test_exception_is_raised_by_dump(self):
        def fails(directory):
            raise KeyError(directory)

        session = self.started()
        session.on_trace_ready(fails)
        with self.assertRaises(KeyError) as caught:
            session.dump()
        self.assertTrue(info(caught.exception.args[0])["sealed"])
        session.on_trace_ready(None)
        session.step()  # does not raise it again

    def test_calls_from_within(self):
        session, refused = self.started(), []

        def ready(directory):
            session.add_metadata("from", "callback")
            self.assertEqual((session.step_number, session.closed), (0, False))
            for name in ("start", "step", "stop", "close", "dump"):
                self.assertRaisesRegex(Error, "callback", getattr(session, name))
                refused.append(name)

        session.on_trace_ready(ready)
        session.dump()
        self.assertEqual(len(refused), 5)

    def in_a_step(self, ready):
        """Calls strobe.dump() and steps until a step has called `ready`."""
        session, told = self.started(), []

        def call(directory):
            told.append(directory)
            ready(session, directory)

        session.on_trace_ready(call)
        self.assertIs(strobe.dump(), True)
        end = time.monotonic() + PATIENCE
        while not told and time.monotonic() < end:
            time.sleep(0.01)
            session.step()
        self.assertEqual(len(told), 1)
        return session

    def test_in_the_thread_that_steps(self):
        threads = []
        session = self.in_a_step(lambda *_: threads.append(threading.get_ident()))
        self.assertEqual(threads, [threading.get_ident()])
        self.assertEqual(len(results(self.folder)), 2)
        session.close()

    def test_calls_from_a_step(self):
        def ready(session, directory):
            session.add_metadata("from", "callback")
            self.assertNotEqual(session.directory, directory)
            for name in ("start", "step", "close", "dump"):
                self.assertRaisesRegex(Error, "callback|calls", getattr(session, name))

        self.in_a_step(ready)

    def test_exception_is_raised_by_the_step(self):
        with self.assertRaises(ZeroDivisionError):
            self.in_a_step(lambda *_: 1 / 0)

    def test_no_process_inherits_blocked_signals(self):
        def ready(session, directory):
            status = subprocess.run(["cat", "/proc/self/status"], stdout=subprocess.PIPE).stdout
            blocked.append(status.decode().split("SigBlk:")[1].split()[0])

        blocked = []
        self.in_a_step(ready)
        self.assertEqual(blocked, ["0" * 16])


@tap.once_test
class WindowEnd(DumpTest):
    def test_before_it_is_ready_and_not_after_dumps(self):
        session, told = self.make(), []
        session.on_window_end(lambda path: told.append(("end", path)))
        session.on_trace_ready(lambda path: told.append(("ready", path)))
        session.start()
        path = session.dump()
        session.stop()
        own = session.directory
        self.assertEqual(told, [("ready", path), ("end", own), ("ready", own)])

    def test_exception(self):
        session = self.started()
        session.on_window_end(lambda path: 1 / 0)
        self.assertRaises(ZeroDivisionError, session.stop)


SCRIPT = """
import json, sys, threading, time
import strobe
from strobe._strobe import Session

session = Session(json.dumps({
    "output": {"directory": "."}, "collectors": {}, "buffer": {"size": "8MB", "policy": "ring"},
}))
session.on_trace_ready(lambda directory: sum(range(100000)))
session.start()

def ask():
    while strobe.dump():
        strobe.mark("x")
        time.sleep(%s)

threading.Thread(target=ask, daemon=True).start()
time.sleep(0.3)
"""


@tap.once_test
class AtExit(DumpTest):
    def test_session_that_nobody_closed(self):
        """The interpreter may exit while a dump is being written."""
        for pause in (0, 0.001, 0.01):
            done = self.run_python(SCRIPT % pause)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        for path in results(self.folder):
            found = info(path)
            self.assertTrue(found["sealed"], path)
            self.assertFalse(found["recovered"], path)
        self.assertGreaterEqual(len(results(self.folder)), 6)


class ProfileDump(FolderTest):
    def test_dump(self):
        with profiler.profile(buffer=RING) as prof:
            strobe.mark("x")
            first = prof.dump("why")
            strobe.mark("x")
        self.assertEqual(info(first)["kinds"]["marker_instant"], 1)
        self.assertEqual(info(first)["metadata"]["dump_reason"], "why")
        # A session without an output folder keeps its dumps in the current folder.
        self.assertIn(first, results(self.folder))
        self.assertEqual(len(results(self.folder)), 2)
        del prof
        self.assertEqual(len(results(self.folder)), 2)

    def test_dump_is_a_result(self):
        with profiler.profile(buffer=RING) as prof:
            strobe.mark("x")
            prof.dump()
            prof.export_chrome_trace("dump.json")
        with open("dump.json") as file:
            self.assertEqual(sum(each["name"] == "x" for each in trace_events(file.read())), 1)

    def test_handler(self):
        told = []

        def ready(prof):
            told.append((prof._recording.directory, prof.get_trace_id()))

        with profiler.profile(buffer=RING, on_trace_ready=ready) as prof:
            trace_id = prof.get_trace_id()
            path = prof.dump()
        self.assertEqual([each[0] for each in told][0], path)
        self.assertEqual({each[1] for each in told}, {trace_id})
        self.assertEqual(sorted(each[0] for each in told), results(self.folder))

    def test_trace_handler(self):
        handler = profiler.tensorboard_trace_handler("out", worker_name="w")
        with messages():
            with profiler.profile(buffer=RING, on_trace_ready=handler) as prof:
                strobe.mark("x")
                path = prof.dump()
                strobe.dump()
        found = results("out")
        self.assertGreaterEqual(len(found), 2)  # the last dump may come too late
        self.assertIn(os.path.realpath(path), map(os.path.realpath, found))
        done = os.path.join(path, "ASCEND_PROFILER_OUTPUT", "analyse.done")
        self.assertTrue(os.path.exists(done), path)
        analysed = [each for each in found
                    if os.path.exists(os.path.join(each, "ASCEND_PROFILER_OUTPUT", "analyse.done"))]
        self.assertGreaterEqual(len(analysed), 2)  # the last one may be missing

    def test_handler_of_the_users_that_moves(self):
        handler = profiler.tensorboard_trace_handler("moved", analyse_flag=False)
        with profiler.profile(buffer=RING, on_trace_ready=lambda prof: handler(prof)) as prof:
            path = prof.dump()
        self.assertTrue(os.path.isdir(path))
        self.assertEqual(os.path.basename(os.path.dirname(path)), "moved")

    def test_handler_that_fails(self):
        def fails(prof):
            raise KeyError("handler")

        with messages() as told:
            with profiler.profile(buffer=RING, on_trace_ready=fails) as prof:
                path = prof.dump()
        self.assertTrue(info(path)["sealed"])
        errors = [text for level, text in told if level == "ERROR"]
        self.assertEqual(errors[0], "Call on_trace_ready failed. Exception: 'handler'")

    def test_handler_that_stops(self):
        for by_signal in (False, True):
            told = threading.Event()

            def ready(prof):
                prof.stop()
                told.set()

            options = {"dump": {"signal": "SIGUSR2"}} if by_signal else {}
            with messages() as lines:
                prof = profiler.profile(buffer=RING, on_trace_ready=ready, **options)
                prof.start()
                if by_signal:
                    os.kill(os.getpid(), signal.SIGUSR2)
                    step_until(prof, told)
                else:
                    self.assertTrue(os.path.isdir(prof.dump()))
                after = profiler.profile(buffer=RING)
                after.start()
                self.assertTrue(os.path.isdir(after.dump()))
                after.stop()
            self.assertEqual([text for level, text in lines if level == "ERROR"], [])

    def test_no_flight_recorder(self):
        with messages() as told:
            with profiler.profile() as prof:
                self.assertIsNone(prof.dump())
            self.assertIsNone(prof.dump())
        errors = [text for level, text in told if level == "ERROR"]
        self.assertEqual(len(errors), 2)
        self.assertIn("buffer.policy", errors[0])
        self.assertIn("no profile records", errors[1])

    def test_slow_step(self):
        dump = {"slow_step": 100, "min_interval": "0s"}
        is_even = False
        while not is_even:  # repeated if the busy machine made slow steps
            took, told = [], threading.Event()
            with profiler.profile(buffer=RING, dump=dump, on_trace_ready=lambda p: told.set()) as prof:
                begin = time.monotonic()
                for _ in range(20):
                    time.sleep(0.002)
                    prof.step()
                    end = time.monotonic()
                    took.append(end - begin)
                    begin = end  # the profile's steps have no time between them either
                median = statistics.median(took)
                is_even = max(took) < 50 * min(took)  # the running median may be as small as the smallest
                if not is_even:
                    continue
                self.assertFalse(told.is_set())
                time.sleep(200 * median)
                prof.step()
                step_until(prof, told)
        reasons = [info(each)["metadata"].get("dump_reason") for each in results(self.folder)]
        self.assertTrue(any(each and each.startswith("step 20 took") for each in reasons), reasons)

    def test_wrong_sections(self):
        with messages() as told:
            profiler.profile(buffer="ring", rotate=1, dump=[])
        self.assertEqual(
            [each for each in told if each[0] != "INFO"],
            [("WARNING", "Parameter %s is of dict type, reset it to None." % name)
             for name in ("buffer", "rotate", "dump")],
        )
        for sections, expected in (
            ({"buffer": {"polici": "ring"}}, "policy"),
            ({"rotate": {"keep": 2}}, "size"),
            ({"dump": {"slow_step": 2}}, "ring"),
            ({"buffer": RING, "schedule": profiler.schedule(wait=0, warmup=0, active=1)}, "schedule"),
        ):
            with self.subTest(sections):
                with messages() as told, profiler.profile(**sections):
                    pass
                errors = [text for level, text in told if level == "ERROR"]
                self.assertEqual(len(errors), 1, told)
                self.assertIn("Call start failed", errors[0])
                self.assertIn(expected, errors[0])
        self.assertEqual(results(self.folder), [])


class Rotation(FolderTest):
    def segments(self):
        (result,) = results(self.folder)
        return sorted(os.listdir(os.path.join(result, "FRAMEWORK")))

    def await_segment(self, number):
        """Waits until the writer has rotated: steps that end before it gets a processor make one rotation together."""
        end = time.monotonic() + PATIENCE
        while "capture.%05d.strobe" % number not in self.segments():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)

    def test_steps_without_a_schedule(self):
        with profiler.profile(rotate={"steps": 2}) as prof:
            for number in range(6):
                strobe.mark("x")
                prof.step()
                if number % 2:
                    self.await_segment(1 + number // 2)
            strobe.mark("x")
        expected = ["capture.0000%d.strobe" % number for number in (1, 2, 3)] + ["capture.strobe"]
        self.assertEqual(self.segments(), expected)
        found = info(results(self.folder)[0])
        self.assertEqual((found["kinds"]["marker_instant"], found["kinds"]["step"]), (7, 6))

    def test_keep(self):
        with profiler.profile(rotate={"steps": 1, "keep": 2}) as prof:
            for number in range(5):
                prof.step()
                self.await_segment(1 + number)
        self.assertEqual(self.segments(), ["capture.00005.strobe", "capture.strobe"])


class Stop(FolderTest):
    """stop() without a handler does not wait for the disk, but reading the result does."""

    MARKS = 100000

    def record(self):
        with profiler.profile() as prof:
            for _ in range(self.MARKS):
                strobe.mark("x")
        return prof

    def exported(self, prof):
        prof.export_chrome_trace("trace.json")
        with open("trace.json") as file:
            return sum(each["name"] == "x" for each in trace_events(file.read()))

    def test_export_at_once(self):
        self.assertEqual(self.exported(self.record()), self.MARKS)

    @needs_torch
    def test_averages_at_once(self):
        with profiler.profile() as prof:
            for _ in range(2000):
                torch.ones(1)
        counts = {each.key: each.count for each in prof.key_averages()}
        self.assertEqual(counts["aten::ones"], 2000)

    @needs_torch
    def test_names_that_a_spreadsheet_would_run(self):
        names = {"=1+1", "-x", "@y", "'z"}
        with profiler.profile() as prof:
            for name in names:
                with profiler.record_function(name):
                    pass
        self.assertEqual(names - {each.key for each in prof.key_averages()}, set())

    def test_again_at_once(self):
        for _ in range(5):
            with messages() as told:
                prof = self.record()
            self.assertEqual(told, [])
        self.assertEqual(self.exported(prof), self.MARKS)

    def test_window_that_a_step_ended(self):
        schedule = profiler.schedule(wait=0, warmup=0, active=1, repeat=1)
        with profiler.profile(schedule=schedule) as prof:
            for _ in range(self.MARKS):
                strobe.mark("x")
            prof.step()
            self.assertEqual(self.exported(prof), self.MARKS)

    def test_at_exit(self):
        done = self.run_python(
            "import strobe\n"
            "from strobe import profiler\n"
            "prof = profiler.profile(rotate={'size': '1MB'})\n"
            "prof.start()\n"
            "for _ in range(%d):\n"
            "    strobe.mark('x')\n"
            "prof.stop()\n" % self.MARKS
        )
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("ERROR", done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        found = info(results(self.folder)[0])
        self.assertEqual((found["sealed"], found["recovered"]), (True, False))
        self.assertEqual(found["kinds"]["marker_instant"], self.MARKS)
