# SPDX-License-Identifier: Apache-2.0
import unittest

from support import messages, needs_torch
from strobe.profiler import ProfilerAction, schedule
from strobe.profiler.schedules import action_of, warn_of_transition

_LETTERS = dict(zip("NWRS", ProfilerAction))
_NAMES = {action: letter for letter, action in _LETTERS.items()}
_SKEW = ("WARNING", "Profiler won't be using warmup, this can skew profiler results")


def _actions(made, steps=16):
    return "".join(_NAMES[made(step)] for step in range(steps))


def _make(*args, **kwargs):
    with messages() as told:
        return schedule(*args, **kwargs), told


class Actions(unittest.TestCase):
    def test_worked_table(self):
        """Rows: wait, warmup, active, repeat, skip_first, skip_first_wait; the actions from step 0
        on."""
        table = [
            ((2, 2, 2, 0, 2, 0), "NNNNWWRSNNWWRSNN"),
            ((2, 2, 2, 1, 2, 0), "NNNNWWRSNNNNNNNN"),
            ((2, 2, 2, 2, 2, 0), "NNNNWWRSNNWWRSNN"),
            ((1, 1, 2, 2, 1, 0), "NNWRSNWRSNNNNNNN"),
            ((1, 1, 3, 0, 0, 0), "NWRRSNWRRSNWRRSN"),
            ((1, 1, 1, 1, 0, 0), "NWSNNNNNNNNNNNNN"),
            ((5, 2, 1, 1, 0, 0), "NNNNNWWSNNNNNNNN"),
            ((3, 0, 2, 1, 2, 0), "NNNNNRSNNNNNNNNN"),
            ((0, 0, 1, 0, 0, 0), "SSSSSSSSSSSSSSSS"),
            ((0, 0, 1, 1, 0, 0), "SNNNNNNNNNNNNNNN"),
            ((0, 0, 3, 2, 0, 0), "RRSRRSNNNNNNNNNN"),
            ((0, 1, 1, 2, 0, 0), "WSWSNNNNNNNNNNNN"),
            ((1, 0, 1, 2, 0, 0), "NSNSNNNNNNNNNNNN"),
            ((0, 2, 1, 0, 0, 0), "WWSWWSWWSWWSWWSW"),
            ((2, 1, 2, 2, 1, 1), "NWRSNNWRSNNNNNNN"),
            ((2, 1, 2, 1, 1, -3), "NWRSNNNNNNNNNNNN"),
        ]
        for (wait, warmup, active, repeat, skip, skip_wait), expected in table:
            with self.subTest(expected):
                made, told = _make(wait, active, warmup, repeat, skip, skip_wait)
                self.assertEqual(_actions(made), expected)
                self.assertEqual(told, [_SKEW] if warmup == 0 else [])

    def test_last_recorded_step(self):
        made, _ = _make(wait=3, warmup=2, active=4, repeat=5, skip_first=7)
        last = 7 + 5 * (3 + 2 + 4) - 1
        self.assertEqual(made(last), ProfilerAction.RECORD_AND_SAVE)
        for step in range(last + 1, last + 100):
            self.assertEqual(made(step), ProfilerAction.NONE)

    def test_far_step(self):
        made, _ = _make(wait=1, warmup=1, active=2)
        self.assertEqual(made(4 * 10**18 + 3), ProfilerAction.RECORD_AND_SAVE)

    @needs_torch
    def test_like_torch(self):
        import itertools
        import warnings

        import torch.profiler

        for wait, warmup, active, repeat, skip in itertools.product(
            range(3), range(3), range(1, 3), range(3), range(3)
        ):
            settings = dict(
                wait=wait, warmup=warmup, active=active, repeat=repeat, skip_first=skip
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = torch.profiler.schedule(**settings)
            ours, _ = _make(**settings)
            self.assertEqual(
                [ours(step).name for step in range(30)],
                [theirs(step).name for step in range(30)],
                settings,
            )

    def test_negative_step(self):
        made, _ = _make(1, 1, 1)
        self.assertRaises(ValueError, made, -1)

    def test_attributes(self):
        made, _ = _make(wait=1, active=2, warmup=3, repeat=4, skip_first=5, skip_first_wait=6)
        self.assertEqual(
            list(made.settings().items()),
            [
                ("wait", 1),
                ("active", 2),
                ("warmup", 3),
                ("repeat", 4),
                ("skip_first", 5),
                ("skip_first_wait", 6),
            ],
        )
        self.assertEqual(made.skip_first_wait, 6)

    def test_required(self):
        self.assertRaises(TypeError, schedule)
        self.assertRaises(TypeError, schedule, wait=1)


class Validation(unittest.TestCase):
    def _told(self, *names_and_values, skew=True):
        lines = [
            ("WARNING", "Invalid parameter %s, reset it to %d." % each)
            for each in names_and_values
        ]
        return lines + [_SKEW] * skew

    def test_all_zero(self):
        made, told = _make(0, 0, 0, 0, 0)
        self.assertEqual(_actions(made, 4), "SSSS")
        self.assertEqual(told, self._told(("active", 1)))

    def test_all_negative(self):
        made, told = _make(-1, -1, -1, -1, -1)
        self.assertEqual(_actions(made, 4), "SSSS")
        self.assertEqual(
            told,
            self._told(
                ("wait", 0), ("warmup", 0), ("active", 1), ("repeat", 0), ("skip_first", 0)
            ),
        )

    def test_floats(self):
        made, told = _make(wait=1.0, warmup=1, active=2.0)
        self.assertEqual(_actions(made, 4), "WSWS")
        self.assertEqual(told, self._told(("wait", 0), ("active", 1), skew=False))

    def test_bad_repeat_is_endless(self):
        for repeat in (-1, "2"):
            made, told = _make(wait=1, warmup=1, active=2, repeat=repeat)
            self.assertEqual(_actions(made, 8), "NWRSNWRS")
            self.assertEqual(told, self._told(("repeat", 0), skew=False))

    def test_bool_is_int(self):
        made, told = _make(True, True, True, True, True)
        self.assertEqual(_actions(made, 6), "NNWSNN")
        self.assertEqual(told, [])

    def test_skip_first_wait(self):
        _, told = _make(1, 1, 1, skip_first_wait="x")
        self.assertEqual(told, self._told(("skip_first_wait", 0), skew=False))
        made, told = _make(1, 1, 1, skip_first_wait=-1)
        self.assertEqual((made.skip_first_wait, told), (-1, []))


class Transitions(unittest.TestCase):
    def test_warnings(self):
        expected = {
            "WN": "Incorrect schedule: WARMUP followed by NONE",
            "RN": "Incorrect schedule: RECORD followed by NONE",
            "RW": "Incorrect schedule: RECORD followed by WARMUP",
            "W-": "Incorrect schedule: Stop profiler while current state is WARMUP which will "
            "result in empty parsed data.",
            "R-": "Incorrect schedule: Stop profiler while current state is RECORD which may "
            "result in incomplete parsed data.",
            "S-": "Stop profiler while current state is RECORD_AND_SAVE, perhaps the scheduling "
            "cycle has not yet completed.",
        }
        for before in "NWRS":
            for after in "NWRS-":
                with messages() as told:
                    warn_of_transition(_LETTERS[before], _LETTERS.get(after))
                text = expected.get(before + after)
                self.assertEqual(told, [("WARNING", text)] if text else [], before + after)


class ExternalActions(unittest.TestCase):
    def test_numbers(self):
        self.assertIs(action_of(3, 0), ProfilerAction.RECORD_AND_SAVE)

    @needs_torch
    def test_torch(self):
        from torch.profiler import ProfilerAction as Theirs

        for action in list(ProfilerAction)[:4]:
            self.assertIs(action_of(Theirs[action.name], 0), action)

    def test_nonsense(self):
        for value in (4, -1, None, "RECORD", object()):
            with self.assertRaisesRegex(ValueError, r"schedule\(5\) returned"):
                action_of(value, 5)
