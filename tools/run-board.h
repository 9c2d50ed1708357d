/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run -c acl.json` for a file whose section "profiler" is for a camera board. */
#ifndef STROBE_TOOLS_RUN_BOARD_H
#define STROBE_TOOLS_RUN_BOARD_H

#include <glib.h>
#include <svp-config.h>

/* Whether the file's section "profiler" is for a board. FALSE for any other file, and for one that
 * cannot be read: the usual reader reports the reason. */
gboolean strobe_run_is_board(const char *config);
/* Reads the file like the recorder, but treats each fault as an error that names file and key. */
gboolean strobe_run_board_check(const char *path, SvpConfig *config, GError **error);
/* Runs the command with libstrobe-board.so before the runtime, configured by that file. Returns
 * only on failure: an exit code, after a message. */
int strobe_run_board(const char *config, char **command);

#endif
