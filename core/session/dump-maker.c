/* SPDX-License-Identifier: Apache-2.0 */
#include "dump-maker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "capture-file.h"
#include "drain.h"
#include "error.h"
#include "json-text.h"
#include "result-directory.h"

/* A signal or a slow step may come again and again; the disk must not fill up with dumps. */
static gboolean is_allowed(StrobeDumpMaker *maker, guint32 why)
{
    const StrobeDumpConfig *config = &maker->setup->config->dump;
    gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);

    if (why != STROBE_DUMP_BY_SIGNAL && why != STROBE_DUMP_BY_STEP)
        return TRUE;
    if (config->max && maker->n_limited >= config->max)
        return FALSE;
    if (maker->n_limited && now - maker->last_ns < config->min_interval_ns)
        return FALSE;
    maker->n_limited++;
    maker->last_ns = now;
    return TRUE;
}

/* The window's facts, with what differs. */
static char *make_facts(const StrobeResultDirectory *d, const char *of_window, const char *reason)
{
    g_autoptr(JsonNode) node = strobe_json_parse(of_window, strlen(of_window), "facts", NULL);
    g_autofree char *valid = g_utf8_make_valid(reason, -1);

    if (!node || !JSON_NODE_HOLDS_OBJECT(node))
        return NULL;
    JsonObject *facts = json_node_get_object(node);
    json_object_set_string_member(facts, "dump_reason", valid);
    json_object_set_string_member(facts, "trace_id", d->trace_id);
    json_object_set_int_member(facts, "start_realtime_ns", d->start.realtime_ns);
    json_object_set_int_member(facts, "start_raw_ns", d->start_raw_ns);
    return strobe_json_object_to_text(facts, 0);
}

/* The capture of the window that records; its facts (free them) name the pool. NULL: an error. */
static char *read_window(const StrobeDrain *drain, char capture[PATH_MAX], int *error)
{
    char *facts = NULL;
    int fd;

    memcpy(capture, strobe_drain_place(drain)->capture, PATH_MAX);
    capture[PATH_MAX - 1] = 0;
    *error = strobe_capture_file_open(capture, drain->pool, &fd, &facts);
    if (*error == 0)
        close(fd);
    return facts;
}

static int write_capture(StrobeDrain *drain, StrobeResultDirectory *d, const char *facts)
{
    g_autofree char *path = NULL;
    int fd = strobe_result_directory_capture(d, STROBE_PIECE_NEW, &path, NULL);

    if (fd < 0)
        return EIO;
    int error = strobe_capture_file_begin(fd, drain->window.number, facts);
    return error ? error : strobe_dump_serve(drain, path);
}

/* What the program has logged since its last window. */
static gboolean write_log(const struct pool_header *pool, StrobeResultDirectory *d)
{
    guint32 n = MIN(atomic_load(&pool->notes.log_used), sizeof pool->notes.log);
    g_autofree char *text = g_strndup(pool->notes.log, n);

    return strobe_result_directory_log(d, text, NULL);
}

/* The capture gets its name when it is whole: no recovery could finish it. */
static int fill(StrobeDumpMaker *maker, StrobeDrain *drain, StrobeResultDirectory *d,
                const char *reason)
{
    char capture[PATH_MAX];
    int error;
    char *of_window = read_window(drain, capture, &error);
    g_autofree char *facts = of_window ? make_facts(d, of_window, reason) : NULL;

    free(of_window);
    if (!facts)
        return error ? error : EINVAL;
    error = write_capture(drain, d, facts);
    if (error)
        return error;
    g_autofree char *framework = g_path_get_dirname(capture);
    g_autofree char *window = g_path_get_dirname(framework);
    if (!strobe_result_directory_place(d, drain->settings.sync != STROBE_SYNC_NONE, NULL) ||
        !strobe_result_directory_copy(d, window, NULL) || !write_log(drain->pool, d))
        return EIO;
    strobe_result_directory_report(d, maker->setup->config);
    return 0;
}

int strobe_dump_maker_make(void *user, StrobeDrain *drain, uint32_t why, const char *reason,
                           char path[PATH_MAX])
{
    StrobeDumpMaker *maker = user;

    if (!maker->setup)
        return EINVAL;
    if (!is_allowed(maker, why))
        return EAGAIN;
    StrobeResultDirectory *d =
        strobe_result_directory_new(maker->setup->config, (pid_t)drain->pool->pid, NULL);
    if (!d)
        return EIO;
    int error = fill(maker, drain, d, reason);
    g_strlcpy(path, d->path, PATH_MAX);
    if (error)
        strobe_result_directory_discard(d);
    else
        strobe_result_directory_free(d);
    return error;
}
