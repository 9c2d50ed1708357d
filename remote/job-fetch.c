/* SPDX-License-Identifier: Apache-2.0 */
#include "job-fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "error.h"
#include "folder-rename.h"
#include "remote-error.h"
#include "remote-flow.h"

#define BATCH_FILES 64u
#define HEAD_MAX 64
#define ERRORS_MAX 4096
#define PART ".part"
#define SPARE_BYTES (1u << 20)

typedef struct Fetch {
    StrobeRemote *remote;
    const char *job; /* path of the JOB on the board */
    int folder;      /* descriptor of the hidden folder on this machine in which files arrive */
    void (*report)(const char *text);
    StrobeFetchTotals *totals;
    GString *errors; /* error output of the board's command for the current batch */
    /* the current batch of files */
    const StrobeJobFile *const *files;
    guint n_files, next; /* index of the file that arrives next */
    guint64 offsets[BATCH_FILES];
    char head[HEAD_MAX];
    gsize n_head;
    guint64 n_left; /* number of bytes of the current file that have not arrived yet */
    int file;
    char sum[HEAD_MAX]; /* checksum of the current file that the board computed */
    guint64 n_bytes;
    gboolean is_in_body;
} Fetch;

static void refuse_part(Fetch *fetch, const char *name, const char *why)
{
    g_autofree char *text = g_strdup_printf("%s: %s: %s: left out", fetch->job, name, why);

    fetch->totals->n_refused++;
    fetch->report(text);
}

static gboolean refuse_write(const Fetch *fetch, const char *name, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s of %s: %s", name, fetch->job,
                g_strerror(errno));
    return FALSE;
}

/* ---- files on this machine ---- */

/* Opens a file in the hidden folder, and creates it and its folders if necessary. Refuses a path of
 * which a part is a link. -1 on failure. */
