# SPDX-License-Identifier: Apache-2.0
"""Ranges of matrix products: the operations counted, the calls wrapped, and their restoration."""

import sys
import types
import unittest

from strobe import profiler
from strobe.marks import flop_formulas as formulas
from strobe.marks import flops
from support import messages, needs_torch, results, torch
from test_marks import MarksTest

DOMAIN = "mfu_flops"


class Shape:
    """A tensor as the formulas need it."""

    def __init__(self, *shape):
        self.shape = shape

    def numel(self):
        number = 1
        for size in self.shape:
            number *= size
        return number

    def dim(self):
        return len(self.shape)


class FormulaTest(unittest.TestCase):
    def test_products(self):
        for left, right, expected in (
            ((3, 4), (4, 5), 120),
            ((4,), (4,), 8),
            ((4,), (4, 5), 40),
            ((3, 4), (4,), 24),
            ((7, 3, 4), (7, 4, 5), 840),
            ((7, 3, 4), (4, 5), 840),
            ((2, 1, 3, 4), (7, 4, 5), 2 * 7 * 120),
            ((0, 4), (4, 5), 0),
            ((), (4,), None),
        ):
            self.assertEqual(formulas.product(Shape(*left), Shape(*right)), expected)
        self.assertEqual(formulas.linear(Shape(2, 3, 4), Shape(5, 4)), 2 * 6 * 4 * 5)
        self.assertEqual(formulas.linear(Shape(3, 4), Shape(4)), 24)
        self.assertEqual(formulas.addmm(Shape(5), Shape(3, 4), Shape(4, 5)), 120)

    def test_attention(self):
        whole = 2 * 2 * 3 * 6 * 8 * 16  # both products: batch 2, heads 3, 6 x 8, size 16; times 2
        forms = {
            "BNSD": ((2, 3, 6, 16), (2, 3, 8, 16)),
            "BSND": ((2, 6, 3, 16), (2, 8, 3, 16)),
            "BSH": ((2, 6, 48), (2, 8, 48)),
            "SBH": ((6, 2, 48), (8, 2, 48)),
        }
        for layout, (query, key) in forms.items():
            found = formulas.fusion_attention(Shape(*query), Shape(*key), Shape(*key), 3, layout)
            self.assertEqual(found, 2 * whole, layout)
        query, key = (Shape(2, 3, 6, 16), Shape(2, 3, 6, 16))
        half = formulas.fusion_attention(query, key, key, 3, "BNSD", sparse_mode=2)
        self.assertEqual(half, 2 * 2 * 2 * 3 * 21 * 16)  # 21 of 36 pairs
        self.assertIsNone(formulas.fusion_attention(query, key, key, 3, "BNSD", sparse_mode=4))
        self.assertIsNone(formulas.fusion_attention(query, key, key, 3, "XYZ"))

    def test_attention_with_fewer_keys(self):
        query, key = Shape(2, 8, 6, 16), Shape(2, 2, 6, 16)
        found = formulas.fusion_attention(query, key, key, 8, "BNSD")
        self.assertEqual(found, 2 * 2 * 2 * 8 * 36 * 16)
        inferred = formulas.infer_attention(
            query, key, key, num_heads=8, num_key_value_heads=2, input_layout="BNSD"
        )
        self.assertEqual(inferred, found)
        flat = formulas.infer_attention(
            Shape(2, 6, 128), Shape(2, 6, 32), [Shape(2, 6, 32)], num_heads=8, num_key_value_heads=2
        )
        self.assertEqual(flat, found)

    def test_attention_of_packed_sequences(self):
        found = formulas.fusion_attention(
            Shape(10, 3, 16), Shape(12, 3, 16), Shape(12, 3, 16), 3, "TND",
            actual_seq_qlen=[4, 10], actual_seq_kvlen=[5, 12],
        )  # fmt: skip
        self.assertEqual(found, 2 * (4 * 5 + 6 * 7) * 3 * 32)
        self.assertIsNone(
            formulas.fusion_attention(
                Shape(10, 3, 16), Shape(12, 3, 16), Shape(12, 3, 16), 3, "TND"
            )
        )

    def test_fused_products(self):
        self.assertEqual(formulas.rows(Shape(6, 2, 4), Shape(2, 4, 5)), 2 * 48 * 5)
        self.assertEqual(formulas.grouped([Shape(6, 4)], [Shape(3, 4, 5)]), 240)
        self.assertEqual(formulas.grouped([Shape(6, 4), Shape(2, 3)], [Shape(4, 5), Shape(3, 7)]),
                         240 + 84)  # fmt: skip
        self.assertEqual(formulas.grouped(Shape(6, 4), [Shape(4, 5)] * 3), 240)
        self.assertIsNone(formulas.grouped(Shape(6, 4), [Shape(4, 5), Shape(4, 6)]))
        self.assertEqual(formulas.all_gather(Shape(6, 4), Shape(4, 5), "group", 8), 8 * 240)
        self.assertEqual(
            formulas.gathered_groups(Shape(9, 4), Shape(2, 4, 5), "group", 2, [9, 0], [3, 5]),
            2 * 8 * 20,
        )


