/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the captures in the folder `data` of a JOB. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <external-folder.h>
#include "svp_job.h"

#define MAGIC "StrobeB1" /* the first bytes of a capture */
/* end of the name of a slice that was still empty when its program was killed */
#define BEGUN ".new"
#define HEAD_BYTES 16u
#define FILE_METADATA_MAX 1000u
#define FILES_MAX 100000u /* maximum number of files, without the files .done */
#define FILE_BYTES_MAX ((off_t)64 << 30)

typedef struct DataFile {
    char *name;
    dev_t device;
    ino_t inode;
    SvpFileName parts;
} DataFile;

static void free_file(gpointer data)
{
    DataFile *file = data;

    g_free(file->name);
    g_free(file);
}

static int compare_numbers(guint64 a, guint64 b)
{
    return a < b ? -1 : a > b;
}

/* Returns the number of a slice. If the program was killed, its newest slice has no number; this
 * slice comes last. */
static guint64 order_of_slice(const DataFile *file)
{
    return strstr(file->name, ".slice_") ? file->parts.slice : G_MAXUINT64;
}

/* Compares two files by the order of their events. Compares the numbers of slices as numbers, not
 * as texts. */
static int compare_files(gconstpointer a, gconstpointer b)
{
    const DataFile *one = *(DataFile *const *)a, *other = *(DataFile *const *)b;
    int order = compare_numbers((guint64)one->parts.type, (guint64)other->parts.type);

    if (!order)
        order = strcmp(one->parts.model, other->parts.model);
    if (!order)
        order = compare_numbers(one->parts.model_id, other->parts.model_id);
    if (!order)
        order = compare_numbers(one->parts.current_pic, other->parts.current_pic);
    if (!order)
        order = compare_numbers(order_of_slice(one), order_of_slice(other));
    return order ? order : strcmp(one->name, other->name);
}

static gboolean stat_content(int data, const char *name, struct stat *st)
{
    return fstatat(data, name, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st->st_mode) &&
           st->st_size > 0;
}

static gboolean has_content(int data, const char *name)
{
    struct stat st;

    return stat_content(data, name, &st);
}

/* Lists each file only once: if a program is killed while it renames its newest file, the file has
 * two names. Removes all names but the last, because the recovery writes to the file under the last
 * name. */
static void drop_second_names(GPtrArray *files)
{
    for (guint i = 0; i + 1 < files->len;) {
        const DataFile *file = g_ptr_array_index(files, i);
        const DataFile *next = g_ptr_array_index(files, i + 1);

        if (file->device == next->device && file->inode == next->inode)
            g_ptr_array_remove_index(files, i);
        else
            i++;
    }
}

static GPtrArray *list_files(int data)
{
    g_autoptr(GPtrArray) names = external_folder_names(data);
    GPtrArray *files = g_ptr_array_new_with_free_func(free_file);

    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        SvpFileName parts;
        struct stat st;

        if (g_str_has_suffix(name, BEGUN) ||
            (svp_file_name_read(name, &parts) == SVP_FILE_OTHER &&
             !job_calls_name_read(name, &parts)) ||
            !stat_content(data, name, &st))
            continue;
        DataFile *file = g_new0(DataFile, 1);
        file->name = g_strdup(name);
        file->parts = parts;
        file->device = st.st_dev;
        file->inode = st.st_ino;
        g_ptr_array_add(files, file);
    }
    g_ptr_array_sort(files, compare_files);
    drop_second_names(files);
    return files;
}

gboolean job_files_are_in(int data)
{
    g_autoptr(GPtrArray) files = list_files(data);

    return files->len > 0;
}

/* ---- reading ---- */

