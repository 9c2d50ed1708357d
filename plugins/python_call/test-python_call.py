#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The python_call collector in a real interpreter."""

import _lsprof
import _thread
import asyncio
import collections
import cProfile
import ctypes
import gc
import os
import re
import subprocess
import sys
import threading
import time
import types
import unittest
import weakref

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'fixture'), os.path.join(HERE, '..', '..', 'tests')]
import tap  # noqa: E402
from mock_host import MockHost, errors_if_free_threaded  # noqa: E402

FIELDS = ('id', 'parent', 'module')
ABSENT = -(1 << 63)


MONITORS = sys.version_info >= (3, 12)  # other profilers do not disturb then
HAS_GETPROFILE = hasattr(threading, 'getprofile')


def leaf():
    return 1


def middle(n):
    return [leaf() for _ in range(n)]


def countdown(n):
    while n:
        yield n
        n -= 1


def recurse(n):
    return recurse(n - 1) if n else 0


def thrown_into():
    try:
        yield 1
    except ValueError:
        yield leaf()


def fails():
    raise ValueError('x')


def catches():
    try:
        fails()
    except ValueError:
        return int('5')


async def sleeper():
    await asyncio.sleep(0)
    return leaf()


def shown(path):
    """Returns the path without the folder of sys.path that contains it (the longest one)."""
    folders = [f.rstrip('/') + '/' for f in sys.path if path.startswith(f.rstrip('/') + '/')]
    return path[max((len(f) for f in folders if len(f) > 1), default=0):]


def name_of(function):
    code = function.__code__
    return '%s(%d): %s' % (shown(code.co_filename), code.co_firstlineno, code.co_name)


