/* SPDX-License-Identifier: Apache-2.0 */
#include "external-data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strobe/kinds.h>
#include <strobe/strobe.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "error.h"
#include "import-capture.h"
#include "import-directory.h"
#include "import.h"
#include "json-text.h"
#include "memory-limit.h"

#define FOLDERS_MAX 64u

/* ---- the folders of a result ---- */

/* Does the result have folders that Strobe itself did not make? Most results have no such folders,
 * so their captures need not be read. */
static gboolean has_other_folders(const char *directory)
{
    static const char *const own[] = {STROBE_FRAMEWORK_DIR, STROBE_OUTPUT_DIR, "logs"};
    g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(directory, name, NULL);
        gboolean is_own = name[0] == '.';

        for (gsize i = 0; i < G_N_ELEMENTS(own); i++)
            is_own |= strcmp(name, own[i]) == 0;
        if (!is_own && g_file_test(path, G_FILE_TEST_IS_DIR))
            return TRUE;
    }
    return FALSE;
}

/* Is the name a file name without a path? A name from a capture may be any text, and must not lead
 * out of the result. */
static gboolean is_plain(StrobeText name)
{
    return name.length > 0 && name.length < 256 && name.bytes[0] != '.' &&
           strlen(name.bytes) == name.length && !strchr(name.bytes, '/') &&
           g_utf8_validate(name.bytes, (gssize)name.length, NULL);
}

static void take_folder(const StrobeReader *reader, const StrobeView *record, GPtrArray *folders)
{
    StrobeText key = strobe_reader_string(reader, record->name);
    guint32 at = G_MAXUINT32;

    for (guint32 i = 0; i < record->kind->n_fields; i++)
        if (strcmp(record->kind->fields[i].name, "value") == 0 &&
            record->kind->fields[i].type == STROBE_FIELD_STRING)
            at = record->kind->fields[i].offset;
    if (at == G_MAXUINT32 || strcmp(key.bytes, STROBE_METADATA_EXTERNAL))
        return;
    StrobeText name = strobe_reader_string(reader, strobe_view_u32(record, at));
    if (is_plain(name) && folders->len < FOLDERS_MAX &&
        !g_ptr_array_find_with_equal_func(folders, name.bytes, g_str_equal, NULL))
        g_ptr_array_add(folders, g_strdup(name.bytes));
}

static GPtrArray *find_folders(StrobeReader *reader)
{
    g_autofree StrobeView *views = g_new(StrobeView, STROBE_BATCH);
    GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
    gsize n;

    strobe_reader_keep_strings(reader);
    while ((n = strobe_reader_next(reader, views, STROBE_BATCH, NULL)))
        for (gsize i = 0; i < n; i++)
            if (strcmp(views[i].kind->name, "metadata") == 0)
                take_folder(reader, &views[i], folders);
    return folders;
}

/* ---- the existing file ---- */

