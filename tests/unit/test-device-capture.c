/* SPDX-License-Identifier: Apache-2.0 */
/* Tests records with times of a device's clock, from the recorder to the reader. The reader
 * converts the times with the recorded pairs, at any place among the records, and also after a
 * kill. */
#include <signal.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "thread-buffer.h"
#include "reader.h"
#include "recorder.h"
#include "result.h"
#include "simulated-device.h"
#include "support.h"

#define TASKS 500
#define DURATION 700

/* The device and its recorded tasks, in memory that a child shares. */
typedef struct Shared {
    SimulatedDevice device;
    StrobeTrackId clock, queue;
    gint64 begin_ns[TASKS]; /* true begins of the tasks, in ns of CLOCK_MONOTONIC */
    guint n;
    char directory[4096];
} Shared;

static Shared *shared_new(void)
{
    Shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    shared->device = (SimulatedDevice){.zero_ns = -123456789012345, .drift_ppm = 90};
    return shared;
}

static StrobeKindId kind_id(const StrobeKind *kind)
{
    char error[256];
    StrobeKindId id = strobe_recorder_kind(kind, error, sizeof error);

    g_assert_cmpuint(id, !=, 0);
    return id;
}

static void make_tracks(Shared *shared)
{
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_STREAM,
                         .clock = STROBE_CLOCK_OF_TRACK,
                         .name = "device"};

    shared->clock = strobe_recorder_track(&track);
    track.name = "queue";
    track.clock_track = shared->clock;
    shared->queue = strobe_recorder_track(&track);
}

/* Records a pair. Its reading takes some time, because the bound of a reading that takes no time
 * would be too small on a busy host. */
static void record_pair(Shared *shared)
{
    gint64 before = strobe_clock_ns(CLOCK_MONOTONIC);
    gint64 device = simulated_device_time(&shared->device, strobe_clock_ns(CLOCK_MONOTONIC));
    gint64 after = strobe_clock_ns(CLOCK_MONOTONIC);
    StrobeWriter *writer = strobe_thread_buffer_writer();
    struct strobe_clock_sync *pair = strobe_thread_buffer_reserve(
        writer, kind_id(&strobe_kind_clock_sync), shared->clock, 0, (guint64)device, 0);

    g_assert_nonnull(pair);
    *pair = (struct strobe_clock_sync){device, before + (after - before) / 2,
                                       (guint64)(after - before)};
    strobe_thread_buffer_commit(writer);
}

static void record_task(Shared *shared)
{
    gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);
    guint64 begin = (guint64)simulated_device_time(&shared->device, now);
    StrobeWriter *writer = strobe_thread_buffer_writer();
    struct strobe_device_task *task = strobe_thread_buffer_reserve(
        writer, kind_id(&strobe_kind_device_task), shared->queue, 0, begin, begin + DURATION);

    g_assert_nonnull(task);
    task->task = shared->n;
    shared->begin_ns[shared->n] = now;
    strobe_thread_buffer_commit(writer);
    __atomic_store_n(&shared->n, shared->n + 1, __ATOMIC_RELEASE);
}

static StrobeSession *begin_session(const char *folder, Shared *shared)
{
    StrobeSession *session = session_new(folder, "{}", NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    g_strlcpy(shared->directory, strobe_session_directory(session), sizeof shared->directory);
    make_tracks(shared);
    return session;
}

/* ---- reading ---- */

typedef struct Found {
    const Shared *shared;
    guint n;
    guint32 flags;
    /* offset_ns: difference between the time in the capture and the true time of the first task;
     * worst_ns: largest deviation from it */
    gint64 worst_ns, offset_ns;
} Found;

static void check_task(const StrobeView *view, StrobeText name, gpointer user)
{
    Found *found = user;

    if (strcmp(view->kind->name, "device_task"))
        return;
    gint64 off = view->begin_ns - found->shared->begin_ns[strobe_view_u64(view, 0)];
    if (found->n++ == 0)
        found->offset_ns = off;
    found->worst_ns = MAX(found->worst_ns, ABS(off - found->offset_ns));
    found->flags |= view->flags;
    g_assert_cmpint(view->end_ns - view->begin_ns, ==, DURATION);
}

static StrobeClockView clock_of(const char *capture)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(capture, &error);
    g_assert_no_error(error);
    StrobeClockView view = *strobe_reader_device_clock(reader, 0);

    g_assert_null(strobe_reader_device_clock(reader, 1));
    g_assert_cmpstr(strobe_reader_track(reader, view.track)->name, ==, "device");
    for (guint32 id = 1; id <= strobe_reader_n_tracks(reader); id++) {
        const StrobeTrackView *track = strobe_reader_track(reader, id);
        gboolean is_ours = !strcmp(track->name, "device") || !strcmp(track->name, "queue");
        g_assert_true((track->clock != NULL) == is_ours);
    }
    strobe_reader_free(reader);
    return view;
}

