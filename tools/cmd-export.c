/* SPDX-License-Identifier: Apache-2.0 */
/* strobe export: makes output files of a selected part of a result. */
#include <strobe/helpers/keyed-hash.h>

#include "command.h"
#include "error.h"
#include "export-filter.h"
#include "export-parts.h"
#include "folder.h"
#include "output-flags.h"
#include "terminal.h"

#define MAX_FILE_MB 1000000
#define NO_LIMIT G_MININT64

static const StrobeUsage usage = {
    .name = "export",
    .arguments = "DIR_OR_CAPTURE...",
    .summary = "Makes output files of a part of a result. The flags select records by time,\n"
               "step, rank, track, kind or name. Each folder that it makes is complete: its\n"
               "files are as if nothing else had been recorded. If a flag is repeated, its\n"
               "conditions are alternatives; conditions of different flags must all hold. A\n"
               "record belongs to the time in which it begins. Patterns contain the wildcards *\n"
               "and ?; \"strobe info\" lists tracks and kinds.",
    .examples =
        "Examples:\n"
        "  strobe export results -o cut --step 3-5 --export chrome_trace\n"
        "      Writes three steps of every result as a trace.\n"
        "  strobe export DIR -o cut --from 1.5s --to 1.7s --track 'stream*' --kind device_task\n"
        "  strobe export DIR -o parts --max-file-mb 100\n"
        "      Writes everything, split into folders so that no file is larger than 100 MB.",
};

typedef struct Flags {
    StrobeOutputFlags common;
    gint64 max_file_mb;
    StrobeFilterTexts filter;
} Flags;

/* State of one call of the command. */
typedef struct Job {
    const Flags *flags;
    StrobeRegistry *registry;
    StrobeAnalysisWish wish;
    StrobeJsonWriter *json;
    guint n_of_ranks; /* number of results with a requested rank */
    int code;
} Job;

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"from", 0, 0, G_OPTION_ARG_FILENAME, &flags->filter.from,
         "From this time after the begin of the result, such as 1.5s or 200ms", "TIME"},
        {"to", 0, 0, G_OPTION_ARG_FILENAME, &flags->filter.to, "Until this time (exclusive)",
         "TIME"},
        {"step", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->filter.steps,
         "Records in this step or range of steps; repeatable", "N[-M]"},
        {"rank", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->filter.ranks,
         "Results of this rank; repeatable", "N"},
        {"track", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->filter.tracks,
         "Records on tracks with this name; repeatable", "PATTERN"},
        {"kind", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->filter.kinds,
         "Records of this kind; repeatable", "PATTERN"},
        {"name", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->filter.names,
         "Records with this name; repeatable", "PATTERN"},
        {"max-file-mb", 0, 0, G_OPTION_ARG_INT64, &flags->max_file_mb,
         "Split by time into folders whose files have at most N MB", "N"},
        STROBE_OUTPUT_OPTIONS(&flags->common, "Parent of the folders to write (required)",
                              "as recorded", "The usual exporters of this type instead",
                              "the default"),
        {NULL},
    };

    return strobe_command_parse(&usage, entries, argc, argv);
}

static void keep_code(Job *job, GError *error)
{
    int failed = strobe_command_fail(error);

    if (job->code == 0)
        job->code = failed;
}

static void export_result(Job *job, const StrobeResult *result)
{
    GError *error = NULL;
    gboolean is_other;
    g_autoptr(StrobeFilter) filter =
        strobe_filter_of(&job->flags->filter, result, &is_other, &error);

    if (is_other)
        return;
    job->n_of_ranks++;
    if (!filter) {
        g_prefix_error(&error, "%s: ", result->source);
        keep_code(job, error);
        return;
    }
    job->wish.filter = filter;
    guint64 max_bytes =
        job->flags->max_file_mb == NO_LIMIT ? 0 : (guint64)job->flags->max_file_mb * 1000000;
    strobe_export_parts(job->registry, result, &job->wish, max_bytes, job->json, &job->code);
}

static void export_path(Job *job, const char *path)
{
    GError *error = NULL;
    g_autoptr(GPtrArray) results = strobe_result_find(path, &error);

    if (!results) {
        keep_code(job, error);
        return;
    }
    for (guint i = 0; i < results->len; i++)
        export_result(job, g_ptr_array_index(results, i));
}

static int export_all(Job *job, char **paths)
{
    job->json = job->flags->common.json ? strobe_json_open() : NULL;
    if (job->json)
        strobe_json_begin_array(job->json);
    for (; *paths; paths++)
        export_path(job, *paths);
    if (job->json) {
        strobe_json_end_array(job->json);
        strobe_json_close(job->json);
    }
    if (job->code == 0 && job->n_of_ranks == 0) {
        strobe_complain("No result is of rank %s", job->flags->filter.ranks[0]);
        return STROBE_EXIT_USAGE;
    }
    return job->code;
}

static int run_export(Flags *flags, char **paths)
{
    g_autoptr(GHashTable) written =
        g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    Job job = {.flags = flags, .wish = {.parent = flags->common.output, .written = written}};
    GError *error = NULL;
    StrobeConfig *config;
    guint made = 0;

    if (!strobe_output_flags_apply(&flags->common, &job.wish.generation, &job.code))
        return job.code;
    config =
        strobe_analysis_exporters(flags->common.export_type, flags->common.export, NULL, &error);
    if (error)
        return strobe_command_fail(error);
    job.wish.exporters = config ? config->exporters : NULL;
    job.registry = strobe_registry_new((const char *const *)flags->common.plugin_path);
    int code = strobe_analysis_check(job.registry, &job.wish, &error) &&
                       strobe_folder_check_writable(flags->common.output, &made, &error)
                   ? export_all(&job, paths)
                   : strobe_command_fail(error);
    strobe_folder_remove_empty(flags->common.output, made);
    strobe_registry_free(job.registry);
    strobe_config_free(config);
    return code;
}

static int check_and_run(Flags *flags, int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc < 2)
        return strobe_command_misuse(&usage, "A result directory or a capture is needed");
    if (!flags->common.output)
        return strobe_command_misuse(&usage, "--output is needed: where the folders are to be");
    if (flags->max_file_mb != NO_LIMIT &&
        (flags->max_file_mb < 1 || flags->max_file_mb > MAX_FILE_MB))
        return strobe_command_misuse(&usage,
                                     "--max-file-mb is %" G_GINT64_FORMAT ", expected 1 to %d",
                                     flags->max_file_mb, MAX_FILE_MB);
    if (!strobe_filter_texts_check(&flags->filter, &error))
        return strobe_command_misuse(&usage, "%s", error->message);
    return run_export(flags, argv + 1);
}

int strobe_command_export(int argc, char **argv)
{
    Flags flags = {.max_file_mb = NO_LIMIT};
    int code = STROBE_EXIT_USAGE;

    if (parse_flags(&argc, &argv, &flags))
        code = check_and_run(&flags, argc, argv);
    strobe_output_flags_clear(&flags.common);
    g_free(flags.filter.from);
    g_free(flags.filter.to);
    g_strfreev(flags.filter.steps);
    g_strfreev(flags.filter.ranks);
    g_strfreev(flags.filter.tracks);
    g_strfreev(flags.filter.kinds);
    g_strfreev(flags.filter.names);
    return code;
}