/* Returns the metadata "external" of a capture that is read with its external data; NULL: none. */
static JsonArray *entries_of(StrobeReader *reader)
{
    JsonObject *metadata = reader ? strobe_reader_metadata(reader) : NULL;
    JsonNode *node = metadata && json_object_has_member(metadata, "external")
                         ? json_object_get_member(metadata, "external")
                         : NULL;

    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

static JsonObject *entry_at(JsonArray *entries, guint index)
{
    JsonNode *node = json_array_get_element(entries, index);

    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static gint64 sum_of_records(JsonArray *entries)
{
    gint64 sum = 0;

    for (guint i = 0; entries && i < json_array_get_length(entries); i++)
        if (entry_at(entries, i))
            sum += strobe_json_member_int(entry_at(entries, i), "records", 0);
    return sum;
}

static gboolean is_newer(const char *path, const struct timespec *than)
{
    struct stat st;

    return stat(path, &st) == 0 &&
           (st.st_mtim.tv_sec > than->tv_sec ||
            (st.st_mtim.tv_sec == than->tv_sec && st.st_mtim.tv_nsec > than->tv_nsec));
}

/* Has the folder changed since that time? A new export of the vendor's tool is a new file in the
 * folder. */
static gboolean has_changed(const char *folder, const struct timespec *since)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    gboolean has = is_newer(folder, since);
    const char *name;

    while (dir && !has && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        has = is_newer(path, since);
    }
    return has;
}

/* Is the existing file up to date? It is if this version read everything, and nothing has changed
 * since. */
static gboolean is_current(const StrobeResult *result)
{
    g_autofree char *parent = g_path_get_dirname(result->capture);
    g_autofree char *file = g_build_filename(parent, STROBE_EXTERNAL_NAME, NULL);
    struct stat st;

    if (stat(file, &st) != 0)
        return FALSE;
    StrobeReader *reader = strobe_reader_open(result->source, NULL);
    JsonArray *entries = entries_of(reader);
    gboolean is_good = entries && json_array_get_length(entries) > 0;
    for (guint i = 0; is_good && i < json_array_get_length(entries); i++) {
        JsonObject *entry = entry_at(entries, i);
        const char *name = entry ? strobe_json_member_text(entry, "directory") : "";
        g_autofree char *folder = g_build_filename(result->directory, name, NULL);

        is_good = entry && *name && !strchr(name, '/') &&
                  !json_object_has_member(entry, "problem") &&
                  !strcmp(strobe_json_member_text(entry, "strobe_version"), strobe_version()) &&
                  !has_changed(folder, &st.st_mtim);
    }
    strobe_reader_free(reader);
    return is_good;
}

/* ---- reading the folders ---- */

typedef struct Join {
    StrobeRegistry *registry;
    const StrobeResult *result;
    const char *directory;    /* path of the result, as the user named it */
    const GPtrArray *options; /* options of importers */
    StrobeImportWish wish;
    StrobeImportJoin join;
    JsonObject *metadata; /* metadata of the file */
    JsonArray *entries;
    char *problem; /* the first problem; NULL: none */
    int logs;      /* descriptor of the folder for the tools' output, -1: none */
} Join;

static void tell_problem(Join *join, const char *folder, const char *text)
{
    StrobeImportCapture *capture = join->join.capture;
    char scratch[256];
    StrobeKindId kind =
        strobe_import_capture_kind(capture, &strobe_kind_diagnostic, scratch, sizeof scratch);
    StrobeStringId name = strobe_import_capture_intern(capture, folder, strlen(folder), FALSE);
    struct strobe_diagnostic *fields =
        kind ? strobe_import_capture_add(capture, kind, 0, name, join->join.begin_ns, 0, NULL)
             : NULL;

    if (!fields)
        return;
    fields->text = strobe_import_capture_intern(capture, text, strlen(text), FALSE);
    fields->level = STROBE_LOG_WARNING;
}

/* Returns the source that is the folder as a whole; NULL with the error set. */
static StrobeImportSource *source_of(GPtrArray *sources, const char *path, GError **error)
{
    for (guint i = 0; sources && i < sources->len; i++) {
        StrobeImportSource *source = g_ptr_array_index(sources, i);

        if (strcmp(source->path, path) == 0)
            return source;
    }
    if (sources)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "no importer reads it as a whole");
    return NULL;
}

static void take_metadata(Join *join, JsonObject *metadata)
{
    g_autoptr(GList) names = json_object_get_members(metadata);

    for (GList *name = names; name; name = name->next)
        if (!json_object_has_member(join->metadata, name->data))
            json_object_set_member(join->metadata, name->data,
                                   json_node_copy(json_object_get_member(metadata, name->data)));
}

/* Reads the raw data in addition, for kinds of records that the export of the vendor's tool
 * lacks. */
static void fill_in(Join *join, const char *path, const StrobeComponent *importer)
{
    g_autoptr(GPtrArray) sources = strobe_import_find_raw(join->registry, path);
    StrobeImportSource *source = sources ? source_of(sources, path, NULL) : NULL;

    if (!source || source->importer == importer)
        return;
    strobe_import_capture_fill_in(join->join.capture);
    join->wish.options = strobe_import_options(join->options, source->importer);
    strobe_import_free(strobe_import_run(source, &join->wish, NULL));
}