class PythonCallTest(unittest.TestCase):
    def open(self, **options):
        host = MockHost('python_call', **options)
        self.addCleanup(host.free)
        self.assertEqual(host.open(), 0, host.errors())
        return host

    def record(self, function, **options):
        """Returns the records of a run of the function, in the order of the calls' ends."""
        host = self.open(**options)
        self.assertEqual(host.start(), 0, host.errors())
        try:
            function()
        finally:
            self.assertEqual(host.stop(), 0)
        self.assertEqual(host.complaints(), '')
        self.assertIsNone(sys.getprofile())
        self.assertIsNone(threading.getprofile() if HAS_GETPROFILE else threading._profile_hook)
        self.messages = self.told(host)
        return host.records(FIELDS)

    @staticmethod
    def told(host):
        return host._call('messages', host.mock).decode()

    def counts(self, records, *functions):
        found = collections.Counter(r.name for r in records)
        return [found[name_of(f)] for f in functions]

    def check_nesting(self, records):
        """Checks that each record is within its parent's time, on its parent's thread."""
        by_id = {r.fields['id']: r for r in records}
        self.assertEqual(len(by_id), len(records))
        for record in records:
            self.assertLessEqual(record.begin, record.end)
            parent = by_id.get(record.fields['parent'])
            if parent is None:
                self.assertEqual(record.fields['parent'], 0)
                continue
            self.assertLessEqual(parent.begin, record.begin)
            self.assertLessEqual(record.end, parent.end)

    def parent_of(self, records, record):
        return next(r for r in records if r.fields['id'] == record.fields['parent'])

    # ---- calls ----

    def test_calls_and_names(self):
        records = self.record(lambda: middle(5))
        self.check_nesting(records)
        self.assertEqual(self.counts(records, leaf, middle), [5, 1])
        inner = next(r for r in records if r.name == name_of(leaf))
        outer = self.parent_of(records, inner)
        if not MONITORS:  # from 3.12 on comprehensions are not calls
            self.assertTrue(outer.name.endswith(': <listcomp>'), outer.name)
            outer = self.parent_of(records, outer)
        self.assertEqual(outer.name, name_of(middle))
        self.assertTrue(all(r.fields['module'] == ABSENT for r in records))
        self.assertEqual({r.thread for r in records}, {threading.get_native_id()})

    def test_builtins(self):
        items, other = [3, 1], [2]
        matches = re.compile('a').match  # a C function with a class

        def work():
            matches('ab')
            len(items)
            items.append(1)
            other.append(2)
            os.getpid()
            catches()
            'a,b'.split(',')

        records = self.record(work)
        found = collections.Counter(r.name for r in records if r.name.startswith('<built-in'))
        self.assertEqual(found['<built-in function len>'], 1)
        self.assertEqual(found['<built-in method match of re.Pattern object>'], 1)
        self.assertEqual(found['<built-in method append of list object>'], 2)
        self.assertEqual(found['<built-in function getpid>'], 1)
        self.assertEqual(found['<built-in method split of str object>'], 1)
        self.assertFalse([name for name in found if ' at 0x' in name])
        records = self.record(work, builtins='false')
        self.assertFalse([r for r in records if r.name.startswith('<built-in')])
        self.assertEqual(self.counts(records, work, catches, fails), [1, 1, 1])
        self.check_nesting(records)

    def test_builtins_with_one_function(self):
        """Several methods are one C function: each call has the name by which the program called
        it."""
        lock = _thread.allocate_lock()

        def work():
            for _ in range(2):
                lock.__enter__()
                lock.__exit__()
                lock.acquire()
                lock.release()

        found = collections.Counter(r.name.replace('_thread.', '') for r in self.record(work))
        for name in ('__enter__', '__exit__', 'acquire', 'release'):
            self.assertEqual(found['<built-in method %s of lock object>' % name], 2, found)

    def test_only_stacks(self):
        self.assertEqual(self.record(lambda: middle(5), calls='false'), [])

    def test_generators(self):
        """A generator runs once more than it yields, and each run is a record."""
        records = self.record(lambda: sum(countdown(3)))
        self.check_nesting(records)
        self.assertEqual(self.counts(records, countdown), [4])

    def test_generators_that_are_thrown_into(self):
        def work():
            handles, fails_too = thrown_into(), countdown(2)
            next(handles), handles.throw(ValueError()), handles.close()
            next(fails_too)
            try:
                fails_too.throw(KeyError())
            except KeyError:
                leaf()

        records = self.record(work)
        self.check_nesting(records)
        found = self.counts(records, thrown_into, countdown, leaf, work)
        self.assertEqual(found, [3, 2, 2, 1])
        last = [r for r in records if r.name == name_of(leaf)][-1]
        self.assertEqual(self.parent_of(records, last).name, name_of(work))

    def test_exceptions(self):
        records = self.record(lambda: [catches() for _ in range(3)])
        self.check_nesting(records)
        self.assertEqual(self.counts(records, catches, fails), [3, 3])

        def failing_builtin():
            try:
                int('x')
            except ValueError:
                leaf()

        records = self.record(failing_builtin)
        inner = next(r for r in records if r.name == name_of(leaf))
        self.assertEqual(self.parent_of(records, inner).name, name_of(failing_builtin))

    def test_recursion(self):
        depth = 5000
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(depth + 500)
        try:
            records = self.record(lambda: recurse(depth))
        finally:
            sys.setrecursionlimit(limit)
        calls = [r for r in records if r.name == name_of(recurse)]
        self.assertEqual(len(calls), depth + 1)
        for inner, outer in zip(calls, calls[1:]):
            self.assertEqual(inner.fields['parent'], outer.fields['id'])
        self.check_nesting(records)

    def test_exec_and_same_places(self):
        """Code objects that successively have the same address have their own names."""
        def work():
            for n in range(300):
                scope = {}
                exec(compile('def made_%d(): pass\nmade_%d()' % (n, n), 'made.py', 'exec'), scope)

        records = self.record(work)
        self.check_nesting(records)
        names = collections.Counter(r.name for r in records)
        for n in range(300):
            self.assertEqual(names['made.py(1): made_%d' % n], 1)

    def test_imports(self):
        folder = os.path.dirname(os.path.abspath(collections.__file__))

        def work():
            sys.modules.pop('colorsys', None)
            import colorsys
            colorsys.rgb_to_hls(0.1, 0.2, 0.3)

        names = {r.name for r in self.record(work)}
        self.assertIn('colorsys.py(1): <module>', names)
        self.assertTrue(any(n.startswith('<frozen importlib._bootstrap>(') for n in names))
        self.assertFalse([n for n in names if n.startswith(folder)])

    def test_coroutines(self):
        async def several():
            return await asyncio.gather(*(sleeper() for _ in range(5)))

        records = self.record(lambda: asyncio.run(several()))
        self.check_nesting(records)
        self.assertEqual(self.counts(records, sleeper, leaf), [10, 5])

    def test_names_of_any_size(self):
        long_name = 'f' * 100000
        scope = {}
        exec(compile('def %s(): pass' % long_name, '\udcff/\ud800' + 'p' * 1000, 'exec'), scope)
        records = self.record(lambda: scope[long_name]())
        self.assertTrue(any(r.name.endswith(long_name) for r in records))

    # ---- modules ----

    def make_modules(self):
        """Makes a simulated torch.nn.Module, whose code has the file name of the real one."""
        module = types.ModuleType('torch.nn.modules.module')
        text = ('class Module:\n'
                '    def __call__(self, *inputs):\n'
                '        return self.forward(*inputs)\n'
                '    def forward(self, x): return x\n')
        exec(compile(text, '/lib/torch/nn/modules/module.py', 'exec'), module.__dict__)
        sys.modules[module.__name__] = module
        self.addCleanup(sys.modules.pop, module.__name__)
        return module.Module

    def module_records(self, function):
        return [(r.name, r.fields['module']) for r in self.record(function)
                if r.fields['module'] != ABSENT]

    def test_modules(self):
        base = self.make_modules()

        class Inner(base):
            pass

        class Outer(base):
            def forward(self, x):
                return second(first(x))

        first, second, outer = Inner(), Inner(), Outer()
        expected = [('nn.Module: Inner_0', 0), ('nn.Module: Inner_1', 1), ('nn.Module: Outer_0', 0)]
        self.assertEqual(self.module_records(lambda: outer(1)), expected)
        thread = threading.Thread(target=outer, args=(1,))
        again = self.module_records(lambda: (thread.start(), thread.join()))
        self.assertEqual(again, expected)

    def test_modules_come_and_go(self):
        """Modules that successively have the same address have different names; none is kept
        alive."""
        base = self.make_modules()

        class Passing(base):
            pass

        class Slotted(base):
            __slots__ = ()

        def work():
            for _ in range(3000):
                Passing()(1)

        found = self.module_records(work)
        self.assertEqual([number for _, number in found], list(range(3000)))
        self.assertEqual(len({name for name, _ in found}), 3000)
        kept = Passing()
        self.record(lambda: kept(1))
        reference = weakref.ref(kept)
        del kept
        self.assertIsNone(reference())
        self.assertEqual(self.module_records(lambda: Slotted()(1))[0][1], 0)

    def test_modules_of_any_name(self):
        base = self.make_modules()
        long_name = 'M' * 100000
        module = type(long_name, (base,), {})()
        odd = type('a;b\n\x01', (base,), {})()
        names = [name for name, _ in self.module_records(lambda: (module(1), odd(1)))]
        self.assertEqual(names[0], 'nn.Module: %s_0' % long_name)
        self.assertEqual(len(names), 2)

    # ---- threads ----

    def test_threads(self):
        """Threads that exist before the window, threads that start in it, and open frames are
        recorded."""
        go, done = threading.Event(), threading.Event()

        def early():
            go.wait()
            middle(2)
            done.set()
            go2.wait()

        go2 = threading.Event()
        before = threading.Thread(target=early)
        before.start()

        def work():
            late = threading.Thread(target=middle, args=(3,))
            late.start()
            late.join()
            go.set()
            done.wait()

        records = self.record(work)
        go2.set()
        before.join()
        self.assertEqual(self.counts(records, middle, leaf, early), [2, 5, 1])
        tracks = {r.track for r in records if r.name == name_of(early)}
        self.assertEqual(len(tracks), 1)
        self.assertNotEqual(tracks, {0}, 'the frame still open was put on the stopping thread')
        inner = [r for r in records if r.name == name_of(middle)]
        self.assertEqual(len({r.thread for r in inner}), 2)
        of_early = [r for r in records if r.name == name_of(early)][0]
        waited = [r for r in inner if r.fields['parent'] == of_early.fields['id']]
        self.assertEqual(len(waited), 1)
        self.assertLess(of_early.begin, waited[0].begin)

    def test_threads_of_thread(self):
        """A thread that is started in the window is recorded from its first call, and so are the
        threads that it starts."""
        def run(start, n):
            middle(3)
            if n:
                start(run, (start, n - 1))
            else:
                done.release()

        for start in (_thread.start_new_thread, _thread.start_new):
            done = threading.Lock()
            done.acquire()
            records = self.record(lambda: (start(run, (start, 2)), done.acquire()))
            self.assertEqual(self.counts(records, run, middle, leaf), [3, 3, 9])
            threads = {r.thread for r in records if r.name == name_of(middle)}
            self.assertEqual(len(threads), 3)
            self.assertNotIn(threading.get_native_id(), threads)
            self.assertEqual(self.messages, '')
            self.check_nesting(records)

    def in_external_threads(self, function, n=1):
        """Calls the function in threads made by the C library, one after the other."""
        c = ctypes.CDLL(None)
        call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: function() and None)
        for _ in range(n):
            thread = ctypes.c_ulong()
            self.assertEqual(c.pthread_create(ctypes.byref(thread), None, call, None), 0)
            c.pthread_join(thread, None)

    def test_threads_of_libraries(self):
        """Each thread's state is at the address of the one before it."""
        records = self.record(lambda: self.in_external_threads(lambda: middle(2), 4))
        self.assertEqual(self.counts(records, middle, leaf), [4, 8])
        self.assertNotIn(threading.get_native_id(),
                         {r.thread for r in records if r.name == name_of(middle)})
        self.check_nesting(records)
        self.in_external_threads(lambda: self.assertIsNone(sys.getprofile()))

    def test_thread_of_a_library_keeps_its_profiler(self):
        seen = []

        def profiled():
            sys.setprofile(lambda frame, event, argument: seen.append(event))
            middle(2)
            sys.setprofile(None)
        records = self.record(lambda: self.in_external_threads(profiled))
        self.assertEqual(self.counts(records, leaf), [2 if MONITORS else 0])
        # middle(), its comprehension up to 3.11, leaf() twice
        self.assertEqual(seen.count('call'), 3 if MONITORS else 4)

    def test_many_threads_and_windows(self):
        stopping = threading.Event()
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-5)

        def busy():
            while not stopping.wait(0.0001):
                middle(3)

        workers = [threading.Thread(target=busy, daemon=True) for _ in range(4)]
        for worker in workers:
            worker.start()
        host = self.open()
        try:
            for _ in range(20):
                self.assertEqual(host.start(), 0)
                middle(1)
                passing = threading.Thread(target=middle, args=(1,))
                passing.start()
                passing.join()
                self.assertEqual(host.stop(), 0)
                self.check_nesting(host.records(FIELDS))
                host.clear()
        finally:
            stopping.set()
            for worker in workers:
                worker.join()
        self.assertEqual(host.complaints(), '')

    def test_open_frames(self):
        """A function that is open when the window begins or ends is recorded from its begin or
        until its end."""
        host = self.open()
        self.assertEqual(host.start(), 0)
        leaf()
        self.assertEqual(host.stop(), 0)
        records = host.records(FIELDS)
        own = [r for r in records if r.name.endswith(': test_open_frames')]
        self.assertEqual(len(own), 1)
        inner = next(r for r in records if r.name == name_of(leaf))
        self.assertEqual(inner.fields['parent'], own[0].fields['id'])
        self.assertLessEqual(own[0].begin, inner.begin)
        self.assertLess(inner.end, own[0].end)
        self.check_nesting(records)

    # ---- stacks for other collectors ----

    def test_stack_while_another_waits_with_the_lock(self):
        """An operator requests its stack, at a new place in the code, while it holds a mutex. The
        thread with the interpreter's lock waits for that mutex."""
        plugins = os.environ['STROBE_TEST_PLUGINS']
        host = self.open()
        self.assertEqual(host.start(), 0)
        without_lock = ctypes.CDLL(os.path.join(plugins, 'libstrobe-test-operator.so'))
        with_lock = ctypes.PyDLL(os.path.join(plugins, 'libstrobe-test-operator.so'))
        stacks = ctypes.c_void_p.in_dll(ctypes.CDLL(os.path.join(plugins, 'python_call.so')),
                                        'strobe_python_stack_1')
        is_waiting, found = ctypes.c_int(0), []

        def operate():
            found.append(without_lock.test_operator(ctypes.byref(stacks), host.mock,
                                                    ctypes.byref(is_waiting)))

        thread = threading.Thread(target=operate)
        thread.start()
        while not without_lock.test_has_mutex():
            time.sleep(0.001)
        problem = with_lock.test_wait_for_operator(ctypes.byref(is_waiting))
        thread.join()
        self.assertEqual(host.stop(), 0)
        self.assertEqual(problem, 0, 'the operator waits for who waits for it')
        self.assertEqual(host.complaints(), '')
        self.assertNotEqual(found, [0])

    # ---- other profilers ----

    def test_another_profiler_is_left_alone(self):
        seen = []

        def other(frame, event, argument):
            seen.append(event)

        host = self.open()
        sys.setprofile(other)
        try:
            self.assertEqual(host.start(), 0)
            middle(2)
            self.assertIs(sys.getprofile(), other)
            self.assertEqual(host.stop(), 0)
            self.assertIs(sys.getprofile(), other)
        finally:
            sys.setprofile(None)
        self.assertEqual(host.count() > 0, MONITORS)
        self.check_gap_message(self.told(host), 1)
        self.assertIn('call', seen)

    def test_profiler_set_meanwhile(self):
        """A profile function that the program sets gets the thread from then on; the open calls end
        at that time."""
        seen = []

        def work():
            middle(1)
            sys.setprofile(lambda *event: seen.append(event[1]))
            middle(2)
            sys.setprofile(None)
            middle(3)

        records = self.record(work)
        expected = [3, 6, 1] if MONITORS else [1, 1, 1]
        self.assertEqual(self.counts(records, middle, leaf, work), expected)
        self.check_nesting(records)
        self.assertEqual("set or removed a thread's profile function:" in self.messages, not MONITORS)
        # middle, its list, two leaves
        self.assertEqual(seen.count('call'), 3 if MONITORS else 4)

    def test_profiler_removed_meanwhile(self):
        """A program that removes the profile function is not reported as having set its own."""
        def work():
            middle(1)
            sys.setprofile(None)
            middle(2)

        records = self.record(work)
        self.assertEqual(self.counts(records, middle, leaf), [2, 3] if MONITORS else [1, 1])
        self.assertNotIn('of its own', self.messages)
        self.assertEqual("set or removed a thread's profile function:" in self.messages,
                         not MONITORS)

    def test_profiler_that_restores_ours(self):
        def work():
            middle(1)
            before = sys.getprofile()
            sys.setprofile(lambda *event: None)
            middle(2)
            sys.setprofile(before)
            middle(3)

        records = self.record(work)
        expected = [3, 6, 1] if MONITORS else [2, 4, 2]
        self.assertEqual(self.counts(records, middle, leaf, work), expected)
        self.check_nesting(records)

    def test_cprofile_meanwhile(self):
        profile = cProfile.Profile()

        def work():
            middle(1)
            profile.enable()
            middle(2)
            profile.disable()
            middle(3)

        records = self.record(work)
        # if _lsprof is a separate library, it sets its profile function with the C API
        is_library = getattr(_lsprof, '__file__', None) is not None
        expected = [3, 6] if MONITORS else [2, 4] if is_library else [1, 1]
        self.assertEqual(self.counts(records, middle, leaf), expected)
        self.check_nesting(records)
        self.assertTrue(any(e.code is middle.__code__ for e in profile.getstats()))
        self.assertEqual("set or removed a thread's profile function:" in self.messages,
                         not MONITORS and not is_library)
        if is_library:
            self.check_gap_message(self.messages, 1)

    # ---- profilers of libraries ----

    def profiler(self):
        """Returns the profiler of test-profiler.c, which sets its function in all threads."""
        plugins = os.environ['STROBE_TEST_PLUGINS']
        return ctypes.PyDLL(os.path.join(plugins, 'libstrobe-test-profiler.so'))

    def in_builtin(self):
        """Starts a thread that waits in a C function inside of another one. Returns a function that
        lets the thread end."""
        is_inside, go = threading.Event(), threading.Event()

        def wait(_):
            is_inside.set()
            go.wait(20)
            return len('ab')

        def work():
            sorted([0], key=wait)
            len('abc')

        def go_on():
            go.set()
            thread.join()

        thread = threading.Thread(target=work)
        thread.start()
        self.addCleanup(go_on)
        self.assertTrue(is_inside.wait(20))
        return go_on

    def test_library_profiler_gets_no_end_without_a_begin(self):
        """The profiler starts while another thread is in C functions; neither that thread nor the
        calling one reports an end without a begin."""
        for options in ({}, {'builtins': 'false'}, {'calls': 'false'}):
            with self.subTest(options):
                host, other = self.open(**options), self.profiler()
                self.assertEqual(host.start(), 0)
                go_on = self.in_builtin()
                sorted([0], key=lambda _: other.test_profiler_start())
                go_on()
                middle(1)
                self.assertEqual(other.test_profiler_stop(), 0)
                self.assertGreater(other.test_profiler_n_events(), 0)
                self.assertEqual(host.stop(), 0)
                self.check_nesting(host.records(FIELDS))
                self.assertEqual(host.complaints(), '')

    def test_library_profiler_after_the_window(self):
        """A C function begins in the window and returns after the window's or the session's end."""
        for closes in (False, True):
            host, other = self.open(), self.profiler()
            self.assertEqual(host.start(), 0)
            go_on = self.in_builtin()
            self.assertEqual(host.stop(), 0)
            if closes:
                host.close()
            other.test_profiler_start()
            go_on()
            self.assertEqual(other.test_profiler_stop(), 0)
            self.assertGreater(other.test_profiler_n_events(), 0)

    def test_library_profiler_in_a_later_window(self):
        """A C function begins in one window and returns in a later one, in which its thread has
        begun and ended calls."""
        host, other = self.open(), self.profiler()
        go, done = threading.Event(), threading.Event()

        def step(_):
            middle(1)
            go.wait(20)
            middle(1)
            done.set()
            go2.wait(20)

        go2 = threading.Event()
        self.assertEqual(host.start(), 0)
        thread = threading.Thread(target=lambda: (sorted([0], key=step), len('abc')))
        thread.start()
        self.addCleanup(go2.set)
        self.assertEqual(host.stop(), 0)
        self.assertEqual(host.start(), 0)
        go.set()
        self.assertTrue(done.wait(20))
        other.test_profiler_start()
        go2.set()
        thread.join()
        self.assertEqual(other.test_profiler_stop(), 0)
        self.assertEqual(host.stop(), 0)

    def test_library_profiler_gets_its_threads(self):
        """Up to 3.11 threads are not recorded while the library's profiler has them; a message says
        so."""
        other = self.profiler()

        def work():
            middle(1)
            other.test_profiler_start()
            middle(2)
            other.test_profiler_stop()
            middle(3)

        records = self.record(work)
        # work() becomes a new record when its thread is recorded again
        self.assertEqual(self.counts(records, middle, leaf, work),
                         [3, 6, 1] if MONITORS else [2, 4, 2])
        self.check_nesting(records)
        self.check_gap_message(self.messages, 1)

    def check_gap_message(self, messages, n):
        text = (r'Neither calls nor stacks are recorded in %d thread%s for \d+\.\d{3} s: '
                'another profiler is active there' % (n, '' if n == 1 else 's'))
        found = re.findall(text, messages)
        self.assertEqual(len(found), 0 if MONITORS else 1, messages)

    def test_library_profiler_that_was_first(self):
        """The library's profiler was first; when it ends in the window, its threads are
        recorded."""
        host, other = self.open(), self.profiler()
        other.test_profiler_start()
        self.assertEqual(host.start(), 0)
        middle(1)
        other.test_profiler_stop()
        middle(2)
        self.assertEqual(host.stop(), 0)
        self.assertIsNone(sys.getprofile())
        records = host.records(FIELDS)
        self.assertEqual(self.counts(records, middle, leaf), [2, 3] if MONITORS else [1, 2])
        self.check_nesting(records)
        self.check_gap_message(self.told(host), 1)

    def test_library_profiler_leaves_new_threads_alone(self):
        """The library's profiler also removes profile functions from threads in which it set
        none."""
        other, go, done = self.profiler(), threading.Event(), threading.Event()

        def run():
            done.set()
            go.wait(20)
            middle(2)

        def work():
            other.test_profiler_start()
            thread = threading.Thread(target=run)
            thread.start()
            done.wait(20)
            other.test_profiler_stop()
            go.set()
            thread.join()

        records = self.record(work)
        self.assertEqual(self.counts(records, middle, leaf, run), [1, 2, 1])

    # ---- sys.monitoring ----

    @unittest.skipUnless(MONITORS, 'Python before 3.12 has no sys.monitoring')
    def test_tool_id(self):
        """The collector uses a free tool id under Strobe's name, and frees it when the window
        ends."""
        monitoring, host = sys.monitoring, self.open()
        monitoring.use_tool_id(3, 'other')
        self.addCleanup(monitoring.free_tool_id, 3)
        self.assertEqual(host.start(), 0)
        self.assertEqual([monitoring.get_tool(n) for n in range(6)],
                         [None, None, None, 'other', 'strobe', None])
        self.assertEqual(host.stop(), 0)
        self.assertEqual([monitoring.get_tool(n) for n in range(6)],
                         [None, None, None, 'other', None, None])

    @unittest.skipUnless(MONITORS, 'Python before 3.12 has no sys.monitoring')
    def test_all_tool_ids_are_taken(self):
        monitoring, host = sys.monitoring, self.open()
        for number in (3, 4, 5):
            monitoring.use_tool_id(number, 'tool %d' % number)
            self.addCleanup(monitoring.free_tool_id, number)
        self.assertNotEqual(host.start(), 0)
        self.assertIn('Cannot trace Python calls: the tool ids of sys.monitoring that Strobe may take are in use: '
                      '3 by "tool 3", 4 by "tool 4", 5 by "tool 5"; neither calls nor stacks are '
                      'recorded', host.errors())
        self.assertEqual([monitoring.get_tool(n) for n in (0, 1, 2)], [None] * 3)

    @unittest.skipUnless(MONITORS, 'Python before 3.12 has no sys.monitoring')
    def test_tool_id_is_freed_by_the_program(self):
        """If the program frees Strobe's tool id and another tool takes it, that tool's settings
        stay."""
        monitoring, host = sys.monitoring, self.open()
        self.assertEqual(host.start(), 0)
        (ours,) = [n for n in range(6) if monitoring.get_tool(n) == 'strobe']
        monitoring.set_events(ours, 0)
        monitoring.free_tool_id(ours)
        monitoring.use_tool_id(ours, 'other')
        self.addCleanup(monitoring.free_tool_id, ours)
        monitoring.set_events(ours, monitoring.events.PY_START)
        self.assertEqual(host.stop(), 0)
        self.assertEqual((monitoring.get_tool(ours), monitoring.get_events(ours)),
                         ('other', monitoring.events.PY_START))
        self.assertIn('freed Strobe\'s tool id %d of sys.monitoring' % ours, self.told(host))
        monitoring.set_events(ours, 0)

    @unittest.skipUnless(MONITORS, 'Python before 3.12 has no sys.monitoring')
    def test_beside_other_tools(self):
        """cProfile and a coverage tool see the same as without Strobe, and Strobe records every
        call."""
        monitoring, seen, profile = sys.monitoring, [], cProfile.Profile()
        monitoring.use_tool_id(monitoring.COVERAGE_ID, 'coverage')
        self.addCleanup(monitoring.free_tool_id, monitoring.COVERAGE_ID)
        monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE,
                                     lambda code, line: seen.append(code))
        monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)
        try:
            records = self.record(lambda: profile.runcall(middle, 2))
        finally:
            monitoring.set_events(monitoring.COVERAGE_ID, 0)
        self.assertEqual(self.counts(records, middle, leaf), [1, 2])
        self.assertGreaterEqual(seen.count(leaf.__code__), 2)
        self.assertEqual([e.callcount for e in profile.getstats() if e.code is leaf.__code__], [2])

    def test_threading_profiler_is_left_alone(self):
        def other(*event):
            pass

        host = self.open()
        threading.setprofile(other)
        try:
            self.assertEqual(host.start(), 0)
            self.assertIs(threading._profile_hook, other)
            self.assertEqual(host.stop(), 0)
            self.assertIs(threading._profile_hook, other)
        finally:
            threading.setprofile(None)
        self.assertEqual('set a profiler for them' in self.told(host), not MONITORS)

    # ---- windows, forks, interpreters ----

    def test_nothing_is_kept_alive(self):
        class Thing:
            pass

        def work():
            thing = Thing()
            kept.append(weakref.ref(thing))
            frames.append(weakref.ref(fresh))
            fresh(thing)

        def make():
            scope = {}
            exec('def fresh(thing): return thing', scope)
            return scope['fresh']

        kept, frames = [], []
        fresh = make()
        host = self.open()
        for _ in range(3):
            host.start()
            work()
            self.assertIsNone(kept[-1]())
            host.stop()
        del fresh, work
        gc.collect()
        self.assertTrue(all(reference() is None for reference in kept + frames))

    def test_windows_leave_memory_flat(self):
        def resident():
            with open('/proc/self/statm') as file:
                return int(file.read().split()[1]) * 4

        host = self.open()

        def windows(n):
            for _ in range(n):
                host.start()
                middle(20)
                host.stop()
                host.clear()
            gc.collect()

        with open('/proc/self/maps') as file:
            maps = file.read()
            if 'libasan' in maps or 'libtsan' in maps:
                self.skipTest('a sanitizer keeps what was freed')
        windows(100)
        blocks, before = sys.getallocatedblocks(), resident()
        windows(1000)
        self.assertLess(resident() - before, 1024)
        self.assertLess(abs(sys.getallocatedblocks() - blocks), 500)  # only caches may grow

    def test_fork(self):
        host = self.open()
        host.start()
        pid = os.fork()
        if pid == 0:
            recorded = host.count()
            middle(2)
            os._exit(0 if sys.getprofile() is None and host.count() == recorded else 1)
        _, status = os.waitpid(pid, 0)
        leaf()
        self.assertEqual(host.stop(), 0)
        self.assertEqual(status, 0)

    def test_fork_and_record_anew(self):
        """A session in a forked child does not use names that its parent has registered."""
        host = self.open()
        host.start()
        middle(1)
        pid = os.fork()
        if pid == 0:
            own = MockHost('python_call')
            own.open()
            own.start()
            middle(2)
            own.stop()
            found = self.counts(own.records(FIELDS), middle, leaf)
            os._exit(0 if found == [1, 2] else 1)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(host.stop(), 0)
        self.assertEqual(status, 0)

    def test_interpreter_ends_while_it_records(self):
        code = ('import sys; sys.path[:0] = %r\n'
                'from mock_host import MockHost\n'
                'import threading, time\n'
                'host = MockHost("python_call")\n'
                'host.open(); host.start()\n'
                'threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n'
                'print(len(str(5)))\n' % sys.path[:2])
        done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, '1\n'), done.stderr)

    @unittest.skipIf(sys.version_info < (3, 12), 'this Python makes its version text anew each time')
    def test_free_threaded(self):
        self.assertEqual(errors_if_free_threaded('python_call'), 'True Cannot trace Python calls: '
                         'this Python is free-threaded (it has no global interpreter lock); neither '
                         'calls nor stacks are recorded\n')

    def test_called_by_the_program(self):
        if MONITORS:
            self.skipTest('this Python has no object that the program could call')
        host = self.open()
        host.start()
        ours = sys.getprofile()
        for arguments in ((), (1,), (1, 2, 3), (None, 'call', None)):
            ours(*arguments)
        middle(1)
        self.assertEqual(host.stop(), 0)
        self.assertIsNone(ours(sys._getframe(), 'call', None))
        self.assertIsNone(sys.getprofile())
        self.assertEqual(host.complaints(), '')


if __name__ == '__main__':
    tap.main()
