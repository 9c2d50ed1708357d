# SPDX-License-Identifier: Apache-2.0
"""The complete windows of a profile, and the events in them."""

import os

from .. import message
from .capture_table import read_events
from .events import EventList


class Windows:
    """The windows of a profile. If `keeps_all`, keeps all result directories, in the order of their
    windows; otherwise keeps none."""

    def __init__(self, keeps_all):
        self.keeps_all = keeps_all
        self._directories = []
        self._events = {}  # directory: its events

    def add(self, directory):
        """Call it when a window has ended."""
        if self.keeps_all:
            self._directories.append(directory)

    def move(self, before, after):
        """Call it when a handler has moved a result directory."""
        self._directories = [after if each == before else each for each in self._directories]

    def events(self, last, request):
        """The events of the result directory `last`, or with `keeps_all` of all windows."""
        wanted = self._directories if self.keeps_all else [last]
        lists = [self._read(each, request) for each in wanted if each is not None]
        self._events = {found.directory: found for found in lists}
        if len(lists) == 1:
            return lists[0]
        return self._join(lists, request)

    def _read(self, directory, request):
        known = self._events.get(directory)
        if known is not None:
            return known
        if self.keeps_all and not os.path.isdir(directory):
            message.warn("The events of %s are left out: the directory is missing" % directory)
            return EventList()
        return read_events(directory, request)

    @staticmethod
    def _join(lists, request):
        events = [event for each in lists for event in each]
        found = EventList(
            events,
            request.device,
            request.profile_memory,
            request.with_flops,
            sum(each.lost for each in lists),
        )
        found.directory = lists[-1].directory if lists else None
        return found
