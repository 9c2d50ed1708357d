/* SPDX-License-Identifier: Apache-2.0 */
/* Runs code that may crash or hang in a separate process with a time limit. */
#ifndef STROBE_TOOLS_PROBE_CHILD_H
#define STROBE_TOOLS_PROBE_CHILD_H

#include <glib.h>

typedef enum StrobeChildEnd {
    STROBE_CHILD_ENDED,   /* it exited or crashed; *status is from waitpid() */
    STROBE_CHILD_LATE,    /* the time was over: it and its children were killed */
    STROBE_CHILD_LOST,    /* it has ended, but another thread has reaped it, or SIGCHLD is
                           * ignored */
    STROBE_CHILD_NOT_MADE /* no process could be made */
} StrobeChildEnd;

/* The child's work; `answer` is the pipe for its output. Its standard streams are /dev/null, it
 * leaves no core file, and its exit code is the return value. */
typedef int (*StrobeChildWork)(void *user, int answer);

/* Runs `work` in a forked child and appends its output, at most a megabyte, to `text`. */
StrobeChildEnd strobe_child_run(StrobeChildWork work, void *user, gint64 limit_us, GString *text,
                                int *status);

/* Runs a program from PATH and returns its output, including its errors if `with_errors`. */
StrobeChildEnd strobe_child_spawn(char *const *words, gboolean with_errors, gint64 limit_us,
                                  GString *text, int *status);

/* "It crashes: Aborted", "does not come back within 5 s" ...; NULL if it succeeded (free it). */
char *strobe_child_failure(StrobeChildEnd end, int status, gint64 limit_us);

/* Writes everything to the pipe; 0, or EIO. For JSON writers. */
int strobe_child_write(void *answer, const char *bytes, size_t length);

#endif