static int open_part_file(int folder, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", -1);
    const guint n = g_strv_length(parts);
    int at = dup(folder), next = -1;

    for (guint i = 0; at >= 0 && i + 1 < n; i++) {
        mkdirat(at, parts[i], 0750);
        next = openat(at, parts[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
    }
    if (at < 0)
        return -1;
    next = openat(at, parts[n - 1], O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0640);
    close(at);
    return next;
}

static gboolean write_bytes(int file, const char *bytes, gsize length)
{
    while (length) {
        const ssize_t n = write(file, bytes, length);

        if (n < 0 && errno != EINTR)
            return FALSE;
        if (n > 0)
            bytes += n, length -= (gsize)n;
    }
    return TRUE;
}

/* ---- one batch ---- */

/* Defines the shell function `f FILE OFFSET SIZE`, which prints a line with the checksum of the
 * first SIZE bytes of a file and their number, and then those of these bytes that come after
 * OFFSET. */
static const char fetch_text[] =
    "f() { set -- \"$1\" $2 $(sum_head \"$1\" $3); echo \"$3 $4\"\n"
    "[ $4 -le $2 ] || tail -c +$(($2 + 1)) \"$1\" 2>/dev/null | head -c $(($4 - $2)); }\n";

static char *make_batch_command(const Fetch *fetch)
{
    g_autofree char *job = g_shell_quote(fetch->job);
    GString *command = g_string_new("cd ");

    g_string_append_printf(command, "%s || exit 73\n%s%s", job,
                           strobe_file_sum_script(fetch->remote->sum), fetch_text);
    for (guint i = 0; i < fetch->n_files; i++) {
        g_autofree char *name = g_shell_quote(fetch->files[i]->name);
        g_string_append_printf(command, "f ./%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
                               name, fetch->offsets[i], fetch->files[i]->n_bytes);
    }
    return g_string_free(command, FALSE);
}

/* Sets the offset of each file in the batch to the number of its bytes that an earlier fetch has
 * stored. FALSE with an error. */
static gboolean find_offsets(Fetch *fetch, GError **error)
{
    for (guint i = 0; i < fetch->n_files; i++) {
        const int file = open_part_file(fetch->folder, fetch->files[i]->name);
        struct stat st;

        if (file < 0 || fstat(file, &st) != 0 || !S_ISREG(st.st_mode)) {
            if (file >= 0)
                close(file);
            return refuse_write(fetch, fetch->files[i]->name, error);
        }
        fetch->offsets[i] = (guint64)st.st_size;
        if (fetch->offsets[i] > fetch->files[i]->n_bytes)
            fetch->offsets[i] = ftruncate(file, 0) == 0 ? 0 : fetch->offsets[i];
        close(file);
    }
    return TRUE;
}

static void remove_file(const Fetch *fetch, const char *name)
{
    unlinkat(fetch->folder, name, 0);
}

/* Called when the whole file has arrived. Compares its checksum with that of the board, and refuses
 * the file if they differ. FALSE with an error: the file cannot be written. */
static gboolean finish_file(Fetch *fetch, GError **error)
{
    const StrobeJobFile *wanted = fetch->files[fetch->next];
    guint64 n_bytes = 0;
    g_autofree char *sum = strobe_file_sum(fetch->remote->sum, fetch->file, &n_bytes);
    const gboolean is_synced = fsync(fetch->file) == 0;

    close(fetch->file);
    fetch->file = -1;
    if (!sum || !is_synced)
        return refuse_write(fetch, wanted->name, error);
    if (strcmp(sum, fetch->sum) || n_bytes != fetch->n_bytes || n_bytes != wanted->n_bytes) {
        remove_file(fetch, wanted->name);
        /* A file that the board cannot read arrives empty with the correct checksum of no bytes. It
         * does not count as changed, because a second fetch would not help. */
        if (strcmp(sum, fetch->sum) || n_bytes > wanted->n_bytes)
            fetch->totals->n_changed++;
        refuse_part(fetch, wanted->name, "it cannot be read, or changed while it was read");
    } else {
        fetch->totals->n_files++;
    }
    fetch->next++;
    fetch->is_in_body = FALSE;
    fetch->n_head = 0;
    return TRUE;
}

static gboolean begin_file(Fetch *fetch, GError **error)
{
    const StrobeJobFile *wanted = fetch->files[fetch->next];
    const guint64 offset = fetch->offsets[fetch->next];
    const char *end = strchr(fetch->head, ' ');

    g_strlcpy(fetch->sum, fetch->head, sizeof fetch->sum);
    fetch->sum[end ? end - fetch->head : 0] = '\0';
    fetch->n_bytes = end ? g_ascii_strtoull(end, NULL, 10) : 0;
    if (fetch->n_bytes > wanted->n_bytes)
        return strobe_remote_refuse(error, "%s: the board sent other data than %s/%s",
                                    fetch->remote->name, fetch->job, wanted->name);
    fetch->n_left = fetch->n_bytes > offset ? fetch->n_bytes - offset : 0;
    fetch->file = open_part_file(fetch->folder, wanted->name);
    if (fetch->file < 0 || lseek(fetch->file, 0, SEEK_END) < 0)
        return refuse_write(fetch, wanted->name, error);
    fetch->is_in_body = TRUE;
    return fetch->n_left > 0 || finish_file(fetch, error);
}

/* Reads bytes of the line that comes before a file's bytes. Returns their number; -1 with an
 * error. */
static gssize take_head(Fetch *fetch, const char *bytes, gsize length, GError **error)
{
    for (gsize i = 0; i < length; i++) {
        if (bytes[i] == '\n') {
            fetch->head[fetch->n_head] = '\0';
            return begin_file(fetch, error) ? (gssize)i + 1 : -1;
        }
        if (fetch->n_head + 1 >= HEAD_MAX) {
            strobe_remote_refuse(error, "%s: the board sent no checksum of %s", fetch->remote->name,
                                 fetch->job);
            return -1;
        }
        fetch->head[fetch->n_head++] = bytes[i];
    }
    return (gssize)length;
}

static gssize take_body(Fetch *fetch, const char *bytes, gsize length, GError **error)
{
    const gsize part = MIN(length, fetch->n_left);

    if (!write_bytes(fetch->file, bytes, part)) {
        refuse_write(fetch, fetch->files[fetch->next]->name, error);
        return -1;
    }
    fetch->n_left -= part;
    fetch->totals->fetched_bytes += part;
    if (fetch->n_left == 0 && !finish_file(fetch, error))
        return -1;
    return (gssize)part;
}

static gssize take_files(void *user, gboolean is_error, const char *bytes, gsize length,
                         GError **error)
{
    Fetch *fetch = user;

    if (is_error && fetch->errors->len < ERRORS_MAX)
        g_string_append_len(fetch->errors, bytes, (gssize)MIN(length, ERRORS_MAX));
    if (is_error || fetch->next >= fetch->n_files)
        return (gssize)length;
    return fetch->is_in_body ? take_body(fetch, bytes, length, error)
                             : take_head(fetch, bytes, length, error);
}

static gboolean refuse_batch(const Fetch *fetch, const StrobeChannelEnd *end, GError **error)
{
    g_autofree char *said = strobe_remote_excerpt(fetch->errors->str, fetch->errors->len);

    return strobe_remote_refuse(error,
                                "%s: the board sent only a part of %s/%s: %" G_GUINT64_FORMAT
                                " bytes are missing, status %s%d%s%s",
                                fetch->remote->name, fetch->job, fetch->files[fetch->next]->name,
                                fetch->n_left, end->signal, end->status, *said ? ": " : "", said);
}

static gboolean fetch_batch(Fetch *fetch, const StrobeJobFile *const *files, guint n,
                            GError **error)
{
    const StrobeFlowCalls calls = {NULL, take_files, fetch};
    StrobeChannelEnd end;
    gboolean good;

    fetch->files = files;
    fetch->n_files = n;
    fetch->next = 0;
    fetch->n_head = 0;
    fetch->is_in_body = FALSE;
    fetch->file = -1;
    fetch->n_left = 0;
    if (!find_offsets(fetch, error))
        return FALSE;
    g_autofree char *command = make_batch_command(fetch);
    fetch->errors = g_string_new(NULL);
    good = strobe_flow_run(fetch->remote, command, &calls, &end, error);
    if (fetch->file >= 0)
        close(fetch->file);
    good = good && (fetch->next >= n || refuse_batch(fetch, &end, error));
    g_string_free(fetch->errors, TRUE);
    return good;
}

/* ---- a whole JOB ---- */

static gboolean check_room(const Fetch *fetch, const StrobeJobList *list, GError **error)
{
    struct statvfs disk;
    guint64 free_bytes = G_MAXUINT64;

    if (fstatvfs(fetch->folder, &disk) == 0)
        free_bytes = (guint64)disk.f_bavail * disk.f_frsize;
    if (list->n_bytes < free_bytes && free_bytes - list->n_bytes > SPARE_BYTES)
        return TRUE;
    for (guint i = 0; i < list->files->len; i++) {
        const StrobeJobFile *file = g_ptr_array_index(list->files, i);

        if (file->n_bytes >= free_bytes) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                        "%s: %s is said to have %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT
                        " are free here",
                        fetch->job, file->name, file->n_bytes, free_bytes);
            return FALSE;
        }
    }
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "%s: has %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT " are free here",
                fetch->job, list->n_bytes, free_bytes);
    return FALSE;
}

