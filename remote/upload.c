/* SPDX-License-Identifier: Apache-2.0 */
#include "upload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "remote-error.h"
#include "remote-flow.h"

#define LIST_MAX (8u << 20)
#define SPARE_BYTES (64u << 10) /* room for folders and the recorder's small files */

/* ---- files that are already on the board ---- */

static const char list_text[] = "%scd %s || exit 73\n"
                                "while IFS= read -r f; do\n"
                                "    if [ -f \"$f\" ] && [ ! -L \"$f\" ] && [ -r \"$f\" ]; then\n"
                                "        m=0; [ ! -x \"$f\" ] || m=1\n"
                                "        echo \"$(sum \"$f\") $m\"\n"
                                "    else echo -; fi\n"
                                "done\n";

static char *make_name_list(const GPtrArray *files)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < files->len; i++) {
        const StrobeProjectFile *file = g_ptr_array_index(files, i);
        g_string_append_printf(text, "./%s\n", file->name);
    }
    return g_string_free(text, FALSE);
}

/* Returns the checksum of the file on this machine, computed by the board's method (free it). NULL
 * with an error. */
static char *compute_sum(const StrobeRemote *remote, StrobeProjectFile *file, GError **error)
{
    const int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *sum = descriptor >= 0 ? strobe_file_sum(remote->sum, descriptor, &file->n_bytes) : NULL;
    const int number = errno;

    if (descriptor >= 0)
        close(descriptor);
    if (!sum)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", file->path,
                    g_strerror(number));
    return sum;
}

static gboolean is_same(const StrobeProjectFile *file, const char *sum, const char *answer)
{
    g_autofree char *expected = g_strdup_printf("%s %" G_GUINT64_FORMAT " %d", sum, file->n_bytes,
                                                file->is_executable ? 1 : 0);

    return answer && strcmp(answer, expected) == 0;
}

/* Returns the files that must be sent, because the board does not have them or has them with
 * another checksum. NULL with an error. */
static GPtrArray *find_missing(StrobeRemote *remote, const GPtrArray *files,
                               StrobeUploadTotals *totals, GError **error)
{
    g_autofree char *folder = g_shell_quote(remote->folder);
    g_autofree char *command =
        g_strdup_printf(list_text, strobe_file_sum_script(remote->sum), folder);
    g_autofree char *names = make_name_list(files);
    g_autoptr(GString) answer = g_string_new(NULL);
    GPtrArray *missing;

    if (!strobe_flow_text(remote, "cannot list the board's files", command, names, answer, LIST_MAX,
                          error))
        return NULL;
    g_auto(GStrv) lines = g_strsplit(answer->str, "\n", -1);
    const guint n_lines = g_strv_length(lines);
    missing = g_ptr_array_new();
    for (guint i = 0; i < files->len; i++) {
        StrobeProjectFile *file = g_ptr_array_index(files, i);
        g_autofree char *sum = compute_sum(remote, file, error);

        if (!sum) {
            g_ptr_array_unref(missing);
            return NULL;
        }
        if (is_same(file, sum, i < n_lines ? lines[i] : NULL)) {
            totals->n_reused++;
            totals->reused_bytes += file->n_bytes;
        } else {
            g_ptr_array_add(missing, file);
        }
    }
    return missing;
}

/* ---- sending ---- */

typedef struct Sending {
    StrobeRemote *remote;
    const StrobeProjectFile *file;
    int descriptor;
    /* number of bytes that are still to be sent; the bytes by which the file grows in the meantime
     * are not sent */
    guint64 n_left;
    GString *errors;
} Sending;

static gssize fill_file(void *user, char *bytes, gsize size, GError **error)
{
    Sending *sending = user;
    ssize_t n;

    if (sending->n_left == 0)
        return -1;
    n = read(sending->descriptor, bytes, MIN(size, sending->n_left));
    if (n > 0) {
        sending->n_left -= (guint64)n;
        return n;
    }
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", sending->file->path,
                n < 0 ? g_strerror(errno) : "it has become shorter");
    return -1;
}

static gssize take_message(void *user, gboolean is_error, const char *bytes, gsize length,
                           GError **error)
{
    Sending *sending = user;

    (void)error;
    if (is_error && sending->errors->len < 4096)
        g_string_append_len(sending->errors, bytes, (gssize)MIN(length, 4096));
    return (gssize)length;
}

