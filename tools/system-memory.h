/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how much memory the system allows this process. */
#ifndef STROBE_TOOLS_MEMORY_BOUND_H
#define STROBE_TOOLS_MEMORY_BOUND_H

#include <glib.h>

typedef struct StrobeMemoryBound {
    guint64 limit; /* bytes */
    guint64 share; /* part of the limit for --max-mem; other memory counts against the limit too */
    char name[64]; /* name of the limit for people */
} StrobeMemoryBound;

/* Finds the tightest limit of the shell and of the process's control groups (versions 1 and 2).
 * FALSE: there is none. `root` is the prefix of /proc and /sys, "" except in tests. */
gboolean strobe_memory_bound_find(const char *root, StrobeMemoryBound *bound);

#endif
