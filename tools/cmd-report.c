/* SPDX-License-Identifier: Apache-2.0 */
/* strobe report: makes a page about one result, or about one result and its comparison with
 * another. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "analysis.h"
#include "command.h"
#include "config.h"
#include "diff-report.h"
#include "diff-scratch.h"
#include "error.h"
#include "held-result.h"
#include "memory-flags.h"
#include "plugin-folders.h"
#include "progress-bar.h"
#include "report-ranks.h"
#include "report-scratch.h"
#include "report-source.h"

#define DEFAULT_OUTPUT "report.html"

static const StrobeUsage usage = {
    .name = "report",
    .arguments = "RESULT [OTHER]",
    .summary =
        "Makes one HTML page of a result: findings with what to do about them, the steps, tables,\n"
        "a flame graph, the machine over time, a timeline. It needs no network and no other file.\n"
        "With two results the page is of the second one, and compares it with the first by the\n"
        "rules of `strobe diff`. Each is a result directory or a capture. The parent of the "
        "results\n"
        "of several ranks makes the page of the lowest one, with a row for each rank.",
    .examples =
        "Examples:\n"
        "  strobe report result\n"
        "  strobe report before_ascend_pt after_ascend_pt -o compared.html --open\n"
        "\n"
        "The page contains the library of Debian's package node-d3, which draws the charts. If\n"
        "it is not installed, the page has tables instead of charts.",
};

typedef struct Flags {
    char *output;
    gboolean open;
    StrobeMemoryFlags memory;
    char **plugin_path;
} Flags;

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &flags->output,
         "Write the page to this file (default: " DEFAULT_OUTPUT ")", "FILE"},
        {"open", 0, 0, G_OPTION_ARG_NONE, &flags->open, "Show it in the browser (xdg-open)", NULL},
        STROBE_MAX_MEM_OPTION(&flags->memory),
        STROBE_TMP_DIR_OPTION(&flags->memory),
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->plugin_path,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, argc, argv))
        return FALSE;
    if (*argc != 2 && *argc != 3) {
        strobe_command_misuse(&usage, "%d results are named, expected one, or two to compare",
                              *argc - 1);
        return FALSE;
    }
    if (flags->output && (!*flags->output || g_str_has_suffix(flags->output, "/"))) {
        strobe_command_misuse(&usage, "--output is \"%s\", expected the name of a file",
                              flags->output);
        return FALSE;
    }
    return TRUE;
}

/* ---- the comparison ---- */

static void write_comparison(gpointer diff, guint most, StrobeJsonWriter *json)
{
    strobe_diff_write(diff, most, TRUE, json);
}

/* Compares two results, and writes the comparison as JSON into a file without a name. Returns the
 * descriptor of the file, or -1 with an error. */
static int compare_results(StrobeRegistry *registry, char **paths, GError **error)
{
    char *a[] = {paths[0], NULL}, *b[] = {paths[1], NULL};
    char *const *const sides[] = {a, b};
    const StrobeDiffRule rule = {.threshold = NAN};
    g_autoptr(StrobeDiff) diff = strobe_diff_new(sides, STROBE_DIFF_BY_OPERATOR, &rule);

    if (!strobe_diff_compare_all(diff, registry, error))
        return -1;
    return report_scratch_write(write_comparison, diff, "the comparison", error);
}

/* ---- the page ---- */

/* Returns the result if there is exactly one. NULL with an error that names `path`: there are
 * several. */
static StrobeResult *find_result(GPtrArray *results, const char *path, GError **error)
{
    if (results->len == 1)
        return g_ptr_array_index(results, 0);
    const StrobeResult *first = g_ptr_array_index(results, 0);
    g_set_error(error, STROBE_USAGE_ERROR, 0,
                "\"%s\" holds %u results: name one of them, such as %s", path, results->len,
                first->directory ? first->directory : first->capture);
    return NULL;
}

/* Descriptors of files with JSON for the page; -1: there is no such file. */
typedef struct PageFiles {
    int comparison, ranks, source;
} PageFiles;

/* Whether each result has a rank, and all ranks differ: the results are then treated as those of
 * one job. */
static gboolean are_ranks(const GPtrArray *results)
{
    g_autoptr(GHashTable) ranks = g_hash_table_new(g_direct_hash, g_direct_equal);

    for (guint i = 0; i < results->len; i++) {
        gint rank = strobe_result_rank(g_ptr_array_index(results, i));

        if (rank < 0 || !g_hash_table_add(ranks, GINT_TO_POINTER(rank)))
            return FALSE;
    }
    return TRUE;
}

/* Returns the result with the lowest rank. */
static const StrobeResult *find_lowest_rank(const GPtrArray *results)
{
    const StrobeResult *lowest = g_ptr_array_index(results, 0);

    for (guint i = 1; i < results->len; i++)
        if (strobe_result_rank(g_ptr_array_index(results, i)) < strobe_result_rank(lowest))
            lowest = g_ptr_array_index(results, i);
    return lowest;
}