/* Returns the shell command that receives a file. It writes the bytes into a temporary file in the
 * lock's folder, which the guard removes with all its files, checks the checksum, and renames the
 * file. */
static char *make_send_command(const StrobeRemote *remote, const StrobeProjectFile *file,
                               const char *sum)
{
    g_autofree char *folder = g_shell_quote(remote->folder);
    g_autofree char *above = g_path_get_dirname(file->name);
    g_autofree char *quoted_above = g_shell_quote(above);
    g_autofree char *name = g_shell_quote(file->name);

    return g_strdup_printf("%scd %s && t=" STROBE_REMOTE_LOCK "/$$ && mkdir -p ./%s && cat >$t && "
                           "chmod %s $t && "
                           "if [ \"$(sum $t)\" = '%s %" G_GUINT64_FORMAT
                           "' ]; then mv -f $t ./%s; else rm -f $t; exit 74; fi",
                           strobe_file_sum_script(remote->sum), folder, quoted_above,
                           file->is_executable ? "700" : "600", sum, file->n_bytes, name);
}

static gboolean judge_sending(const Sending *sending, const StrobeChannelEnd *end, GError **error)
{
    g_autofree char *said = strobe_remote_excerpt(sending->errors->str, sending->errors->len);

    if (end->is_known && end->status == 0)
        return TRUE;
    if (*said) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "%s: cannot write %s/%s on the board: %s",
                    sending->remote->name, sending->remote->folder, sending->file->name, said);
        return FALSE;
    }
    return strobe_remote_refuse(error, "%s: %s arrived damaged on the board", sending->remote->name,
                                sending->file->path);
}

static gboolean send_opened(Sending *sending, const char *sum, GError **error)
{
    g_autofree char *command = make_send_command(sending->remote, sending->file, sum);
    const StrobeFlowCalls calls = {fill_file, take_message, sending};
    StrobeChannelEnd end;
    gboolean good;

    sending->errors = g_string_new(NULL);
    good = strobe_flow_run(sending->remote, command, &calls, &end, error) &&
           judge_sending(sending, &end, error);
    g_string_free(sending->errors, TRUE);
    return good;
}

static gboolean send_file(StrobeRemote *remote, StrobeProjectFile *file, GError **error)
{
    g_autofree char *sum = compute_sum(remote, file, error);
    Sending sending = {.remote = remote, .file = file, .n_left = file->n_bytes};
    gboolean good;

    if (!sum)
        return FALSE;
    sending.descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (sending.descriptor < 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "Cannot read %s: %s", file->path,
                    g_strerror(errno));
        return FALSE;
    }
    good = send_opened(&sending, sum, error);
    close(sending.descriptor);
    return good;
}

static gboolean check_space(const StrobeRemote *remote, const GPtrArray *missing,
                            guint64 free_bytes, GError **error)
{
    guint64 n_bytes = SPARE_BYTES;

    for (guint i = 0; i < missing->len; i++)
        n_bytes += ((const StrobeProjectFile *)g_ptr_array_index(missing, i))->n_bytes;
    if (n_bytes <= free_bytes)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "%s: %s on the board: %" G_GUINT64_FORMAT " KB are free, %" G_GUINT64_FORMAT
                " KB are needed",
                remote->name, remote->folder, free_bytes >> 10, n_bytes >> 10);
    return FALSE;
}

gboolean strobe_upload_files(StrobeRemote *remote, const GPtrArray *files, guint64 free_bytes,
                             StrobeUploadTotals *totals, GError **error)
{
    g_autoptr(GPtrArray) missing = find_missing(remote, files, totals, error);

    if (!missing || !check_space(remote, missing, free_bytes, error))
        return FALSE;
    for (guint i = 0; i < missing->len; i++) {
        StrobeProjectFile *file = g_ptr_array_index(missing, i);

        if (remote->signal)
            return strobe_remote_refuse_signal(remote, error);
        if (!send_file(remote, file, error))
            return FALSE;
        totals->n_sent++;
        totals->sent_bytes += file->n_bytes;
    }
    return TRUE;
}
