/* SPDX-License-Identifier: Apache-2.0 */
/* Runs code that may crash or hang in a separate process with a time limit. */
#ifndef STROBE_TOOLS_PROBE_CHILD_H
#define STROBE_TOOLS_PROBE_CHILD_H

#include <glib.h>

typedef enum StrobeChildEnd {
    STROBE_CHILD_ENDED, /* the child exited or crashed; *status is from waitpid() */
    STROBE_CHILD_LATE,  /* the child did not end in time; it and its children were killed */
    /* the child has ended, but another thread has reaped it, or SIGCHLD is ignored */
    STROBE_CHILD_LOST,
    STROBE_CHILD_NOT_MADE /* no child process could be made */
} StrobeChildEnd;

/* The work of the child. `answer` is the pipe for its output. The child's standard streams are
 * /dev/null, it leaves no core file, and its exit code is the return value of this function. */
typedef int (*StrobeChildWork)(void *user, int answer);

/* Runs `work` in a forked child and appends its output, at most a megabyte, to `text`. */
StrobeChildEnd strobe_child_run(StrobeChildWork work, void *user, gint64 limit_us, GString *text,
                                int *status);

/* Runs a program from PATH and appends its output to `text`, including its errors if
 * `with_errors`. */
StrobeChildEnd strobe_child_spawn(char *const *words, gboolean with_errors, gint64 limit_us,
                                  GString *text, int *status);

/* Returns a text about the failure, for example "does not come back within 5 s" (free it). NULL:
 * the child succeeded. */
char *strobe_child_failure(StrobeChildEnd end, int status, gint64 limit_us);

/* Writes all bytes to the pipe `answer`. Returns 0 or EIO. A JSON writer can use this as its write
 * function. */
int strobe_child_write(void *answer, const char *bytes, size_t length);

#endif
