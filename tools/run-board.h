/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run -c acl.json` for a file whose section "profiler" is for a camera board. */
#ifndef STROBE_TOOLS_RUN_BOARD_H
#define STROBE_TOOLS_RUN_BOARD_H

#include <glib.h>
#include <svp-config.h>

/* Whether the section "profiler" of the file `config` is for a board. FALSE if the file cannot be
 * read; the usual reader then reports the reason. */
gboolean strobe_run_is_board(const char *config);
/* Reads the file like the recorder, but treats each fault as an error that names file and key. */
gboolean strobe_run_board_check(const char *path, SvpConfig *config, GError **error);
/* Executes the command with libstrobe-board.so in LD_PRELOAD, which reads the file `config`.
 * Returns only if that fails: prints a message and returns an exit code. */
int strobe_run_board(const char *config, char **command);

#endif
