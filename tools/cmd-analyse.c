/* SPDX-License-Identifier: Apache-2.0 */
/* strobe analyse: makes a result's output files again, from its capture alone. */
#include <string.h>

#include "analysis.h"
#include "command.h"
#include "error.h"
#include "folder.h"
#include "terminal.h"

static const StrobeUsage usage = {
    .name = "analyse",
    .arguments = "DIR_OR_CAPTURE...",
    .summary =
        "Makes the output files of a result again, later or elsewhere, from its capture alone.\n"
        "Each argument is a result directory, a folder of result directories, a capture, or one\n"
        "piece of a rotated capture. What a killed program left open is recovered first. New "
        "files\n"
        "replace ASCEND_PROFILER_OUTPUT as a whole; \"analyse.done\" in it says that all of them "
        "were\n"
        "made.",
    .examples = "Examples:\n"
                "  strobe analyse results\n"
                "      Every result in the folder, with the exporters it was recorded with.\n"
                "  strobe analyse node1_4711_20250102030405678_ascend_pt --export chrome_trace\n"
                "  strobe analyse kept.strobe -o elsewhere\n"
                "      Makes elsewhere/kept_ascend_pt/ASCEND_PROFILER_OUTPUT.",
};

typedef struct Flags {
    char **export, **plugin_path;
    char *output;
    gboolean json;
} Flags;

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"export", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->export,
         "Exporter with options; repeatable (default: as recorded)", "NAME[:OPTION=VALUE,...]"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &flags->output,
         "Parent of the folders to write, instead of the results themselves", "DIR"},
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->plugin_path,
         "Look for plugins here first; repeatable", "DIR"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &flags->json, "Say in JSON what was made", NULL},
        {NULL},
    };

    return strobe_command_parse(&usage, entries, argc, argv);
}

/* The exporters that the flags name, as a configuration; NULL without an error if none is named. */
static StrobeConfig *named_exporters(const Flags *flags, GError **error)
{
    StrobeConfig *config = flags->export ? strobe_config_parse(NULL, NULL, error) : NULL;

    for (char **text = flags->export; config && *text; text++)
        if (!strobe_config_add_exporter(config, *text, error))
            g_clear_pointer(&config, strobe_config_free);
    return config;
}

static void write_texts(StrobeJsonWriter *json, const char *key, const GPtrArray *texts)
{
    strobe_json_key(json, key);
    strobe_json_begin_array(json);
    for (guint i = 0; texts && i < texts->len; i++)
        strobe_json_string(json, g_ptr_array_index(texts, i));
    strobe_json_end_array(json);
}

static void write_uint(StrobeJsonWriter *json, const char *key, guint64 value)
{
    strobe_json_key(json, key);
    strobe_json_uint(json, value);
}

/* Derived records that touch a gap, kind by kind. */
static void write_incomplete(StrobeJsonWriter *json, const GArray *incomplete)
{
    strobe_json_key(json, "incomplete");
    strobe_json_begin_object(json);
    for (guint i = 0; i < incomplete->len; i++) {
        const StrobeDerivedCount *count = &g_array_index(incomplete, StrobeDerivedCount, i);
        strobe_json_key_text(json, count->kind, strlen(count->kind));
        strobe_json_uint(json, count->n_incomplete);
    }
    strobe_json_end_object(json);
}

static void write_outcome(StrobeJsonWriter *json, const StrobeResult *result,
                          const StrobeAnalysis *analysis)
{
    strobe_json_begin_object(json);
    strobe_json_key(json, "directory");
    strobe_json_string(json, result->directory);
    strobe_json_key(json, "capture");
    strobe_json_string(json, result->capture);
    strobe_json_key(json, "output");
    strobe_json_string(json, analysis ? analysis->output : NULL);
    if (analysis) {
        write_texts(json, "files", analysis->files);
        write_uint(json, "records", analysis->n_records);
        write_uint(json, "offered", analysis->n_stored + analysis->n_lost);
        write_uint(json, "stored", analysis->n_stored);
        write_uint(json, "lost", analysis->n_lost);
        write_incomplete(json, analysis->incomplete);
        strobe_json_key(json, "live");
        strobe_json_bool(json, analysis->is_live);
        strobe_json_key(json, "complete");
        strobe_json_bool(json, analysis->is_complete);
        write_texts(json, "missing", analysis->missing);
    }
    strobe_json_end_object(json);
}

/* One argument: one result or many. Keeps the first failure's exit code in *code. */
static void analyse(const char *path, const Flags *flags, StrobeRegistry *registry,
                    GPtrArray *exporters, StrobeJsonWriter *json, int *code)
{
    GError *error = NULL;
    GPtrArray *results = strobe_result_find(path, &error);

    if (!results) {
        int failed = strobe_command_fail(error);
        *code = *code ? *code : failed;
        return;
    }
    for (guint i = 0; i < results->len; i++) {
        const StrobeResult *result = g_ptr_array_index(results, i);
        g_autoptr(StrobeAnalysis) analysis = NULL;
        int failed = 0;
        strobe_analysis_report(registry, result, exporters, flags->output, &analysis, &failed);
        *code = *code ? *code : failed;
        if (json)
            write_outcome(json, result, analysis);
    }
    g_ptr_array_unref(results);
}

static int run(const Flags *flags, char **paths)
{
    GError *error = NULL;
    int code = 0;

    if (flags->output && !strobe_folder_check_writable(flags->output, &error))
        return strobe_command_fail(error);
    StrobeConfig *config = named_exporters(flags, &error);
    if (error)
        return strobe_command_fail(error);
    StrobeRegistry *registry = strobe_registry_new((const char *const *)flags->plugin_path);
    StrobeJsonWriter *json = flags->json ? strobe_json_open() : NULL;
    if (json)
        strobe_json_begin_array(json);
    for (; *paths; paths++)
        analyse(*paths, flags, registry, config ? config->exporters : NULL, json, &code);
    if (json) {
        strobe_json_end_array(json);
        strobe_json_close(json);
    }
    strobe_registry_free(registry);
    strobe_config_free(config);
    return code;
}

int strobe_command_analyse(int argc, char **argv)
{
    Flags flags = {0};
    int code = STROBE_EXIT_USAGE;

    if (parse_flags(&argc, &argv, &flags))
        code = argc < 2 ? strobe_command_misuse(&usage, "A result directory or a capture is needed")
                        : run(&flags, argv + 1);
    g_strfreev(flags.export);
    g_strfreev(flags.plugin_path);
    g_free(flags.output);
    return code;
}
