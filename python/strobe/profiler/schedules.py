# SPDX-License-Identifier: Apache-2.0
"""The schedule: the action of each step."""

from enum import Enum

from .. import message


class ProfilerAction(Enum):
    """The purpose of a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4  # exists in torch.profiler; never used here


class schedule:
    """Skips `skip_first` steps, then repeats a cycle of `wait`, `warmup` and `active` steps,
    `repeat` times, or without end if `repeat` is 0. With a non-zero `skip_first_wait` the first
    cycle does not wait. An invalid value is replaced, with a warning.
    """

    def __init__(self, wait, active, warmup=0, repeat=0, skip_first=0, skip_first_wait=0):
        self.wait = _checked("wait", wait, 0)
        self.warmup = _checked("warmup", warmup, 0)
        self.active = _checked("active", active, 1, least=1)
        self.repeat = _checked("repeat", repeat, 0)
        self.skip_first = _checked("skip_first", skip_first, 0)
        self.skip_first_wait = _checked("skip_first_wait", skip_first_wait, 0, least=None)
        if self.warmup == 0:
            message.warn("Profiler won't be using warmup, this can skew profiler results")

    def __call__(self, step):
        if step < 0:
            raise ValueError("Invalid parameter step, which must be not less than 0.")
        if step < self.skip_first:
            return ProfilerAction.NONE
        cycle = self.wait + self.warmup + self.active
        step -= self.skip_first
        if self.skip_first_wait != 0:
            step += self.wait
        if self.repeat > 0 and step >= self.repeat * cycle:
            return ProfilerAction.NONE
        step %= cycle
        if step < self.wait:
            return ProfilerAction.NONE
        if step < self.wait + self.warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    def settings(self):
        """The parameters by name, in the order of profiler_info.json."""
        names = ("wait", "active", "warmup", "repeat", "skip_first", "skip_first_wait")
        return {name: getattr(self, name) for name in names}


def _checked(name, value, instead, least=0):
    if isinstance(value, int) and (least is None or value >= least):
        return value
    message.warn("Invalid parameter %s, reset it to %d." % (name, instead))
    return instead


def always_record(step):
    """The schedule of a profile without a schedule argument."""
    return ProfilerAction.RECORD


def action_of(value, step):
    """Strobe's action for the value that a schedule returned, which may be an action of Strobe or
    of another profiler, or a number."""
    number = value.value if isinstance(value, Enum) else value
    try:
        action = ProfilerAction(number)
    except ValueError:
        action = ProfilerAction.DEVICE_STOPPED
    if action is ProfilerAction.DEVICE_STOPPED:
        raise ValueError("schedule(%d) returned %r, expected a ProfilerAction" % (step, value))
    return action


_N, _W, _R, _S = list(ProfilerAction)[:4]

_TRANSITIONS = {
    (_W, _N): "Incorrect schedule: WARMUP followed by NONE",
    (_R, _N): "Incorrect schedule: RECORD followed by NONE",
    (_R, _W): "Incorrect schedule: RECORD followed by WARMUP",
    (_W, None): "Incorrect schedule: Stop profiler while current state is WARMUP which will "
    "result in empty parsed data.",
    (_R, None): "Incorrect schedule: Stop profiler while current state is RECORD which may "
    "result in incomplete parsed data.",
    (_S, None): "Stop profiler while current state is RECORD_AND_SAVE, perhaps the scheduling "
    "cycle has not yet completed.",
}


def warn_of_transition(before, after):
    """Warns if the change from one action to another (None: stop) loses data."""
    text = _TRANSITIONS.get((before, after))
    if text:
        message.warn(text)