/* Checks that the file still has the length that is recorded in its file .done. */
static void check_mark(const Job *job, int data, const char *name, int file)
{
    g_autofree char *mark = g_strconcat(name, ".done", NULL);
    gsize length;
    g_autofree char *bytes = external_folder_read(data, mark, 4096, &length);
    const char *line = bytes ? strstr(bytes, "filesize:") : NULL;
    struct stat st;

    if (!line || fstat(file, &st))
        return;
    if (g_ascii_strtoull(line + strlen("filesize:"), NULL, 10) != (guint64)st.st_size)
        job->host->damage(job->self, name, "its size differs from the size when it was finished");
}

/* Reports a file that is not a capture. Stores a description of the first such file, for the error
 * message if no file can be read. */
static void keep_external(Job *job, const char *name, const guchar *head, gssize n)
{
    GString *text;

    job->host->unknown(job->self, name, "not a capture of Strobe", 1);
    if (job->external)
        return;
    text = g_string_new(NULL);
    for (gssize i = 0; i < n; i++)
        g_string_append_printf(text, "%s%02x", i ? " " : "", head[i]);
    job->external = g_strdup(name);
    job->head = g_string_free(text, FALSE);
}

/* Records metadata of a file, for tables that list the files: the number of its records, its size
 * in bytes, whether it has a file .done, and its name. */
static void tell_file(Job *job, int data, const char *name, int file, guint64 rows)
{
    g_autofree char *key = g_strdup_printf("svp.file.%u", job->n_files);
    g_autofree char *mark = g_strconcat(name, ".done", NULL);
    struct stat st = {0};

    fstat(file, &st);
    g_autofree char *value =
        g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT " %d %s", rows,
                        (gint64)st.st_size, has_content(data, mark), name);
    if (job->n_files++ < FILE_METADATA_MAX)
        job->host->metadata_text(job->self, key, value);
}

static void import_capture(Job *job, int data, const char *name, int file)
{
    struct stat st;
    uint64_t rows = 0;

    if (fstat(file, &st) || st.st_size > FILE_BYTES_MAX) {
        job->host->damage(job->self, name, "over 64 GiB: not read");
        return;
    }
    check_mark(job, data, name, file);
    if (job->host->capture(job->self, name, file, &rows) == STROBE_OK)
        job->n_captures++;
    else
        job->host->damage(job->self, name, "it has no complete segment");
    job->host->found(job->self, name, rows);
    tell_file(job, data, name, file, rows);
}

static void import_calls(Job *job, int data, const DataFile *file, int descriptor)
{
    const guint64 rows = job_calls_import(job, file->name, &file->parts, descriptor);

    job->host->found(job->self, file->name, rows);
    tell_file(job, data, file->name, descriptor, rows);
    job->n_call_files++;
    job->n_vendor++;
}

static void import_file(Job *job, int data, const DataFile *file)
{
    int descriptor = external_folder_open_file(data, file->name);
    guchar head[HEAD_BYTES];
    gssize n = descriptor >= 0 ? pread(descriptor, head, sizeof head, 0) : -1;

    if (n < 0)
        job->host->damage(job->self, file->name, g_strerror(errno));
    else if (n >= (gssize)strlen(MAGIC) && !memcmp(head, MAGIC, strlen(MAGIC)))
        import_capture(job, data, file->name, descriptor);
    else if (file->parts.type == SVP_FILE_ACL && job_calls_are_in(head, n))
        import_calls(job, data, file, descriptor);
    else
        keep_external(job, file->name, head, n);
    if (descriptor >= 0)
        close(descriptor);
}

void job_files_import(Job *job, int data)
{
    g_autoptr(GPtrArray) files = list_files(data);

    if (files->len > FILES_MAX)
        job->host->damage(job->self, "data", "over 100000 files: the rest is not read");
    g_ptr_array_set_size(files, (gint)MIN(files->len, FILES_MAX));
    for (guint i = 0; i < files->len; i++) {
        const DataFile *file = g_ptr_array_index(files, i);

        if (file->parts.type == SVP_FILE_CORE)
            job_batch_tell(job, file->parts.model_id, file->parts.batch);
        import_file(job, data, file);
        job->host->progress(job->self, i + 1, files->len);
    }
}
