# SPDX-License-Identifier: Apache-2.0
"""Spends its processor time in known shares: python_shares.py MODE ROUNDS."""

import os
import sys
import threading

ROUND = 100000


def work_large():
    x = 0
    for i in range(3 * ROUND):
        x = (x * 3 + i) & 255
    return x


def work_small():
    x = 0
    for i in range(ROUND):
        x = (x * 3 + i) & 255
    return x


class Größe:
    def übrig(self):
        x = 0
        for i in range(ROUND):
            x = (x * 3 + i) & 255
            yield x

    def 漢字(self):
        return sum(self.übrig())


def run_both(rounds):
    for _ in range(rounds):
        work_large()
        work_small()


def run_names(rounds):
    for _ in range(rounds):
        Größe().漢字()


def run_threads(rounds):
    threads = [threading.Thread(target=run_both, args=(rounds,), name="worker") for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run_fork(rounds):
    pid = os.fork()
    if pid == 0:
        run_both(rounds)
        os._exit(0)
    os.waitpid(pid, 0)


if __name__ == "__main__":
    {"both": run_both, "names": run_names, "threads": run_threads, "fork": run_fork}[sys.argv[1]](int(sys.argv[2]))
