/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the board that a command names, and connects to it. */
#ifndef STROBE_TOOLS_BOARD_TARGET_H
#define STROBE_TOOLS_BOARD_TARGET_H

#include "remote-session.h"

/* Reads the target from the file `config` (NAME.ini), or from the stored file for `name`. The
 * caller must give exactly one of them, and NULL for the other. Prints warnings. NULL with an
 * error. */
StrobeTarget *strobe_board_target(const char *config, const char *name, GError **error);

/* Returns the path, below the home folder on the board, of the folder for the project or program at
 * `path` on this machine. It is the same for each session from this machine. Free it. */
char *strobe_board_folder_name(const char *path);

/* Connects to the board and begins a session in `folder`, a path below the home folder on the
 * board. Then overwrites the password in `target`, even on failure. `has_signals`: the session
 * handles the user's signals. NULL with an error. */
StrobeRemote *strobe_board_open(StrobeTarget *target, const char *folder, gboolean has_signals,
                                GError **error);

#endif
