/* SPDX-License-Identifier: Apache-2.0 */
#include "external.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "error.h"
#include "folder.h"
#include "held-result.h"
#include "json-text.h"
#include "progress-bar.h"
#include "terminal.h"

#define LINES_MAX 10
#define RAW_FOLDER "FRAMEWORK"
/* member of the metadata that is not 0 if nothing was read from ASCEND_PROFILER_OUTPUT */
#define OUTPUT_IS_FREE "output_is_free"

static void print_items(const char *title, const GPtrArray *items)
{
    for (guint i = 0; i < MIN(items->len, LINES_MAX); i++) {
        const StrobeImportItem *item = g_ptr_array_index(items, i);
        g_autofree char *part = strobe_text_excerpt(item->part, strlen(item->part), 200);
        g_autofree char *name =
            item->name ? strobe_text_excerpt(item->name, strlen(item->name), 200) : NULL;

        if (name)
            strobe_complain("  %s: %s: %s (%" G_GUINT64_FORMAT ")", title, part, name, item->n);
        else
            strobe_complain("  %s: %s (%" G_GUINT64_FORMAT ")", title, part, item->n);
    }
    if (items->len > LINES_MAX)
        strobe_complain("  %s: and %u more", title, items->len - LINES_MAX);
}

void strobe_external_print(const StrobeImportSource *source, const StrobeImport *import)
{
    strobe_complain("%s: %s, %" G_GUINT64_FORMAT " records", source->path, import->format,
                    import->n_records);
    print_items("found", import->found);
    print_items("unknown", import->unknown);
    print_items("damaged", import->damage);
}

/* Returns the path of the result directory: the source itself, or the folder that contains it if
 * the source is a file, the folder of raw data or ASCEND_PROFILER_OUTPUT. Free it. */
static char *directory_of(const char *path)
{
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autofree char *name = g_path_get_basename(whole);

    if (!g_file_test(whole, G_FILE_TEST_IS_DIR) || !strcmp(name, RAW_FOLDER) ||
        !strcmp(name, STROBE_OUTPUT_DIR))
        return g_path_get_dirname(whole);
    return g_steal_pointer(&whole);
}

static gboolean check_place(const StrobeImport *import, const char *directory,
                            const StrobeAnalysisWish *wish, GError **error)
{
    g_autofree char *output = g_build_filename(directory, STROBE_OUTPUT_DIR, NULL);

    if (wish->parent || strobe_json_member_int(import->metadata, OUTPUT_IS_FREE, 0))
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                "%s was read and would be replaced: name another place with -o", output);
    return FALSE;
}

static void analyse_source(const StrobeImportSource *source, const StrobeFreshFolder *scratch,
                           StrobeRegistry *registry, const StrobeAnalysisWish *wish,
                           StrobeJsonWriter *json, int *code)
{
    g_autofree char *held = strobe_folder_held_path(scratch->around, scratch->name);
    const StrobeImportWish how = {.parent = held,
                                  .is_temporary = TRUE,
                                  .progress = strobe_bar_show,
                                  .progress_user = (gpointer) "importing"};
    g_autoptr(StrobeAnalysis) analysis = NULL;
    g_autoptr(StrobeImport) import = NULL;
    g_autofree char *directory = directory_of(source->path);
    GError *error = NULL;
    int failed = 0;

    import = strobe_import_run(source, &how, &error);
    strobe_bar_clear();
    strobe_command_name(error, held, scratch->path);
    if (!import || !check_place(import, directory, wish, &error)) {
        failed = strobe_command_fail(error);
        *code = *code ? *code : failed;
        return;
    }
    strobe_external_print(source, import);
    const StrobeResult result = {
        .directory = directory, .capture = import->result.capture, .source = import->result.source};
    strobe_analysis_report(registry, &result, wish, &analysis, &failed);
    *code = *code ? *code : failed;
    if (!json)
        return;
    strobe_json_begin_object(json);
    strobe_analysis_write(analysis, &result, json);
    strobe_json_end_object(json);
}

/* Opens the folder in which the scratch folder is made: `parent` or, if it is NULL and the result
 * directory belongs to this user, that directory. -1 with an error. */
static int open_place(const char *directory, const char *parent, GError **error)
{
    if (parent)
        return strobe_folder_open(parent, "make the folder", error);
    int folder = strobe_folder_find(directory);
    int own = folder >= 0 ? strobe_folder_open_in(folder, ".") : -1;

    if (own < 0 && (errno == EPERM || errno == ELOOP))
        strobe_held_result_refuse(directory, error);
    else if (own < 0)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", directory,
                    g_strerror(errno));
    if (folder >= 0)
        close(folder);
    return own;
}

static gboolean begin_scratch(StrobeFreshFolder *scratch, const char *directory, const char *parent,
                              GError **error)
{
    g_autofree char *beside = g_build_filename(parent ? parent : directory, "strobe-import", NULL);
    int place = open_place(directory, parent, error);

    if (place < 0)
        return FALSE;
    gboolean good = strobe_folder_begin_in(scratch, place, beside, error);
    close(place);
    return good;
}

gboolean strobe_external_analyse(const char *path, StrobeRegistry *registry,
                                 const StrobeAnalysisWish *wish, StrobeJsonWriter *json, int *code,
                                 GError **error)
{
    GPtrArray *sources = strobe_import_find(registry, path, NULL, error);

    for (guint i = 0; sources && i < sources->len; i++) {
        const StrobeImportSource *source = g_ptr_array_index(sources, i);
        g_autofree char *directory = directory_of(source->path);
        StrobeFreshFolder scratch;
        GError *failure = NULL;

        if (begin_scratch(&scratch, directory, wish->parent, &failure)) {
            analyse_source(source, &scratch, registry, wish, json, code);
            strobe_folder_discard(&scratch);
        } else {
            int failed = strobe_command_fail(failure);
            *code = *code ? *code : failed;
        }
    }
    if (!sources)
        return FALSE;
    g_ptr_array_unref(sources);
    return TRUE;
}
