# SPDX-License-Identifier: Apache-2.0
"""Who announces steps in this process: Strobe itself or the script.

Under `strobe run` Strobe announces them until the script does so for the first time. Imported
into every process under `strobe run`: no imports.
"""

# The session that `strobe run` started in this process, None without one.
run_session = None

# step() of the profile that runs in this process as a weak reference, None without one.
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
    """The script announces a step. False if Strobe announced this one already.

    The iteration in which the script calls for the first time has been ended by its optimizer:
    ending it twice would number all further steps wrongly.
    """
    global _by_script
    first = not _by_script
    _by_script = True
    return not (first and _announced)
