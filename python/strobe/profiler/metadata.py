# SPDX-License-Identifier: Apache-2.0
"""The user's entries in profiler_metadata.json."""

import json
import sys

from .. import Error, message

_MAX_LENGTH = 4096
_MAX_BYTES = 50 * 1024


def _refuse_constant(name):
    raise ValueError(name + " is not JSON")


def _is_short_text(text):
    """Whether the text is short enough and can be written to a file (lone surrogates cannot)."""
    if len(text) > _MAX_LENGTH:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(text):
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return False
    return True


class Metadata:
    """Keys with their values, which are stored for every cycle of the profile."""

    def __init__(self):
        self._entries = {}  # key: (text, whether it is JSON)
        self.trace_id = ""

    def add(self, key, value, is_json):
        """Checks and stores an entry. Returns False, with a warning, if the entry is rejected."""
        if not isinstance(key, str) or not isinstance(value, str):
            message.warn(
                "The key and value of metadata must be string. Skip this metadata."
            )
            return False
        if not _is_short_text(key) or not _is_short_text(value):
            message.warn("Invalid input key or value. Skip this metadata.")
            return False
        size = sys.getsizeof(self._entries) + sys.getsizeof(key) + sys.getsizeof(value)
        if size >= _MAX_BYTES:
            message.warn("Too many metadata added. Skip this metadata")
            return False
        if is_json and not _is_json(value):
            message.warn("The metadata value must be json format string. Skip this metadata")
            return False
        if key in self._entries:
            message.warn("%s is already saved as metadata, override it." % key)
        self._entries[key] = (value, is_json)
        return True

    def send(self, session):
        """Passes all entries to a new session."""
        self.send_entries(session)
        if self.trace_id:
            session.add_metadata("trace_id", self.trace_id, False)

    def send_entries(self, session):
        """Passes the user's entries to a session that has its own trace id."""
        for key, (value, is_json) in list(self._entries.items()):
            try:
                session.add_metadata(key, value, is_json)
            except Error as error:  # JSON that only Strobe rejects
                del self._entries[key]
                message.warn("%s Skip this metadata." % error)
