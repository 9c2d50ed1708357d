# SPDX-License-Identifier: Apache-2.0
"""The extension module: sessions, callbacks, threads, forks, wrong arguments."""

import gc
import json
import os
import threading
import time

import tap
from support import FolderTest, results
from strobe import Error
from strobe._strobe import Session


class SessionTest(FolderTest):
    def make(self, **config):
        config.setdefault("output", {"directory": self.folder})
        config.setdefault("collectors", {})
        session = Session(json.dumps(config), "test")
        self.addCleanup(session.close)
        return session


@tap.once_test
class Arguments(SessionTest):
    def test_wrong_types(self):
        for arguments in ((1,), (b"{}",), ("{}", 1), ("{}", "x", "y"), ([],)):
            self.assertRaises(TypeError, Session, *arguments)
        self.assertRaises(TypeError, Session, nonsense=1)

    def test_wrong_config(self):
        for text, expected in (
            ("{", "here"),
            ('{"nonsense": 1}', "nonsense"),
            ('{"collectors": {"nonsense": {}}}', "nonsense"),
        ):
            with self.assertRaisesRegex(Error, expected) as caught:
                Session(text, "here")
            self.assertLess(caught.exception.status, 0)

    def test_callbacks_must_be_callable(self):
        session = self.make()
        for value in (1, "x", []):
            self.assertRaises(TypeError, session.set_schedule, value)
            self.assertRaises(TypeError, session.on_trace_ready, value)
        session.set_schedule(None)
        session.on_trace_ready(None)

    def test_metadata(self):
        session = self.make()
        for arguments in ((), ("k",), (1, "v"), ("k", 1), ("k", None)):
            self.assertRaises(TypeError, session.add_metadata, *arguments)
        self.assertRaises(Error, session.add_metadata, "k", "{", True)
        self.assertRaises(Error, session.add_metadata, "k", "\ud800", False)
        session.add_metadata("k", "[1]", json=True)

    def test_closed(self):
        session = self.make()
        session.close()
        session.close()
        self.assertTrue(session.closed)
        for name in ("start", "step", "stop", "retry"):
            self.assertRaisesRegex(Error, "closed", getattr(session, name))
        for name in ("directory", "action", "step_number", "diagnostics"):
            self.assertRaisesRegex(Error, "closed", getattr, session, name)
        self.assertRaisesRegex(Error, "closed", session.add_metadata, "k", "v")
        self.assertRaisesRegex(Error, "closed", session.set_schedule, None)


