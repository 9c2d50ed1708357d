# SPDX-License-Identifier: Apache-2.0
"""Programs that run as processes which are not children of this one."""

import errno
import os
import signal
import sys
import threading
import unittest

from strobe import _strobe
from support import FolderTest


def _run(*words):
    return _strobe.run_unseen([os.fsencode(word) for word in words], [b"NAME=value"])


class Unseen(FolderTest):
    def test_status(self):
        self.assertEqual(_run("/bin/sh", "-c", "exit 3"), 3)
        self.assertEqual(_run("/nowhere/program"), 127)
        self.assertEqual(_run("/bin/sh", "-c", "kill -9 $$"), 126)

    def test_words_and_variables(self):
        _run("/bin/sh", "-c", 'echo "$1 $NAME $HOME" >%s/said' % self.folder, "sh", "a b")
        with open(os.path.join(self.folder, "said")) as file:
            self.assertEqual(file.read(), "a b value \n")

    def test_no_signal_and_nothing_to_wait_for(self):
        seen = []
        before = signal.signal(signal.SIGCHLD, lambda number, frame: seen.append(number))
        self.addCleanup(signal.signal, signal.SIGCHLD, before)
        self.assertEqual(_run("/bin/true"), 0)
        self.assertEqual(seen, [])
        with self.assertRaises(ChildProcessError) as caught:
            os.waitpid(-1, os.WNOHANG)
        self.assertEqual(caught.exception.errno, errno.ECHILD)

    def test_ignored_children(self):
        """The exit status is returned even if the process ignores SIGCHLD."""
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGCHLD, before)
        self.assertEqual(_run("/bin/sh", "-c", "exit 4"), 4)

    def test_blocked_signals_are_not_inherited(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        self.addCleanup(signal.pthread_sigmask, signal.SIG_UNBLOCK, [signal.SIGTERM])
        self.assertEqual(_run("/bin/sh", "-c", "kill $$; exit 5"), 126)

    def test_exception_of_a_handler_ends_it(self):
        """An exception in a signal handler, as by Ctrl-C, ends the program, which would wait for
        ever."""

        class Interrupted(Exception):
            pass

        def interrupt(number, frame):
            raise Interrupted

        before = signal.signal(signal.SIGUSR1, interrupt)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        fifo, pids = os.path.join(self.folder, "fifo"), os.path.join(self.folder, "pids")
        os.mkfifo(fifo)
        main = threading.get_ident()

        def wait_and_interrupt():
            with open(fifo) as file:  # it is there
                file.read()
            signal.pthread_kill(main, signal.SIGUSR1)

        thread = threading.Thread(target=wait_and_interrupt)
        thread.start()
        program = (
            "import os, signal; open(%r, 'w').write(str(os.getpid())); "
            "open(%r, 'w').close(); signal.pause()"
        )
        with self.assertRaises(Interrupted):
            _run(sys.executable, "-S", "-c", program % (pids, fifo))
        thread.join()
        with open(pids) as file:
            pid = int(file.read())
        self._wait_for_end(pid)

    def _wait_for_end(self, pid):
        """Waits until the process has ended. Its parent may not reap it, so a zombie counts as
        ended."""
        for _ in range(6000):
            try:
                with open("/proc/%d/stat" % pid) as file:
                    if file.read().rsplit(")", 1)[1].split()[0] in "ZX":
                        return
            except (FileNotFoundError, ProcessLookupError):
                return
            threading.Event().wait(0.01)
        self.fail("process %d goes on" % pid)

    def test_words_of_another_type(self):
        for words in (["text"], "text", [b"/bin/true", 3]):
            with self.assertRaises(TypeError):
                _strobe.run_unseen(words, [])


class CanCollect(unittest.TestCase):
    def test_answers(self):
        self.assertEqual(_strobe.can_collect("gc"), 1)
        self.assertEqual(_strobe.can_collect("no_such_collector"), -1)
        with self.assertRaises(TypeError):
            _strobe.can_collect(3)
