/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "analysis-log.h"
#include "command.h"
#include "config-file.h"
#include "error.h"
#include "folder.h"
#include "external-data.h"
#include "held-result.h"
#include "instance.h"
#include "json-text.h"
#include "platform-folder.h"
#include "progress-bar.h"
#include "stored-exporters.h"
#include "terminal.h"

#define DONE_NAME "analyse.done"
#define RESULT_SUFFIX "_ascend_pt"
#define LINES_MAX 10

gboolean strobe_analysis_generation(const char *text, gint *generation)
{
    *generation = 0;
    if (!text || strcmp(text, "source") == 0)
        return TRUE;
    if (strcmp(text, "1") && strcmp(text, "2") && strcmp(text, "3")) {
        strobe_complain("Unknown generation \"%s\", expected 1, 2, 3 or source", text);
        return FALSE;
    }
    *generation = text[0] - '0';
    return TRUE;
}

StrobeConfig *strobe_analysis_exporters(const char *type, char **exporters, char **also,
                                        GError **error)
{
    gboolean any = exporters || type;
    StrobeConfig *config = any ? strobe_config_parse(NULL, NULL, error) : NULL;
    gboolean good = config != NULL;

    if (good && type)
        good = strobe_config_set_export_types(config, type, error);
    for (char **text = exporters; good && text && *text; text++)
        good = strobe_config_add_exporter(config, *text, error);
    for (char **text = also; good && text && *text; text++)
        good = strobe_config_add_exporter(config, *text, error);
    if (good)
        strobe_config_add_defaults(config);
    else
        g_clear_pointer(&config, strobe_config_free);
    return config;
}

static gboolean check_exporters(StrobeRegistry *registry, const GPtrArray *exporters,
                                GError **error)
{
    StrobePipeline *pipeline = strobe_pipeline_new(registry);
    gboolean good = TRUE;

    for (guint i = 0; good && exporters && i < exporters->len; i++)
        good = strobe_pipeline_add_exporter(pipeline, g_ptr_array_index(exporters, i), error);
    strobe_pipeline_free(pipeline);
    return good;
}

static gboolean check_importers(StrobeRegistry *registry, const GPtrArray *importers,
                                GError **error)
{
    for (guint i = 0; importers && i < importers->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(importers, i);
        const StrobeComponent *component =
            strobe_registry_find(registry, STROBE_COMPONENT_IMPORTER, wanted->name, NULL, error);

        if (!component || !strobe_instance_check_options(component, wanted, error))
            return FALSE;
    }
    return TRUE;
}

gboolean strobe_analysis_check(StrobeRegistry *registry, const StrobeAnalysisWish *wish,
                               GError **error)
{
    g_autoptr(GPtrArray) also = strobe_config_components_new();

    for (char **text = wish->also; text && *text; text++)
        if (!strobe_config_add_component(also, *text, "--also", error))
            return FALSE;
    return check_exporters(registry, wish->exporters, error) &&
           check_exporters(registry, also, error) &&
           check_importers(registry, wish->importers, error);
}

void strobe_analysis_free(StrobeAnalysis *analysis)
{
    if (!analysis)
        return;
    g_free(analysis->output);
    strobe_output_place_close(&analysis->place);
    g_clear_pointer(&analysis->files, g_ptr_array_unref);
    g_clear_pointer(&analysis->missing, g_ptr_array_unref);
    g_clear_pointer(&analysis->incomplete, g_array_unref);
    g_free(analysis);
}

/* Returns the name {host}_{pid}_{time} with RESULT_SUFFIX. If the source is a single segment, its
 * number stands before the suffix. */
