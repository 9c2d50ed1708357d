# SPDX-License-Identifier: Apache-2.0
"""Ends a step when the step() of an optimizer returns (`strobe run --step-on`).

`first`: the first optimizer that stepped, as long as it lives. `any`: every optimizer. Any other
value is the name of a class. If calls are nested, only the outermost call counts. A call that
raises does not count.

Like PyTorch itself, this module wraps step() in the class. Strobe's wrapper must be the outer one,
because PyTorch's wrapper opens an operator range that must end before the step ends. PyTorch wraps
step() in Optimizer.__init__, so this module wraps step() after Optimizer.__init__ has run. Classes
that never call Optimizer.__init__ are wrapped when they are defined. So a step() may be wrapped
twice, which does no harm, because only the outermost of nested calls counts.
"""

import functools
import os
import threading
import weakref

from . import step_marks, stepping
from .attach import report

_MARK = "_strobe_wrapper"
_NAMES_MAX = 20


class _Others:
    """Classes whose calls ended no step because --step-on names another class. Their names are
    written to a file; `strobe run` prints them if no optimizer has the name of --step-on."""

    def __init__(self, folder):
        self._folder = folder
        self._seen = set()

    def add(self, optimizer):
        name = type(optimizer).__name__
        if self._folder is None or name in self._seen or len(self._seen) >= _NAMES_MAX:
            return
        self._seen.add(name)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        line = " ".join(name.split())[:200] + "\n"
        try:
            file = os.open(os.path.join(self._folder, "optimizers"), flags, 0o600)
            try:
                os.write(file, line.encode("utf-8", "replace"))
            finally:
                os.close(file)
        except OSError:
            pass  # the run has ended and does not read the file


class _Running(threading.local):
    """The optimizers whose step() this thread executes, outermost first."""

    def __init__(self):
        self.optimizers = []


class _Calls:
    """Runs step() of optimizers. When a call has returned, passes its optimizer to _announce(),
    with the optimizers in whose step() it ran."""

    def __init__(self):
        self._running = _Running()

    def call(self, function, optimizer, args, kwargs):
        running = self._running.optimizers
        running.append(optimizer)
        try:
            result = function(optimizer, *args, **kwargs)
        finally:
            running.pop()
        self._announce(optimizer, running)
        return result


class _Iterations(_Calls):
    """Calls `ended` once for each iteration, even if several optimizers step in an iteration: at
    the very first step, then at each step of an optimizer that has already stepped since the last
    call of `ended`."""

    def __init__(self, ended):
        super().__init__()
        self._ended = ended
        self._stepped = weakref.WeakSet()  # optimizers that stepped in this iteration

    def _announce(self, optimizer, outer):
        try:
            if any(each is optimizer for each in outer):
                return
            is_next = not self._stepped or optimizer in self._stepped
            if is_next:
                self._stepped.clear()
            self._stepped.add(optimizer)
            if is_next:
                self._ended()
        except Exception as error:
            report("Cannot end the step: %s" % error)


class _Watch(_Calls):
    """Decides which call ends a step."""

    def __init__(self, step_on, folder):
        super().__init__()
        self._step_on = step_on
        self._others = _Others(None if step_on in ("first", "any") else folder)
        self._first = None  # weak reference to the optimizer that counts

    def _names(self, optimizer):
        kind = type(optimizer)
        return kind.__name__, "%s.%s" % (kind.__module__, kind.__qualname__)

    def _ends_step(self, optimizer, outer):
        """Whether a step ends when a call on `optimizer`, inside calls on `outer`, has returned."""
        if self._step_on == "any":
            return not outer
        if self._step_on != "first":
            matching = [each for each in outer if self._step_on in self._names(each)]
            return not matching and self._step_on in self._names(optimizer)
        first = self._first and self._first()
        if first is None:
            if outer:
                return False
            self._first = weakref.ref(optimizer)
            return True
        return first is optimizer and all(each is not optimizer for each in outer)

    def _announce(self, optimizer, outer):
        try:
            session = stepping.run_session
            if session is None or stepping.announced_by_script():
                return
            if self._ends_step(optimizer, outer):
                stepping.count_announced()
                step_marks.step(session)
            else:
                self._others.add(optimizer)
        except Exception as error:
            report("Cannot end the step: %s" % error)


def _wrap(kind, watch):
    """Makes Strobe's wrapper the outermost wrapper of the step() that `kind` has or inherits."""
    for owner in kind.__mro__:
        function = owner.__dict__.get("step")
        if function is not None:
            break
    else:
        return
    # Compare by identity: functools.wraps copies the mark onto wrappers around Strobe's.
    if not callable(function) or getattr(function, _MARK, None) is function:
        return

    @functools.wraps(function)
    def step(optimizer, *args, **kwargs):
        return watch.call(function, optimizer, args, kwargs)

    setattr(step, _MARK, step)
    owner.step = step


def _subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def watch(step_on, folder=None):
    """Begins to announce steps. PyTorch must have been imported. `folder` is the folder of the
    run."""
    _wrap_all(_Watch(step_on, folder))


def watch_iterations(ended):
    """Calls ended() once for each iteration from now on. PyTorch must have been imported."""
    _wrap_all(_Iterations(ended))


def _wrap_all(watching):
    """Wraps step() of all optimizer classes, including classes that are defined later."""
    from torch.optim import Optimizer

    initialise = Optimizer.__init__
    # The function of Optimizer's own __init_subclass__; without one, the empty one of `object`.
    inherited = getattr(Optimizer.__init_subclass__, "__func__", lambda cls: None)

    @functools.wraps(initialise)
    def __init__(self, *args, **kwargs):
        initialise(self, *args, **kwargs)
        _wrap(type(self), watching)

    def __init_subclass__(cls, **kwargs):
        inherited(cls, **kwargs)
        if "step" in cls.__dict__:
            _wrap(cls, watching)

    Optimizer.__init__ = __init__
    Optimizer.__init_subclass__ = classmethod(__init_subclass__)
    for kind in _subclasses(Optimizer):
        if "step" in kind.__dict__ and getattr(kind.__dict__["step"], "hooked", False):
            _wrap(kind, watching)
