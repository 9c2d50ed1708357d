# SPDX-License-Identifier: Apache-2.0
"""Decides whether Strobe or the script announces steps in this process. Under `strobe run` Strobe
announces them until the script does so for the first time. Every process under `strobe run`
imports this module, so it imports nothing.
"""

# The session that `strobe run` started in this process, None without one.
run_session = None

# step() of the running profile as a weak reference, None without one.
profile_step = None

_by_script = False
_announced = 0


def announced_by_script():
    """Whether the script has taken over."""
    return _by_script


def count_announced():
    """Strobe itself announced a step."""
    global _announced
    _announced += 1


def script_steps():
    """The script announces a step. Returns False if Strobe has already announced this step. That
    happens at the script's first call, if an optimizer has already ended the iteration: to end it
    again would shift the numbers of all further steps.
    """
    global _by_script
    first = not _by_script
    _by_script = True
    return not (first and _announced)
