/* SPDX-License-Identifier: Apache-2.0 */
#include "run-interpreter.h"

#include <stdio.h>
#include <string.h>

#include "launchers.h"
#include "run-command.h"

gboolean strobe_run_is_python(const char *program)
{
    g_autofree char *name = g_path_get_basename(program);

    return g_regex_match_simple("^(python|pypy)[0-9.]*[a-z]?(-dbg)?$", name, 0, 0);
}

char **strobe_run_script_words(const char *program, char *const *command)
{
    char line[512];
    FILE *file = fopen(program, "re");
    gboolean got = file && fgets(line, sizeof line, file);
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

    if (file)
        fclose(file);
    if (!got || strncmp(line, "#!", 2) != 0)
        return NULL;
    g_auto(GStrv) parts = g_strsplit_set(g_strstrip(line + 2), " \t", 2);
    for (char **part = parts; *part; part++)
        if (*g_strstrip(*part))
            g_ptr_array_add(words, g_strdup(*part));
    if (words->len == 0)
        return NULL;
    g_ptr_array_add(words, g_strdup(program));
    for (command++; command[-1] && *command; command++)
        g_ptr_array_add(words, g_strdup(*command));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_steal(words, NULL);
}

/* Returns the words, in which a word "-S<command>" is replaced by the words of <command>
 * (g_strfreev). Scripts have such a word after `env` in their first line. */
static char **split_words(char *const *words)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);

    for (; *words; words++) {
        g_auto(GStrv) parts = NULL;
        if (g_str_has_prefix(*words, "-S") && (*words)[2])
            g_shell_parse_argv(*words + 2, NULL, &parts, NULL);
        for (char **part = parts; part && *part; part++)
            g_ptr_array_add(all, g_strdup(*part));
        if (!parts)
            g_ptr_array_add(all, g_strdup(*words));
    }
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_steal(all, NULL);
}

char **strobe_run_launched_words(char *const *command, char *const *environment)
{
    g_autofree char *name = g_path_get_basename(command[0]);
    g_auto(GStrv) words = NULL;

    if (!strobe_is_launcher(name))
        return NULL;
    words = split_words(command + 1);
    for (char **word = words; *word; word++) {
        g_autofree char *program =
            **word != '-' && !strchr(*word, '=') ? strobe_run_program(*word, environment) : NULL;
        if (program)
            return g_strdupv(word);
    }
    return NULL;
}

static char *resolve_interpreter(char *const *words, char *const *environment, int depth)
{
    g_autofree char *program = strobe_run_program(words[0], environment);
    g_auto(GStrv) next = NULL;

    if (!program || depth > STROBE_SCRIPTS_DEEP)
        return NULL;
    if (strobe_run_is_python(program))
        return g_steal_pointer(&program);
    next = strobe_run_launched_words(words, environment);
    if (!next)
        next = strobe_run_script_words(program, words);
    return next ? resolve_interpreter(next, environment, depth + 1) : NULL;
}

char *strobe_run_interpreter(char *const *command, char *const *environment)
{
    return resolve_interpreter(command, environment, 0);
}