static void import_folder(Join *join, const char *path, JsonObject *entry, GError **error)
{
    g_autoptr(GPtrArray) sources = strobe_import_find(join->registry, path, NULL, error);
    StrobeImportSource *source = sources ? source_of(sources, path, error) : NULL;
    guint64 before = strobe_import_capture_n_records(join->join.capture, 0);
    g_autoptr(StrobeImport) import = NULL;

    if (!source)
        return;
    json_object_set_string_member(entry, "importer", source->importer->name);
    json_object_set_string_member(entry, "format", source->format);
    join->wish.options = strobe_import_options(join->options, source->importer);
    import = strobe_import_run(source, &join->wish, error);
    if (!import)
        return;
    fill_in(join, path, source->importer);
    json_object_set_int_member(
        entry, "records",
        (gint64)(strobe_import_capture_n_records(join->join.capture, 0) - before));
    json_object_set_int_member(entry, "shift_ns", import->shift_ns);
    take_metadata(join, import->metadata);
}

static void join_folder(Join *join, const char *folder)
{
    g_autofree char *path = g_build_filename(join->directory, folder, NULL);
    JsonObject *entry = json_object_new();
    g_autoptr(GError) failure = NULL;
    g_autoptr(GError) unread = NULL;
    struct stat st;

    json_object_set_string_member(entry, "directory", folder);
    json_object_set_string_member(entry, "strobe_version", strobe_version());
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_INPUT, "the folder is not there");
    } else {
        strobe_import_prepare(join->registry, path, join->logs, join->options, &failure);
        import_folder(join, path, entry, &unread);
    }
    /* The failure of the preparation explains why the folder cannot be read. */
    const GError *problem = failure ? failure : unread;
    if (problem) {
        json_object_set_string_member(entry, "problem", problem->message);
        tell_problem(join, folder, problem->message);
        if (!join->problem)
            join->problem = g_strdup(problem->message);
    }
    json_array_add_object_element(join->entries, entry);
}

/* ---- the file ---- */

static gboolean set_io_error(const Join *join, int number, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "Cannot write " STROBE_FRAMEWORK_DIR "/" STROBE_EXTERNAL_NAME " in %s: %s",
                join->directory, g_strerror(number));
    return FALSE;
}

#define NAME_TRIES 100

/* Is the name a temporary name that create_file made? */
static gboolean is_leaving(const char *name)
{
    return g_str_has_prefix(name, ".external-") && g_str_has_suffix(name, ".new");
}

/* Removes a temporary file if it has no lock, which means that its writer has ended. A process id
 * would not show this, because the writer may be in another container. */
static void remove_leaving(int folder, const char *name)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(file);
}

/* Removes temporary files of analyses that were killed. */
static void remove_leavings(const char *parent, int folder)
{
    g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir)))
        if (is_leaving(name))
            remove_leaving(folder, name);
}