static gboolean fetch_files(Fetch *fetch, GError **error)
{
    StrobeJobList list;
    gboolean good;

    if (!strobe_job_list_read(fetch->remote, fetch->job, &list, error))
        return FALSE;
    for (guint i = 0; i < list.refused->len; i++)
        refuse_part(fetch, g_ptr_array_index(list.refused, i), "refused");
    good = check_room(fetch, &list, error);
    for (guint i = 0; good && i < list.files->len; i += BATCH_FILES)
        good = fetch_batch(fetch, (const StrobeJobFile *const *)list.files->pdata + i,
                           MIN(BATCH_FILES, list.files->len - i), error);
    strobe_job_list_clear(&list);
    return good;
}

/* Opens the hidden folder. Renames an earlier JOB.part to it, if there is one, otherwise makes it.
 * -1 with an error. */
static int open_part(const char *output, const char *name, const char *hidden, GError **error)
{
    g_autofree char *part = g_strconcat(name, PART, NULL);
    const int around = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int folder = -1, number;

    if (around >= 0) {
        strobe_rename_folder(around, part, around, hidden);
        mkdirat(around, hidden, 0750);
        folder = openat(around, hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    number = errno;
    if (around >= 0)
        close(around);
    if (folder < 0)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s/%s: %s", output, hidden,
                    g_strerror(number));
    return folder;
}

/* Renames the hidden folder to its final path `path`. FALSE with an error, also if the path exists
 * already. */
static gboolean place_part(const char *hidden, const char *path, GError **error)
{
    if (strobe_rename_folder(AT_FDCWD, hidden, AT_FDCWD, path) == 0)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", path,
                g_strerror(errno));
    return FALSE;
}

static void keep_part(const char *hidden, const char *path, void (*report)(const char *text))
{
    g_autofree char *part = g_strconcat(path, PART, NULL);

    if (strobe_rename_folder(AT_FDCWD, hidden, AT_FDCWD, part) != 0)
        return;
    g_autofree char *text = g_strdup_printf(
        "%s: keeps the data that has arrived; the next collect into this folder continues it",
        part);
    report(text);
}

char *strobe_job_fetch(StrobeRemote *remote, const char *job, const char *output,
                       void (*report)(const char *text), StrobeFetchTotals *totals, GError **error)
{
    g_autofree char *name = g_path_get_basename(job);
    g_autofree char *path = g_build_filename(output, name, NULL);
    g_autofree char *hidden_name = g_strconcat(".", name, PART, NULL);
    g_autofree char *hidden = g_build_filename(output, hidden_name, NULL);
    Fetch fetch = {.remote = remote, .job = job, .report = report, .totals = totals};
    gboolean good;

    fetch.folder = open_part(output, name, hidden_name, error);
    if (fetch.folder < 0)
        return NULL;
    good = fetch_files(&fetch, error) && place_part(hidden, path, error);
    close(fetch.folder);
    if (good)
        return g_steal_pointer(&path);
    keep_part(hidden, path, report);
    return NULL;
}