/* Checks that the capture has at least `n` tasks, and that the distances between their times are
 * right within the clock's bound. */
static void check_capture(const char *capture, const Shared *shared, guint n)
{
    StrobeClockView clock = clock_of(capture);
    Found found = {.shared = shared};

    read_capture(capture, NULL, check_task, &found);
    g_assert_cmpuint(found.n, >=, n);
    g_assert_cmpuint(found.flags, ==, 0);
    g_assert_cmpuint(clock.n_pairs, >=, 1);
    g_assert_cmpuint(clock.error_ns, !=, STROBE_ABSENT_U64);
    g_test_message("worst %" G_GINT64_FORMAT " of %" G_GUINT64_FORMAT " ns", found.worst_ns,
                   clock.error_ns);
    g_assert_cmpint(found.worst_ns, <=, 2 * (gint64)clock.error_ns + 2);
}

/* ---- cases ---- */

static void run_tasks(Shared *shared, guint n, guint every, guint pause_us)
{
    for (guint i = 0; i < n; i++) {
        if (every && i % every == 0)
            record_pair(shared);
        record_task(shared);
        g_usleep(pause_us);
    }
}

static void test_whole(void)
{
    char *folder = scratch_new();
    Shared *shared = shared_new();
    StrobeSession *session = begin_session(folder, shared);

    run_tasks(shared, TASKS, 100, 500);
    record_pair(shared);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    strobe_session_free(session);
    check_capture(capture, shared, TASKS);
    munmap(shared, sizeof *shared);
    scratch_remove(folder);
}

/* The only pair is recorded after all tasks, and their times are converted with it. */
static void test_pair_at_the_end(void)
{
    char *folder = scratch_new();
    Shared *shared = shared_new();
    StrobeSession *session = begin_session(folder, shared);

    run_tasks(shared, TASKS, 0, 10);
    record_pair(shared);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    strobe_session_free(session);
    check_capture(capture, shared, TASKS);
    munmap(shared, sizeof *shared);
    scratch_remove(folder);
}

static void check_unplaced(const StrobeView *view, StrobeText name, gpointer user)
{
    const Shared *shared = user;

    if (strcmp(view->kind->name, "device_task"))
        return;
    guint64 i = strobe_view_u64(view, 0);
    g_assert_cmpuint(view->flags, ==, STROBE_VIEW_CLOCK_UNSURE);
    g_assert_cmpint(view->begin_ns, ==,
                    simulated_device_time(&shared->device, shared->begin_ns[i]));
    g_assert_cmpint(view->end_ns, ==, view->begin_ns + DURATION);
}

/* Without a pair, each record has the times of the device's clock and the flag
 * STROBE_VIEW_CLOCK_UNSURE. */
static void test_without_pairs(void)
{
    char *folder = scratch_new();
    Shared *shared = shared_new();
    StrobeSession *session = begin_session(folder, shared);

    run_tasks(shared, 20, 0, 0);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    strobe_session_free(session);
    g_assert_cmpuint(read_capture(capture, "device_task", check_unplaced, shared), ==, 20);
    g_assert_cmpuint(clock_of(capture).n_pairs, ==, 0);
    munmap(shared, sizeof *shared);
    scratch_remove(folder);
}

/* The records of a killed program, and its pairs, are recovered from the pool. */
static void test_killed(void)
{
    char *folder = scratch_new();
    Shared *shared = shared_new();
    g_autoptr(GError) error = NULL;
    pid_t pid = fork();

    if (pid == 0) {
        begin_session(folder, shared);
        run_tasks(shared, TASKS / 2, 50, 200);
        for (;;)
            pause();
    }
    while (__atomic_load_n(&shared->n, __ATOMIC_ACQUIRE) < TASKS / 2)
        g_usleep(1000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    g_autoptr(GPtrArray) results = strobe_result_find(shared->directory, &error);
    g_assert_no_error(error);
    StrobeResult *result = g_ptr_array_index(results, 0);
    g_assert_true(strobe_result_recover(result, NULL, &error));
    g_assert_no_error(error);
    check_capture(result->capture, shared, TASKS / 2);
    munmap(shared, sizeof *shared);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/device-capture/whole", test_whole);
    g_test_add_func("/device-capture/pair-at-the-end", test_pair_at_the_end);
    g_test_add_func("/device-capture/without-pairs", test_without_pairs);
    g_test_add_func("/device-capture/killed", test_killed);
    return g_test_run();
}
