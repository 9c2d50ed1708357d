/* SPDX-License-Identifier: Apache-2.0 */
/* strobe diff: shows what became slower or faster between two sides of results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "diff-report.h"
#include "diff-scratch.h"
#include "error.h"
#include "memory-flags.h"
#include "plugin-folders.h"
#include "options.h"
#include "show-rows.h"
#include "terminal.h"

#define DEFAULT_LIMIT 20
#define RUNS_MAX 1000 /* maximum number of runs on each side */

static const StrobeUsage usage = {
    .name = "diff",
    .arguments = "A B | A1 A2... --against B1 B2...",
    .summary = "Compares results: what became slower from A to B, and what became faster. Each\n"
               "is a result directory, a capture, or a result of another profiler that `strobe\n"
               "import` reads; the two may come from different profilers. Three or more runs on\n"
               "each side show how much equal runs differ; one run on each side cannot.\n"
               "\n"
               "A row is one item that both sides have; --by selects the kind of row:\n"
               "  operator       an operator by the operators around it on its thread\n"
               "  kernel         a kernel, copy or fill by its name and the operators that\n"
               "                 launched it\n"
               "  communication  a communication operation by its type and these operators\n"
               "  stack          an operator by its recorded Python stack\n"
               "  mark           a range that the program marked, by the ranges around it\n"
               "  step           a part of a step\n"
               "  head           a part of the head overhead of graphs\n"
               "The time of a row is its time in the median step of each run, or with --mean in\n"
               "the mean step. For `head` it is the mean of the inferences that have the part.\n"
               "Work that was launched before the recording has a separate row. Ranges that the\n"
               "program or the framework marked do not count as operators.\n"
               "\n"
               "A row has changed if its q is 0.01 or less and the difference is 0.1 % of a\n"
               "step or more. q comes from Welch's t-test of the runs, corrected for the number\n"
               "of rows (Benjamini and Hochberg). With one run on a side, up to 8 groups of\n"
               "successive steps are used in place of runs, and a regression must also be twice\n"
               "the noise. The noise is half the width of the 99 % confidence interval of the\n"
               "difference.",
    .examples =
        "Examples:\n"
        "  strobe diff old1 old2 old3 --against new1 new2 new3 --threshold 2\n"
        "      For automatic checks: exits with 7 if something is more than 2 % slower.\n"
        "  strobe diff before_ascend_pt after_ascend_pt\n"
        "  strobe diff ascend_pytorch_profiler_0.db model.pt.trace.json --by operator --all\n"
        "  strobe diff baseline.strobe results --by step --threshold 5 --min-time 100us\n"
        "\n"
        "Exit codes: 0 compared; 7 with --threshold if a row, or the sum of all rows, has\n"
        "changed and is slower in B by more than the threshold, or exists only in B. For a part\n"
        "of the head overhead the default threshold is 20 %, and at least 50us.",
};

typedef struct Flags {
    char *by, *threshold, *least;
    StrobeMemoryFlags memory;
    char **plugin_path;
    int limit;
    gboolean json, all, mean;
    /* for each side the paths of its results, NULL-terminated; owned by the caller */
    char **sides[STROBE_DIFF_SIDES];
} Flags;

/* The word that replaces --against while options are parsed, because GOption does not keep the
 * positions of options. */
static char against[] = "against";

static void hide_against(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--against"))
            argv[i] = against;
}

static char **take_paths(char **words, int n)
{
    char **paths = g_new0(char *, (gsize)n + 1);

    for (int i = 0; i < n; i++)
        paths[i] = words[i];
    return paths;
}

static gboolean is_same_place(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    gboolean is_same = g_strcmp0(real_a ? real_a : a, real_b ? real_b : b) == 0;

    free(real_a);
    free(real_b);
    return is_same;
}

/* Refuses a side in which a run is named twice, because the spread between equal runs is 0. */
static gboolean check_side(char **paths)
{
    for (guint i = 0; paths[i]; i++)
        for (guint other = 0; other < i; other++)
            if (is_same_place(paths[i], paths[other])) {
                strobe_command_misuse(&usage, "\"%s\" is named twice on one side", paths[i]);
                return FALSE;
            }
    return TRUE;
}

/* Divides the arguments into the runs of A and of B, which stand before and after argument number
 * `at`, the word --against. FALSE: a message was printed. */