static char *name_by_metadata(StrobeReader *reader)
{
    JsonObject *metadata = strobe_reader_metadata(reader);
    const StrobeReaderStats *stats = strobe_reader_stats(reader);
    gboolean is_segment = stats->n_segments == 1 && (stats->first_segment > 0 || stats->continued);
    g_autofree char *host = g_strndup(strobe_json_member_text(metadata, "host"), 128);
    gint64 start_ns = strobe_json_member_int(metadata, "start_realtime_ns", 0);
    g_autoptr(GDateTime) start = g_date_time_new_from_unix_local(start_ns / 1000000000);
    g_autofree char *time = start ? g_date_time_format(start, "%Y%m%d%H%M%S") : g_strdup("0");
    g_autofree char *segment =
        is_segment ? g_strdup_printf(".%05" G_GUINT64_FORMAT, stats->first_segment + 1)
                   : g_strdup("");

    /* the host's name comes from the capture and may contain any characters */
    g_strcanon(host, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
    return g_strdup_printf("%s_%" G_GINT64_FORMAT "_%s%03d%s%s", host,
                           strobe_json_member_int(metadata, "pid", 0), time,
                           (int)(start_ns / 1000000 % 1000), segment, RESULT_SUFFIX);
}

/* Returns the name of the output folder for a capture that is not in a result directory. It is the
 * name of the directory in which the capture was recorded or, if the capture was renamed, the name
 * of the capture with RESULT_SUFFIX. */
static char *name_of_lone(const StrobeResult *result)
{
    g_autofree char *name = g_path_get_basename(result->capture);
    StrobeReader *reader =
        strobe_segment_number(name) ? strobe_reader_open(result->source, NULL) : NULL;

    if (!reader) {
        if (g_str_has_suffix(name, ".strobe"))
            name[strlen(name) - strlen(".strobe")] = '\0';
        return g_strconcat(name, RESULT_SUFFIX, NULL);
    }
    char *made = name_by_metadata(reader);
    strobe_reader_free(reader);
    return made;
}

/* Returns the name with the number of the part before RESULT_SUFFIX. */
static char *with_part(const char *name, guint part)
{
    gsize length =
        strlen(name) - (g_str_has_suffix(name, RESULT_SUFFIX) ? strlen(RESULT_SUFFIX) : 0);

    return g_strdup_printf("%.*s.part%03u" RESULT_SUFFIX, (int)length, name, part);
}

char *strobe_analysis_folder(const StrobeResult *result, const char *parent, guint part)
{
    g_autofree char *name = NULL;

    if (result->directory && !parent)
        return g_build_filename(result->directory, STROBE_OUTPUT_DIR, NULL);
    if (result->directory) {
        g_autofree char *whole = g_canonicalize_filename(result->directory, NULL);
        name = g_path_get_basename(whole);
    } else {
        name = name_of_lone(result);
    }
    if (part) {
        char *of_part = with_part(name, part);
        g_free(name);
        name = of_part;
    }
    return g_build_filename(parent ? parent : ".", name, STROBE_OUTPUT_DIR, NULL);
}

/* Refuses to write the files of a filtered result into a folder that contains a recording, because
 * that folder is for the files of the whole result. */
static gboolean check_no_recording(const StrobeOutputPlace *place, const char *folder,
                                   GError **error)
{
    g_autofree char *around = g_path_get_dirname(folder);

    if (faccessat(place->around, STROBE_FRAMEWORK_DIR, F_OK, 0) != 0)
        return TRUE;
    g_set_error(
        error, STROBE_ERROR, STROBE_ERROR_IO,
        "Cannot write a part's files to \"%s\", which holds a recording: name another place "
        "with -o",
        around);
    return FALSE;
}

static gboolean check_not_anothers(const StrobeAnalysisWish *wish, const StrobeResult *result,
                                   const char *folder, GError **error)
{
    const char *other = wish->written ? g_hash_table_lookup(wish->written, folder) : NULL;

    if (!other || strcmp(other, result->capture) == 0)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "Its files belong in \"%s\", where those of \"%s\" were just written: give the "
                "two different places with -o, one command each",
                folder, other);
    return FALSE;
}

/* Writes the file that marks the output as finished. Call this last. */
static gboolean write_done(const StrobeFreshFolder *fresh, GError **error)
{
    int file =
        openat(fresh->lock, DONE_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);

    if (file >= 0 && close(file) == 0)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write \"%s/" DONE_NAME "\": %s",
                fresh->path, g_strerror(errno));
    return FALSE;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *list_files(const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    const char *name;

    while (entries && (name = g_dir_read_name(entries)))
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    return names;
}

static StrobePipeline *make_pipeline(StrobeRegistry *registry, const GPtrArray *exporters,
                                     StrobeCompletenessReport *completeness_report, GError **error)
{
    StrobePipeline *pipeline = strobe_pipeline_new(registry);

    strobe_pipeline_on_progress(pipeline, strobe_bar_show, (gpointer) "analysing");
    for (guint i = 0; i < exporters->len; i++)
        if (!strobe_pipeline_add_exporter(pipeline, g_ptr_array_index(exporters, i), error))
            goto failed;
    if (!strobe_completeness_report_watch(completeness_report, pipeline, error))
        goto failed;
    return pipeline;

failed:
    strobe_pipeline_free(pipeline);
    return NULL;
}

static gboolean is_empty(const StrobeFreshFolder *fresh)
{
    g_autofree char *held = strobe_folder_held_path(fresh->around, fresh->name);

    return strobe_folder_count(held) == 0;
}

