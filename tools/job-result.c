/* SPDX-License-Identifier: Apache-2.0 */
#include "job-result.h"

#include <svp-names.h>

#include "external.h"
#include "import.h"
#include "memory-limit.h"
#include "progress-bar.h"

#define IMPORTER "svp_job"

static gboolean has_info(const char *path)
{
    g_autoptr(GDir) entries = g_dir_open(path, 0, NULL);
    const char *name;
    guint32 device;

    while (entries && (name = g_dir_read_name(entries)))
        if (svp_info_device(name, &device))
            return TRUE;
    return FALSE;
}

/* Whether the path is a JOB directory, even an incomplete one, because the importer reports missing
 * parts. */
static gboolean is_job(const char *path)
{
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autofree char *data = g_build_filename(whole, "data", NULL);

    return has_info(whole) || (svp_is_job_name(whole) && g_file_test(data, G_FILE_TEST_IS_DIR));
}

static void free_result(gpointer data)
{
    StrobeResult *result = data;

    g_free(result->directory);
    g_free(result->capture);
    g_free(result->source);
    g_free(result);
}

static GPtrArray *wrap_import(const char *path, const StrobeImport *import)
{
    GPtrArray *results = g_ptr_array_new_with_free_func(free_result);
    StrobeResult *result = g_new0(StrobeResult, 1);

    result->directory = g_strdup(path);
    result->capture = g_strdup(import->result.capture);
    result->source = g_strdup(import->result.source);
    g_ptr_array_add(results, result);
    return results;
}

static gboolean import_job(StrobeReadResults *found, const char *path,
                           const StrobeImportSource *source, GError **error)
{
    const StrobeImportWish wish = {.parent = found->scratch.path,
                                   .is_temporary = TRUE,
                                   .progress = strobe_bar_show,
                                   .progress_user = (gpointer) "importing"};
    g_autoptr(StrobeImport) import = strobe_import_run(source, &wish, error);

    strobe_bar_clear();
    if (!import)
        return FALSE;
    if (import->n_damage > 0)
        strobe_external_print(source, import);
    found->results = wrap_import(path, import);
    found->job = path;
    return TRUE;
}

static gboolean read_job(StrobeReadResults *found, const char *path, StrobeRegistry *registry,
                         GError **error)
{
    g_autofree char *beside = g_build_filename(strobe_temporary_folder(NULL), "strobe-job", NULL);
    g_autoptr(GPtrArray) sources = strobe_import_find(registry, path, IMPORTER, error);

    return sources && strobe_folder_begin(&found->scratch, beside, error) &&
           import_job(found, path, g_ptr_array_index(sources, 0), error);
}

gboolean strobe_read_results_find(StrobeReadResults *found, const char *path,
                                  StrobeRegistry *registry, GError **error)
{
    g_autoptr(GError) own = NULL;

    *found = (StrobeReadResults){.scratch = {.lock = -1, .around = -1}};
    found->results = strobe_result_find(path, &own);
    if (found->results)
        return TRUE;
    if (!is_job(path)) {
        g_propagate_error(error, g_steal_pointer(&own));
        return FALSE;
    }
    if (read_job(found, path, registry, error))
        return TRUE;
    strobe_read_results_clear(found);
    return FALSE;
}

void strobe_read_results_clear(StrobeReadResults *found)
{
    g_clear_pointer(&found->results, g_ptr_array_unref);
    strobe_folder_discard(&found->scratch);
    found->scratch = (StrobeFreshFolder){.lock = -1, .around = -1};
}
