/* SPDX-License-Identifier: Apache-2.0 */
#include "dump-maker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "capture-file.h"
#include "writer-loop.h"
#include "error.h"
#include "json-text.h"
#include "result-directory.h"

/* Do dump.max and dump.min_interval allow this dump? A signal or a slow step may occur often, and
 * dumps must not fill the disk. */
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

/* Returns the metadata of the window (`of_window`), with changes for the dump (free it). */
static char *make_metadata(const StrobeResultDirectory *d, const char *of_window,
                           const char *reason)
{
    g_autoptr(JsonNode) node = strobe_json_parse(of_window, strlen(of_window), "metadata", NULL);
    g_autofree char *valid = g_utf8_make_valid(reason, -1);

    if (!node || !JSON_NODE_HOLDS_OBJECT(node))
        return NULL;
    JsonObject *metadata = json_node_get_object(node);
    json_object_set_string_member(metadata, "dump_reason", valid);
    json_object_set_string_member(metadata, "trace_id", d->trace_id);
    json_object_set_int_member(metadata, "start_realtime_ns", d->start.realtime_ns);
    json_object_set_int_member(metadata, "start_raw_ns", d->start_raw_ns);
    return strobe_json_object_to_text(metadata, 0);
}

/* Writes the path of the recording window's capture to `capture` and returns its metadata (free
 * it). NULL: an error. */
static char *read_window(const StrobeWriterLoop *loop, char capture[PATH_MAX], int *error)
{
    char *metadata = NULL;
    int fd;

    memcpy(capture, strobe_writer_loop_place(loop)->capture, PATH_MAX);
    capture[PATH_MAX - 1] = 0;
    *error = strobe_capture_file_open(capture, loop->pool, &fd, &metadata);
    if (*error == 0)
        close(fd);
    return metadata;
}

static int write_capture(StrobeWriterLoop *loop, StrobeResultDirectory *d, const char *metadata)
{
    g_autofree char *path = NULL;
    int fd = strobe_result_directory_capture(d, STROBE_SEGMENT_NEW, &path, NULL);

    if (fd < 0)
        return EIO;
    int error = strobe_capture_file_begin(fd, loop->window.number, metadata);
    return error ? error : strobe_dump_serve(loop, path);
}

/* Writes the program's log since its last window. */
static gboolean write_log(const struct pool_header *pool, StrobeResultDirectory *d)
{
    guint32 n = MIN(atomic_load(&pool->notes.log_used), sizeof pool->notes.log);
    g_autofree char *text = g_strndup(pool->notes.log, n);

    return strobe_result_directory_log(d, text, NULL);
}

/* Writes all files of the dump. The capture gets its final name only when it is complete, because
 * recovery cannot complete the capture of a dump. */
static int fill_directory(StrobeDumpMaker *maker, StrobeWriterLoop *loop, StrobeResultDirectory *d,
                          const char *reason)
{
    char capture[PATH_MAX];
    int error;
    char *of_window = read_window(loop, capture, &error);
    g_autofree char *metadata = of_window ? make_metadata(d, of_window, reason) : NULL;

    free(of_window);
    if (!metadata)
        return error ? error : EINVAL;
    error = write_capture(loop, d, metadata);
    if (error)
        return error;
    g_autofree char *framework = g_path_get_dirname(capture);
    g_autofree char *window = g_path_get_dirname(framework);
    if (!strobe_result_directory_place(d, loop->settings.sync != STROBE_SYNC_NONE, NULL) ||
        !strobe_result_directory_copy(d, window, NULL) || !write_log(loop->pool, d))
        return EIO;
    strobe_result_directory_report(d, maker->setup->config);
    return 0;
}

int strobe_dump_maker_make(void *user, StrobeWriterLoop *loop, uint32_t why, const char *reason,
                           char path[PATH_MAX])
{
    StrobeDumpMaker *maker = user;

    if (!maker->setup)
        return EINVAL;
    if (!is_allowed(maker, why))
        return EAGAIN;
    StrobeResultDirectory *d =
        strobe_result_directory_new(maker->setup->config, (pid_t)loop->pool->pid, NULL);
    if (!d)
        return EIO;
    int error = fill_directory(maker, loop, d, reason);
    g_strlcpy(path, d->path, PATH_MAX);
    if (error)
        strobe_result_directory_discard(d);
    else
        strobe_result_directory_free(d);
    return error;
}