/* Runs the pipeline, which writes into a fresh folder, and moves the fresh folder to `folder` if
 * any file was made. TRUE: the folder was moved; the error is set even then if an exporter
 * failed. */
static gboolean fill_fresh(StrobePipeline *pipeline, const StrobeResult *result,
                           const StrobeFilter *filter, const StrobeOutputPlace *place,
                           const char *folder, GError **error)
{
    StrobeFreshFolder fresh;
    GError *failure = NULL;

    if (!strobe_folder_begin_in(&fresh, place->around, folder, error))
        return FALSE;
    strobe_pipeline_set_output(pipeline, fresh.lock, fresh.path);
    gboolean good = strobe_pipeline_run(pipeline, result, &failure);
    strobe_bar_clear();
    if (good && filter && strobe_filter_kept(filter) == 0) {
        strobe_folder_discard(&fresh);
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                    "None of its %" G_GUINT64_FORMAT " records is in the cut",
                    strobe_filter_left_out(filter));
        return FALSE;
    }
    good = good && write_done(&fresh, &failure);
    gboolean worth = good || !is_empty(&fresh);
    gboolean placed = worth && strobe_folder_finish(&fresh, folder, failure ? NULL : &failure);
    if (!worth)
        strobe_folder_discard(&fresh);
    if (failure)
        g_propagate_error(error, failure);
    return placed;
}

/* Opens the folder around `folder`, makes it if necessary, and calls fill_fresh. If no file was
 * made, strobe_output_place_close removes the new folder again. */
static gboolean fill_folder(StrobePipeline *pipeline, const StrobeHeldResult *held,
                            const StrobeAnalysisWish *wish, StrobeOutputPlace *place,
                            const char *folder, GError **error)
{
    if (!strobe_output_place_open(place, held, wish->parent, folder, error) ||
        (wish->filter && !check_no_recording(place, folder, error)))
        return FALSE;
    gboolean placed = fill_fresh(pipeline, &held->result, wish->filter, place, folder, error);
    if (placed)
        strobe_output_place_keep(place);
    return placed;
}

static void describe_analysis(StrobeAnalysis *analysis, const StrobePipeline *pipeline,
                              const StrobeCompletenessReport *completeness_report)
{
    const StrobeReaderStats *stats = strobe_pipeline_stats(pipeline);

    analysis->missing = strobe_completeness_report_lines(completeness_report, pipeline);
    analysis->n_steps = completeness_report->n_steps;
    analysis->incomplete = strobe_completeness_report_incomplete(pipeline);
    if (!stats)
        return;
    analysis->n_records = stats->n_records;
    analysis->n_own = completeness_report->n_own;
    analysis->n_stored = strobe_reader_stats_stored(stats);
    analysis->n_lost = strobe_reader_stats_lost(stats);
    /* The records that a flight recorder overwrites do not make a result incomplete. */
    analysis->is_complete = stats->sealed && stats->n_damaged == 0 &&
                            !completeness_report->n_dropped &&
                            analysis->n_lost == stats->lost[STROBE_LOSS_OVERWRITTEN];
}

/* Adds the external data in the result directory to the capture. If this fails, only prints a
 * message, because the rest of the result is valid. */
static void join_external(StrobeRegistry *registry, const StrobeHeldResult *held,
                          const GPtrArray *importers)
{
    g_autoptr(GError) failure = NULL;

    if (!strobe_external_data_join(registry, &held->result, held->named->directory, held->is_own,
                                   importers, strobe_bar_show, (gpointer) "importing", &failure))
        strobe_complain("%s", strobe_held_result_name(held, failure)->message);
    strobe_bar_clear();
}

/* Refuses an analysis that would write into another user's result. */
static gboolean check_owner(const StrobeHeldResult *held, const StrobeAnalysisWish *wish,
                            GError **error)
{
    const StrobeResult *named = held->named;

    if (held->is_own || wish->parent)
        return TRUE;
    strobe_held_result_refuse(named->directory ? named->directory : named->capture, error);
    return FALSE;
}

