/* SPDX-License-Identifier: Apache-2.0 */
/* strobe diff: what became slower or faster from one result to another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "diff-report.h"
#include "error.h"
#include "folder.h"
#include "memory-flags.h"
#include "plugin-folders.h"
#include "options.h"
#include "memory-limit.h"
#include "show-rows.h"
#include "terminal.h"

#define DEFAULT_LIMIT 20

static const StrobeUsage usage = {
    .name = "diff",
    .arguments = "A B",
    .summary = "Compares two results: what B takes longer for than A, and what it does faster.\n"
               "Each is a result directory, a capture, or a result of another profiler that\n"
               "`strobe import` reads; the two may be of different origins.\n"
               "\n"
               "A row is what both results call the same; --by selects the kind of row:\n"
               "  operator       an operator by the operators around it on its thread\n"
               "  kernel         a kernel, copy or fill by its name and the operators that\n"
               "                 launched it\n"
               "  communication  a communication operation by its type and these operators\n"
               "  stack          an operator by its recorded Python stack\n"
               "  step           a part of a step\n"
               "  head           a part of the head overhead of graphs\n"
               "Its time is the mean of a step; of `head` the mean of the inferences that have\n"
               "the part. What was launched before the recording has a row of its own.\n"
               "\n"
               "A difference counts if it is larger than the noise: half the width of the 99 %\n"
               "confidence interval of the difference of the two means (Welch), by the spread\n"
               "from step to step. With one step in one result the spread of the other stands\n"
               "for both; with one in both the noise is not known and every difference counts.\n"
               "Of more than 128 steps, runs of equal length stand for steps. Ranges that the\n"
               "program or the framework marked are no operators here.",
    .examples =
        "Examples:\n"
        "  strobe diff before_ascend_pt after_ascend_pt\n"
        "  strobe diff ascend_pytorch_profiler_0.db model.pt.trace.json --by operator --all\n"
        "  strobe diff baseline.strobe results --by step --threshold 5 --min-time 100us\n"
        "      For a check: ends with 7 if something is more than 5 % slower.\n"
        "\n"
        "Exit codes: 0 compared, 7 with --threshold: a row, or the sum of all, is slower in B by\n"
        "more than that and the noise, or only in B and longer than the noise. A part of the head\n"
        "overhead is too slow from 20 % and 50us on, unless you say otherwise.",
};

typedef struct Flags {
    char *by, *threshold, *least;
    StrobeMemoryFlags memory;
    char **plugin_path;
    int limit;
    gboolean json, all;
} Flags;

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"by", 0, 0, G_OPTION_ARG_FILENAME, &flags->by,
         "What to compare: operator (the default), kernel, step, communication, stack, head",
         "WHAT"},
        {"threshold", 0, 0, G_OPTION_ARG_FILENAME, &flags->threshold,
         "End with 7 if a row is slower by more than this", "PERCENT"},
        {"min-time", 0, 0, G_OPTION_ARG_FILENAME, &flags->least,
         "Smaller differences of a row are noise, such as 10us (default: 0us)", "TIME"},
        {"limit", 'n', 0, G_OPTION_ARG_INT, &flags->limit, "Rows to print (default: 20)", "N"},
        {"all", 'a', 0, G_OPTION_ARG_NONE, &flags->all, "Rows within the noise too", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &flags->json, "Print JSON; times in ns", NULL},
        STROBE_MAX_MEM_OPTION(&flags->memory),
        STROBE_TMP_DIR_OPTION(&flags->memory),
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->plugin_path,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, argc, argv))
        return FALSE;
    if (*argc != 3) {
        strobe_command_misuse(&usage, "Two results are needed, A and B");
        return FALSE;
    }
    if (flags->limit < 1 || flags->limit > (int)STROBE_ROWS_MAX) {
        strobe_command_misuse(&usage, "--limit is %d, expected 1 to %u", flags->limit,
                              STROBE_ROWS_MAX);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_by(const char *text, StrobeDiffBy *by)
{
    GPtrArray *names = g_ptr_array_new();
    const char *name;

    for (guint i = 0; (name = strobe_diff_by_name(i)); i++) {
        if (!text || !strcmp(text, name)) {
            *by = i;
            g_ptr_array_unref(names);
            return TRUE;
        }
        g_ptr_array_add(names, (gpointer)name);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = strobe_nearest_hint(text, (const char *const *)names->pdata);
    g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
    strobe_command_misuse(&usage, "Unknown --by \"%s\"%s (expected %s)", text, hint, all);
    g_ptr_array_unref(names);
    return FALSE;
}

/* From when a part of the head overhead is abnormal if nobody says otherwise. */
static const StrobeDiffRule head_rule = {.threshold = 20, .least_ns = 50000};

