/* SPDX-License-Identifier: Apache-2.0 */
/* What the system lets this process have of memory. */
#ifndef STROBE_TOOLS_MEMORY_BOUND_H
#define STROBE_TOOLS_MEMORY_BOUND_H

#include <glib.h>

typedef struct StrobeMemoryBound {
    guint64 limit; /* bytes */
    guint64 share; /* of it that --max-mem may be: other things count against the limit too */
    char name[64]; /* for people */
} StrobeMemoryBound;

/* The limit with the least share, of the shell's and of the control groups (versions 1 and 2) that
 * the process is in. FALSE: there is none. `root` stands before /proc and /sys, "" but for tests.
 */
gboolean strobe_memory_bound_find(const char *root, StrobeMemoryBound *bound);

#endif
