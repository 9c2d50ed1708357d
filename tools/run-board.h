/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run -c acl.json` where the file's section is a camera board's. */
#ifndef STROBE_TOOLS_RUN_BOARD_H
#define STROBE_TOOLS_RUN_BOARD_H

#include <glib.h>

/* Is the file's section "profiler" one of a board? FALSE for any other file, and one that cannot be
 * read: the usual reader says why. */
gboolean strobe_run_is_board(const char *config);
/* Runs the command with libstrobe-board.so before the runtime, by that file. Returns only where
 * that cannot be: an exit code, after a message. */
int strobe_run_board(const char *config, char **command);

#endif
