# SPDX-License-Identifier: Apache-2.0
"""Attributes that are replaced for a while."""


class Replacements:
    def __init__(self):
        self._done = []  # (owner, name, was it the owner's own, before, ours), in order

    def put(self, owner, name, wrap):
        """owner.name becomes wrap(owner.name), unless that was done already."""
        if any(each[:2] == (owner, name) for each in self._done):
            return
        before = getattr(owner, name)
        ours = wrap(before)
        is_own = name in vars(owner)
        self._done.append((owner, name, is_own, vars(owner).get(name, before), ours))
        setattr(owner, name, ours)

    def undo(self):
        """Puts back what is still ours; what someone else has put in its place stays."""
        while self._done:
            owner, name, is_own, before, ours = self._done.pop()
            if vars(owner).get(name) is not ours:
                continue
            if is_own:
                setattr(owner, name, before)
            else:
                delattr(owner, name)
