/* SPDX-License-Identifier: Apache-2.0 */
#include "import-directory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"
#include "json-text.h"

#define RESULT_SUFFIX "_ascend_pt"
#define TRIES 1000

/* ---- the name ---- */

/* Returns the name of the source if it has the form {worker}_{pid}_{time}_ascend_pt, otherwise
 * NULL. */
static char *own_name(const char *source)
{
    g_autofree char *whole = g_canonicalize_filename(source, NULL);
    g_autofree char *name = g_path_get_basename(whole);

    if (g_regex_match_simple("^[-A-Za-z0-9._]+_[0-9]+_([0-9]{14}|[0-9]{17})" RESULT_SUFFIX "$",
                             name, 0, 0))
        return g_steal_pointer(&name);
    return NULL;
}

static char *made_name(const StrobeImport *import, guint try)
{
    const char *host = strobe_json_member_text(import->metadata, "host");
    g_autofree char *worker = g_strndup(*host ? host : "import", 128);
    gint64 ms = import->begin_ns / 1000000 + try;
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(ms / 1000);
    g_autofree char *stamp = time ? g_date_time_format(time, "%Y%m%d%H%M%S") : g_strdup("0");

    /* a name from a source may be any text */
    g_strcanon(worker, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
    return g_strdup_printf("%s_%" G_GINT64_FORMAT "_%s%03d" RESULT_SUFFIX, worker,
                           strobe_json_member_int(import->metadata, "pid", 0), stamp,
                           (int)(ms % 1000));
}

static gboolean set_io_error(const char *path, int number, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot create %s: %s", path,
                g_strerror(number));
    return FALSE;
}

static int create_entry(const StrobeImportWish *wish, const char *from, const char *path)
{
    return from ? wish->move(from, path) : mkdir(path, 0750);
}

/* Makes the directory in `parent`, or moves it there from `from`. If its name exists, uses the next
 * millisecond. */
static gboolean put_directory(StrobeImport *import, const char *source,
                              const StrobeImportWish *wish, const char *from, const char *parent,
                              GError **error)
{
    g_autofree char *own = own_name(source), *path = NULL;

    for (guint try = 0; try < TRIES; try++) {
        g_autofree char *name = own ? g_steal_pointer(&own) : made_name(import, try);

        g_free(path);
        path = g_build_filename(parent, name, NULL);
        if (create_entry(wish, from, path) == 0) {
            g_free(import->result.directory);
            import->result.directory = g_steal_pointer(&path);
            return TRUE;
        }
        if (errno != EEXIST)
            break;
    }
    return set_io_error(path, errno, error);
}

static int make_directory(StrobeImport *import, const char *source, const StrobeImportWish *wish,
                          GError **error)
{
    int directory;

    if (!put_directory(import, source, wish, NULL, wish->parent, error))
        return -1;
    directory = open(import->result.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        set_io_error(import->result.directory, errno, error);
    return directory;
}

static void name_capture(StrobeImport *import)
{
    g_free(import->result.capture);
    g_free(import->result.source);
    import->result.capture =
        g_build_filename(import->result.directory, STROBE_FRAMEWORK_DIR, STROBE_CAPTURE_NAME, NULL);
    import->result.source = g_strdup(import->result.capture);
}

/* Moves the complete directory to its place. */
static gboolean place_directory(StrobeImport *import, const char *source,
                                const StrobeImportWish *wish, GError **error)
{
    g_autofree char *from = g_strdup(import->result.directory);

    if (!wish->place)
        return TRUE;
    if (!put_directory(import, source, wish, from, wish->place, error))
        return FALSE;
    name_capture(import);
    return TRUE;
}

/* ---- the contents ---- */

static gboolean write_files(int directory, GHashTable *files, GError **error)
{
    GHashTableIter iter;
    gpointer name, bytes;

    g_hash_table_iter_init(&iter, files);
    while (g_hash_table_iter_next(&iter, &name, &bytes)) {
        StrobeSafeFile *file = strobe_safe_file_create(directory, name);
        int number = errno;

        if (file) {
            strobe_safe_file_write(file, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
            number = strobe_safe_file_finish(file);
        }
        if (number)
            return set_io_error(name, number, error);
    }
    return TRUE;
}

static int create_capture(int directory)
{
    if (mkdirat(directory, STROBE_FRAMEWORK_DIR, 0750))
        return -1;
    return openat(directory, STROBE_FRAMEWORK_DIR "/" STROBE_CAPTURE_NAME,
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
}

static gboolean write_capture(const StrobeImport *import, StrobeImportCapture *capture, int file,
                              const char *metadata, GError **error)
{
    if (strobe_import_capture_write(capture, file, metadata, error))
        return TRUE;
    g_prefix_error(error, "%s: ", import->result.capture);
    return FALSE;
}

static void discard_result(StrobeImport *import, int directory, GHashTable *files)
{
    GHashTableIter iter;
    gpointer name;

    g_hash_table_iter_init(&iter, files);
    while (g_hash_table_iter_next(&iter, &name, NULL))
        unlinkat(directory, name, 0);
    unlinkat(directory, STROBE_FRAMEWORK_DIR "/" STROBE_CAPTURE_NAME, 0);
    unlinkat(directory, STROBE_FRAMEWORK_DIR, AT_REMOVEDIR);
    rmdir(import->result.directory);
}

gboolean strobe_import_directory_make(StrobeImport *import, const char *source,
                                      const StrobeImportWish *wish, GHashTable *files,
                                      StrobeImportCapture *capture, const char *metadata,
                                      GError **error)
{
    int directory = make_directory(import, source, wish, error);
    gboolean good = FALSE;
    int file;

    if (directory < 0)
        return FALSE;
    name_capture(import);
    file = create_capture(directory);
    if (file < 0)
        set_io_error(import->result.capture, errno, error);
    else
        good = write_capture(import, capture, file, metadata, error) &&
               write_files(directory, files, error) && place_directory(import, source, wish, error);
    if (!good)
        discard_result(import, directory, files);
    close(directory);
    return good;
}