@needs_torch
class FlopsTest(MarksTest):
    def setUp(self):
        super().setUp()
        targets, registered = dict(flops._targets), set(flops._registered)

        def restore():
            flops._targets.clear()
            flops._targets.update(targets)
            flops._registered.clear()
            flops._registered.update(registered)

        self.addCleanup(restore)

    def found(self):
        return [name for name, domain in self.names("name,marker.domain") if domain == DOMAIN]

    def test_calls(self):
        a, b = torch.ones(3, 4), torch.ones(4, 5)
        batch = torch.ones(7, 3, 4)
        session = self.session(ranges="flops")
        torch.mm(a, b)
        torch.matmul(batch, b)
        torch.addmm(torch.ones(5), a, mat2=b)
        torch.bmm(batch, torch.ones(7, 4, 5))
        torch.nn.Linear(4, 6)(batch)
        with self.assertRaises(RuntimeError):
            torch.mm(a, a)
        session.close()
        self.assertEqual(
            self.found(),
            ["120-mm", "840-matmul", "120-addmm", "840-bmm", "1008-linear", "96-mm"],
        )

    def test_every_reference(self):
        """References to a wrapped function in other modules are replaced, and put back, too."""
        user = types.ModuleType("strobe_test_user")
        user.product = torch.mm
        sys.modules["strobe_test_user"] = user
        self.addCleanup(sys.modules.pop, "strobe_test_user")
        before = torch.mm, torch.nn.functional.linear
        session = self.session(ranges="flops")
        self.assertIsNot(user.product, before[0])
        user.product(torch.ones(3, 4), torch.ones(4, 5))
        session.close()
        self.assertEqual((torch.mm, torch.nn.functional.linear), before)
        self.assertIs(user.product, before[0])
        self.assertEqual(self.found(), ["120-mm"])

    def test_registered(self):
        """Nested calls count once. A formula that fails, or returns None or a negative number,
        makes no range."""
        module = types.ModuleType("strobe_test_kernels")
        module.outer = lambda a, b: torch.mm(a, b)
        module.unknown = module.negative = None
        for name in ("unknown", "negative", "failing"):
            setattr(module, name, lambda *args: "done")
        sys.modules["strobe_test_kernels"] = module
        self.addCleanup(sys.modules.pop, "strobe_test_kernels")
        flops.register("strobe_test_kernels:outer", lambda a, b: 7.0)
        flops.register("strobe_test_kernels:unknown", lambda *args: None)
        flops.register("strobe_test_kernels:negative", lambda *args: -1)
        flops.register("strobe_test_kernels:failing", lambda: 1)
        for bad in ("nothing", ":x", "x:"):
            with self.assertRaises(ValueError):
                flops.register(bad, len)
        session = self.session(ranges="flops")
        module.outer(torch.ones(3, 4), torch.ones(4, 5))
        with messages() as told:
            answers = [module.unknown(1), module.negative(1), module.failing(1)]
        session.close()
        self.assertEqual(answers, ["done"] * 3)
        self.assertEqual(self.found(), ["7-outer"])
        self.assertIn("Cannot count the operations of failing", str(told))

    def test_registered_twice(self):
        flops.register("torch:mm", lambda *args: 1)
        with messages() as told:
            flops.register("torch:mm", lambda *args: 2)
        self.assertIn("registered twice", str(told))
        session = self.session(ranges="flops")
        torch.mm(torch.ones(3, 4), torch.ones(4, 5))
        session.close()
        self.assertEqual(self.found(), ["2-mm"])

    def test_profile(self):
        config = profiler._ExperimentalConfig(mstx=True)
        with profiler.profile(
            with_flops=True,
            experimental_config=config,
            on_trace_ready=profiler.tensorboard_trace_handler(self.folder),
        ):
            torch.mm(torch.ones(3, 4), torch.ones(4, 5))
        self.assertEqual(len(results(self.folder)), 1)
        self.assertEqual(self.found(), ["120-mm"])


if __name__ == "__main__":
    unittest.main()
