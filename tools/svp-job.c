/* SPDX-License-Identifier: Apache-2.0 */
#include "svp-job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <strobe/helpers/safe-file.h>
#include <svp-names.h>

#include "command.h"
#include "error.h"
#include "folder.h"
#include "external.h"
#include "progress-bar.h"
#include "terminal.h"

#define FREE_BYTES_MIN ((guint64)512 << 20)
#define IMPORTER "svp_job"
#define LOG_FOLDER "log"
#define CAUSES                                                                                     \
    "was the model built with --online_model_type=2, did the program execute it (loading and "     \
    "unloading alone collect nothing), and did the collection succeed?"

/* ---- opening ---- */

gboolean strobe_svp_check_path(const char *option, const char *path, GError **error)
{
    const char *at = NULL;
    const int verdict = svp_path_check(path, &at);

    if (verdict == SVP_PATH_GOOD)
        return TRUE;
    g_autofree char *shown = strobe_text_excerpt(path, strlen(path), 400);
    if (verdict == SVP_PATH_UNUSUAL) {
        strobe_complain("%s %s: \"%c\" is unusual in a path for profiling", option, shown, *at);
        return TRUE;
    }
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s %s: the character 0x%02x is not allowed in a path for profiling: letters, "
                "digits and _ are",
                option, shown, (guchar)*at);
    return FALSE;
}

gboolean strobe_svp_check_strictly(const char *option, const char *path, GError **error)
{
    const char *at = NULL;

    if (svp_path_check(path, &at) != SVP_PATH_UNUSUAL)
        return TRUE; /* strobe_svp_check_path refuses paths with forbidden characters */
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "%s %s: \"%c\" is unusual in a path for profiling, and refused by --strict-path",
                option, path, *at);
    return FALSE;
}

static gboolean refuse_job(const StrobeSvpJob *job, GError **error, const char *why)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: %s", job->path, why);
    return FALSE;
}

/* Returns the number of entries in a folder for which `is_counted` is TRUE. */
static guint count_entries(int folder, const char *name, gboolean (*is_counted)(const char *name))
{
    int descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    struct dirent *entry;
    guint n = 0;

    while (entries && (entry = readdir(entries)))
        n += is_counted(entry->d_name);
    if (entries)
        closedir(entries);
    else if (descriptor >= 0)
        close(descriptor);
    return n;
}

static gboolean is_info(const char *name)
{
    guint32 device;

    return svp_info_device(name, &device);
}

static gboolean is_any(const char *name)
{
    return name[0] != '.';
}

static gboolean check_parts(const StrobeSvpJob *job, GError **error)
{
    const guint n_infos = count_entries(job->folder, ".", is_info);

    if (!svp_is_job_name(job->name))
        return refuse_job(job, error, "the name of a JOB directory begins with JOB");
    if (n_infos == 0)
        return refuse_job(job, error, "no JOB: there is no file info.json.<device> in it");
    if (n_infos > 1)
        return refuse_job(job, error, "several files info.json.<device> in it, expected one");
    if (faccessat(job->folder, "data", F_OK, 0) != 0)
        return refuse_job(job, error, "it has no folder data: " CAUSES);
    if (count_entries(job->folder, "data", is_any) == 0)
        return refuse_job(job, error, "its folder data is empty: " CAUSES);
    return TRUE;
}

