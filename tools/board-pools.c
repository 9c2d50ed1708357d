/* SPDX-License-Identifier: Apache-2.0 */
#include "board-pools.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <svp-names.h>

#include "recover.h"
#include "remote-flow.h"

#define PREFIX "strobe-"
#define SUFFIX ".pool"
#define KEY "\"pool\":\""
#define HEAD_BYTES 65536
#define POOL_BYTES_MAX ((guint64)1 << 30)

/* ---- finding the pool ---- */

/* Returns the path of the file of calls in the folder `data` of a JOB for which there is no ".done"
 * file, because the program was killed before it finished the file (free it). NULL: there is
 * none. */
static char *find_unfinished(const char *data)
{
    GDir *folder = g_dir_open(data, 0, NULL);
    char *found = NULL;
    const char *name;

    while (folder && !found && (name = g_dir_read_name(folder))) {
        g_autofree char *mark = g_strconcat(name, ".done", NULL);
        g_autofree char *path = g_build_filename(data, mark, NULL);
        SvpFileName parts;

        if (svp_file_name_read(name, &parts) && parts.type == SVP_FILE_ACL &&
            !g_file_test(path, G_FILE_TEST_EXISTS))
            found = g_build_filename(data, name, NULL);
    }
    if (folder)
        g_dir_close(folder);
    return found;
}

/* May this be the path of a pool? The board may be hostile. */
static gboolean is_pool_path(const char *path)
{
    g_autofree char *name = g_path_get_basename(path);

    return g_path_is_absolute(path) && !strchr(path, '\\') && !strstr(path, "/../") &&
           strlen(path) < PATH_MAX && strobe_job_name_is_good(name) &&
           g_str_has_prefix(name, PREFIX) && g_str_has_suffix(name, SUFFIX);
}

/* Returns the path of the pool in the metadata at the start of the file `calls` (free it). NULL:
 * the file names no pool. */
static char *find_pool(const char *calls)
{
    g_autofree char *head = g_malloc0(HEAD_BYTES + 1);
    const int file = open(calls, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t n = file >= 0 ? pread(file, head, HEAD_BYTES, 0) : -1;
    char *at = n > 0 ? memmem(head, (gsize)n, KEY, strlen(KEY)) : NULL;

    if (file >= 0)
        close(file);
    if (!at)
        return NULL;
    at += strlen(KEY);
    g_autofree char *path = g_strndup(at, strcspn(at, "\""));
    return is_pool_path(path) ? g_steal_pointer(&path) : NULL;
}

/* ---- fetching the pool ---- */

static gboolean run_there(StrobeRemote *remote, const char *format, const char *text,
                          GString *answer, GError **error)
{
    g_autofree char *quoted = g_shell_quote(text);
    g_auto(GStrv) parts = g_strsplit(format, "%s", -1);
    g_autofree char *command = g_strjoinv(quoted, parts);

    return strobe_flow_text(remote, "cannot take the recorder's pool", command, NULL, answer, 1024,
                            error);
}

/* Sets *n_bytes to the pool's size on the board, 0 if the pool does not exist. FALSE with an
 * error. */
static gboolean find_size(StrobeRemote *remote, const char *path, guint64 *n_bytes, GError **error)
{
    g_autoptr(GString) answer = g_string_new(NULL);

    if (!run_there(remote, "[ ! -L %s ] && [ -f %s ] && [ -r %s ] && wc -c <%s; exit 0", path,
                   answer, error))
        return FALSE;
    *n_bytes = g_ascii_strtoull(answer->str, NULL, 10);
    return TRUE;
}

/* Completes the file `calls` with the calls in the pool, which was fetched into the folder `data`,
 * where recovery finds it. Then removes the fetched pool, even if it does not belong to the
 * file. */
static gboolean recover_calls(const char *calls, const char *data, const char *pool, GError **error)
{
    g_autofree char *path = g_build_filename(data, pool, NULL);
    const gboolean good = strobe_recover(calls, NULL, error);

    unlink(path);
    return good;
}

static gboolean take_pool(StrobeRemote *remote, const char *data, const char *calls,
                          const char *path, void (*report)(const char *text),
                          StrobeFetchTotals *totals, GError **error)
{
    const guint n_changed = totals->n_changed;
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    StrobeJobFile pool = {.name = name};
    g_autoptr(GString) answer = g_string_new(NULL);

    if (!find_size(remote, path, &pool.n_bytes, error))
        return FALSE;
    if (pool.n_bytes == 0 || pool.n_bytes > POOL_BYTES_MAX)
        return TRUE;
    if (!strobe_job_fetch_file(remote, folder, &pool, data, report, totals, error))
        return FALSE;
    if (totals->n_changed > n_changed)
        return TRUE; /* the pool could not be fetched as a whole and stays on the board */
    return recover_calls(calls, data, name, error) &&
           run_there(remote, "rm -f %s", path, answer, error);
}

gboolean strobe_board_pools_take(StrobeRemote *remote, const GPtrArray *jobs,
                                 void (*report)(const char *text), StrobeFetchTotals *totals,
                                 GError **error)
{
    gboolean good = TRUE;

    for (guint i = 0; good && i < jobs->len; i++) {
        g_autofree char *data = g_build_filename(g_ptr_array_index(jobs, i), "data", NULL);
        g_autofree char *calls = find_unfinished(data);
        g_autofree char *pool = calls ? find_pool(calls) : NULL;

        good = !pool || take_pool(remote, data, calls, pool, report, totals, error);
    }
    return good;
}

gboolean strobe_board_pools_clean(StrobeRemote *remote, const char *folder, GError **error)
{
    static const char command[] =
        "cd %s || exit 0\n"
        "for f in .strobe-calls-*; do\n"
        "    [ -f \"$f\" ] || continue\n"
        "    p=$(tr '\\000' '\\n' <\"$f\" | sed -n 's/.*\"pool\":\"\\(\\/[^\"]*\\/strobe-"
        "[^\"\\/]*\\.pool\\)\".*/\\1/p' 2>/dev/null | head -n 1)\n"
        "    [ -z \"$p\" ] || rm -f \"$p\"\n"
        "    rm -f \"$f\"\n"
        "done\n"
        "exit 0\n";
    g_autoptr(GString) answer = g_string_new(NULL);

    return run_there(remote, command, folder, answer, error);
}
