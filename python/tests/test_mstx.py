# SPDX-License-Identifier: Apache-2.0
"""strobe.mstx: arguments, results, domains, decorators, threads, with and without a session."""

import asyncio
import json
import random
import threading
import unittest
import warnings

import strobe
from strobe import _strobe, command, mstx, profiler
from strobe.profiler import capture_table
from support import FolderTest, messages, needs_torch, results, torch

_NOT_TEXTS = ("", None, 3, b"x", ["x"])


class Stream:
    def __init__(self, name, value):
        setattr(self, name, value)


class WithoutSession(unittest.TestCase):
    def test_nothing_is_recorded(self):
        self.assertIsNone(mstx.mark("x"))
        self.assertEqual(mstx.range_start("x"), 0)
        self.assertIsNone(mstx.range_end(0))
        self.assertIsNone(mstx.range_end(17))
        self.assertEqual(mstx.range_push("x"), -1)
        self.assertEqual(mstx.range_pop(), -1)

    def test_wrong_arguments_are_warnings(self):
        calls = [(text,) for text in _NOT_TEXTS]
        calls += [("x", None, text) for text in _NOT_TEXTS if text is not None]
        calls += [("x", "stream"), ("x", 5), (), ("x", None, "d", 4)]
        for function, answer in ((mstx.mark, None), (mstx.range_start, 0), (mstx.range_push, -1)):
            for arguments in calls:
                with self.assertWarns(UserWarning, msg=(function, arguments)):
                    self.assertEqual(function(*arguments), answer)
            with self.assertWarns(UserWarning):
                self.assertEqual(function(text="x"), answer)
            with self.assertWarns(UserWarning):
                self.assertEqual(function("x", message="x"), answer)
        for function, answer in ((mstx.range_end, None), (mstx.range_pop, -1)):
            with self.assertWarns(UserWarning):
                self.assertEqual(function(*range(3)), answer)
        for wrong in ("x", None, -1, 1 << 64, 1.0):
            with self.assertWarns(UserWarning):
                self.assertIsNone(mstx.range_end(wrong))
        with self.assertWarns(UserWarning):
            self.assertEqual(mstx.range_pop(""), -1)

    def test_warnings_that_are_errors_are_not_raised(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertIsNone(mstx.mark(""))
            self.assertEqual(mstx.range_start(), 0)

    def test_warning_names_the_caller(self):
        with self.assertWarns(UserWarning) as caught:
            mstx.mark("")
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(
            str(caught.warning),
            "Call mark failed. Exception: Invalid message: expected a non-empty str, found ''",
        )

    def test_right_arguments_are_no_warnings(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with mstx.annotate("x", stream=Stream("npu_stream", 7), domain="d"):
                mstx.mark(message="x", stream=None, domain="ü")
        self.assertEqual(mstx.mark.__name__, "mark")

    def test_what_cannot_be_decorated_is_left_as_it_is(self):
        for decorate in (mstx.mstx_range("x"), mstx.annotate("x")):
            with self.assertWarns(UserWarning):
                self.assertEqual(decorate(5), 5)


class SessionTest(FolderTest):
    """A session with the collector of marks; shown() ends the session."""

    options = {}

    def setUp(self):
        super().setUp()
        config = {
            "output": {"directory": self.folder},
            "collectors": {"marker": self.options},
            "exporters": {},
        }
        self.session = _strobe.Session(json.dumps(config), "test")
        self.addCleanup(self.session.close)
        self.session.start()

    def shown(self, table="marker", columns="name,marker.domain"):
        """Returns the marks in the order of their begins."""
        self.session.close()
        asked = columns if "begin" in columns.split(",") else columns + ",begin"
        text = command.run(
            ["show", *results(self.folder), "--table", table, "--columns", asked,
             "--limit=100000", "--json"]
        )
        rows = sorted(json.loads(text)[0]["rows"], key=lambda row: row["begin"])
        return [tuple(row[name] for name in columns.split(",")) for row in rows]


class Ranges(SessionTest):
    def test_marks(self):
        mstx.mark("first")
        mstx.mark("sec\u00f6nd", domain="d")
        mstx.mark("third", None, "default")
        self.assertEqual(
            self.shown("marker_instant", "name,marker.domain,marker.event"),
            [("first", "default", 0), ("sec\u00f6nd", "d", 0), ("third", "default", 0)],
        )

    def test_start_and_end(self):
        first = mstx.range_start("a")
        second = mstx.range_start("b", domain="d")
        third = mstx.range_start("c")
        self.assertGreaterEqual(first, 1)
        self.assertEqual((second, third), (first + 1, first + 2))
        mstx.range_end(first)
        mstx.range_end(0)
        mstx.range_end(third)
        mstx.range_end(second, domain="d")
        mstx.range_end(second, domain="d")  # has no effect
        self.assertEqual(
            self.shown(columns="name,marker.domain,marker.event,marker.range"),
            [("a", "default", 2, first), ("b", "d", 2, second), ("c", "default", 2, third)],
        )

    def test_many_open_ranges(self):
        """Ranges are ended in any order, and each has its own begin."""
        order = random.Random(6)
        opened, ended = {}, 0
        while ended < 5000:
            if len(opened) < order.choice((10, 200)) and ended + len(opened) < 5000:
                name = "r%d" % (ended + len(opened))
                opened[mstx.range_start(name, domain="d%d" % (len(opened) % 3))] = len(opened) % 3
            elif opened:
                number = order.choice(list(opened))
                mstx.range_end(number, "d%d" % opened.pop(number))
                ended += 1
        found = self.shown(columns="marker.range,marker.domain")
        self.assertEqual(len({number for number, _ in found}), 5000)
        self.assertNotIn(None, [domain for _, domain in found])

    def test_end_in_another_domain(self):
        number = mstx.range_start("a", domain="d")
        with self.assertWarnsRegex(UserWarning, "range %d was started in another" % number):
            mstx.range_end(number)
        mstx.range_end(number, "d")
        self.assertEqual(self.shown(columns="name,marker.range"), [("a", number)])

    def test_push_and_pop(self):
        self.assertEqual(mstx.range_pop(), -1)
        self.assertEqual(mstx.range_push("a"), 0)
        self.assertEqual(mstx.range_push("b"), 1)
        self.assertEqual(mstx.range_push("of d", domain="d"), 0)
        self.assertEqual(mstx.range_pop(domain="other"), -1)
        self.assertEqual(mstx.range_pop(), 1)
        self.assertEqual(mstx.range_push("c"), 1)
        self.assertEqual(mstx.range_pop(), 1)
        self.assertEqual(mstx.range_pop("d"), 0)
        self.assertEqual(mstx.range_pop(), 0)
        self.assertEqual(mstx.range_pop(), -1)
        names = [("a", "default"), ("b", "default"), ("of d", "d"), ("c", "default")]
        self.assertEqual(self.shown(), names)

    def test_stack_of_256(self):
        depths = [mstx.range_push("x") for _ in range(260)]
        self.assertEqual(depths, [*range(256), -1, -1, -1, -1])
        self.assertEqual([mstx.range_pop() for _ in range(257)], [*range(255, -1, -1), -1])

    def test_threads(self):
        """Each thread has its own stack of pushed ranges; a started range can be ended by any
        thread."""
        self.assertEqual(mstx.range_push("outer"), 0)
        number = mstx.range_start("crossing")

        def work():
            self.depths = [mstx.range_pop(), mstx.range_push("inner"), mstx.range_pop()]
            mstx.range_end(number)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual(self.depths, [-1, 0, 0])
        self.assertEqual(mstx.range_pop(), 0)
        shown = self.shown(columns="name,track,marker.end_thread")
        tracks = {name: track for name, track, _ in shown}
        self.assertEqual(tracks["outer"], tracks["crossing"])
        self.assertNotEqual(tracks["outer"], tracks["inner"])
        self.assertEqual([name for name, _, end in shown if end], ["crossing"])  # by the thread

    def test_texts(self):
        texts = ["\ud800 lone", "x" * 100000, '"quoted" \\ \n', "\u4e2d"]
        for text in texts:
            mstx.mark(text)
            mstx.mark("in", domain=text[:1000])
        names = [row[0] for row in self.shown("marker_instant", "name") if row[0] != "in"]
        self.assertEqual(names, ["\ufffd\ufffd\ufffd lone", *texts[1:]])

    def test_streams(self):
        streams = [Stream("npu_stream", 0x1000), Stream("stream_id", 0), Stream("cuda_stream", 5)]
        for stream in streams:
            mstx.mark("s", stream)
            mstx.range_end(mstx.range_start("s", stream))
        mstx.mark("host", None)
        for wrong in (object(), Stream("npu_stream", "x"), Stream("other", 3)):
            with self.assertWarnsRegex(UserWarning, "Invalid stream"):
                mstx.mark("never", wrong)
        instants = self.shown("marker_instant", "name,marker.connection")
        ranges = self.shown(columns="marker.connection")
        self.assertEqual([name for name, _ in instants], ["s", "s", "s", "host"])
        connections = [each for _, each in instants[:3]] + [each for each, in ranges]
        self.assertEqual(len(set(connections)), 6)
        self.assertNotIn(None, connections)
        self.assertIsNone(instants[3][1])


class Decorators(SessionTest):
    def test_mstx_range(self):
        @mstx.mstx_range("work", domain="d")
        def work(a, b=2):
            """Works."""
            return a + b

        self.assertEqual((work(1), work(1, b=3)), (3, 4))
        self.assertEqual((work.__name__, work.__doc__), ("work", "Works."))
        self.assertEqual(self.shown(), [("work", "d"), ("work", "d")])

    def test_exceptions_end_ranges_and_go_on(self):
        @mstx.mstx_range("decorated")
        def fail():
            raise KeyError(1)

        @mstx.annotate()
        def annotated():
            fail()

        self.assertRaises(KeyError, annotated)
        with self.assertRaises(ValueError):
            with mstx.annotate("context"):
                raise ValueError
        shown = self.shown(columns="name,marker.event")
        self.assertEqual([name for name, _ in shown], ["annotated", "decorated", "context"])
        self.assertNotIn(None, [end for _, end in shown])  # no range is open

    def test_annotate(self):
        held = mstx.annotate("held")
        with held as entered:
            self.assertIs(entered, held)
            with held:
                pass
        held.__exit__(None, None, None)  # not entered: no effect
        with self.assertWarns(UserWarning), mstx.annotate():  # no message
            pass
        self.assertEqual(self.shown(), [("held", "default")] * 2)

    def test_recursion(self):
        @mstx.annotate()
        def recur(depth):
            return depth and 1 + recur(depth - 1)

        self.assertEqual(recur(5), 5)
        self.assertEqual(len(self.shown()), 6)

    def test_generator(self):
        """The range is around the generator's run, not around the call that makes it."""

        @mstx.mstx_range("generated")
        def generate():
            mstx.mark((yield 1))
            return "returned"

        generator = generate()
        mstx.mark("made")
        self.assertEqual(next(generator), 1)
        with self.assertRaises(StopIteration) as caught:
            generator.send("sent")
        self.assertEqual(caught.exception.value, "returned")
        self.check_inside("generated", ["made"], ["sent"])

    def check_inside(self, name, before, inside):
        """Checks that the range `name` begins after the marks `before` and contains those of
        `inside`."""
        ranges = self.shown(columns="name,begin,duration")
        instants = dict(self.shown("marker_instant", "name,begin"))
        begin, duration = [row[1:] for row in ranges if row[0] == name][0]
        for each in before:
            self.assertLess(instants[each], begin)
        for each in inside:
            self.assertLess(begin, instants[each])
            self.assertLess(instants[each], begin + duration)

    def test_closed_generator(self):
        @mstx.annotate()
        def endless():
            while True:
                yield

        generator = endless()
        next(generator)
        generator.close()
        self.assertNotEqual(self.shown(columns="marker.event"), [(None,)])

    def test_coroutines(self):
        """Overlapping ranges of coroutines end at the right times."""

        @mstx.annotate()
        async def slow(event):
            mstx.mark("in slow")
            await event.wait()
            return 1

        @mstx.mstx_range("quick")
        async def quick(event):
            event.set()
            return 2

        async def main():
            event = asyncio.Event()
            coroutine = slow(event)
            mstx.mark("made")
            return await asyncio.gather(coroutine, quick(event))

        self.assertEqual(asyncio.run(main()), [1, 2])
        self.check_inside("slow", ["made"], ["in slow"])

    def test_asynchronous_generators(self):
        @mstx.mstx_range("stream")
        async def stream():
            try:
                mstx.mark(await asyncio.sleep(0, "begun"))
                answer = yield 1
                yield answer
            except KeyError:
                yield "caught"
            mstx.mark("last")

        async def main():
            found = [each async for each in stream()]
            items = stream()
            found += [await items.asend(None), await items.asend("sent")]
            found.append(await items.athrow(KeyError))
            await items.aclose()
            return found

        self.assertEqual(asyncio.run(main()), [1, None, 1, "sent", "caught"])
        ends = self.shown(columns="name,marker.event")
        self.assertEqual([name for name, end in ends if end], ["stream", "stream"])


class Include(SessionTest):
    options = {"domain_include": "data+default"}

    def test_filter(self):
        self.assertEqual(mstx.range_start("x", domain="other"), 0)
        self.assertEqual(mstx.range_push("x", domain="other"), -1)
        self.assertEqual(mstx.range_pop("other"), -1)
        mstx.mark("x", domain="other")
        mstx.mark("a", domain="data")
        mstx.mark("b")
        self.assertEqual(
            self.shown("marker_instant"), [("a", "data"), ("b", "default")]
        )


class Exclude(SessionTest):
    options = {"domain_exclude": "default"}

    def test_filter(self):
        self.assertEqual(mstx.range_start("x"), 0)
        self.assertEqual(mstx.range_push("x"), -1)
        mstx.mark("a", domain="data")
        self.assertEqual(self.shown("marker_instant"), [("a", "data")])


class Windows(FolderTest):
    def session(self):
        config = {"output": {"directory": self.folder}, "collectors": {"marker": {}}}
        session = _strobe.Session(json.dumps(config), "test")
        self.addCleanup(session.close)
        session.start()
        return session

    def test_ranges_of_an_earlier_window(self):
        """A range that was open when a window ended is neither ended nor counted in the next
        window."""
        first = self.session()
        self.assertEqual(mstx.range_push("first"), 0)
        number = mstx.range_start("first")
        first.close()
        self.assertEqual(mstx.range_pop(), -1)
        self.session()
        self.assertEqual(mstx.range_push("second"), 0)
        mstx.range_end(number)
        self.assertEqual(mstx.range_pop(), 0)
        self.assertEqual(mstx.range_pop(), -1)


@needs_torch
class Events(unittest.TestCase):
    def test_ranges_and_marks(self):
        """Strobe's ranges are events as PyTorch's are; marks are not."""
        config = profiler._ExperimentalConfig(mstx=True)
        with messages(), profiler.profile(
            activities=[profiler.ProfilerActivity.CPU], experimental_config=config
        ) as prof:
            with strobe.range("of Strobe"), profiler.record_function("of PyTorch"):
                mark = mstx.range_start("mark")
                torch.ones(1).mul(2)
                mstx.range_end(mark)
        names = {each.key for each in prof.key_averages()}
        self.assertLessEqual({"of Strobe", "of PyTorch", "aten::mul"}, names)
        self.assertNotIn("mark", names)
        marks = capture_table.read_table(prof._recording.directory, "marker")
        self.assertEqual({each["Name"] for each in marks}, {"of Strobe", "mark"})


if __name__ == "__main__":
    unittest.main()