static gboolean open_folder(StrobeSvpJob *job, GError **error)
{
    struct stat st;

    job->folder = open(job->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (job->folder >= 0 && fstat(job->folder, &st) == 0)
        return TRUE;
    return refuse_job(job, error, g_strerror(errno));
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the path with "~" at its start expanded as by a shell, and without trailing slashes (free
 * it). */
static char *expand_path(const char *path)
{
    char *expanded = path[0] == '~' && (path[1] == '/' || !path[1])
                         ? g_strconcat(g_get_home_dir(), path + 1, NULL)
                         : g_strdup(path);

    for (gsize n = strlen(expanded); n > 1 && expanded[n - 1] == '/'; n--)
        expanded[n - 1] = '\0';
    return expanded;
}

GPtrArray *strobe_svp_jobs_in(const char *path, GError **error)
{
    g_autofree char *folder = expand_path(path);
    g_autoptr(GPtrArray) jobs = g_ptr_array_new_with_free_func(g_free);
    DIR *entries = opendir(folder);
    const char *why = entries ? "there is no JOB directory in it" : g_strerror(errno);
    struct dirent *entry;

    while (entries && (entry = readdir(entries))) {
        g_autofree char *job = g_build_filename(folder, entry->d_name, NULL);

        if (svp_is_job_name(entry->d_name) && g_file_test(job, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(jobs, g_steal_pointer(&job));
    }
    if (entries)
        closedir(entries);
    g_ptr_array_sort(jobs, compare_texts);
    if (jobs->len)
        return g_steal_pointer(&jobs);
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: %s", path, why);
    return NULL;
}

gboolean strobe_svp_job_open(StrobeSvpJob *job, const char *path, char **plugin_path,
                             GError **error)
{
    memset(job, 0, sizeof *job);
    job->folder = -1;
    job->path = expand_path(path);
    g_autofree char *whole = g_canonicalize_filename(job->path, NULL);
    job->name = g_path_get_basename(whole);
    if (strobe_svp_check_path("-dir", job->path, error) && open_folder(job, error) &&
        check_parts(job, error)) {
        job->registry = strobe_registry_new((const char *const *)plugin_path);
        return TRUE;
    }
    strobe_svp_job_close(job);
    return FALSE;
}

void strobe_svp_job_close(StrobeSvpJob *job)
{
    if (job->folder >= 0)
        close(job->folder);
    job->folder = -1;
    g_clear_pointer(&job->registry, strobe_registry_free);
    g_clear_pointer(&job->path, g_free);
    g_clear_pointer(&job->name, g_free);
}

/* ---- reading ---- */

static StrobeImport *import_job(StrobeSvpJob *job, const char *scratch, GError **error)
{
    const StrobeImportWish how = {.parent = scratch,
                                  .is_temporary = TRUE,
                                  .progress = strobe_bar_show,
                                  .progress_user = (gpointer) "importing"};
    g_autofree char *path = strobe_folder_held_path(job->folder, ".");

    g_autoptr(GPtrArray) sources = strobe_import_find(job->registry, path, IMPORTER, error);
    StrobeImport *import =
        sources ? strobe_import_run(g_ptr_array_index(sources, 0), &how, error) : NULL;

    strobe_bar_clear();
    if (import) {
        StrobeImportSource *source = g_ptr_array_index(sources, 0);

        g_free(source->path); /* the path that the user gave */
        source->path = g_strdup(job->path);
        strobe_external_print(source, import);
    }
    if (error && *error)
        strobe_command_name(*error, path, job->path);
    return import;
}

static StrobeAnalysis *run_exporters(StrobeSvpJob *job, const StrobeImport *import,
                                     const StrobeSvpOutput *outputs, const char *scratch,
                                     GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *parent = g_build_filename(scratch, "files", NULL);
    StrobeAnalysis *analysis = NULL;

    for (; outputs->exporter; outputs++)
        g_ptr_array_add(names, (gpointer)outputs->exporter);
    g_ptr_array_add(names, NULL);
    StrobeConfig *config = strobe_analysis_exporters(NULL, (char **)names->pdata, NULL, error);
    if (config) {
        const StrobeAnalysisWish wish = {.exporters = config->exporters, .parent = parent};

        if (strobe_analysis_check(job->registry, &wish, error))
            analysis = strobe_analysis_run(job->registry, &import->result, &wish, error);
        strobe_config_free(config);
    }
    return analysis;
}

/* ---- moving files into place ---- */

static gboolean set_write_error(const StrobeSvpJob *job, const char *folder, const char *name,
                                GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s/%s/%s: %s", job->path,
                folder, name, g_strerror(errno));
    return FALSE;
}

static gboolean is_of(const StrobeSvpOutput *output, const char *name)
{
    if (!g_str_has_suffix(name, output->ending))
        return FALSE;
    for (const char *const *prefix = output->prefixes; *prefix; prefix++)
        if (g_str_has_prefix(name, *prefix))
            return TRUE;
    return FALSE;
}

static int open_output(int job, const char *name)
{
    if (mkdirat(job, name, 0750) != 0 && errno != EEXIST)
        return -1;
    return openat(job, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes the files of an earlier export from the folder: those that `output` would replace and
 * that are not in `made`. */
static void remove_stale(int folder, const StrobeSvpOutput *output, const GPtrArray *made)
{
    int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    struct dirent *entry;

    while (entries && (entry = readdir(entries)))
        if (is_of(output, entry->d_name) &&
            !g_ptr_array_find_with_equal_func((GPtrArray *)made, entry->d_name, g_str_equal, NULL))
            unlinkat(folder, entry->d_name, 0);
    if (entries)
        closedir(entries);
    else if (descriptor >= 0)
        close(descriptor);
}

static gboolean place_files(const StrobeSvpJob *job, const StrobeSvpOutput *output,
                            const StrobeAnalysis *analysis, const char *from, GError **error)
{
    int source = open(from, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int folder = open_output(job->folder, output->folder);
    gboolean good = source >= 0 && folder >= 0;

    if (!good)
        set_write_error(job, output->folder, "", error);
    for (guint i = 0; good && i < analysis->files->len; i++) {
        const char *name = g_ptr_array_index(analysis->files, i);

        if (!is_of(output, name))
            continue;
        good = renameat(source, name, folder, name) == 0 ||
               set_write_error(job, output->folder, name, error);
        if (good && !job->is_silent)
            printf("%s/%s/%s\n", job->path, output->folder, name);
    }
    if (good)
        remove_stale(folder, output, analysis->files);
    if (source >= 0)
        close(source);
    if (folder >= 0)
        close(folder);
    return good;
}

/* Moves the file to the path output->file. The scratch folder is next to this path, so a rename is
 * possible. FALSE with an error. */
static gboolean place_outside(const StrobeSvpOutput *output, const StrobeAnalysis *analysis,
                              const char *from, GError **error)
{
    for (guint i = 0; i < analysis->files->len; i++) {
        const char *name = g_ptr_array_index(analysis->files, i);
        g_autofree char *path = g_build_filename(from, name, NULL);

        if (!is_of(output, name))
            continue;
        if (rename(path, output->file) != 0) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", output->file,
                        g_strerror(errno));
            return FALSE;
        }
        printf("%s\n", output->file);
    }
    return TRUE;
}

static guint count_files(const StrobeSvpOutput *output, const StrobeAnalysis *analysis)
{
    guint n = 0;

    for (guint i = 0; i < analysis->files->len; i++)
        n += is_of(output, g_ptr_array_index(analysis->files, i));
    return n;
}

static void keep_files(const StrobeSvpOutput *output, const StrobeAnalysis *analysis,
                       const char *from, GHashTable *kept)
{
    for (guint i = 0; kept && i < analysis->files->len; i++) {
        const char *name = g_ptr_array_index(analysis->files, i);
        g_autofree char *path = g_build_filename(from, name, NULL);
        char *text;

        if (is_of(output, name) && g_file_get_contents(path, &text, NULL, NULL))
            g_hash_table_insert(kept, g_strdup(name), text);
    }
}

/* Makes the folders of the outputs that have files. Moving the files into them is then only a
 * rename, which needs no room on the disk. FALSE with an error. */
static gboolean make_folders(const StrobeSvpJob *job, const StrobeSvpOutput *outputs,
                             const StrobeAnalysis *analysis, GError **error)
{
    for (; outputs->exporter; outputs++) {
        if (outputs->file || !outputs->folder || count_files(outputs, analysis) == 0)
            continue;
        const int folder = open_output(job->folder, outputs->folder);
        if (folder < 0)
            return set_write_error(job, outputs->folder, "", error);
        close(folder);
    }
    return TRUE;
}

static gboolean place_outputs(const StrobeSvpJob *job, const StrobeSvpOutput *outputs,
                              const StrobeAnalysis *analysis, GHashTable *kept, GError **error)
{
    const char *from = analysis->output;

    if (!make_folders(job, outputs, analysis, error))
        return FALSE;
    for (; outputs->exporter; outputs++) {
        if (outputs->file) {
            if (!place_outside(outputs, analysis, from, error))
                return FALSE;
        } else if (!outputs->folder)
            keep_files(outputs, analysis, from, kept);
        else if (count_files(outputs, analysis) == 0)
            strobe_complain("%s: no data were collected for %s", job->path, outputs->folder);
        else if (!place_files(job, outputs, analysis, from, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- the log ---- */

static void add_items(GString *text, const char *what, const GPtrArray *items)
{
    for (guint i = 0; i < items->len; i++) {
        const StrobeImportItem *item = g_ptr_array_index(items, i);

        g_string_append_printf(text, "%s: %s%s%s: %" G_GUINT64_FORMAT "\n", what, item->part,
                               item->name ? ": " : "", item->name ? item->name : "", item->n);
    }
}

/* Writes log/collection_<job>.log, which lists the parts that were found, and those that are
 * unknown or damaged. FALSE with an error. */
static gboolean write_log(const StrobeSvpJob *job, const StrobeImport *import,
                          const StrobeAnalysis *analysis, GError **error)
{
    g_autofree char *name = g_strdup_printf("collection_%s.log", job->name);
    g_autoptr(GString) text = g_string_new(NULL);
    int folder = open_output(job->folder, LOG_FOLDER);
    StrobeSafeFile *file = folder >= 0 ? strobe_safe_file_create(folder, name) : NULL;
    int number = errno;

    add_items(text, "found", import->found);
    add_items(text, "unknown", import->unknown);
    add_items(text, "damaged", import->damage);
    g_string_append_printf(text,
                           "records: %" G_GUINT64_FORMAT "\nstored: %" G_GUINT64_FORMAT
                           "\nlost: %" G_GUINT64_FORMAT "\n",
                           import->n_records, analysis->n_stored, analysis->n_lost);
    if (file) {
        strobe_safe_file_write(file, text->str, text->len);
        number = strobe_safe_file_finish(file);
    }
    if (folder >= 0)
        close(folder);
    errno = number;
    return (file && !number) || set_write_error(job, LOG_FOLDER, name, error);
}

/* ---- export ---- */

static void warn_of_space(const StrobeSvpJob *job)
{
    struct statvfs disk;

    if (fstatvfs(job->folder, &disk) == 0 &&
        (guint64)disk.f_bavail * disk.f_frsize < FREE_BYTES_MIN)
        strobe_complain("%s: only %" G_GUINT64_FORMAT " MB are free there", job->path,
                        (guint64)disk.f_bavail * disk.f_frsize >> 20);
}

static gboolean export_in(StrobeSvpJob *job, const char *scratch, const StrobeSvpOutput *outputs,
                          GHashTable *kept, StrobeAnalysis **analysis, GError **error)
{
    g_autoptr(StrobeImport) import = import_job(job, scratch, error);
    GError *failure = NULL;

    if (!import)
        return FALSE;
    *analysis = run_exporters(job, import, outputs, scratch, &failure);
    /* if one of the exporters has failed, the files of the others are not used either */
    if (failure) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    /* The log is written first, so that no output is placed if the log does not fit on the disk. */
    return *analysis && (outputs->file || write_log(job, import, *analysis, error)) &&
           place_outputs(job, outputs, *analysis, kept, error);
}

gboolean strobe_svp_job_export(StrobeSvpJob *job, const StrobeSvpOutput *outputs, GHashTable *kept,
                               StrobeAnalysis **analysis, GError **error)
{
    g_autofree char *beside = g_build_filename(job->path, "strobe-svp", NULL);
    StrobeAnalysis *made = NULL;
    StrobeFreshFolder scratch;

    warn_of_space(job);
    if (outputs->file ? !strobe_folder_begin(&scratch, outputs->file, error)
                      : !strobe_folder_begin_in(&scratch, job->folder, beside, error))
        return FALSE;
    g_autofree char *held = strobe_folder_held_path(scratch.around, scratch.name);
    gboolean good = export_in(job, held, outputs, kept, &made, error);
    if (!good && error && *error)
        strobe_command_name(*error, held, scratch.path);
    strobe_folder_discard(&scratch);
    if (good && analysis)
        *analysis = g_steal_pointer(&made);
    strobe_analysis_free(made);
    return good;
}
