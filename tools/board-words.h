/* SPDX-License-Identifier: Apache-2.0 */
/* Words of commands for a board: paths, variables, lines for its shell. */
#ifndef STROBE_TOOLS_BOARD_WORDS_H
#define STROBE_TOOLS_BOARD_WORDS_H

#include <glib.h>

/* The part of `path` below `folder` (free it); NULL: it is not below it. */
char *strobe_board_path_below(const char *folder, const char *path);

/* Has each text the form NAME=VALUE, with the name of a variable? NULL is allowed. */
gboolean strobe_board_environment_check(char *const *environment, GError **error);

/* Appends a blank and the word, quoted for a shell. */
void strobe_board_line_add(GString *line, const char *word);

#endif
