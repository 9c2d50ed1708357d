# SPDX-License-Identifier: Apache-2.0
"""Finds how much memory is free for a benchmark, in the machine and in the control groups of the process."""

import os

NO_LIMIT = 1 << 62  # version 1 of control groups has a larger number if there is no limit


def _available(root):
    with open(os.path.join(root, "proc/meminfo"), encoding="ascii") as file:
        return [int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:")]


def _number(path):
    """The number in a file; None if the file does not exist or contains no limit."""
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def _cache(folder, name):
    """Bytes of cached files, which the system removes from memory before the group reaches its limit."""
    try:
        with open(os.path.join(folder, "memory.stat"), encoding="ascii") as file:
            return next((int(words[1]) for words in map(str.split, file) if words[0] == name), 0)
    except OSError:
        return 0


def _groups(root):
    """For each memory group of the process: its mount point, its path below that, and the version."""
    with open(os.path.join(root, "proc/self/cgroup"), encoding="utf-8") as file:
        for line in file:
            _, controllers, path = line.rstrip("\n").split(":", 2)
            if controllers == "":
                yield os.path.join(root, "sys/fs/cgroup"), path, 2
            elif "memory" in controllers.split(","):
                yield os.path.join(root, "sys/fs/cgroup/memory"), path, 1


FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def _left(folder, version):
    """A list with the bytes that a group's limit leaves free; empty if it has no limit."""
    limit, used, cache = FILES[version]
    limit, used = (_number(os.path.join(folder, name)) for name in (limit, used))
    if limit is None or used is None or limit >= NO_LIMIT:
        return []
    return [max(limit - used + _cache(folder, cache), 0)]


def free_memory(root="/"):
    """The number of free bytes. The limits of all groups above count too. In a container whose own group is mounted
    as the root, the path does not exist, and the files of the root are those of the group."""
    free = _available(root)
    try:
        groups = list(_groups(root))
    except OSError:
        groups = []
    for mount, path, version in groups:
        parts = [part for part in path.split("/") if part not in ("", "..")]
        for depth in range(len(parts) + 1):
            free += _left(os.path.join(mount, *parts[:depth]), version)
    return min(free)
