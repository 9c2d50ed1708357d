#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cpu_op collector in a real PyTorch process, held against PyTorch's own profiler."""

import collections
import os
import subprocess
import sys
import threading
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'fixture'), os.path.join(HERE, '..', '..', 'tests')]
import tap  # noqa: E402
from mock_host import PLUGINS, MockHost  # noqa: E402

AGAIN, UNAVAILABLE = 1, 2
before_torch = MockHost('cpu_op')
before_torch_answers = (before_torch.probe(2)[0], before_torch.open())

import torch  # noqa: E402
from torch.autograd import profiler  # noqa: E402

FIELDS = ('sequence', 'forward_thread', 'scope', 'is_async', 'shapes', 'types')
# Names that PyTorch's profiler hides.
HIDDEN = {'aten::is_leaf', 'aten::output_nr', 'aten::_version'}


def train_step(model, optimizer, data):
    optimizer.zero_grad()
    with profiler.record_function('forward pass'):
        loss = model(data).square().mean()
    loss.backward()
    optimizer.step()


def make_model():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(),
                                torch.nn.Linear(72, 3))
    return model, torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(2, 1, 8, 8)


def nests(records):
    """Do the spans of each thread nest? Records come in the order of their ends."""
    for thread in {r.thread for r in records}:
        open_ends = []
        spans = sorted((r for r in records if r.thread == thread),
                       key=lambda r: (r.begin, -r.end))
        for record in spans:
            while open_ends and open_ends[-1] <= record.begin:
                open_ends.pop()
            if open_ends and record.end > open_ends[-1]:
                return False
            open_ends.append(record.end)
    return True


def events_of_torch(function):
    """What PyTorch's own profiler recorded, before it takes out each span that is the only child of
    one of its own name."""
    with unittest.mock.patch('torch.autograd.profiler_util.EventList._remove_dup_nodes'):
        with profiler.profile() as theirs:
            function()
        return theirs.function_events  # PyTorch 2.x makes the list here


