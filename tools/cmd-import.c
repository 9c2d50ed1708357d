/* SPDX-License-Identifier: Apache-2.0 */
/* strobe import: converts results of other profilers to result directories. */
#include <string.h>

#include "analysis.h"
#include "command.h"
#include "config-file.h"
#include "error.h"
#include "folder.h"
#include "external.h"
#include "output-flags.h"
#include "progress-bar.h"
#include "terminal.h"

static const StrobeUsage usage = {
    .name = "import",
    .arguments = "SOURCE...",
    .summary =
        "Converts results of other profilers. Each SOURCE is a file, a result directory or a\n"
        "folder of result directories; its format is recognised by its content. Each becomes a\n"
        "result directory with a capture and the output files. The command lists the contents,\n"
        "unknown parts and damaged parts; it keeps unknown parts and leaves out damaged ones.\n"
        "With --strict it exits with 6 if a whole table or file is unreadable.",
    .examples =
        "Examples:\n"
        "  strobe import -o results rank0_ascend_pt\n"
        "  strobe import -o results --export csv --generation 3 ascend_pytorch_profiler_0.db\n"
        "      Writes its tables as CSV files of the newest generation.\n"
        "\n"
        "\"strobe plugins\" lists the importers.",
};

typedef struct Flags {
    StrobeOutputFlags common;
    char *format, *derived;
    gboolean strict;
} Flags;

/* State of one call of the command. */
typedef struct Job {
    StrobeRegistry *registry;
    /* the source's format; NULL: the content of the source determines it */
    const StrobeConfigComponent *format;
    StrobeImportWish wish;
    StrobeAnalysisWish analysis;
    StrobeJsonWriter *json;
    gboolean is_strict;
    int code;
} Job;

static gboolean parse_flags(int *argc, char ***argv, Flags *flags)
{
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &flags->format,
         "Importer with options (default: the one that recognises the source)",
         "NAME[:OPTION=VALUE,...]"},
        {"derived", 0, 0, G_OPTION_ARG_FILENAME, &flags->derived,
         "Results that the source computed itself: new (compute them again, the default), source"
         " (keep them)",
         "WHICH"},
        {"strict", 0, 0, G_OPTION_ARG_NONE, &flags->strict,
         "Fail if a whole table or file of a source is unreadable", NULL},
        STROBE_OUTPUT_OPTIONS(
            &flags->common, "Parent of the result directories (default: the present folder)",
            "all that are on by default", "Only the exporters of this type, of those on by default",
            "the default"),
        {NULL},
    };

    return strobe_command_parse(&usage, entries, argc, argv);
}

/* ---- the outcome ---- */

