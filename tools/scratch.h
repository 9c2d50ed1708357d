/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for what a command makes on its way: gone when the command ends, also by Ctrl-C; one
 * that a killed command left goes with the next that is made. */
#ifndef STROBE_TOOLS_SCRATCH_H
#define STROBE_TOOLS_SCRATCH_H

#include <glib.h>

/* Makes the folder ".NAME.XXXXXX" in `parent` (NULL: $TMPDIR, else /tmp). From now on SIGINT,
 * SIGTERM and SIGHUP remove it and end the process as they would have. One at a time, before other
 * threads are made. NULL with the error set if it cannot be made; the path is the module's. */
const char *strobe_scratch_begin(const char *parent, const char *name, GError **error);
/* Removes it, and leaves the signals as they were. Fine without a beginning. */
void strobe_scratch_end(void);

#endif
