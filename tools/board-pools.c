/* SPDX-License-Identifier: Apache-2.0 */
#include "board-pools.h"

#include <string.h>
#include <unistd.h>

#include <svp-names.h>

#include "recover.h"
#include "remote-flow.h"

#define FOLDER "/dev/shm"
#define PREFIX "strobe-"
#define SUFFIX ".pool"
#define ANSWER_MAX (1u << 20)
#define POOL_BYTES_MAX ((guint64)1 << 30)

static void free_pool(gpointer data)
{
    StrobeJobFile *file = data;

    g_free(file->name);
    g_free(file);
}

static void take_line(GPtrArray *pools, const char *line)
{
    char *name = NULL;
    const guint64 n_bytes = g_ascii_strtoull(line, &name, 10);

    if (*name != ' ' || !strobe_job_name_is_good(name + 1) || !g_str_has_prefix(name + 1, PREFIX) ||
        !g_str_has_suffix(name + 1, SUFFIX) || n_bytes == 0 || n_bytes > POOL_BYTES_MAX)
        return;
    StrobeJobFile *pool = g_new0(StrobeJobFile, 1);
    pool->name = g_strdup(name + 1);
    pool->n_bytes = n_bytes;
    g_ptr_array_add(pools, pool);
}

GPtrArray *strobe_board_pools_find(StrobeRemote *remote, GError **error)
{
    static const char command[] =
        "cd " FOLDER " 2>/dev/null || exit 0\n"
        "for p in " PREFIX "*" SUFFIX "; do\n"
        "    [ -L \"$p\" ] || [ ! -f \"$p\" ] || [ ! -r \"$p\" ] || echo $(wc -c <\"$p\") \"$p\"\n"
        "done\n";
    g_autoptr(GString) answer = g_string_new(NULL);
    GPtrArray *pools;

    if (!strobe_flow_text(remote, "cannot look for pools of the recorder", command, NULL, answer,
                          ANSWER_MAX, error))
        return NULL;
    pools = g_ptr_array_new_with_free_func(free_pool);
    g_auto(GStrv) lines = g_strsplit(answer->str, "\n", -1);
    for (char **line = lines; *line; line++)
        take_line(pools, *line);
    return pools;
}

gboolean strobe_board_pools_have(const GPtrArray *pools, const StrobeJobFile *pool)
{
    for (guint i = 0; i < pools->len; i++)
        if (strcmp(((const StrobeJobFile *)g_ptr_array_index(pools, i))->name, pool->name) == 0)
            return TRUE;
    return FALSE;
}

/* The file of calls that its program did not finish; NULL: the JOB has none. Free it. */
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

static gboolean remove_pool(StrobeRemote *remote, const char *name, GError **error)
{
    g_autofree char *quoted = g_shell_quote(name);
    g_autofree char *command = g_strdup_printf("rm -f -- " FOLDER "/%s", quoted);
    g_autoptr(GString) answer = g_string_new(NULL);

    return strobe_flow_text(remote, "cannot remove a pool on the board", command, NULL, answer,
                            1024, error);
}

/* Recovery looks for the pool beside the file. One that does not belong to it is removed. */
static gboolean recover_calls(const char *calls, const char *data, const char *pool, GError **error)
{
    g_autofree char *path = g_build_filename(data, pool, NULL);
    const gboolean good = strobe_recover(calls, NULL, error);

    unlink(path);
    return good;
}

gboolean strobe_board_pool_take(StrobeRemote *remote, const StrobeJobFile *pool,
                                const GPtrArray *jobs, void (*report)(const char *text),
                                StrobeFetchTotals *totals, GError **error)
{
    g_autofree char *calls = NULL, *data = NULL;

    for (guint i = 0; i < jobs->len && !calls; i++) {
        g_free(data);
        data = g_build_filename(g_ptr_array_index(jobs, i), "data", NULL);
        calls = find_unfinished(data);
    }
    if (calls && !strobe_job_fetch_file(remote, FOLDER, pool, data, report, totals, error))
        return FALSE;
    return remove_pool(remote, pool->name, error) &&
           (!calls || recover_calls(calls, data, pool->name, error));
}
