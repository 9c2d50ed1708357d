/* SPDX-License-Identifier: Apache-2.0 */
#include "report-source.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "held-result.h"
#include "reader.h"
#include "report-scratch.h"

#define DEPTH_MAX 4u
#define CONFIGURATION_MAX (64u << 10) /* maximum number of bytes of all these files together */

/* One file of a result. */
typedef struct SourceFile {
    char *name; /* path below the result directory */
    guint64 bytes;
} SourceFile;

static void free_file(gpointer data)
{
    g_free(((SourceFile *)data)->name);
}

static gint compare_files(gconstpointer a, gconstpointer b)
{
    return strcmp(((const SourceFile *)a)->name, ((const SourceFile *)b)->name);
}

/* ---- the files ---- */

/* Adds all regular files below an open folder to `files`, and closes the folder. Does not follow
 * links. */
static void list_files(int folder, const char *prefix, guint depth, GArray *files)
{
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;
    const struct dirent *entry;

    if (!entries && folder >= 0)
        close(folder);
    while (entries && (entry = readdir(entries))) {
        g_autofree char *name = g_strconcat(prefix, entry->d_name, NULL);
        struct stat about;

        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
            fstatat(dirfd(entries), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(about.st_mode)) {
            const SourceFile file = {g_steal_pointer(&name), (guint64)about.st_size};
            g_array_append_val(files, file);
        } else if (S_ISDIR(about.st_mode) && depth < DEPTH_MAX) {
            g_autofree char *below = g_strconcat(name, "/", NULL);
            list_files(openat(dirfd(entries), entry->d_name,
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                       below, depth + 1, files);
        }
    }
    if (entries)
        closedir(entries);
}

static void write_files(const GArray *files, guint most, StrobeJsonWriter *json)
{
    guint n = MIN(files->len, most);

    strobe_json_key(json, "files");
    strobe_json_begin_array(json);
    for (guint i = 0; i < n; i++) {
        const SourceFile *file = &g_array_index(files, SourceFile, i);

        strobe_json_begin_array(json);
        strobe_json_text(json, file->name, strlen(file->name));
        strobe_json_uint(json, file->bytes);
        strobe_json_end_array(json);
    }
    strobe_json_end_array(json);
    strobe_json_key(json, "files_left_out");
    strobe_json_uint(json, files->len - n);
}

/* ---- the configuration ---- */

/* Returns the bytes of a file (free them). NULL: it is no regular file, or has more than `most`
 * bytes. */
static char *read_text(int folder, const char *name, gsize most, gsize *length)
{
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    char *text = NULL;

    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size <= (off_t)most) {
        text = g_malloc((gsize)about.st_size + 1);
        ssize_t n = pread(file, text, (size_t)about.st_size, 0);
        *length = n > 0 ? (gsize)n : 0;
    }
    if (file >= 0)
        close(file);
    return text;
}

/* Whether the name is profiler_*.json in the result directory itself, for example
 * profiler_info.json. */
static gboolean is_configuration(const char *name)
{
    return g_str_has_prefix(name, "profiler_") && g_str_has_suffix(name, ".json") &&
           !strchr(name, '/');
}

static void write_configuration(int folder, const GArray *files, StrobeJsonWriter *json)
{
    gsize room = CONFIGURATION_MAX;
    guint n_left_out = 0;

    strobe_json_key(json, "configuration");
    strobe_json_begin_array(json);
    for (guint i = 0; i < files->len; i++) {
        const char *name = g_array_index(files, SourceFile, i).name;
        gsize length = 0;

        if (!is_configuration(name))
            continue;
        g_autofree char *text = read_text(folder, name, room, &length);
        if (!text) {
            n_left_out++;
            continue;
        }
        room -= length;
        strobe_json_begin_array(json);
        strobe_json_text(json, name, strlen(name));
        strobe_json_text(json, text, length);
        strobe_json_end_array(json);
    }
    strobe_json_end_array(json);
    strobe_json_key(json, "configuration_left_out");
    strobe_json_uint(json, n_left_out);
}

/* ---- the clock ---- */

static void write_clock(const StrobeHeldResult *held, StrobeJsonWriter *json)
{
    StrobeReader *reader = strobe_reader_open_own(held->result.source, NULL);
    JsonObject *metadata = reader ? strobe_reader_metadata(reader) : NULL;
    guint64 error_ns = STROBE_CLOCK_ERROR_UNKNOWN; /* the value of an imported result, too */

    if (reader && !(metadata && json_object_has_member(metadata, "source")))
        error_ns = strobe_reader_stats(reader)->clock.error_ns;

    strobe_json_key(json, "clock_error");
    if (error_ns == STROBE_CLOCK_ERROR_UNKNOWN)
        strobe_json_null(json);
    else
        strobe_json_uint(json, error_ns);
    if (reader)
        strobe_reader_free(reader);
}

/* ---- the object ---- */

typedef struct SourceContent {
    const StrobeHeldResult *held;
    const GArray *files; /* of SourceFile */
} SourceContent;

static void write_object(gpointer data, guint most, StrobeJsonWriter *json)
{
    const SourceContent *content = data;

    strobe_json_begin_object(json);
    write_clock(content->held, json);
    write_files(content->files, most, json);
    write_configuration(content->held->folder, content->files, json);
    strobe_json_end_object(json);
}

int report_source_read(const StrobeResult *result, GError **error)
{
    StrobeHeldResult held;

    if (!strobe_held_result_open(&held, result, error))
        return -1;
    g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(SourceFile));
    g_array_set_clear_func(files, free_file);
    if (held.folder >= 0)
        list_files(openat(held.folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "", 0, files);
    g_array_sort(files, compare_files);
    SourceContent content = {&held, files};
    int descriptor =
        report_scratch_write(write_object, &content, "the facts about the result", error);
    strobe_held_result_close(&held);
    return descriptor;
}
