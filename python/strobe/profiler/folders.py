# SPDX-License-Identifier: Apache-2.0
"""Folders of results, and private folders that are removed with their profile."""

import os
import shutil
import tempfile

from .. import message
from .path_warnings import warn_of_path, warn_of_permission

_WORKER_LIMIT = 226

_private = set()  # private folders of this process that still exist


class PrivateFolder:
    """A temporary folder. It is removed with the object or at exit, but never by a forked child."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="strobe-")
        self._owner = os.getpid()
        _private.add(self)

    def remove(self):
        """Removes the folder; a second call does nothing. The interpreter may be shutting down."""
        if self not in _private:
            return
        _private.discard(self)
        if self._owner == os.getpid():
            shutil.rmtree(self.path, ignore_errors=True)


def remove_private():
    """Removes the remaining folders at exit."""
    for folder in list(_private):
        folder.remove()


def raw_parent():
    """The parent directory, with the same name as in torch_npu, of results that are kept without a
    handler."""
    return os.path.join(os.getcwd(), "export_only_prof_dir")


def default_parent():
    """The parent of result directories from the environment; None if no variable is set."""
    path = os.environ.get("ASCEND_WORK_PATH")
    return os.path.join(os.path.realpath(path), "profiling_data") if path else None


def checked_parent(path):
    """The real path of a parent directory from the user, which need not exist."""
    warn_of_path(path)
    path = os.path.realpath(os.path.expanduser(path))
    if os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError("Cannot write results: %s is not a directory" % path)
    warn_of_permission(path, os.W_OK)
    return path


def checked_directory(value):
    """The user's parent directory after checks; None for the default. Raises NotADirectoryError."""
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        message.warn("Invalid parameter dir_name, reset it to default.")
        return None
    return checked_parent(value)


def checked_worker(value):
    """The user's worker name after checks; None for the default."""
    if value is None:
        return None
    if isinstance(value, str) and _is_file_name(value):
        return value
    message.warn("Invalid parameter worker_name, reset it to default.")
    return None


def _is_file_name(text):
    """Whether a folder's name can begin with this text."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return False
    return 0 < size < _WORKER_LIMIT and "/" not in text and text.isprintable()


def place_result(directory, parent, worker=None):
    """Moves a result directory to another parent; if `worker` is not None, renames it for this
    worker. Returns the new path."""
    name = os.path.basename(directory)
    if worker is not None:  # the rest of the name: pid, time, "ascend", "pt"
        name = "_".join([worker] + name.rsplit("_", 4)[1:])
    target = os.path.join(parent, name)
    if os.path.realpath(target) == os.path.realpath(directory):
        return directory
    os.makedirs(parent, mode=0o750, exist_ok=True)
    if os.path.exists(target):
        raise FileExistsError("Cannot move the result: %s exists" % target)
    return shutil.move(directory, target)
