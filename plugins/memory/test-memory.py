#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The memory collector in a real PyTorch process, held against an account of the test's own and
against the records of PyTorch's own profiler."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'fixture'), os.path.join(HERE, '..', '..', 'tests')]
import tap  # noqa: E402
import torch_library  # noqa: E402
from mock_host import PLUGINS, MockHost  # noqa: E402

AGAIN, UNAVAILABLE = 1, 2
ABSENT = -1 << 63
ALLOCATION, RELEASE = 0, 1
before_torch = MockHost('memory')
before_torch_answers = (before_torch.probe(2)[0], before_torch.open())

import torch  # noqa: E402
from torch.autograd import profiler  # noqa: E402

NUMBERS = ('address', 'size', 'total_allocated', 'total_reserved', 'total_active', 'stream',
           'action', 'device', 'block')
ACCOUNT = torch_library.find_account(PLUGINS)
account = ctypes.CDLL(ACCOUNT)
for name in ('allocated', 'peak', 'allocations', 'releases'):
    getattr(account, 'account_' + name).restype = ctypes.c_long
account.account_raw_allocate.argtypes = [ctypes.c_size_t]
account.account_raw_allocate.restype = ctypes.c_void_p
account.account_raw_release.argtypes = [ctypes.c_void_p]
REPORT_ARGUMENTS = [ctypes.c_size_t] + [ctypes.c_long] * 3 + [ctypes.c_int]
account.account_report.argtypes = REPORT_ARGUMENTS