static gboolean split_at(int at, int argc, char **argv, Flags *flags)
{
    flags->sides[STROBE_DIFF_A] = take_paths(argv + 1, at - 1);
    flags->sides[STROBE_DIFF_B] = take_paths(argv + at + 1, argc - at - 1);
    if (at == 1 || at == argc - 1) {
        strobe_command_misuse(&usage, "--against needs results %s it",
                              at == 1 ? "before" : "after");
        return FALSE;
    }
    if (MAX(at - 1, argc - at - 1) > RUNS_MAX) {
        strobe_command_misuse(&usage, "A side has more than %d runs", RUNS_MAX);
        return FALSE;
    }
    for (int i = at + 1; i < argc; i++)
        if (argv[i] == against) {
            strobe_command_misuse(&usage, "--against is there twice");
            return FALSE;
        }
    return check_side(flags->sides[STROBE_DIFF_A]) && check_side(flags->sides[STROBE_DIFF_B]);
}

static gboolean split_sides(int argc, char **argv, Flags *flags)
{
    int at = 1;

    while (at < argc && argv[at] != against)
        at++;
    if (at < argc)
        return split_at(at, argc, argv, flags);
    if (argc != 3) {
        strobe_command_misuse(&usage, "Two results are needed, A and B; of several runs a side: "
                                      "A1 A2 --against B1 B2");
        return FALSE;
    }
    flags->sides[STROBE_DIFF_A] = take_paths(argv + 1, 1);
    flags->sides[STROBE_DIFF_B] = take_paths(argv + 2, 1);
    return TRUE;
}

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"against", 0, 0, G_OPTION_ARG_NONE, &(gboolean){FALSE},
         "Separates several runs of A, before it, from those of B, after it", NULL},
        {"by", 0, 0, G_OPTION_ARG_FILENAME, &flags->by,
         "What to compare: operator (the default), kernel, communication, stack, mark, step, head",
         "WHAT"},
        {"threshold", 0, 0, G_OPTION_ARG_FILENAME, &flags->threshold,
         "Exit with 7 if a row is slower by more than this", "PERCENT"},
        {"min-time", 0, 0, G_OPTION_ARG_FILENAME, &flags->least,
         "Smaller differences never count, such as 10us (default: 0.1 % of a step)", "TIME"},
        {"limit", 'n', 0, G_OPTION_ARG_INT, &flags->limit, "Rows to print (default: 20)", "N"},
        {"all", 'a', 0, G_OPTION_ARG_NONE, &flags->all, "Print unchanged rows too", NULL},
        {"mean", 0, 0, G_OPTION_ARG_NONE, &flags->mean,
         "Compare mean steps; they include rare slow steps, but also disturbed ones", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &flags->json, "Print JSON; times in ns", NULL},
        STROBE_MAX_MEM_OPTION(&flags->memory),
        STROBE_TMP_DIR_OPTION(&flags->memory),
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->plugin_path,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    hide_against(*argc, *argv);
    if (!strobe_command_parse(&usage, entries, argc, argv) || !split_sides(*argc, *argv, flags))
        return FALSE;
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

/* Default thresholds for a part of the head overhead. */
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
    rule->is_mean = flags->mean;
    if (flags->least &&
        (!strobe_parse_duration(flags->least, &rule->least_ns) || rule->least_ns < 0)) {
        strobe_command_misuse(&usage, "--min-time is \"%s\", expected a duration such as 10us",
                              flags->least);
        return FALSE;
    }
    return TRUE;
}

static int compare_sides(const Flags *flags, StrobeRegistry *registry, StrobeDiff *diff)
{
    GError *error = NULL;

    if (!strobe_diff_compare_all(diff, registry, &error))
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

static int run_diff(Flags *flags)
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
    g_autoptr(StrobeDiff) diff = strobe_diff_new((char *const *const *)flags->sides, by, &rule);
    code = compare_sides(flags, registry, diff);
    strobe_registry_free(registry);
    return code;
}

int strobe_command_diff(int argc, char **argv)
{
    Flags flags = {.limit = DEFAULT_LIMIT};
    int code = STROBE_EXIT_USAGE;

    if (parse_flags(&argc, &argv, &flags))
        code = run_diff(&flags);
    g_free(flags.by);
    g_free(flags.threshold);
    g_free(flags.least);
    g_strfreev(flags.plugin_path);
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        g_free(flags.sides[i]);
    return code;
}
