/* SPDX-License-Identifier: Apache-2.0 */
/* What may crash or hang is tried in a process of its own, with a time limit. */
#ifndef STROBE_TOOLS_PROBE_CHILD_H
#define STROBE_TOOLS_PROBE_CHILD_H

#include <glib.h>

typedef enum StrobeChildEnd {
    STROBE_CHILD_ENDED,   /* by itself; *status is that of waitpid() */
    STROBE_CHILD_LATE,    /* the time was over: it and its children were killed */
    STROBE_CHILD_LOST,    /* it has ended, but another has waited for it, or SIGCHLD is ignored */
    STROBE_CHILD_NOT_MADE /* no process could be made */
} StrobeChildEnd;

/* What the child does; `answer` is the pipe it writes to. Its standard streams are /dev/null, it
 * leaves no core file, and ends with the exit code that is returned. */
typedef int (*StrobeChildWork)(void *user, int answer);

/* Runs `work` in a forked child and adds what it writes, a megabyte at most, to `text`. */
StrobeChildEnd strobe_child_run(StrobeChildWork work, void *user, gint64 limit_us, GString *text,
                                int *status);

/* Runs a program, found in PATH; its output is the text, its errors too if `with_errors`. */
StrobeChildEnd strobe_child_spawn(char *const *words, gboolean with_errors, gint64 limit_us,
                                  GString *text, int *status);

/* "It crashes: Aborted", "does not come back within 5 s" ...; NULL if it ended well (free it). */
char *strobe_child_failure(StrobeChildEnd end, int status, gint64 limit_us);

/* Writes all of it to the pipe; 0, or EIO. For JSON writers. */
int strobe_child_write(void *answer, const char *bytes, size_t length);

#endif
