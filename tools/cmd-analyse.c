/* SPDX-License-Identifier: Apache-2.0 */
/* strobe analyse: makes a result's output files again from its capture. */
#include <string.h>

#include <strobe/helpers/keyed-hash.h>

#include "analysis.h"
#include "command.h"
#include "error.h"
#include "folder.h"
#include "external.h"
#include "output-flags.h"
#include "terminal.h"

static const StrobeUsage usage = {
    .name = "analyse",
    .arguments = "DIR_OR_CAPTURE...",
    .summary =
        "Makes the output files of a result again from its capture, at any later time and on\n"
        "any machine. Each argument is a result directory, a folder of result directories, a\n"
        "capture, or one segment of a rotated capture. If the program was killed, its capture\n"
        "is recovered first. The new files replace the whole folder ASCEND_PROFILER_OUTPUT; the\n"
        "file \"analyse.done\" in it shows that it is complete. A result directory of the\n"
        "Ascend PyTorch Profiler is analysed from its raw files, as the original does; strobe\n"
        "import takes over its output files instead. A result of another user is not changed:\n"
        "use -o for its output.",
    .examples = "Examples:\n"
                "  strobe analyse results\n"
                "      Every result in the folder, with the exporters it was recorded with.\n"
                "  strobe analyse node1_4711_20250102030405678_ascend_pt --export chrome_trace\n"
                "  strobe analyse kept.strobe -o elsewhere\n"
                "      Makes elsewhere/kept_ascend_pt/ASCEND_PROFILER_OUTPUT.",
};

typedef struct Flags {
    StrobeOutputFlags common;
    char **also, **import;
} Flags;

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"also", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->also,
         "Use this exporter, with options, in addition to those of the recording; repeatable",
         "NAME[:OPTION=VALUE,...]"},
        {"import", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->import,
         "Options of an importer that reads external data in the result, such as CANN's "
         "profiling; repeatable",
         "NAME:OPTION=VALUE,..."},
        STROBE_OUTPUT_OPTIONS(&flags->common,
                              "Parent of the folders to write (default: write into the results)",
                              "as recorded", "The usual exporters of this type instead",
                              "that of an imported result, else 3; the default"),
        {NULL},
    };

    return strobe_command_parse(&usage, entries, argc, argv);
}

/* Analyses all results at a path from the command line. If one fails, continues with the next; sets
 * *code, unless it is set already, to the exit code of the failure. */
static void analyse_path(const char *path, StrobeRegistry *registry, const StrobeAnalysisWish *wish,
                         StrobeJsonWriter *json, int *code)
{
    GError *error = NULL;
    GPtrArray *results = strobe_result_find(path, &error);

    if (!results) {
        GError *why_not = NULL;
        if (strobe_external_analyse(path, registry, wish, json, code, &why_not)) {
            g_clear_error(&error);
            return;
        }
        g_clear_error(&why_not);
        int failed = strobe_command_fail(error);
        *code = *code ? *code : failed;
        return;
    }
    for (guint i = 0; i < results->len; i++) {
        const StrobeResult *result = g_ptr_array_index(results, i);
        g_autoptr(StrobeAnalysis) analysis = NULL;
        int failed = 0;
        strobe_analysis_report(registry, result, wish, &analysis, &failed);
        *code = *code ? *code : failed;
        if (!json)
            continue;
        strobe_json_begin_object(json);
        strobe_analysis_write(analysis, result, json);
        strobe_json_end_object(json);
    }
    g_ptr_array_unref(results);
}

/* Adds the importers that the flags name to `wish`. Checks that the components exist and accept
 * their options, and that the output folder, if given, can be written. FALSE with an error. */
static gboolean prepare_output(const Flags *flags, StrobeRegistry *registry,
                               StrobeAnalysisWish *wish, guint *made, GError **error)
{
    for (char **text = flags->import; text && *text; text++)
        if (!strobe_config_add_component(wish->importers, *text, "--import", error))
            return FALSE;
    return strobe_analysis_check(registry, wish, error) &&
           (!flags->common.output ||
            strobe_folder_check_writable(flags->common.output, made, error));
}

static int run_analyse(Flags *flags, char **paths)
{
    g_autoptr(GPtrArray) importers = strobe_config_components_new();
    g_autoptr(GHashTable) written =
        g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    StrobeAnalysisWish wish = {.parent = flags->common.output, .written = written};
    GError *error = NULL;
    guint made = 0;
    int code = 0;

    if (!strobe_output_flags_apply(&flags->common, &wish.generation, &code))
        return code;
    StrobeConfig *config = strobe_analysis_exporters(flags->common.export_type,
                                                     flags->common.export, flags->also, &error);
    if (error)
        return strobe_command_fail(error);
    wish.exporters = config ? config->exporters : NULL;
    wish.also = flags->also;
    StrobeRegistry *registry = strobe_registry_new((const char *const *)flags->common.plugin_path);
    wish.importers = importers;
    if (!prepare_output(flags, registry, &wish, &made, &error)) {
        strobe_registry_free(registry);
        strobe_config_free(config);
        return strobe_command_fail(error);
    }
    StrobeJsonWriter *json = flags->common.json ? strobe_json_open() : NULL;
    if (json)
        strobe_json_begin_array(json);
    for (; *paths; paths++)
        analyse_path(*paths, registry, &wish, json, &code);
    if (json) {
        strobe_json_end_array(json);
        strobe_json_close(json);
    }
    if (made)
        strobe_folder_remove_empty(flags->common.output, made);
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
                        : run_analyse(&flags, argv + 1);
    strobe_output_flags_clear(&flags.common);
    g_strfreev(flags.also);
    g_strfreev(flags.import);
    return code;
}
