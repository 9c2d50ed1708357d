/* SPDX-License-Identifier: Apache-2.0 */
/* What runs on the board beside the program, in the shell that every board has. */
#ifndef STROBE_REMOTE_GUARD_SCRIPT_H
#define STROBE_REMOTE_GUARD_SCRIPT_H

#include <glib.h>

/* Exit codes of the guard before it is ready. */
enum { STROBE_GUARD_NO_FOLDER = 73, STROBE_GUARD_BUSY = 75 };

/* The command that starts the guard: it holds `folder`, below the home, for `holder`. Prints "ready
 * FOLDER"; then "beat N SECONDS" or "beat N SECONDS NANOSECONDS" (the board's monotonic clock) for
 * each line "beat N". At the end of its input it ends the program and removes the lock. Free it. */
char *strobe_guard_command(const char *folder, const char *holder);

/* The command that runs a program under the guard of the folder (an absolute path): `line` is for
 * the shell. The channel's process becomes the program, so that its signal is reported. Free it. */
char *strobe_guard_program_command(const char *folder, const char *line);

#endif