gboolean strobe_job_fetch_file(StrobeRemote *remote, const char *folder, const StrobeJobFile *file,
                               const char *output, void (*report)(const char *text),
                               StrobeFetchTotals *totals, GError **error)
{
    Fetch fetch = {.remote = remote, .job = folder, .report = report, .totals = totals};
    const StrobeJobFile *files[] = {file};
    gboolean good;

    fetch.folder = open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fetch.folder < 0)
        return refuse_write(&fetch, file->name, error);
    good = fetch_batch(&fetch, files, 1, error);
    close(fetch.folder);
    return good;
}

/* ---- while the program runs ---- */

#define MARK ".done"

static void report_nothing(const char *text)
{
    (void)text;
}

/* Returns about BATCH_FILES of the finished files. After each file comes its mark, the file
 * NAME.done. */
static GPtrArray *find_finished(const StrobeJobList *list)
{
    GPtrArray *files = g_ptr_array_new();
    g_autoptr(GHashTable) by_name = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < list->files->len; i++) {
        StrobeJobFile *file = g_ptr_array_index(list->files, i);
        g_hash_table_insert(by_name, file->name, file);
    }
    for (guint i = 0; i < list->files->len && files->len < BATCH_FILES; i++) {
        StrobeJobFile *file = g_ptr_array_index(list->files, i);
        g_autofree char *mark_name = g_strconcat(file->name, MARK, NULL);
        StrobeJobFile *mark = g_hash_table_lookup(by_name, mark_name);

        if (mark) {
            g_ptr_array_add(files, file);
            g_ptr_array_add(files, mark);
        }
    }
    return files;
}

static gboolean is_here(const Fetch *fetch, const StrobeJobFile *file)
{
    struct stat st;

    return fstatat(fetch->folder, file->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(st.st_mode) && (guint64)st.st_size == file->n_bytes;
}

/* Removes those files and their marks on the board that have arrived completely. A refused file was
 * removed on this machine, so it stays on the board. FALSE with an error. */
static gboolean remove_finished(const Fetch *fetch, const GPtrArray *files, GError **error)
{
    g_autofree char *job = g_shell_quote(fetch->job);
    g_autoptr(GString) command = g_string_new("cd ");
    g_autoptr(GString) answer = g_string_new(NULL);

    g_string_append_printf(command, "%s && rm -f", job);
    for (guint i = 0; i + 1 < files->len; i += 2) {
        const StrobeJobFile *file = g_ptr_array_index(files, i),
                            *mark = g_ptr_array_index(files, i + 1);
        g_autofree char *name = g_shell_quote(file->name);
        g_autofree char *mark_name = g_shell_quote(mark->name);

        if (is_here(fetch, file) && is_here(fetch, mark))
            g_string_append_printf(command, " ./%s ./%s", name, mark_name);
    }
    return strobe_flow_text(fetch->remote, "cannot remove fetched files on the board", command->str,
                            NULL, answer, 1024, error);
}

static gboolean fetch_finished(Fetch *fetch, const StrobeJobList *list, GError **error)
{
    g_autoptr(GPtrArray) files = find_finished(list);

    return files->len == 0 ||
           (fetch_batch(fetch, (const StrobeJobFile *const *)files->pdata, files->len, error) &&
            remove_finished(fetch, files, error));
}

gboolean strobe_job_fetch_finished(StrobeRemote *remote, const char *job, const char *output,
                                   StrobeFetchTotals *totals, GError **error)
{
    g_autofree char *name = g_path_get_basename(job);
    g_autofree char *hidden = g_strconcat(".", name, PART, NULL);
    /* separate totals, because refused files count only after the program has ended */
    StrobeFetchTotals mine = {0};
    Fetch fetch = {.remote = remote, .job = job, .report = report_nothing, .totals = &mine};
    StrobeJobList list;
    gboolean good;

    if (!strobe_job_list_read(remote, job, &list, error))
        return FALSE;
    fetch.folder = open_part(output, name, hidden, error);
    good = fetch.folder >= 0 && check_room(&fetch, &list, error) &&
           fetch_finished(&fetch, &list, error);
    if (fetch.folder >= 0)
        close(fetch.folder);
    strobe_job_list_clear(&list);
    totals->fetched_bytes += mine.fetched_bytes;
    return good;
}

gboolean strobe_job_fetch_has_part(const char *output, const char *job)
{
    g_autofree char *name = g_path_get_basename(job);
    g_autofree char *part = g_strconcat(name, PART, NULL);
    g_autofree char *hidden = g_strconcat(".", part, NULL);
    g_autofree char *path = g_build_filename(output, part, NULL);
    g_autofree char *hidden_path = g_build_filename(output, hidden, NULL);

    return g_file_test(path, G_FILE_TEST_IS_DIR) || g_file_test(hidden_path, G_FILE_TEST_IS_DIR);
}