@tap.once_test
class Life(SessionTest):
    def test_one_at_a_time(self):
        session = self.make()
        self.assertRaises(Error, Session, "{}", "second")
        session.close()
        self.make()

    def test_steps(self):
        session = self.make(schedule={"wait": 1, "warmup": 1, "active": 2, "repeat": 1})
        ready = []
        session.on_trace_ready(ready.append)
        session.start()
        found = []
        for _ in range(5):
            found.append((session.step_number, session.action))
            session.step()
        session.stop()
        self.assertEqual(found, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 0)])
        self.assertEqual(ready, results(self.folder))
        self.assertEqual(len(ready), 1)
        self.assertEqual(session.directory, ready[0])

    def test_twice(self):
        session = self.make()
        session.start()
        session.start()
        session.stop()
        session.stop()
        self.assertEqual(len(results(self.folder)), 1)
        self.assertRaises(Error, session.step)

    def test_never_started(self):
        session = self.make()
        session.stop()
        self.assertEqual((session.directory, results(self.folder)), ("", []))

    def late(self):
        """Returns a session with a collector that delivers the rest of a window a second late."""
        fake = {"records": 10, "late": 100, "drain": "1s"}
        return self.make(collectors={"fake": fake})

    def test_stop_flushes_late_records(self):
        ended = []
        session = self.late()
        session.on_window_end(ended.append)
        session.start()
        begin = time.monotonic()
        session.stop()
        self.assertGreater(time.monotonic() - begin, 0.9)
        self.assertEqual(ended, results(self.folder))
        session.close()

    def test_late_records_are_there_for_a_handler(self):
        """The handler is called in the thread that stops, when the window is complete."""
        told = []

        def ready(directory):
            told.append((threading.get_ident(), time.monotonic() - begin))

        session = self.late()
        session.on_trace_ready(ready)
        session.start()
        begin = time.monotonic()
        session.stop()
        (thread, took), = told
        self.assertEqual(thread, threading.get_ident())
        self.assertGreater(took, 0.9)

    def test_collected_in_a_cycle(self):
        session = self.make()
        session.on_trace_ready(lambda directory, session=session: None)
        session.start()
        self._cleanups.pop()  # it refers to the session
        del session
        gc.collect()
        self.make()

    def test_exception_in_trace_ready(self):
        def fails(directory):
            raise KeyError("handler")

        session = self.make(schedule={"active": 1})
        session.on_trace_ready(fails)
        session.start()
        for _ in range(3):
            with self.assertRaisesRegex(KeyError, "handler"):
                session.step()
        self.assertRaisesRegex(KeyError, "handler", session.stop)
        session.stop()

    def test_exception_in_schedule(self):
        def fails(step):
            if step == 2:
                raise KeyError("schedule")
            return 2

        session = self.make()
        session.set_schedule(fails)
        session.start()
        session.step()
        self.assertRaisesRegex(KeyError, "schedule", session.step)
        session.step()

    def test_schedule_of_nonsense(self):
        for value, kind in ((4, ValueError), (-1, ValueError), ("x", TypeError), (None, TypeError),
                            (1 << 80, OverflowError)):
            session = self.make()
            session.set_schedule(lambda step, value=value: value)
            self.assertRaises(kind, session.start)
            session.close()

    def test_calls_from_a_callback(self):
        session = self.make(schedule={"active": 1})
        found = []

        def ready(directory):
            session.add_metadata("from", "callback")
            found.append((session.directory == directory, session.step_number))
            for name in ("start", "step", "close"):
                self.assertRaisesRegex(Error, "callback", getattr(session, name))

        session.on_trace_ready(ready)
        session.start()
        session.step()
        self.assertEqual(found[0][0], True)

    def test_stop_in_a_callback(self):
        """stop() in a handler: the step that called the handler begins no further window."""
        session = self.make(schedule={"wait": 0, "warmup": 0, "active": 1, "repeat": 3})
        told = []
        session.on_trace_ready(lambda directory: (told.append(directory), session.stop()))
        session.start()
        session.step()
        self.assertRaisesRegex(Error, "stopped", session.step)
        session.close()
        self.assertEqual(told, results(self.folder))


@tap.once_test
class Threads(SessionTest):
    def test_steps_from_many(self):
        session = self.make(schedule={"wait": 1, "warmup": 1, "active": 1})
        session.start()

        def work():
            for _ in range(20):
                session.step()
                session.step_number
                session.diagnostics

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(session.step_number, 80)
        session.stop()

    def test_interpreter_runs_during_a_callback(self):
        """A thread waits for the session's lock without holding the interpreter's."""
        session = self.make(schedule={"active": 1})
        other_done = threading.Event()
        inside = threading.Event()

        def ready(directory):
            inside.set()
            self.assertTrue(other_done.wait(10))

        def other():
            inside.wait(10)
            other_done.set()
            session.step_number

        session.on_trace_ready(ready)
        session.start()
        thread = threading.Thread(target=other)
        thread.start()
        session.step()
        thread.join()
        session.on_trace_ready(None)


@tap.once_test
class Fork(SessionTest):
    def _in_child(self, function):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                function()
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_child_leaves_the_session_alone(self):
        session = self.make()
        session.start()
        first = session.directory

        def child():
            assert session.step() is None
            assert session.stop() is None
            assert session.directory is None
            session.add_metadata("k", "v")
            session.close()

        self._in_child(child)
        session.step()
        session.stop()
        self.assertEqual(results(self.folder), [first])

    def test_child_has_its_own(self):
        session = self.make()
        session.start()

        def child():
            own = Session(
                json.dumps({"output": {"directory": self.folder}, "collectors": {}}), "child"
            )
            own.start()
            own.stop()
            own.close()

        self._in_child(child)
        session.stop()
        self.assertEqual(len(results(self.folder)), 2)
