/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "progress-bar.h"
#include "remote-error.h"
#include "terminal.h"

#define MESSAGE_MAX 8192

void strobe_complain(const char *format, ...)
{
    va_list arguments;

    /* The message is printed with one write, so that output of the profiled command does not come
     * in between. */
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *shown = strobe_text_excerpt(text, strlen(text), MESSAGE_MAX);
    g_autofree char *line = g_strdup_printf("strobe: %s\n", shown);
    fflush(stdout);
    strobe_bar_erase();
    fputs(line, stderr);
}

GQuark strobe_usage_error_quark(void)
{
    return g_quark_from_static_string("strobe-usage-error");
}

int strobe_command_code(const GError *error)
{
    if (error->domain == STROBE_REMOTE_ERROR)
        return error->code;
    return error->domain == STROBE_USAGE_ERROR ? STROBE_EXIT_USAGE : strobe_exit_code(error);
}

int strobe_command_fail(GError *error)
{
    int code = strobe_command_code(error);

    strobe_complain("%s", error->message);
    g_error_free(error);
    return code;
}

void strobe_command_name(GError *error, const char *from, const char *to)
{
    if (!error)
        return;
    g_auto(GStrv) parts = g_strsplit(error->message, from, -1);
    g_free(error->message);
    error->message = g_strjoinv(to, parts);
}

int strobe_command_close(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    strobe_complain("Cannot write the standard output");
    return code == STROBE_EXIT_OK ? STROBE_EXIT_WRITE : code;
}

static gboolean is_parsing;

/* Closes the output after --help, because GOption then ends the process itself. */
static void close_help(void)
{
    if (is_parsing && strobe_command_close(STROBE_EXIT_OK) != STROBE_EXIT_OK)
        _exit(STROBE_EXIT_WRITE);
}

static gboolean is_empty(const GOptionEntry *entry)
{
    char *const *list = NULL, *alone[] = {NULL, NULL};

    if (entry->arg == G_OPTION_ARG_FILENAME) {
        alone[0] = *(char **)entry->arg_data;
        list = alone;
    } else if (entry->arg == G_OPTION_ARG_FILENAME_ARRAY) {
        list = *(char ***)entry->arg_data;
    }
    for (; list && *list; list++)
        if (!**list)
            return TRUE;
    return FALSE;
}

/* Refuses options with an empty value, which usually comes from an unset shell variable. FALSE: a
 * message was printed. */
static gboolean check_values(const StrobeUsage *usage, const GOptionEntry *entries)
{
    for (; entries->long_name; entries++)
        if (is_empty(entries)) {
            strobe_command_misuse(usage, "--%s is empty, expected %s", entries->long_name,
                                  entries->arg_description);
            return FALSE;
        }
    return TRUE;
}

gboolean strobe_command_parse(const StrobeUsage *usage, const GOptionEntry *entries, int *argc,
                              char ***argv)
{
    g_autoptr(GOptionContext) context = g_option_context_new(usage->arguments);
    g_autofree char *program = g_strconcat("strobe ", usage->name, NULL);
    g_autoptr(GError) error = NULL;

    g_set_prgname(program); /* the name in the first line of --help */
    g_option_context_set_summary(context, usage->summary);
    g_option_context_set_description(context, usage->examples);
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_strict_posix(context, usage->stops_early);
    atexit(close_help);
    is_parsing = TRUE;
    gboolean good = g_option_context_parse(context, argc, argv, &error);
    is_parsing = FALSE;
    if (!good) {
        strobe_command_misuse(usage, "%s", error->message);
        return FALSE;
    }
    /* Removes a "--", which GOption keeps if a word after it looks like an option. */
    if (*argc > 1 && strcmp((*argv)[1], "--") == 0) {
        memmove(&(*argv)[1], &(*argv)[2], (size_t)(*argc - 1) * sizeof **argv);
        (*argc)--;
    }
    return check_values(usage, entries);
}

int strobe_command_misuse(const StrobeUsage *usage, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *shown = strobe_text_excerpt(text, strlen(text), MESSAGE_MAX);
    fprintf(stderr, "strobe %s: %s\nTry \"strobe %s --help\".\n", usage->name, shown, usage->name);
    return STROBE_EXIT_USAGE;
}