static void write_items(StrobeJsonWriter *json, const char *key, const GPtrArray *items)
{
    strobe_json_key(json, key);
    strobe_json_begin_array(json);
    for (guint i = 0; i < items->len; i++) {
        const StrobeImportItem *item = g_ptr_array_index(items, i);

        strobe_json_begin_object(json);
        strobe_json_key(json, "part");
        strobe_json_string(json, item->part);
        if (item->name) {
            strobe_json_key(json, "name");
            strobe_json_string(json, item->name);
        }
        strobe_json_key(json, "count");
        strobe_json_uint(json, item->n);
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
}

static void write_import(StrobeJsonWriter *json, const StrobeImportSource *source,
                         const StrobeImport *import, const StrobeAnalysis *analysis)
{
    strobe_json_begin_object(json);
    strobe_json_key(json, "source");
    strobe_json_string(json, source->path);
    strobe_json_key(json, "importer");
    strobe_json_string(json, source->importer->name);
    strobe_json_key(json, "format");
    strobe_json_string(json, import->format);
    strobe_analysis_write(analysis, &import->result, json);
    write_items(json, "kinds", import->kinds);
    write_items(json, "found", import->found);
    write_items(json, "unknown", import->unknown);
    write_items(json, "damaged", import->damage);
    strobe_json_end_object(json);
}

/* ---- the import ---- */

static void keep_code(Job *job, int code)
{
    job->code = job->code ? job->code : code;
}

/* Replaces the prefix `from` of the path by `to`. */
static void name_path(char **path, const char *from, const char *to)
{
    if (!g_str_has_prefix(*path, from))
        return;
    char *named = g_strconcat(to, *path + strlen(from), NULL);
    g_free(*path);
    *path = named;
}

/* Imports the source into the hidden folder `scratch`, so that only complete results appear. If the
 * command is killed, the next command removes this folder. Accesses the folder through its
 * descriptor. */
static StrobeImport *read_in(const StrobeImportWish *wish, const StrobeFreshFolder *scratch,
                             const StrobeImportSource *source, GError **error)
{
    g_autofree char *parent = strobe_folder_held_path(scratch->around, scratch->name);
    g_autofree char *place = strobe_folder_held_path(scratch->around, ".");
    StrobeImportWish held = *wish;
    GError *failure = NULL;

    held.parent = parent;
    held.place = place;
    StrobeImport *import = strobe_import_run(source, &held, &failure);
    if (!import) {
        /* must be replaced first, because this path begins with the path of `place` */
        strobe_command_name(failure, parent, scratch->path);
        strobe_command_name(failure, place, wish->place);
        g_propagate_error(error, failure);
        return NULL;
    }
    name_path(&import->result.directory, place, wish->place);
    name_path(&import->result.capture, place, wish->place);
    name_path(&import->result.source, place, wish->place);
    return import;
}

static StrobeImport *read_source(const Job *job, const StrobeImportSource *source, GError **error)
{
    g_autofree char *beside = g_build_filename(job->wish.place, "strobe-import", NULL);
    StrobeFreshFolder scratch;

    if (!strobe_folder_begin(&scratch, beside, error))
        return NULL;
    StrobeImport *import = read_in(&job->wish, &scratch, source, error);
    strobe_folder_discard(&scratch);
    return import;
}

static void import_source(Job *job, const StrobeImportSource *source)
{
    GError *error = NULL;
    g_autoptr(StrobeImport) import = read_source(job, source, &error);
    g_autoptr(StrobeAnalysis) analysis = NULL;
    int code = 0;

    strobe_bar_clear();
    if (!import) {
        keep_code(job, strobe_command_fail(error));
        return;
    }
    strobe_external_print(source, import);
    strobe_analysis_report(job->registry, &import->result, &job->analysis, &analysis, &code);
    keep_code(job, code);
    if (job->is_strict && analysis && !analysis->is_complete)
        keep_code(job, STROBE_EXIT_WRITE);
    if (job->json)
        write_import(job->json, source, import, analysis);
}

static void import_path(Job *job, const char *path)
{
    GError *error = NULL;
    GPtrArray *sources =
        strobe_import_find(job->registry, path, job->format ? job->format->name : NULL, &error);

    if (!sources) {
        keep_code(job, strobe_command_fail(error));
        return;
    }
    for (guint i = 0; i < sources->len; i++)
        import_source(job, g_ptr_array_index(sources, i));
    g_ptr_array_unref(sources);
}

/* Returns a configuration with the exporters that the flags name, and adds the importer that they
 * name to `formats`. NULL with an error. */
static StrobeConfig *named_components(const Flags *flags, GPtrArray *formats, GError **error)
{
    StrobeConfig *config = strobe_config_parse(NULL, NULL, error);

    if (config && flags->format &&
        !strobe_config_add_component(formats, flags->format, "--format", error))
        g_clear_pointer(&config, strobe_config_free);
    for (char **text = flags->common.export; config && text && *text; text++)
        if (!strobe_config_add_exporter(config, *text, error))
            g_clear_pointer(&config, strobe_config_free);
    if (config && flags->common.export_type &&
        !strobe_config_set_export_types(config, flags->common.export_type, error))
        g_clear_pointer(&config, strobe_config_free);
    if (config)
        strobe_config_add_defaults(config);
    return config;
}

static gboolean read_choices(const Flags *flags, Job *job)
{
    if (flags->derived && strcmp(flags->derived, "new") && strcmp(flags->derived, "source")) {
        strobe_complain("Unknown --derived \"%s\", expected new or source", flags->derived);
        return FALSE;
    }
    job->wish.stored_derived = g_strcmp0(flags->derived, "source") == 0;
    return TRUE;
}

static void import_all(Job *job, char **paths, gboolean as_json)
{
    job->json = as_json ? strobe_json_open() : NULL;
    if (job->json)
        strobe_json_begin_array(job->json);
    for (; *paths; paths++)
        import_path(job, *paths);
    if (job->json) {
        strobe_json_end_array(job->json);
        strobe_json_close(job->json);
    }
}

/* Removes the temporary results that killed commands left while they analysed an import. */
static void clear_results(const char *place)
{
    g_autoptr(GDir) entries = g_dir_open(place, 0, NULL);
    const char *name;

    while (entries && (name = g_dir_read_name(entries)))
        if (g_str_has_suffix(name, "_ascend_pt")) {
            g_autofree char *output = g_build_filename(place, name, STROBE_OUTPUT_DIR, NULL);
            strobe_folder_clear(output);
        }
}

static int run_import(Flags *flags, char **paths)
{
    g_autoptr(GPtrArray) formats = strobe_config_components_new();
    Job job = {.wish = {.place = flags->common.output ? flags->common.output : ".",
                        .move = strobe_folder_move,
                        .progress = strobe_bar_show,
                        .progress_user = (gpointer) "importing"},
               .is_strict = flags->strict};
    GError *error = NULL;
    guint made = 0;

    if (!read_choices(flags, &job))
        return STROBE_EXIT_USAGE;
    if (!strobe_output_flags_apply(&flags->common, &job.analysis.generation, &job.code))
        return job.code;
    StrobeConfig *config = named_components(flags, formats, &error);
    if (!config)
        return strobe_command_fail(error);
    job.registry = strobe_registry_new((const char *const *)flags->common.plugin_path);
    job.analysis.exporters = config->exporters;
    job.format = formats->len ? g_ptr_array_index(formats, 0) : NULL;
    job.wish.options = job.format;
    const StrobeAnalysisWish named = {.exporters = config->exporters, .importers = formats};
    if (strobe_analysis_check(job.registry, &named, &error) &&
        strobe_folder_check_writable(job.wish.place, &made, &error)) {
        clear_results(job.wish.place);
        import_all(&job, paths, flags->common.json);
        strobe_folder_remove_empty(job.wish.place, made);
    } else {
        keep_code(&job, strobe_command_fail(error));
    }
    strobe_registry_free(job.registry);
    strobe_config_free(config);
    return job.code;
}

int strobe_command_import(int argc, char **argv)
{
    Flags flags = {0};
    int code = STROBE_EXIT_USAGE;

    if (parse_flags(&argc, &argv, &flags))
        code = argc < 2 ? strobe_command_misuse(&usage, "A source is needed")
                        : run_import(&flags, argv + 1);
    strobe_output_flags_clear(&flags.common);
    g_free(flags.format);
    g_free(flags.derived);
    return code;
}
