/* SPDX-License-Identifier: Apache-2.0 */
/* The board that a command names, and the session with it. */
#ifndef STROBE_TOOLS_BOARD_TARGET_H
#define STROBE_TOOLS_BOARD_TARGET_H

#include "remote-session.h"

/* Reads the target: a file NAME.ini, or the name of a stored one; exactly one is not NULL. Its
 * warnings are printed. NULL: the error. */
StrobeTarget *strobe_board_target(const char *config, const char *name, GError **error);

/* Begins a session that holds `folder`, below the home on the board; then the password is
 * overwritten. `has_signals`: the session notes the user's signals. NULL: the error. */
StrobeRemote *strobe_board_open(StrobeTarget *target, const char *folder, gboolean has_signals,
                                GError **error);

#endif
