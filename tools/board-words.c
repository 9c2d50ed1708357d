/* SPDX-License-Identifier: Apache-2.0 */
#include "board-words.h"

#include <string.h>

#include "error.h"

char *strobe_board_path_below(const char *folder, const char *path)
{
    const gsize length = strlen(folder);

    return strncmp(path, folder, length) == 0 && path[length] == '/' ? g_strdup(path + length + 1)
                                                                     : NULL;
}

static gboolean refuse_variable(const char *text, const char *why, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "--env %s: %s", text, why);
    return FALSE;
}

gboolean strobe_board_environment_check(char *const *environment, GError **error)
{
    for (; environment && *environment; environment++) {
        const char *equals = strchr(*environment, '=');

        if (!equals || equals == *environment)
            return refuse_variable(*environment, "expected NAME=VALUE", error);
        for (const char *c = *environment; c < equals; c++)
            if (!g_ascii_isalnum(*c) && *c != '_')
                return refuse_variable(*environment, "a bad name of a variable", error);
    }
    return TRUE;
}

void strobe_board_line_add(GString *line, const char *word)
{
    g_autofree char *quoted = g_shell_quote(word);

    g_string_append_printf(line, " %s", quoted);
}
