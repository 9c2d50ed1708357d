# SPDX-License-Identifier: Apache-2.0
"""strobe.profiler has the names of the installed torch.profiler and torch.autograd.profiler: classes,
functions, methods, parameters, members of enumerations, attributes of events.

A table of docs/python.md, which this test reads, lists what is left out on purpose."""

import enum
import importlib
import inspect
import os
import re
import unittest

from support import needs_torch, torch
from strobe import profiler
from strobe.profiler import autograd, torch_style
from strobe.profiler import events as own_events

_DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/python.md")
_HEADING = "### What is left out"
_OURS = {"torch.profiler": profiler, "torch.autograd.profiler": autograd}
_NOT_IN_ALL = {
    "torch.profiler": ("_KinetoProfile", "RecordScope", "itt"),
    "torch.autograd.profiler": ("EventList", "FunctionEvent"),
}


def left_out():
    """Returns the table: name -> releases of PyTorch that have the name ("1.x"; "2.13": from 2.13
    on; "": all)."""
    with open(_DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    section = text[text.index(_HEADING) + len(_HEADING) :].split("\n#")[0]
    found = {}
    for names, since in re.findall(r"^\| (`.*?`) \| (\S*) ?\| ", section, re.M):
        found.update(dict.fromkeys(re.findall(r"`([^`]+)`", names), since))
    return found


def _public(names):
    return [name for name in names if not name.startswith("_")]


def _parameters(function):
    """Returns names of a function's parameters; none if its signature is unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.kind not in variable and each.name != "self"]


def _is_enumeration(value):
    return isinstance(value, type) and (
        issubclass(value, enum.Enum) or hasattr(value, "__members__")
    )


class _Differences:
    """Collects the names that Strobe's module lacks."""

    def __init__(self):
        self.missing, self.seen = set(), set()

    def check(self, name, is_there):
        self.seen.add(name)
        if not is_there:
            self.missing.add(name)
        return is_there

    def compare_parameters(self, name, theirs, ours):
        own = _parameters(ours)
        for each in _parameters(theirs):
            self.check("%s(%s)" % (name, each), each in own)

    def compare_members(self, name, theirs, ours):
        for each in theirs.__members__:
            self.check("%s.%s" % (name, each), each in ours.__members__)

    def compare_class(self, name, theirs, ours):
        self.compare_parameters(name, theirs.__init__, ours.__init__)
        for each in _public(dir(theirs)):
            own, other = getattr(ours, each, None), getattr(theirs, each)
            if not self.check("%s.%s" % (name, each), _has(ours, each)):
                continue
            if inspect.isfunction(other):
                self.compare_parameters("%s.%s" % (name, each), other, own)

    def compare_attributes(self, name, theirs, ours):
        """Of two objects."""
        for each in _public(vars(theirs)):
            self.check("%s.%s" % (name, each), hasattr(ours, each))

    def compare(self, name, theirs, ours):
        if theirs is ours:
            return
        if _is_enumeration(theirs):
            self.compare_members(name, theirs, ours)
        elif isinstance(theirs, type):
            self.compare_class(name, theirs, ours)
        elif callable(theirs):
            self.compare_parameters(name, theirs, ours)


def _has(ours, name):
    """Tells whether Strobe has the name. A class whose attributes are aliases has them only in its
    objects."""
    if hasattr(ours, name):
        return True
    made = _made_event() if ours is own_events.FunctionEvent else None
    return made is not None and hasattr(made, name)


def _made_event():
    return own_events.FunctionEvent(0, "name", 1, 0, 1)


def _names_of(module):
    """Returns a module's public names; some modules of PyTorch 1.13 do not list them."""
    own = [name for name, value in vars(module).items() if _module_of(value) == module.__name__]
    return getattr(module, "__all__", None) or _public(own)


def _module_of(value):
    return getattr(value, "__module__", None) if callable(value) else None


def _differences():
    found = _Differences()
    for path, ours in _OURS.items():
        theirs = importlib.import_module(path)
        for each in (*_names_of(theirs), *_NOT_IN_ALL.get(path, ())):
            name = "%s.%s" % (path, each)
            if hasattr(theirs, each) and found.check(name, hasattr(ours, each)):
                found.compare(name, getattr(theirs, each), getattr(ours, each))
    from torch.autograd import profiler_util

    made = profiler_util.FunctionEvent(0, "name", 1, 0, 1)
    prefix = "torch.autograd.profiler."
    found.compare_attributes(prefix + "FunctionEvent", made, _made_event())
    average, own = profiler_util.FunctionEventAvg().add(made), own_events.FunctionEventAvg()
    found.compare_attributes(prefix + "FunctionEventAvg", average, own)
    return found


def _version(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def _is_in(since):
    """Tells whether the installed PyTorch is one of the releases in the table's column."""
    if since == "1.x":
        return not torch_style.is_torch_2()
    return not since or _version(torch.__version__) >= _version(since)


@needs_torch
class Names(unittest.TestCase):
    def test_all_are_there(self):
        lacking = _differences().missing - set(left_out())
        self.assertEqual(sorted(lacking), [], "neither in strobe.profiler nor in %s" % _HEADING)

    def test_table_is_true(self):
        """Each name in the table is one of PyTorch's and not one of Strobe's."""
        here = {name for name, since in left_out().items() if _is_in(since)}
        found = _differences()
        self.assertEqual(sorted(here - found.seen), [], "no names of PyTorch %s" % torch.__version__)
        self.assertEqual(sorted(here - found.missing), [], "not left out")

    def test_table_is_read(self):
        self.assertGreater(len(left_out()), 5)


if __name__ == "__main__":
    unittest.main()