/* Does the file still have its name? Another analysis may have removed it before it was locked. */
static gboolean is_named(int file, int folder, const char *name)
{
    struct stat ours, named;

    return fstat(file, &ours) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/* Creates a locked file with a unique temporary name; -1 with errno. */
static int create_file(int folder, char **name)
{
    int file = -1;

    for (guint i = 0; i < NAME_TRIES && file < 0; i++) {
        g_free(*name);
        *name = g_strdup_printf(".external-%08x.new", g_random_int());
        file = openat(folder, *name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
        if (file < 0 && errno != EEXIST)
            break;
        if (file >= 0 && (flock(file, LOCK_EX | LOCK_NB) != 0 || !is_named(file, folder, *name))) {
            close(file);
            file = -1;
            errno = EAGAIN;
        }
    }
    return file;
}

/* Could a folder not be read, and does the existing file contain more records than can be read now?
 * This happens, for example, if the vendor's files were deleted. */
static gboolean is_less_than_before(const Join *join)
{
    StrobeReader *reader = join->problem ? strobe_reader_open(join->result->source, NULL) : NULL;
    gboolean is_less = sum_of_records(entries_of(reader)) > sum_of_records(join->entries);

    strobe_reader_free(reader);
    return is_less;
}

/* Writes the file and renames it; a failure leaves no file. */
static gboolean write_in(Join *join, int folder, const char *metadata, GError **error)
{
    g_autofree char *name = NULL;
    int file = create_file(folder, &name);
    /* a second descriptor keeps the lock until the file has its final name */
    int lock = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, 3) : -1;
    gboolean good = FALSE;

    if (file < 0)
        return set_io_error(join, errno, error);
    good = strobe_import_capture_write(join->join.capture, file, metadata, error);
    if (!good)
        g_prefix_error(error, "%s in %s: ", STROBE_EXTERNAL_NAME, join->directory);
    if (good && renameat(folder, name, folder, STROBE_EXTERNAL_NAME) != 0)
        good = set_io_error(join, errno, error);
    if (!good)
        unlinkat(folder, name, 0);
    if (lock >= 0)
        close(lock);
    return good;
}

static gboolean write_file(Join *join, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(join->result->capture);
    g_autofree char *metadata = NULL;
    int folder = open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    gboolean good;

    if (folder < 0)
        return set_io_error(join, errno, error);
    remove_leavings(parent, folder);
    json_object_set_array_member(join->metadata, "external", json_array_ref(join->entries));
    metadata = strobe_json_object_to_text(join->metadata, 0);
    good = write_in(join, folder, metadata, error);
    close(folder);
    return good;
}

static void begin_join(Join *join, const StrobeReader *reader)
{
    JsonObject *recorded = strobe_reader_metadata(reader);
    g_autofree char *parent = g_path_get_dirname(join->result->capture);
    g_autofree char *logs = g_build_filename(join->result->directory, "logs", NULL);
    gint64 start = strobe_json_member_int(recorded, "start_realtime_ns", 0);
    gint64 raw = strobe_json_member_int(recorded, "start_raw_ns", 0);

    join->join.capture =
        strobe_import_capture_new_beside(parent, strobe_memory_limit() / 4, reader);
    join->join.begin_ns = strobe_reader_stats(reader)->begin_ns;
    join->join.raw_offset = start - raw;
    join->join.has_raw_offset = start > 0 && raw > 0;
    join->wish.parent = join->result->directory;
    join->wish.join = &join->join;
    join->logs = open(logs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    join->entries = json_array_new();
    join->metadata = json_object_new();
    json_object_set_string_member(join->metadata, "pool_id",
                                  strobe_json_member_text(recorded, "pool_id"));
    json_object_set_int_member(join->metadata, "start_realtime_ns", start);
}

static gboolean join_folders(Join *join, const StrobeReader *reader, const GPtrArray *folders,
                             GError **error)
{
    gboolean good;

    begin_join(join, reader);
    for (guint i = 0; i < folders->len; i++)
        join_folder(join, g_ptr_array_index(folders, i));
    good = !is_less_than_before(join);
    if (good)
        good = write_file(join, error);
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    STROBE_FRAMEWORK_DIR "/" STROBE_EXTERNAL_NAME
                                         " in %s stays as it was, because less can be read now: %s",
                    join->directory, join->problem);
    g_free(join->problem);
    strobe_import_capture_free(join->join.capture);
    json_object_unref(join->metadata);
    json_array_unref(join->entries);
    if (join->logs >= 0)
        close(join->logs);
    return good;
}

static gboolean any_is_there(const StrobeResult *result, const GPtrArray *folders)
{
    for (guint i = 0; i < folders->len; i++) {
        g_autofree char *path =
            g_build_filename(result->directory, g_ptr_array_index(folders, i), NULL);

        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            return TRUE;
    }
    return FALSE;
}

static gboolean refuse_directory(const char *directory, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                "%s: its external data are not read: only \"strobe analyse\" by its owner can add "
                "them",
                directory);
    return FALSE;
}

gboolean strobe_external_data_join(StrobeRegistry *registry, const StrobeResult *result,
                                   const char *directory, gboolean is_own, const GPtrArray *options,
                                   StrobeProgress progress, gpointer user, GError **error)
{
    Join join = {.registry = registry,
                 .result = result,
                 .directory = directory,
                 .options = options,
                 .wish = {.progress = progress, .progress_user = user}};
    g_autoptr(GPtrArray) folders = NULL;
    gboolean good = TRUE;

    if (!result->directory || !has_other_folders(result->directory))
        return TRUE;
    if ((!options || options->len == 0) && is_current(result))
        return TRUE;
    StrobeReader *reader = strobe_reader_open_own(result->source, NULL);
    if (!reader)
        return TRUE; /* the reader of the capture's records reports the reason */
    if (strobe_reader_stats(reader)->sealed &&
        !json_object_has_member(strobe_reader_metadata(reader), "source"))
        folders = find_folders(reader);
    if (folders && any_is_there(result, folders))
        good = is_own ? join_folders(&join, reader, folders, error)
                      : refuse_directory(directory, error);
    strobe_reader_free(reader);
    return good;
}