/* Returns a configuration with the exporter "report", which writes the page `name` and reads
 * `files`. NULL with an error. */
static StrobeConfig *configure_exporter(const char *name, const PageFiles *files, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(name, ",", -1);
    g_autofree char *escaped = g_strjoinv("\\,", parts);
    g_autoptr(GString) text = g_string_new("report:file=");
    char *exporters[] = {NULL, NULL};

    g_string_append(text, escaped);
    if (files->comparison >= 0)
        g_string_append_printf(text, ",comparison=/proc/self/fd/%d", files->comparison);
    if (files->ranks >= 0)
        g_string_append_printf(text, ",ranks=/proc/self/fd/%d", files->ranks);
    if (files->source >= 0)
        g_string_append_printf(text, ",source=/proc/self/fd/%d", files->source);
    exporters[0] = text->str;
    return strobe_analysis_exporters(NULL, exporters, NULL, error);
}

static gboolean run_pipeline(StrobeRegistry *registry, const StrobeResult *result,
                             const StrobeConfigComponent *exporter, int folder, const char *path,
                             GError **error)
{
    StrobePipeline *pipeline = strobe_pipeline_new(registry);
    StrobeHeldResult held;
    gboolean good = FALSE;

    strobe_pipeline_set_output(pipeline, folder, path);
    if (strobe_pipeline_add_exporter(pipeline, exporter, error) &&
        strobe_held_result_open(&held, result, error)) {
        GError *failure = NULL;

        strobe_pipeline_on_progress(pipeline, strobe_bar_show, (gpointer) "reading");
        good = strobe_pipeline_run(pipeline, &held.result, &failure);
        strobe_bar_clear();
        if (!good)
            g_propagate_error(error, strobe_held_result_name(&held, failure));
        strobe_held_result_close(&held);
    }
    strobe_pipeline_free(pipeline);
    return good;
}

/* Writes the page about one result to the path `output`. FALSE with an error. */
static gboolean write_result(StrobeRegistry *registry, const StrobeResult *result,
                             const char *output, const PageFiles *files, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(output), *name = g_path_get_basename(output);
    StrobeConfig *config = configure_exporter(name, files, error);
    int folder = config ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    gboolean good = FALSE;

    if (folder >= 0)
        good = run_pipeline(registry, result, g_ptr_array_index(config->exporters, 0), folder,
                            parent, error);
    else if (config)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot write \"%s\": the folder \"%s\": %s", output, parent,
                    g_strerror(errno));
    if (folder >= 0)
        close(folder);
    strobe_config_free(config);
    return good;
}

/* Finds the results at the path `source`, and writes the page. If the results are those of several
 * ranks, the page shows the lowest rank, and has a table with a row for each rank and device. */
static gboolean write_page(StrobeRegistry *registry, const char *source, const char *output,
                           int comparison, GError **error)
{
    g_autoptr(GPtrArray) results = strobe_result_find(source, error);
    PageFiles files = {.comparison = comparison, .ranks = -1, .source = -1};
    const StrobeResult *result = NULL;
    gboolean good;

    if (results && results->len > 1 && comparison < 0 && are_ranks(results)) {
        files.ranks = report_ranks_read(registry, results, error);
        result = files.ranks >= 0 ? find_lowest_rank(results) : NULL;
    } else if (results) {
        result = find_result(results, source, error);
    }
    if (result)
        files.source = report_source_read(result, error);
    good = files.source >= 0 && write_result(registry, result, output, &files, error);
    if (files.source >= 0)
        close(files.source);
    if (files.ranks >= 0)
        close(files.ranks);
    return good;
}

static void open_page(const char *output)
{
    const char *words[] = {"xdg-open", output, NULL};
    g_autoptr(GError) error = NULL;

    if (!g_spawn_async(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &error))
        strobe_complain("Cannot open the page: %s", error->message);
}

static int run_report(Flags *flags, char **paths)
{
    const char *output = flags->output ? flags->output : DEFAULT_OUTPUT;
    GError *error = NULL;
    int code, comparison = -1;

    if (!strobe_plugin_folders_check(flags->plugin_path, &code) ||
        !strobe_memory_flags_apply(&flags->memory, &code))
        return code;
    StrobeRegistry *registry = strobe_registry_new((const char *const *)flags->plugin_path);
    if (paths[1])
        comparison = compare_results(registry, paths, &error);
    if (!error)
        write_page(registry, paths[1] ? paths[1] : paths[0], output, comparison, &error);
    if (comparison >= 0)
        close(comparison);
    strobe_registry_free(registry);
    if (error)
        return strobe_command_fail(error);
    printf("%s\n", output);
    if (flags->open)
        open_page(output);
    return STROBE_EXIT_OK;
}

int strobe_command_report(int argc, char **argv)
{
    Flags flags = {0};
    int code = STROBE_EXIT_USAGE;

    if (parse_flags(&argc, &argv, &flags))
        code = run_report(&flags, argv + 1);
    g_free(flags.output);
    g_strfreev(flags.plugin_path);
    return code;
}
