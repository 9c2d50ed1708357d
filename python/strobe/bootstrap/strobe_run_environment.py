# SPDX-License-Identifier: Apache-2.0
"""The variables that `strobe run` adds to the environment, and their removal.

Every Python process under `strobe run` imports this module, before the package `strobe` and without
it. Most of these processes are not recorded, so this module imports only modules that are already
loaded.
"""

import os

_OLD = "STROBE_RUN_OLD_"
_NEW = "STROBE_RUN_NEW_"
_PRELOAD = "libstrobe-preload"


def package_parent():
    """The folder that contains the package `strobe`."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def bootstrap_folder():
    """The folder that contains Strobe's sitecustomize.py."""
    return os.path.join(package_parent(), "strobe", "bootstrap")


def _is_our_folder(path):
    return bool(path) and os.path.abspath(path) in (package_parent(), bootstrap_folder())


def _is_our_library(path):
    return os.path.basename(path).startswith(_PRELOAD)


def _restore(environ, name, separator, is_ours):
    """Restores the previous value of a list variable, or removes Strobe's entries from its
    current value."""
    value = environ.get(_OLD + name)
    if value is None and name in environ:
        kept = [part for part in environ[name].split(separator) if not is_ours(part)]
        value = separator.join(kept)
    if value:
        environ[name] = value
    else:
        environ.pop(name, None)


def _claim(folder):
    """(id of the process that records, whether another process may still take the recording over),
    see core/session/run-claim.h. None: no process records."""
    try:
        with open(os.path.join(folder, "claim")) as file:
            pid, _, rank = file.read().split()
        return int(pid), rank == "1"
    except (OSError, ValueError):
        return None


def is_open(environ):
    """Whether there is a run that this process might record."""
    folder = environ.get("STROBE_RUN_DIR")
    if not folder or not os.path.exists(os.path.join(folder, "config.json")):
        return False
    claim = _claim(folder)
    is_taken = claim is not None and claim[0] != os.getpid() and not claim[1]
    return not is_taken or environ.get("STROBE_RUN_FOLLOW") == "1"


def is_for_scripts(environ):
    """Whether only the profiles in the script record, not the run: see run/script_profiles.py."""
    return "STROBE_RUN_DIR" not in environ and "STROBE_RUN_SCRIPTS" in environ


def may_pass_on(environ):
    """Whether another process might take the recording over from this process."""
    folder = environ.get("STROBE_RUN_DIR")
    claim = _claim(folder) if folder else None
    return claim is None or claim[1]


def clean(environ, is_recording=False):
    """Removes the variables of `strobe run` from a mapping, in place. A process that records keeps
    the variables through which its libraries load collectors, because a library reads its variable
    only at the first mark or call."""
    if "STROBE_RUN_DIR" not in environ and "STROBE_RUN_SCRIPTS" not in environ:
        return
    _restore(environ, "PYTHONPATH", os.pathsep, _is_our_folder)
    _restore(environ, "LD_PRELOAD", ":", _is_our_library)
    for name in environ.get("STROBE_RUN_VARIABLES", "").split(":"):
        if is_recording and not name.startswith("LD_"):
            continue
        ours = environ.get(_NEW + name, "").split(":")
        _restore(environ, name, ":", ours.__contains__)
    for name in [name for name in environ if name.startswith("STROBE_RUN_")]:
        del environ[name]


def clean_path(path, old, site_folders):
    """Removes Strobe's folders from a sys.path, in place.

    The folder of the package stays if it is in `old`, the PYTHONPATH without `strobe run`. If it is
    one of the interpreter's own folders (`site_folders`), it gets its usual position among them.
    """
    ours, parent = bootstrap_folder(), package_parent()
    wanted = {os.path.abspath(part) for part in (old or "").split(os.pathsep) if part}
    taken = {ours} if parent in wanted else {ours, parent}
    path[:] = [part for part in path if os.path.abspath(part) not in taken]
    if parent in taken and parent in site_folders:
        following = site_folders[site_folders.index(parent) + 1 :]
        places = [i for i, part in enumerate(path) if part in following]
        path.insert(places[0] if places else len(path), parent)
