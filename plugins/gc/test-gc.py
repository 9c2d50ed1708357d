#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gc collector in a real interpreter."""

import gc
import os
import subprocess
import sys
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'fixture'), os.path.join(HERE, '..', '..', 'tests')]
import tap  # noqa: E402
from mock_host import MockHost, errors_if_free_threaded  # noqa: E402

FIELDS = ('generation', 'collected', 'uncollectable')


class Node:
    pass


def make_garbage(n):
    for _ in range(n):
        node = Node()
        node.self = node


class GcTest(unittest.TestCase):
    def setUp(self):
        gc.disable()
        gc.collect()
        self.callbacks = list(gc.callbacks)

    def tearDown(self):
        gc.callbacks[:] = self.callbacks
        gc.enable()

    def open(self, **options):
        host = MockHost('gc', **options)
        self.addCleanup(host.free)
        self.assertEqual(host.open(), 0)
        return host

    def test_generations_and_counts(self):
        host = self.open()
        self.assertEqual(host.start(), 0)
        gc.collect(0)
        gc.collect(1)
        make_garbage(7)
        found = gc.collect(2)
        self.assertEqual(host.stop(), 0)
        gc.collect()
        records = host.records(FIELDS)
        self.assertEqual([r.kind for r in records], ['gc'] * 3)
        self.assertEqual([r.fields['generation'] for r in records], [0, 1, 2])
        self.assertEqual(records[2].fields['collected'], found)
        self.assertGreaterEqual(found, 7)
        for record in records:
            self.assertEqual(record.thread, threading.get_native_id())
            self.assertLess(record.begin, record.end)
        self.assertEqual(host.complaints(), '')

    def test_as_many_as_the_interpreter_counts(self):
        """Collections that come by themselves, in several threads: none is missed or told twice."""
        host = self.open()
        self.addCleanup(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(700, 10, 10)  # from 3.13 on the default is higher
        gc.enable()
        self.assertEqual(host.start(), 0)
        before = gc.get_stats()
        threads = [threading.Thread(target=make_garbage, args=(20000,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.disable()
        after = gc.get_stats()
        self.assertEqual(host.stop(), 0)
        counted = [b['collections'] - a['collections'] for a, b in zip(before, after)]
        self.assertGreater(min(counted[:2]), 5)
        records = host.records(FIELDS)
        found = [r.fields['generation'] for r in records]
        self.assertEqual([found.count(n) for n in range(3)], counted)
        self.assertEqual(sum(r.fields['collected'] for r in records),
                         sum(b['collected'] - a['collected'] for a, b in zip(before, after)))

    def test_only_in_the_window(self):
        host = self.open()
        gc.collect()
        for window in range(1, 51):
            host.start()
            gc.collect(0)
            host.stop()
            gc.collect(0)
            self.assertEqual(host.count(), window)
        self.assertEqual(gc.callbacks, self.callbacks)

    def test_threshold(self):
        host = self.open(threshold='10min')
        host.start()
        gc.collect()
        host.stop()
        self.assertEqual(host.count(), 0)
        host = self.open(threshold='1ns')
        host.start()
        gc.collect()
        host.stop()
        self.assertEqual(host.count(), 1)

    def test_callbacks_changed_by_others(self):
        host = self.open()
        seen = []
        host.start()
        ours = gc.callbacks[-1]
        gc.callbacks.insert(0, lambda phase, info: seen.append(phase))
        gc.callbacks.append(ours)
        gc.collect()
        self.assertEqual(host.count(), 1)
        host.stop()
        self.assertNotIn(ours, gc.callbacks)
        self.assertEqual(len(gc.callbacks), len(self.callbacks) + 1)
        host.start()
        gc.callbacks.clear()
        gc.collect()
        self.assertEqual(host.stop(), 0)
        self.assertEqual(host.count(), 1)
        self.assertEqual(seen, ['start', 'stop'])

    def test_called_with_anything(self):
        host = self.open()
        host.start()
        ours = gc.callbacks[-1]
        for arguments in ((), (1, 2), ('stop', {}), ('start', 3), ('stop', 3), ('x', None)):
            self.assertIsNone(ours(*arguments))
        host.stop()
        self.assertIsNone(ours('start', {}))
        self.assertEqual(host.count(), 1)  # ('start', 3), ('stop', 3)

    def test_started_inside_a_collection(self):
        host = self.open()
        inside = []

        def start(phase, info):
            if phase == 'start' and not inside:
                inside.append(host.start())
        gc.callbacks.append(start)
        gc.collect()  # our callback sees at most the end of this one
        gc.callbacks.remove(start)
        gc.collect()
        host.stop()
        self.assertEqual(inside, [0])
        self.assertIn(host.count(), (1, 2))
        for record in host.records():
            self.assertLess(record.begin, record.end)

    def test_other_threads_pay(self):
        host = self.open()
        host.start()
        ids = []

        def work():
            ids.append(threading.get_native_id())
            gc.collect()
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        host.stop()
        self.assertEqual(sorted(r.thread for r in host.records()), sorted(ids))

    def test_stop_from_a_thread_without_the_lock(self):
        host = self.open()
        host.start()  # ctypes has released the lock already for both calls
        statuses = []
        thread = threading.Thread(target=lambda: statuses.append(host.stop()))
        thread.start()
        thread.join()
        self.assertEqual(statuses, [0])
        self.assertEqual(gc.callbacks, self.callbacks)

    def test_forked_child_does_not_record(self):
        host = self.open()
        host.start()
        child = os.fork()
        if child == 0:
            gc.collect()
            os._exit(host.count())
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        gc.collect()
        host.stop()
        self.assertEqual(host.count(), 1)

    def test_probe(self):
        host = MockHost('gc')
        self.addCleanup(host.free)
        self.assertEqual(host.probe(1)[0], 1)
        self.assertEqual(host.probe(2)[0], 1)

    @unittest.skipIf(sys.version_info < (3, 12), 'this Python makes its version text anew each time')
    def test_free_threaded(self):
        self.assertEqual(errors_if_free_threaded('gc'), 'True Cannot watch collections: this Python '
                         'is free-threaded (it has no global interpreter lock)\n')

    def test_left_running_at_exit(self):
        script = ('import sys, atexit; sys.path.insert(0, sys.argv[1])\n'
                  'from mock_host import MockHost\n'
                  'host = MockHost("gc"); host.open(); host.start()\n'
                  'class A: pass\n'
                  'a = A(); a.a = a; del a\n')
        done = subprocess.run([sys.executable, '-c', script, sys.path[0]], capture_output=True,
                              check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b''))


if __name__ == '__main__':
    tap.main()