def make_step():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(),
                                torch.nn.Linear(72, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = torch.randn(2, 1, 8, 8)

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(data).square().mean().backward()
        optimizer.step()
    return step


class MemoryTest(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        account.account_install()
        self.addCleanup(account.account_uninstall)

    def open(self):
        host = MockHost('memory')
        self.addCleanup(host.free)
        self.assertEqual(host.open(), 0, host.errors())
        return host

    def record(self, function):
        """What one window saw of the function; a session of its own."""
        host = self.open()
        self.assertEqual(host.start(), 0, host.errors())
        function()
        self.assertEqual(host.stop(), 0)
        self.assertEqual((host.complaints(), host.dropped()), ('', 0))
        records = host.records(NUMBERS, ('component',))
        host.close()
        return sorted(records, key=lambda record: record.begin)

    def test_before_torch_is_loaded(self):
        self.assertEqual(before_torch_answers, (2, AGAIN))

    def test_same_records_as_torch_profiler(self):
        """On the same run: its slot stays free."""
        step = make_step()
        step()

        def work():
            with profiler.profile(profile_memory=True) as theirs:
                step()
            self.theirs = theirs
        records = self.record(work)
        expected = [event.nbytes() for event in self.theirs.kineto_results.events()
                    if event.name() == '[memory]']
        # it does not tell of a release whose allocation it has not seen
        addresses, found = set(), []
        for record in records:
            address = record.fields['address']
            if record.fields['action'] == ALLOCATION:
                addresses.add(address)
            elif address not in addresses:
                continue
            found.append(record.fields['size'])
        self.assertGreater(len(found), 50)
        self.assertEqual(found, expected)

    def test_sums_and_peak_are_those_of_an_account(self):
        step = make_step()
        base = account.account_allocated()
        counts = account.account_allocations(), account.account_releases()
        account.account_peak()
        records = self.record(lambda: (step(), step()))
        known, held, taken, given = {}, 0, 0, 0
        for record in records:
            fields = record.fields
            if fields['action'] == ALLOCATION:
                taken += 1
                known[fields['address']] = fields['size']
            else:
                given += 1
                self.assertEqual(known.pop(fields['address']), -fields['size'])
            held += fields['size']
            self.assertEqual(fields['total_allocated'] - held, records[0].fields['total_allocated']
                             - records[0].fields['size'])
        self.assertEqual(taken, account.account_allocations() - counts[0])
        # what was allocated before the session is released without a record
        self.assertLessEqual(given, account.account_releases() - counts[1])
        self.assertEqual(sum(known.values()), held)
        self.assertLessEqual(account.account_allocated() - base, held)

    def test_peak(self):
        def work():
            account.account_peak()
            a = torch.ones(1000)
            b = torch.ones(2000)
            del a
            c = torch.ones(500)
            del b, c
        host = self.open()
        base = account.account_allocated()
        host.start()
        work()
        host.stop()
        totals = [r.fields['total_allocated'] for r in host.records(NUMBERS)]
        sizes = [r.fields['size'] for r in host.records(NUMBERS)]
        start = totals[0] - sizes[0]
        self.assertEqual(max(totals) - start, account.account_peak() - base)
        self.assertEqual(max(totals) - start, 12000)
        self.assertEqual(totals[-1] - start, 0)

    def test_fields(self):
        def work():
            torch.empty(0)
            torch.empty(25)
        taken, given = self.record(work)
        self.assertEqual((taken.kind, taken.name), ('memory_event', ''))
        self.assertEqual((taken.fields['action'], given.fields['action']), (ALLOCATION, RELEASE))
        self.assertEqual((taken.fields['size'], given.fields['size']), (100, -100))
        self.assertEqual(taken.fields['address'], given.fields['address'])
        self.assertEqual(taken.thread, threading.get_native_id())
        for record in (taken, given):
            fields = record.fields
            self.assertEqual((fields['device'], fields['component']), (-1, 'PTA'))
            self.assertEqual((fields['total_reserved'], fields['total_active']), (ABSENT, ABSENT))
            self.assertEqual((fields['stream'], fields['block']), (-1, -1))
            self.assertEqual(record.begin, record.end)

    def test_release_on_another_thread(self):
        kept, ids = [], []

        def give():
            ids.append(threading.get_native_id())
            kept.clear()

        def work():
            kept.append(torch.empty(1000))
            thread = threading.Thread(target=give)
            thread.start()
            thread.join()
        taken, given = self.record(work)
        self.assertEqual(given.thread, ids[0])
        self.assertNotEqual(taken.thread, given.thread)
        self.assertEqual((taken.fields['address'], 4000, -4000),
                         (given.fields['address'], taken.fields['size'], given.fields['size']))

    def reported(self, records):
        return [(r.fields['address'], r.fields['size'], r.fields['total_allocated'],
                 r.fields['total_reserved'], r.fields['device'])
                for r in records if r.fields['device'] != -1]

    def test_devices_without_run(self):
        """Nothing is preloaded: their allocators are loaded before the session, as ever."""
        def work():
            with profiler.profile(profile_memory=True) as theirs:
                account.account_report(64, 1000, 1000, 4096, 1)
            account.account_report(64, -1000, 0, 4096, -1)
            self.theirs = theirs
        records = self.record(work)
        self.assertEqual(self.reported(records), [(64, 1000, 1000, 4096, 1),
                                                  (64, -1000, 0, 4096, 0)])
        self.assertEqual([event.nbytes() for event in self.theirs.kineto_results.events()
                          if event.name() == '[memory]'], [1000])
        account.account_report(64, 5000, 5000, 8192, 1)  # nobody is there any more

    def test_allocator_of_a_device_loaded_between_windows(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(ACCOUNT, folder)
            host = self.open()
            host.start()
            host.stop()
            later = ctypes.CDLL(copy)
        later.account_report.argtypes = REPORT_ARGUMENTS
        later.account_report(64, 1000, 1000, 4096, 0)
        host.start()
        later.account_report(128, 2000, 3000, 4096, 0)
        account.account_report(192, 10, 10, 10, 1)
        host.stop()
        self.assertEqual(self.reported(host.records(NUMBERS)), [(128, 2000, 3000, 4096, 0),
                                                                (192, 10, 10, 10, 1)])

    def test_threads_report_as_sessions_come_and_go(self):
        is_over = threading.Event()
        done = [0, 0]

        def run(thread):
            while not is_over.is_set():
                account.account_report(64, 1000, 1000, 4096, 1)
                done[thread] += 1
                time.sleep(0)

        def wait_for_reports():
            """At least one whole one of each thread."""
            wanted = [n + 2 for n in done]
            while any(n < least for n, least in zip(done, wanted)):
                time.sleep(0.001)
        threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        hosts = []
        try:
            for _ in range(8):
                hosts.append(self.open())
                hosts[-1].start()
                wait_for_reports()
                hosts[-1].stop()
                hosts[-1].close()
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        for host in hosts:  # a report may have been on its way until now
            self.assertGreater(host.count(), 0)

    def test_threads_at_once(self):
        def work():
            kept = []
            for i in range(500):
                kept.append(torch.empty(i % 50 + 1))
                if i % 3:
                    kept.pop(0)
        counts = account.account_allocations(), account.account_releases()

        def run():
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        records = self.record(run)
        actions = [r.fields['action'] for r in records]
        self.assertEqual(actions.count(ALLOCATION), 2000)
        self.assertEqual((actions.count(ALLOCATION), actions.count(RELEASE)),
                         (account.account_allocations() - counts[0],
                          account.account_releases() - counts[1]))
        self.assertEqual(sum(r.fields['size'] for r in records), 0)
        self.assertEqual(len({r.thread for r in records}), 4)

    def test_what_was_there_before_is_not_told(self):
        old = [torch.empty(10)]
        records = self.record(old.clear)
        self.assertEqual(records, [])

    def test_between_windows_it_is_counted(self):
        first, _ = self.record(lambda: torch.empty(1))
        base = first.fields['total_allocated'] - first.fields['size']
        host = self.open()
        kept = [torch.empty(100)]
        host.start()
        kept.append(torch.empty(1))
        kept.clear()
        host.stop()
        records = host.records(NUMBERS)
        self.assertEqual(sorted(r.fields['size'] for r in records), [-400, -4, 4])
        self.assertEqual(records[0].fields['total_allocated'] - base, 404)
        self.assertEqual(records[-1].fields['total_allocated'], base)

    def test_memory_that_outlives_its_session(self):
        kept = []
        first, = self.record(lambda: kept.append(torch.empty(100)))
        self.assertEqual(account.account_is_first(), 1)
        kept.clear()
        second, _ = self.record(lambda: torch.empty(7))
        self.assertEqual(first.fields['total_allocated'] - 400,
                         second.fields['total_allocated'] - 28)

    def test_raw_interface(self):
        def work():
            memory = account.account_raw_allocate(640)
            account.account_raw_release(memory)
            account.account_raw_release(None)
        taken, given = self.record(work)
        self.assertEqual((taken.fields['size'], given.fields['size']), (640, -640))

    def test_storage_that_grows(self):
        """By the allocator that the storage knows, also after the session."""
        kept = []

        def work():
            kept.append(torch.empty(10))
            kept[0].resize_(1000)
        records = self.record(work)
        self.assertEqual([r.fields['size'] for r in records], [40, 4000, -40])
        kept[0].resize_(4000)
        self.assertEqual(self.record(lambda: kept[0].resize_(5000))[0].fields['size'], 20000)

    def test_allocator_that_the_program_sets(self):
        """Between two windows: the next one sees it all the same."""
        host = self.open()
        host.start()
        first = torch.empty(10)
        host.stop()
        account.account_uninstall()
        account.account_install_indirect()
        self.assertNotEqual(host.start(), 0)
        self.assertIn('does not release all memory in the same way', host.errors())
        account.account_uninstall()
        account.account_install()
        host.start()
        second = torch.empty(10)
        host.stop()
        self.assertEqual([r.fields['size'] for r in host.records(NUMBERS)], [40, 40])
        del first, second

    def test_allocation_that_fails(self):
        def work():
            with self.assertRaises(RuntimeError):
                torch.empty(1 << 58)
            torch.empty(1)
        records = self.record(work)
        self.assertEqual([r.fields['size'] for r in records], [4, -4])

    def test_windows(self):
        host = self.open()
        for _ in range(100):
            kept = torch.empty(5)
            host.start()
            torch.empty(3)
            host.stop()
            self.assertEqual([r.fields['size'] for r in host.records(NUMBERS)], [12, -12])
            host.clear()
        del kept

    def test_forked_child_does_not_record(self):
        host = self.open()
        host.start()
        before = host.count()
        child = os.fork()
        if child == 0:
            torch.empty(1)
            os._exit(host.count() - before)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        torch.empty(1)
        host.stop()
        self.assertEqual(host.count() - before, 2)

    def test_unknown_libtorch(self):
        script = ('import sys; sys.path.insert(0, sys.argv[1]); import mock_host, torch\n'
                  'host = mock_host.MockHost("memory")\n'
                  'host._call("companions", host.mock, b"/nonexistent")\n'
                  'print(host.open(), host.errors())')
        done = subprocess.run([sys.executable, '-c', script, sys.path[0]], capture_output=True,
                              check=True, timeout=120, text=True,
                              env={**os.environ, 'STROBE_TORCH_BUILD': 'never'})
        self.assertTrue(done.stdout.startswith('2 '), done.stdout)
        self.assertIn('strobe torch build', done.stdout)


if __name__ == '__main__':
    tap.main()
