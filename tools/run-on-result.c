/* SPDX-License-Identifier: Apache-2.0 */
#include "run-on-result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "capture-format.h"
#include "command.h"
#include "error.h"
#include "folder.h"
#include "job-fetch.h"
#include "json-text.h"
#include "reader.h"
#include "recover.h"
#include "result-directory.h"
#include "segments.h"

#define WORKER_MAX 128
#define TRIES 1000

static void report_line(const char *text)
{
    strobe_complain("%s", text);
}

/* ---- the capture ---- */

/* Sets *found to whether the board has the file file->name in the folder of the capture, and
 * file->n_bytes to its size. FALSE with an error. */
static gboolean find_capture(const StrobeRunOnSource *source, StrobeJobFile *file, gboolean *found,
                             GError **error)
{
    StrobeJobList list;

    *found = FALSE;
    if (!strobe_job_list_read(source->remote, source->capture, &list, error))
        return FALSE;
    for (guint i = 0; i < list.files->len; i++) {
        const StrobeJobFile *listed = g_ptr_array_index(list.files, i);
        if (strcmp(listed->name, file->name) == 0) {
            file->n_bytes = listed->n_bytes;
            *found = TRUE;
        }
    }
    strobe_job_list_clear(&list);
    return TRUE;
}

/* FALSE with an error: the capture has more bytes than are free in `folder`. The board gives the
 * size, which may be wrong. */
static gboolean check_room(const StrobeJobFile *file, const char *folder, GError **error)
{
    struct statvfs disk;
    guint64 free_bytes = G_MAXUINT64;

    if (statvfs(folder, &disk) == 0)
        free_bytes = (guint64)disk.f_bavail * disk.f_frsize;
    if (file->n_bytes < free_bytes)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "The capture on the board is said to have %" G_GUINT64_FORMAT
                " bytes, %" G_GUINT64_FORMAT " are free here",
                file->n_bytes, free_bytes);
    return FALSE;
}

/* Fetches the capture into `folder`. FALSE with an error or, if the board has no capture, without
 * an error. */
static gboolean fetch_capture(const StrobeRunOnSource *source, const char *folder, GError **error)
{
    char name[] = STROBE_CAPTURE_NAME;
    StrobeJobFile file = {.name = name};
    StrobeFetchTotals totals = {0};
    gboolean found;

    if (!find_capture(source, &file, &found, error) || !found ||
        !check_room(&file, folder, error) ||
        !strobe_job_fetch_file(source->remote, source->capture, &file, folder, report_line, &totals,
                               error))
        return FALSE;
    if (totals.n_refused == 0)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT, "%s: the capture could not be read",
                source->remote->name);
    return FALSE;
}

/* Returns the end of the window by the board's clocks. Unsigned, so that an overflow is defined:
 * the board's numbers may have any value. */
static StrobeResultEnd find_end(StrobeReader *reader, JsonObject *metadata)
{
    const gint64 end_ns = strobe_reader_stats(reader)->end_ns;
    const guint64 raw_offset_ns =
        (guint64)strobe_json_member_int(metadata, "start_raw_ns", 0) -
        (guint64)strobe_json_member_int(metadata, "start_monotonic_ns", 0);
    const guint64 monotonic_ns = (guint64)end_ns - (guint64)strobe_reader_monotonic_offset(reader);

    return (StrobeResultEnd){end_ns, (gint64)(monotonic_ns + raw_offset_ns)};
}

/* Completes the capture if strobe-board-run was killed, and returns its metadata (unref it) and the
 * end of its window. NULL with an error. */
static JsonObject *read_metadata(const char *capture, StrobeResultEnd *end, GError **error)
{
    StrobeReader *reader =
        strobe_recover(capture, NULL, error) ? strobe_reader_open(capture, error) : NULL;
    JsonObject *metadata = reader ? json_object_ref(strobe_reader_metadata(reader)) : NULL;

    if (!reader)
        return NULL;
    *end = find_end(reader, metadata);
    strobe_reader_free(reader);
    return metadata;
}

/* ---- the directory ---- */

