/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the board that a command names, and connects to it. */
#ifndef STROBE_TOOLS_BOARD_TARGET_H
#define STROBE_TOOLS_BOARD_TARGET_H

#include "remote-session.h"

/* Reads the target from the file `config` (NAME.ini), or from the stored file for `name`; exactly
 * one of them is not NULL. Prints warnings. NULL with an error. */
StrobeTarget *strobe_board_target(const char *config, const char *name, GError **error);

/* The name of the folder below the home folder on the board for what `path` names here: the same
 * for each session from this machine. Free it. */
char *strobe_board_folder_name(const char *path);

/* Begins a session with `folder`, a path below the home folder on the board, then overwrites the
 * password. `has_signals`: the session handles the user's signals. NULL with an error. */
StrobeRemote *strobe_board_open(StrobeTarget *target, const char *folder, gboolean has_signals,
                                GError **error);

#endif
