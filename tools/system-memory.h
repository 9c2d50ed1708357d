/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how much memory the system allows this process. */
#ifndef STROBE_TOOLS_MEMORY_BOUND_H
#define STROBE_TOOLS_MEMORY_BOUND_H

#include <glib.h>

typedef struct StrobeMemoryBound {
    guint64 limit; /* bytes */
    /* the part of the limit that --max-mem may use; memory that --max-mem does not bound needs the
     * rest */
    guint64 share;
    char name[64]; /* name of the limit, for messages */
} StrobeMemoryBound;

/* Finds the tightest limit of the shell and of the process's control groups (versions 1 and 2).
 * FALSE: there is none. `root` is the prefix of /proc and /sys, "" except in tests. */
gboolean strobe_memory_bound_find(const char *root, StrobeMemoryBound *bound);

#endif