static gboolean read_rule(const Flags *flags, StrobeDiffBy by, StrobeDiffRule *rule)
{
    char *end = NULL;

    *rule = by == STROBE_DIFF_BY_HEAD ? head_rule : (StrobeDiffRule){.threshold = NAN};
    if (flags->threshold) {
        rule->threshold = g_ascii_strtod(flags->threshold, &end);
        if (end == flags->threshold || (*end && strcmp(end, "%") != 0) ||
            !isfinite(rule->threshold) || rule->threshold < 0) {
            strobe_command_misuse(&usage, "--threshold is \"%s\", expected a percentage such as 5",
                                  flags->threshold);
            return FALSE;
        }
    }
    if (flags->least &&
        (!strobe_parse_duration(flags->least, &rule->least_ns) || rule->least_ns < 0)) {
        strobe_command_misuse(&usage, "--min-time is \"%s\", expected a duration such as 10us",
                              flags->least);
        return FALSE;
    }
    return TRUE;
}

/* The folder of imports, made when the first is needed. */
static const char *make_scratch(gpointer user, GError **error)
{
    StrobeFreshFolder *scratch = user;

    if (!scratch->path) {
        g_autofree char *path =
            g_build_filename(strobe_temporary_folder(NULL), "strobe-diff", NULL);
        strobe_folder_begin(scratch, path, error);
    }
    return scratch->path;
}

static int compare(const Flags *flags, StrobeRegistry *registry, StrobeDiff *diff)
{
    StrobeFreshFolder scratch = {.lock = -1, .around = -1};
    GError *error = NULL;
    gboolean good = strobe_diff_run(diff, registry, make_scratch, &scratch, &error);

    strobe_folder_discard(&scratch);
    if (!good)
        return strobe_command_fail(error);
    if (flags->json) {
        StrobeJsonWriter *json = strobe_json_open();
        strobe_diff_write(diff, (guint)flags->limit, flags->all, json);
        strobe_json_close(json);
    } else {
        strobe_diff_print(diff, (guint)flags->limit, flags->all);
    }
    return diff->rows->n_regressions > 0 ? STROBE_EXIT_REGRESSION : STROBE_EXIT_OK;
}

static int run(Flags *flags, char **paths)
{
    StrobeDiffBy by;
    StrobeDiffRule rule;
    int code;

    if (!read_by(flags->by, &by) || !read_rule(flags, by, &rule))
        return STROBE_EXIT_USAGE;
    if (!strobe_plugin_folders_check(flags->plugin_path, &code) ||
        !strobe_memory_flags_apply(&flags->memory, &code))
        return code;
    StrobeRegistry *registry = strobe_registry_new((const char *const *)flags->plugin_path);
    g_autoptr(StrobeDiff) diff = strobe_diff_new(paths[0], paths[1], by, &rule);
    code = compare(flags, registry, diff);
    strobe_registry_free(registry);
    return code;
}

int strobe_command_diff(int argc, char **argv)
{
    Flags flags = {.limit = DEFAULT_LIMIT};
    int code = STROBE_EXIT_USAGE;

    if (parse_flags(&argc, &argv, &flags))
        code = run(&flags, argv + 1);
    g_free(flags.by);
    g_free(flags.threshold);
    g_free(flags.least);
    g_strfreev(flags.plugin_path);
    return code;
}
