# SPDX-License-Identifier: Apache-2.0
"""The logs of the dynamic profile: files for each rank, of bounded size. A full file is renamed and
kept as the previous file."""

import logging
import logging.handlers
import os
import socket
import stat

from .. import _strobe

_BYTES_MAX = 200 * 1024
_FORMAT = "%(asctime)s [%(levelname)s] [%(process)d] dynamic_profile.py: %(message)s"


def _open_regular(path, flags):
    """Opens the file without following a link or waiting for a reader of a FIFO."""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o640)
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise OSError("%s is not a regular file" % path)


class _File(logging.handlers.RotatingFileHandler):
    def _open(self):
        return open(self.baseFilename, "a", encoding="utf-8", opener=_open_regular)


def open_log(folder, rank, prefix=""):
    """A private logger that writes to the file `prefix`dp_*.log. Raises OSError."""
    os.makedirs(folder, mode=0o750, exist_ok=True)
    os.close(_strobe.open_trusted_folder(os.fsencode(folder)))
    name = "%sdp_%s_%d_rank_%d.log" % (prefix, socket.gethostname(), os.getpid(), rank)
    handler = _File(os.path.join(folder, name), maxBytes=_BYTES_MAX, backupCount=1)
    handler.setFormatter(logging.Formatter(_FORMAT))
    log = logging.Logger("strobe.dynamic_profile", logging.DEBUG)
    log.addHandler(handler)
    return log


def no_log():
    log = logging.Logger("strobe.dynamic_profile")
    log.addHandler(logging.NullHandler())
    return log
