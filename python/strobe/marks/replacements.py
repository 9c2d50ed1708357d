# SPDX-License-Identifier: Apache-2.0
"""Temporary replacements of attributes."""


class Replacements:
    def __init__(self):
        self._done = []  # in order: (owner, name, whether the owner itself had the attribute, old
                         # value, replacement)

    def put(self, owner, name, wrap):
        """Sets owner.name to wrap(owner.name), unless this object has already done so."""
        if any(each[:2] == (owner, name) for each in self._done):
            return
        before = getattr(owner, name)
        ours = wrap(before)
        is_own = name in vars(owner)
        self._done.append((owner, name, is_own, vars(owner).get(name, before), ours))
        setattr(owner, name, ours)

    def undo(self):
        """Undoes the replacements, except where other code has set another value since."""
        while self._done:
            owner, name, is_own, before, ours = self._done.pop()
            if vars(owner).get(name) is not ours:
                continue
            if is_own:
                setattr(owner, name, before)
            else:
                delattr(owner, name)