static JsonObject *describe_board(const StrobeRunOnSource *source)
{
    const StrobeBoardProperties *properties = source->properties;
    JsonObject *board = json_object_new();
    JsonArray *sync = json_array_new();

    json_object_set_string_member(board, "target", source->target);
    json_object_set_string_member(board, "address", source->remote->name);
    json_object_set_string_member(board, "machine", properties->machine);
    json_object_set_string_member(board, "kernel", properties->kernel);
    json_object_set_string_member(board, "libc", properties->libc);
    for (guint i = 0; i < 2; i++)
        if (source->clocks[i].offset.n)
            json_array_add_object_element(sync, strobe_collect_clock_json(&source->clocks[i]));
    json_object_set_array_member(board, "sync", sync);
    return board;
}

/* Returns the board's host name with only characters that a file name may have (free it). */
static char *name_worker(JsonObject *metadata)
{
    const char *host = strobe_json_member_text(metadata, "host");
    char *worker = g_strndup(*host ? host : "board", WORKER_MAX);

    return g_strcanon(worker, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-", '_');
}

/* Makes a result directory in `folder`, and moves the capture in `folder` into it. NULL with an
 * error. */
static StrobeResultDirectory *fill_directory(const StrobeRunOnSource *source, StrobeConfig *config,
                                             const char *folder, GError **error)
{
    g_autofree char *capture = g_build_filename(folder, STROBE_CAPTURE_NAME, NULL);
    StrobeResultEnd end;
    g_autoptr(JsonObject) metadata = read_metadata(capture, &end, error);
    StrobeResultDirectory *directory = NULL;

    if (!metadata)
        return NULL;
    if (!config->worker)
        config->worker = name_worker(metadata);
    json_object_set_object_member(config->metadata, "board", describe_board(source));
    g_free(config->directory);
    config->directory = g_strdup(folder);
    directory = strobe_result_directory_new(
        config, (pid_t)CLAMP(strobe_json_member_int(metadata, "pid", 0), 0, G_MAXINT), error);
    if (!directory)
        return NULL;
    directory->start_raw_ns = strobe_json_member_int(metadata, "start_raw_ns", 0);
    g_autofree char *place =
        g_build_filename(directory->path, STROBE_FRAMEWORK_DIR, STROBE_CAPTURE_NAME, NULL);
    if (rename(capture, place) == 0 &&
        strobe_result_directory_finish(directory, config, &end, error))
        return directory;
    if (error && !*error)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", place,
                    g_strerror(errno));
    strobe_result_directory_free(directory);
    return NULL;
}

/* Moves the result directory out of the hidden folder into `output`, and adds its path to the
 * configured report file. Returns the new path (free it); NULL with an error. */
static char *place_directory(StrobeResultDirectory *directory, const StrobeConfig *config,
                             const char *output, GError **error)
{
    g_autofree char *name = g_path_get_basename(directory->path);
    g_autofree char *path = g_build_filename(output, name, NULL);

    if (strobe_folder_move(directory->path, path) == 0) {
        g_free(directory->path);
        directory->path = g_strdup(path);
        strobe_result_directory_report(directory, config);
        return g_steal_pointer(&path);
    }
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", path,
                g_strerror(errno));
    return NULL;
}

static char *make_result(const StrobeRunOnSource *source, StrobeConfig *config, const char *folder,
                         GError **error)
{
    g_autofree char *output = g_strdup(config->directory);

    if (!fetch_capture(source, folder, error))
        return NULL;
    StrobeResultDirectory *directory = fill_directory(source, config, folder, error);
    char *path = directory ? place_directory(directory, config, output, error) : NULL;
    strobe_result_directory_free(directory);
    return path;
}

char *strobe_run_on_result(const StrobeRunOnSource *source, StrobeConfig *config, GError **error)
{
    g_autofree char *beside = g_build_filename(config->directory, "board-run", NULL);
    StrobeFreshFolder fresh;
    char *path;

    if (!strobe_folder_begin(&fresh, beside, error))
        return NULL;
    path = make_result(source, config, fresh.path, error);
    strobe_folder_discard(&fresh);
    return path;
}
