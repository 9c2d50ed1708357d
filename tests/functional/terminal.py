# SPDX-License-Identifier: Apache-2.0
"""Runs commands with a terminal as output."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

from support import STROBE, StrobeTest

WIDTH = 80


class TerminalTest(StrobeTest):
    def in_terminal(self, *words):
        """Returns the output of the command on a terminal of this width."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
        process = subprocess.Popen([STROBE, *map(str, words)], stdin=its, stdout=its,
                                   stderr=subprocess.PIPE, env=self.environment, cwd=self.work)
        os.close(its)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
        os.close(ours)
        _, stderr = process.communicate()
        self.assertEqual(process.returncode, 0, stderr)
        return text.decode().replace("\r\n", "\n")
