# SPDX-License-Identifier: Apache-2.0
"""Decides whether Strobe or the script announces steps in this process. Under `strobe run` Strobe
announces steps until the script announces one for the first time. Every process under `strobe run`
imports this module, so it imports no other module.
"""

# The session that `strobe run` started in this process, or None.
run_session = None

# step() of the running profile as a weak reference, or None.
profile_step = None

_by_script = False
_announced = 0


def announced_by_script():
    """Whether the script announces the steps."""
    return _by_script


def count_announced():
    """Counts a step that Strobe announced."""
    global _announced
    _announced += 1


def script_steps():
    """Called when the script announces a step. Returns False if Strobe has already announced this
    step. This happens at the script's first call, if an optimizer has already ended the iteration:
    to end the iteration again would shift the numbers of all later steps.
    """
    global _by_script
    first = not _by_script
    _by_script = True
    return not (first and _announced)