class CpuOpTest(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)

    def open(self, **options):
        host = MockHost('cpu_op', **options)
        self.addCleanup(host.free)
        self.assertEqual(host.open(), 0, host.errors())
        return host

    def record(self, function, **options):
        host = self.open(**options)
        self.assertEqual(host.start(), 0)
        function()
        self.assertEqual(host.stop(), 0)
        self.assertEqual(host.complaints(), '')
        self.assertEqual(host.dropped(), 0)
        return host.records(FIELDS[:4], FIELDS[4:])

    def test_before_torch_is_loaded(self):
        self.assertEqual(before_torch_answers, (2, AGAIN))
        self.assertEqual(before_torch.open(), 0, before_torch.errors())
        before_torch.free()

    def test_same_operators_as_torch_profiler(self):
        model, optimizer, data = make_model()
        train_step(model, optimizer, data)
        ours = self.record(lambda: train_step(model, optimizer, data))
        theirs = events_of_torch(lambda: train_step(model, optimizer, data))
        expected = collections.Counter(e.name for e in theirs)
        found = collections.Counter(r.name for r in ours if r.name not in HIDDEN)
        self.assertEqual(found, expected)
        self.assertGreater(len(ours), 50)
        self.assertTrue(nests(ours))

    def test_sequence_and_forward_thread(self):
        x = torch.randn(4, 4, requires_grad=True)
        records = self.record(lambda: (x @ x).exp().sum().backward())
        forward = next(r for r in records if r.name == 'aten::exp').fields
        backward = next(r for r in records if r.name == 'ExpBackward0').fields
        self.assertEqual(forward['sequence'], backward['sequence'])
        self.assertGreaterEqual(forward['sequence'], 0)
        self.assertEqual((forward['scope'], forward['forward_thread']), (0, 0))
        self.assertEqual(backward['scope'], 1)
        self.assertGreater(backward['forward_thread'], 0)
        empty = next(r for r in records if r.name == 'aten::empty_like').fields
        self.assertEqual(empty['sequence'], -1)

    def test_shapes_and_types(self):
        a, b = torch.randn(2, 3), torch.ones(3, 4, dtype=torch.float64)

        def work():
            torch.mm(a, torch.ones(3, 4))
            torch.cat([a, a])
            torch.sum(b, dim=[0])
            torch.add(b[0, 0], 1)
            torch.zeros(0, 2, dtype=torch.bfloat16).clone()
            torch.nn.functional.conv1d(torch.ones(1, 1, 4), torch.ones(1, 1, 2))
            a[[0]]
        records = self.record(work, shapes='true')

        def of(name):
            fields = next(r for r in records if r.name == name).fields
            return fields['shapes'], fields['types']
        self.assertEqual(of('aten::mm'), ('2,3;3,4', 'float;float'))
        self.assertEqual(of('aten::cat'), (';', 'TensorList;Scalar'))
        self.assertEqual(of('aten::sum'), ('3,4;;;', 'double;ScalarList;Scalar;None'))
        self.assertEqual(of('aten::add'), (';;', 'double;long int;Scalar'))
        self.assertEqual(of('aten::clone'), ('0,2;', 'c10::BFloat16;None'))
        self.assertEqual(of('aten::conv1d'),
                         ('1,1,4;1,1,2;;;;;',
                          'float;float;None;ScalarList;ScalarList;ScalarList;Scalar'))
        self.assertEqual(of('aten::index'), ('2,3;', 'float;None'))
        for record in records:
            self.assertEqual(record.fields['shapes'].count(';'), record.fields['types'].count(';'))

    def test_every_form_of_argument(self):
        a = torch.ones(2, 3)

        def work():
            torch.nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 3, 3),
                                       padding='same')
            a.clamp(None, 2.0)
            a.amax(dim=[])
            a.div(a, rounding_mode='trunc')
            torch.full((2,), 1 + 2j)
            a.to(torch.device('cpu'), torch.float64)
            torch.einsum('ij,kj->ik', a, a)
            torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).clone()
        records = self.record(work, shapes='true')

        def of(name):
            fields = next(r for r in records if r.name == name).fields
            return fields['shapes'], fields['types']
        self.assertEqual(of('aten::conv2d'),
                         ('1,1,4,4;1,1,3,3;;;;;', 'float;float;None;ScalarList;None;ScalarList;Scalar'))
        self.assertEqual(of('aten::clamp'), ('2,3;;', 'float;None;Scalar'))
        self.assertEqual(of('aten::amax'), ('2,3;;', 'float;ScalarList;Scalar'))
        self.assertEqual(of('aten::div'), ('2,3;2,3;', 'float;float;None'))
        self.assertEqual(of('aten::full')[1].split(';')[:2], ['ScalarList', 'Scalar'])
        self.assertIn('float;None;Scalar;Scalar;Scalar;None',
                      [r.fields['types'] for r in records if r.name == 'aten::to'])
        self.assertEqual(of('aten::einsum')[1].split(';')[:2], ['None', 'TensorList'])
        nested = [r.fields for r in records if r.name == 'aten::clone'][-1]
        self.assertEqual((nested['shapes'], nested['types']), (';', 'None;None'))

    def test_what_is_recorded_on_request(self):
        """Fields of the plugin's own, in every combination; none unless asked for."""
        a = torch.ones(2, 3)

        def work():
            a.mm(torch.ones(3, 4))
            with profiler.record_function('range'):
                a.add(1, alpha=2)

        names = ('cpu_op.flops',), ('cpu_op.values', 'shapes')
        for options in ({'flops': 'true'}, {'values': 'true'}, {'flops': 'true', 'values': 'true'}):
            host = self.open(**options)
            host.start()
            work()
            host.stop()
            self.assertEqual(host.complaints(), '')
            found = {r.name: r.fields for r in host.records(*names)}
            self.assertEqual(found['aten::mm']['shapes'], '2,3;3,4')
            flops = 48 if 'flops' in options else -1
            self.assertEqual(found['aten::mm']['cpu_op.flops'], flops)
            self.assertEqual(found['aten::ones']['cpu_op.flops'], -1)
            values = '["", "", "2"]' if 'values' in options else ''
            self.assertEqual(found['aten::add']['cpu_op.values'], values)
            self.assertEqual(found['range']['cpu_op.flops'], -1)

    def test_modules_of_torchscript(self):
        class Inner(torch.nn.Module):
            def forward(self, x):
                return x.neg()

        class Outer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Inner()

            def forward(self, x):
                return self.inner(x).exp()

        # Where libtorch has LLVM it would make one function of both operators.
        was_enabled = torch._C._jit_texpr_fuser_enabled()
        torch._C._jit_set_texpr_fuser_enabled(False)
        self.addCleanup(torch._C._jit_set_texpr_fuser_enabled, was_enabled)
        model, x = torch.jit.script(Outer()), torch.ones(2)
        model(x), model(x)
        host = self.open(modules='true')
        host.start()
        model(x)
        x.abs()
        host.stop()
        found = {r.name: r.fields['cpu_op.modules'] for r in host.records((), ('cpu_op.modules',))}
        self.assertIn('inner', found['aten::neg'])
        self.assertIn('Inner', found['aten::neg'])
        self.assertNotIn('Inner', found['aten::exp'])
        self.assertEqual(found['aten::abs'], '')

    def test_no_shapes_unless_asked_for(self):
        for record in self.record(lambda: torch.ones(2) + 1):
            self.assertEqual((record.fields['shapes'], record.fields['types']), ('', ''))

    def test_user_ranges(self):
        def work():
            with profiler.record_function('outer "range"\n'):
                torch.ones(1)
                with profiler.record_function('inner'):
                    torch.ones(1)
        records = self.record(work)
        ranges = {r.name: r for r in records if r.fields['scope'] == 7}
        self.assertEqual(set(ranges), {'outer "range"\n', 'inner'})
        self.assertLess(ranges['outer "range"\n'].begin, ranges['inner'].begin)
        self.assertTrue(nests(records))
        self.assertEqual([r.fields['is_async'] for r in records], [0] * len(records))

    def test_ranges_ended_out_of_order_are_kept(self):
        a, b = profiler.record_function('a'), profiler.record_function('b')
        host = self.open()
        host.start()
        a.__enter__()
        b.__enter__()
        a.__exit__(None, None, None)
        torch.ones(1)
        b.__exit__(None, None, None)
        host.stop()
        records = host.records(FIELDS[:4])
        ranges = {r.name: r for r in records if r.fields['scope'] == 7}
        self.assertEqual({n: r.fields['is_async'] for n, r in ranges.items()}, {'a': 0, 'b': 1})
        self.assertLess(ranges['b'].begin, ranges['a'].end)
        self.assertGreater(ranges['b'].end, ranges['a'].end)
        self.assertIn('aten::ones', [r.name for r in records])
        self.assertEqual(host.lost(9), 0)

    def test_threads_of_the_program(self):
        ids = []

        def work():
            ids.append(threading.get_native_id())
            for _ in range(10):
                torch.ones(3).relu_()

        def run():
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        records = self.record(run)
        count = collections.Counter(r.thread for r in records if r.name == 'aten::relu_')
        self.assertEqual(count, {thread: 10 for thread in ids})
        self.assertTrue(nests(records))

    def test_threads_that_run_before_the_start(self):
        begin, end = threading.Event(), threading.Event()

        def work():
            torch.ones(1)
            begin.wait()
            torch.ones(3).relu_()
            end.set()
            begin.clear()
        thread = threading.Thread(target=work)
        thread.start()
        records = self.record(lambda: (begin.set(), end.wait()))
        thread.join()
        self.assertEqual([r.name for r in records if r.thread != threading.get_native_id()
                          ].count('aten::relu_'), 1)

    def test_windows(self):
        host = self.open()
        for window in range(1, 101):
            torch.ones(1)
            host.start()
            torch.zeros(1).relu_()
            host.stop()
            torch.ones(1)
            self.assertEqual([r.name for r in host.records()].count('aten::relu_'), 1)
            self.assertNotIn('aten::ones', [r.name for r in host.records()])
            host.clear()
        self.assertEqual(host.open_spans(), 0)

    def test_range_over_the_edges(self):
        host = self.open()
        early, late = profiler.record_function('early'), profiler.record_function('late')
        early.__enter__()
        host.start()
        early.__exit__(None, None, None)
        late.__enter__()
        host.stop()
        late.__exit__(None, None, None)
        self.assertEqual([r.name for r in host.records() if r.name in ('early', 'late')], [])
        host.start()
        torch.ones(1)
        host.stop()
        self.assertIn('aten::ones', [r.name for r in host.records()])

    def test_another_session_in_the_same_process(self):
        first = self.record(lambda: torch.ones(2) + 1, shapes='true')
        second = self.record(lambda: torch.ones(2) + 1)
        self.assertEqual([r.name for r in first], [r.name for r in second])

    def test_forked_child_does_not_record(self):
        host = self.open()
        host.start()
        before = host.count()
        child = os.fork()
        if child == 0:
            torch.ones(1)
            os._exit(host.count() - before)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        torch.ones(1)
        host.stop()
        self.assertIn('aten::ones', [r.name for r in host.records()])

    def test_unknown_libtorch(self):
        script = ('import sys; sys.path.insert(0, sys.argv[1]); import mock_host, torch\n'
                  'host = mock_host.MockHost("cpu_op")\n'
                  'host._call("companions", host.mock, b"/nonexistent")\n'
                  'print(host.open(), host.errors())')
        for mode, status in (('never', '2 '), ('wait', '1 ')):
            done = subprocess.run([sys.executable, '-c', script, sys.path[0]], capture_output=True,
                                  check=True, timeout=120, text=True,
                                  env={**os.environ, 'STROBE_TORCH_BUILD': mode})
            self.assertTrue(done.stdout.startswith(status), done.stdout)
        major = torch.__version__.split('.', maxsplit=1)[0]
        for part in ('build-id=', 'strobe torch build', f'PyTorch {major}.'):
            self.assertIn(part, done.stdout)

    def test_probe(self):
        host = MockHost('cpu_op')
        self.addCleanup(host.free)
        self.assertEqual(host.probe(1)[0], 1)
        self.assertEqual(host.probe(2)[0], 1)
        self.assertTrue(any(f.startswith('cpu_op_torch-') for f in os.listdir(PLUGINS)))


if __name__ == '__main__':
    tap.main()
