/* SPDX-License-Identifier: Apache-2.0 */
/* The guard: a shell script that runs on the board next to the program. It needs only a POSIX
 * shell, which every board has. */
#ifndef STROBE_REMOTE_GUARD_SCRIPT_H
#define STROBE_REMOTE_GUARD_SCRIPT_H

#include <glib.h>

/* Exit codes of the guard before it is ready. */
enum { STROBE_GUARD_NO_FOLDER = 73, STROBE_GUARD_BUSY = 75 };

/* Returns the command that starts the guard (free it). The guard locks `folder`, a path below the
 * home folder, for `holder`, and prints "ready FOLDER". Then it answers each line "beat N" with
 * "beat N SECONDS" or "beat N SECONDS NANOSECONDS", the times of the board's monotonic clock. At
 * the end of its input it ends the program and removes the lock. */
char *strobe_guard_command(const char *folder, const char *holder);

/* Returns the command that runs a program under the guard of `folder`, an absolute path (free it).
 * `line` is a shell command that executes the program. The process of the channel becomes the
 * program, so that the server reports the signal that ends the program. */
char *strobe_guard_program_command(const char *folder, const char *line);

#endif