/* Fills `analysis`. TRUE: some file was made. */
static gboolean analyse_held(StrobeRegistry *registry, const StrobeHeldResult *held,
                             const StrobeAnalysisWish *wish, const char *folder,
                             StrobeAnalysis *analysis, GError **error)
{
    g_autoptr(StrobeCompletenessReport) completeness_report = strobe_completeness_report_new();
    StrobeConfig *stored = NULL;
    StrobePipeline *pipeline = NULL;
    gboolean placed = FALSE;

    if (!check_owner(held, wish, error) ||
        !strobe_result_recover(&held->result, &analysis->is_live, error))
        return FALSE;
    if (wish->part <= 1) /* later parts are of the same result and need no check */
        join_external(registry, held, wish->importers);
    if (!wish->exporters && !(stored = strobe_stored_exporters(registry, held, wish->also, error)))
        return FALSE;
    pipeline = make_pipeline(registry, stored ? stored->exporters : wish->exporters,
                             completeness_report, error);
    if (pipeline) {
        strobe_pipeline_set_generation(pipeline, wish->generation);
        strobe_pipeline_set_filter(pipeline, wish->filter);
        placed = fill_folder(pipeline, held, wish, &analysis->place, folder, error);
        describe_analysis(analysis, pipeline, completeness_report);
    }
    strobe_pipeline_free(pipeline);
    strobe_config_free(stored);
    return placed;
}

/* If the files are made in the result directory, moves CANN's platform folder out of it and writes
 * the log into it, like the analysis of the Ascend PyTorch Profiler. */
static void tidy_result(const StrobeHeldResult *held, const StrobeAnalysisWish *wish,
                        StrobeAnalysisLog *log, const StrobeAnalysis *analysis, const GError *error)
{
    if (held->folder < 0 || !held->is_own || wish->parent || wish->filter)
        return;
    strobe_platform_folder_move(held->folder, held->named->directory);
    strobe_analysis_log_write(log, held->folder, analysis->n_records, analysis->missing, error);
}

StrobeAnalysis *strobe_analysis_run(StrobeRegistry *registry, const StrobeResult *result,
                                    const StrobeAnalysisWish *wish, GError **error)
{
    g_autoptr(StrobeAnalysis) analysis = g_new0(StrobeAnalysis, 1);
    g_autofree char *folder = strobe_analysis_folder(result, wish->parent, wish->part);
    const char *name = result->directory ? result->directory : result->capture;
    GError *failure = NULL;
    StrobeHeldResult held;

    analysis->place.around = analysis->place.parent = -1;
    /* a write above the limit of a file's size then fails, instead of ending the process */
    signal(SIGXFSZ, SIG_IGN);
    if (!check_not_anothers(wish, result, folder, error) ||
        !strobe_held_result_open(&held, result, error))
        return NULL;
    g_autoptr(StrobeAnalysisLog) log = strobe_analysis_log_begin(name);
    gboolean placed = analyse_held(registry, &held, wish, folder, analysis, &failure);
    strobe_held_result_name(&held, failure);
    tidy_result(&held, wish, log, analysis, failure);
    strobe_held_result_close(&held);
    if (failure)
        g_propagate_error(error, failure);
    if (!placed)
        return NULL;
    g_autofree char *output = strobe_output_place_path(&analysis->place);
    analysis->files = list_files(output);
    if (wish->written)
        g_hash_table_replace(wish->written, g_strdup(folder), g_strdup(result->capture));
    analysis->output = g_steal_pointer(&folder);
    return g_steal_pointer(&analysis);
}

static void print_missing(const GPtrArray *lines)
{
    for (guint i = 0; i < MIN(lines->len, LINES_MAX); i++)
        strobe_complain("  %s", (char *)g_ptr_array_index(lines, i));
    if (lines->len > LINES_MAX)
        strobe_complain("  and %u more", lines->len - LINES_MAX);
}

gboolean strobe_analysis_report(StrobeRegistry *registry, const StrobeResult *result,
                                const StrobeAnalysisWish *wish, StrobeAnalysis **analysis,
                                int *code)
{
    g_autoptr(GError) error = NULL;
    const char *name = result->directory ? result->directory : result->capture;

    *analysis = strobe_analysis_run(registry, result, wish, &error);
    if (*analysis) {
        strobe_complain("%s: %" G_GUINT64_FORMAT " records, files in %s", name,
                        (*analysis)->n_records, (*analysis)->output);
        if ((*analysis)->is_live)
            strobe_complain("  the program still records; analyse it again when it has ended");
        print_missing((*analysis)->missing);
    }
    if (!error)
        return TRUE;
    gboolean is_named = g_str_has_prefix(error->message, name);
    strobe_complain("%s%s%s", is_named ? "" : name, is_named ? "" : ": ", error->message);
    *code = strobe_command_code(error);
    return FALSE;
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

/* Writes the kinds of derived records that touch a gap. */
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

void strobe_analysis_write(const StrobeAnalysis *analysis, const StrobeResult *result,
                           StrobeJsonWriter *json)
{
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
}
