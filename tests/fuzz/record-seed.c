/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record-seed FOLDER COLLECTORS COMPRESS [killed]: records one small window with the collectors
 * (JSON) and a few marks, with blocks compressed by COMPRESS, and prints the path of the capture.
 * With "killed" the recording process is killed, and the printed capture is the one that recovery
 * finished; the unfinished one is next to it, as "open.strobe".
 */
#include <gio/gio.h>
#include <signal.h>
#include <strobe/kinds.h>
#include <strobe/strobe.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "thread-buffer.h"
#include "recorder.h"
#include "result.h"

/* Records tasks of a device whose clock is paired with the host's clock, and is set back in
 * between. */
static void record_device(void)
{
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_STREAM,
                         .clock = STROBE_CLOCK_OF_TRACK,
                         .name = "clock"};
    char error[256];
    StrobeKindId pair = strobe_recorder_kind(&strobe_kind_clock_sync, error, sizeof error);
    StrobeKindId task = strobe_recorder_kind(&strobe_kind_device_task, error, sizeof error);
    StrobeWriter *writer = strobe_thread_buffer_writer();

    track.clock_track = strobe_recorder_track(&track);
    StrobeTrackId clock = track.clock_track, queue;
    track.name = "queue";
    queue = strobe_recorder_track(&track);
    for (int i = 0; i < 6 && writer; i++) {
        gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);
        guint64 there = (guint64)(now / 2 + (i < 3 ? 1000000 : 0));
        struct strobe_clock_sync *fields =
            strobe_thread_buffer_reserve(writer, pair, clock, 0, there, 0);
        *fields = (struct strobe_clock_sync){(gint64)there, now, i == 4 ? 90000 : 100};
        strobe_thread_buffer_commit(writer);
        if (strobe_thread_buffer_reserve(writer, task, queue, 0, there, there + 50))
            strobe_thread_buffer_commit(writer);
    }
}

static StrobeSession *record_window(const char *config)
{
    StrobeSession *session = NULL;
    StrobeError *error = NULL;

    if (strobe_session_new(config, "record-seed", &session, &error) ||
        strobe_session_start(session, &error)) {
        g_printerr("record-seed: %s\n", strobe_error_message(error));
        _exit(1);
    }
    StrobeRange range = strobe_range_begin_argument("outer \"range\"", 7);
    strobe_mark("hostile \n\xff name");
    strobe_counter("counter", 1.5);
    strobe_range_end(range);
    record_device();
    strobe_range_begin("left open");
    return session;
}

static void record_whole(const char *config)
{
    StrobeSession *session = record_window(config);

    strobe_session_stop(session, NULL);
    g_print("%s/FRAMEWORK/capture.strobe\n", strobe_session_directory(session));
    strobe_session_free(session);
}

/* Records in a process that is killed, and recovers its capture. Returns whether this succeeded. */
static gboolean record_killed(const char *config, const char *folder)
{
    g_autofree char *open_path = g_build_filename(folder, "open.strobe", NULL);
    g_autoptr(GFile) copy = g_file_new_for_path(open_path);
    pid_t pid = fork();

    if (pid == 0) {
        record_window(config);
        g_usleep(100000); /* waits for a flush */
        strobe_mark("only in the pool");
        kill(getpid(), SIGKILL);
    }
    if (waitpid(pid, NULL, 0) != pid)
        return FALSE;
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    if (!results)
        return FALSE;
    const StrobeResult *result = g_ptr_array_index(results, 0);
    g_autoptr(GFile) capture = g_file_new_for_path(result->capture);
    g_print("%s\n", result->capture);
    return g_file_copy(capture, copy, 0, NULL, NULL, NULL, NULL) &&
           strobe_result_recover(result, NULL, NULL);
}

int main(int argc, char **argv)
{
    gboolean is_killed = argc == 5 && strcmp(argv[4], "killed") == 0;

    if (argc != 4 && !is_killed) {
        g_printerr("usage: record-seed FOLDER COLLECTORS COMPRESS [killed]\n");
        return 2;
    }
    g_autofree char *config =
        g_strdup_printf("{\"collectors\": %s, \"buffer\": {\"size\": \"8MB\", "
                        "\"flush_interval\": \"20ms\", \"compress\": \"%s\"},"
                        " \"output\": {\"directory\": \"%s\", \"worker\": \"seed\"}}",
                        argv[2], argv[3], argv[1]);
    if (is_killed)
        return record_killed(config, argv[1]) ? 0 : 1;
    record_whole(config);
    return 0;
}
