/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and checks words of command lines for a board's shell: paths, variables, quoted words. */
#ifndef STROBE_TOOLS_BOARD_WORDS_H
#define STROBE_TOOLS_BOARD_WORDS_H

#include <glib.h>

/* Returns the part of `path` below `folder` (free it). NULL: `path` is not below `folder`. */
char *strobe_board_path_below(const char *folder, const char *path);

/* Checks that each text has the form NAME=VALUE, in which NAME may be the name of a variable.
 * `environment` may be NULL. FALSE with an error. */
gboolean strobe_board_environment_check(char *const *environment, GError **error);

/* Appends a blank and the word, quoted for a shell. */
void strobe_board_line_add(GString *line, const char *word);

#endif
