# SPDX-License-Identifier: Apache-2.0
"""Ranges of announced steps: `ProfilerStep#N` and, on request, `step N`. Every process under
`strobe run` imports this module, so it imports only the extension module.
"""

from .. import _strobe

_FORMS = {"profiler_step": "ProfilerStep#%d", "step": "step %d"}
NAMES = tuple(_FORMS)

_wanted = ()  # name formats; empty while no window records
_open = []  # ids of the ranges of the current step


def begin(wanted):
    global _wanted
    _wanted = tuple(form for name, form in _FORMS.items() if name in wanted)


def add(wanted):
    begin(wanted | {name for name, form in _FORMS.items() if form in _wanted})


def end():
    global _wanted
    _wanted = ()
    step_ends()


def step(session):
    """Ends the ranges of a step, then the step of the session."""
    step_ends()
    session.step()
    step_begins(session)


def step_ends():
    while _open:
        _strobe.mstx.range_end(_open.pop())


def step_begins(session):
    """Begins ranges if this process records the session's new step."""
    number = session.step_number if _wanted else None
    for form in _wanted if number is not None else ():
        _open.append(_strobe.mstx.range_start(form % number))
