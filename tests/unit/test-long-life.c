/* SPDX-License-Identifier: Apache-2.0 */
/* Tests a program that runs for days, with any number of threads and names. Its memory must not
 * grow, and no record may be lost or be on the track of another thread. */
#include <signal.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "segments.h"
#include "pool.h"
#include "reader.h"
#include "recorder.h"
#include "result.h"
#include "support.h"

#define SPAWNERS 4u

static guint *n_marked; /* number of threads that have recorded, in memory that a child shares */

static gpointer one_mark(gpointer data)
{
    if (strobe_enabled())
        strobe_mark_recorded("short", (uint64_t)gettid());
    __atomic_add_fetch(n_marked, 1, __ATOMIC_RELAXED);
    return NULL;
}

static gpointer spawn_threads(gpointer data)
{
    for (gsize i = 0; i < GPOINTER_TO_SIZE(data); i++)
        g_thread_join(g_thread_new(NULL, one_mark, NULL));
    return NULL;
}

static void spawn_all(guint threads)
{
    GThread *spawners[SPAWNERS];

    for (guint i = 0; i < SPAWNERS; i++)
        spawners[i] = g_thread_new(NULL, spawn_threads, GSIZE_TO_POINTER(threads / SPAWNERS));
    for (guint i = 0; i < SPAWNERS; i++)
        g_thread_join(spawners[i]);
}

/* Checks that there is one record on each track, and that the track is that of the thread which
 * recorded it. Returns the number of records. */
static guint check_short_threads(const char *capture)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) seen = g_byte_array_new();
    StrobeReader *reader = strobe_reader_open(capture, &error);
    StrobeView views[500];
    guint found = 0;
    gsize n;

    g_assert_no_error(error);
    g_byte_array_set_size(seen, strobe_reader_n_tracks(reader) + 1);
    memset(seen->data, 0, seen->len);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < n; i++) {
            const StrobeTrackView *track = strobe_reader_track(reader, views[i].track);
            if (strcmp(views[i].kind->name, "marker_instant"))
                continue;
            g_assert_nonnull(track);
            g_assert_cmpuint(track->number, ==, strobe_view_u64(&views[i], 0));
            g_assert_cmpuint(seen->data[track->id]++, ==, 0);
            found++;
        }
    g_assert_no_error(error);
    strobe_reader_free(reader);
    return found;
}

/* Runs many times as many threads as there are thread buffers and entries for tracks. */
static void test_short_threads(void)
{
    guint half = test_count("STROBE_TEST_THREADS", 40000) / 2;
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    gint64 begin = g_get_monotonic_time();

    strobe_session_start(session, NULL);
    spawn_all(half);
    guint64 pages = private_pages();
    spawn_all(half);
    if (!IS_SANITIZED)
        /* 512 KiB more, for variations of the allocator */
        g_assert_cmpuint(private_pages(), <=, pages + 128);
    g_test_message(
        "%u threads in %.1f s, %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT " pages in memory",
        2 * half, (double)(g_get_monotonic_time() - begin) * 1e-6, pages, private_pages());
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(check_short_threads(capture), ==, 2 * half);
    strobe_session_free(session);
    scratch_remove(folder);
}

static char *spawn_and_kill(guint delay_us)
{
    char *folder = scratch_new();
    pid_t pid;

    *n_marked = 0;
    pid = fork();
    if (pid == 0) {
        StrobeSession *session = session_new(
            folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"1ms\"}");
        strobe_session_start(session, NULL);
        spawn_all(G_MAXUINT);
        _exit(1);
    }
    while (__atomic_load_n(n_marked, __ATOMIC_RELAXED) == 0)
        g_usleep(100);
    g_usleep(delay_us);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return folder;
}

/* After a kill, while threads end and their entries are used again, each record is on the track of
 * its own thread. */
static void test_short_threads_killed(void)
{
    for (guint i = 0; i < 10; i++) {
        char *folder = spawn_and_kill((guint)g_test_rand_int_range(0, 200000));
        g_autoptr(GError) error = NULL;
        g_autoptr(GPtrArray) results = strobe_result_find(folder, &error);
        gboolean live = TRUE;
        g_assert_cmpuint(results->len, ==, 1);
        const StrobeResult *result = g_ptr_array_index(results, 0);
        g_assert_true(strobe_result_recover(result, &live, &error));
        g_assert_false(live);
        guint found = check_short_threads(result->capture);
        g_assert_cmpuint(found, >=, *n_marked);
        g_assert_cmpuint(found, <=, *n_marked + SPAWNERS);
        scratch_remove(folder);
    }
}

static gpointer many_marks(gpointer data)
{
    for (guint i = 0; strobe_enabled() && i < 200; i++)
        strobe_mark_recorded("short", (uint64_t)gettid());
    return NULL;
}

/* A flight recorder forgets threads whose records are overwritten, and knows the threads of all
 * records that it has. */
static void test_ring_threads(void)
{
    guint threads = STROBE_POOL_THREAD_TRACKS + 4000, found = 0;
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}");
    g_autoptr(GError) error = NULL;
    StrobeView views[500];
    gsize n;

    strobe_session_start(session, NULL);
    for (guint i = 0; i < threads; i++)
        g_thread_join(g_thread_new(NULL, many_marks, NULL));
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    g_assert_null(strstr(strobe_session_diagnostics(session), "track table"));
    StrobeReader *reader = strobe_reader_open(capture, &error);
    g_assert_no_error(error);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < n; i++) {
            const StrobeTrackView *track = strobe_reader_track(reader, views[i].track);
            if (strcmp(views[i].kind->name, "marker_instant"))
                continue;
            g_assert_cmpuint(track ? track->number : 0, ==, strobe_view_u64(&views[i], 0));
            found++;
        }
    g_assert_cmpuint(found, >, 100000);
    strobe_reader_free(reader);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void check_unique(const StrobeView *view, StrobeText name, gpointer user)
{
    guint64 *next = user;
    g_autofree char *expected = g_strdup_printf("step %" G_GUINT64_FORMAT, (*next)++);

    g_assert_cmpstr(name.bytes, ==, expected);
}

/* A small pool. A thread waits for room, because the writer may have no processor for some time. */
#define PATIENT "\"buffer\": {\"size\": \"8MB\", \"policy\": \"block\"}"

/* There may be any number of unique names. Names for which the table has no room are inline
 * strings. */
static void test_unique_names(void)
{
    guint names = test_count("STROBE_TEST_NAMES", 150000);
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", PATIENT);
    uint64_t lost[STROBE_LOSS_CAUSES];
    guint64 next = 0, pages = 0;

    strobe_session_start(session, NULL);
    for (guint i = 0; i < names; i++) {
        char name[32];
        g_snprintf(name, sizeof name, "step %u", i);
        strobe_mark(name);
        if (i == names / 2)
            pages = private_pages();
    }
    if (!IS_SANITIZED)
        g_assert_cmpuint(private_pages(), <=, pages + 128);
    strobe_session_stop(session, NULL);
    strobe_recorder_losses(lost);
    g_assert_cmpuint(lost[STROBE_LOSS_POOL_EMPTY], ==, 0);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(read_capture(capture, "marker_instant", check_unique, &next), ==, names);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void mark_names(guint n)
{
    static guint next;

    for (guint i = 0; i < n; i++) {
        char name[32];
        g_snprintf(name, sizeof name, "inner %u", next++);
        strobe_mark(name);
    }
}

static void find_spans(const StrobeView *view, StrobeText name, gpointer user)
{
    g_string_append_printf(user, "%s%s;", name.bytes,
                           view->flags & STROBE_VIEW_UNFINISHED ? "?" : "");
}

/* Opens three nested spans, of which two have inline names and one has a name in the table, and
 * then makes marks with many names. */
static void open_spans(StrobeRange outer[3])
{
    outer[0] = strobe_range_begin("epoch 2");
    outer[1] = strobe_range_begin("inner 5");
    outer[2] = strobe_range_begin("step 3");
    mark_names(100000);
}

/* The names of long spans are read correctly, even if more names occur in the meantime than a
 * reader remembers. */
static void test_outer_names(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", PATIENT);
    g_autoptr(GString) names = g_string_new(NULL);
    StrobeRange outer[3];

    strobe_session_start(session, NULL);
    mark_names(STROBE_POOL_STRINGS);
    outer[0] = strobe_range_begin("epoch 1");
    outer[1] = strobe_range_begin("step 1");
    mark_names(100000);
    strobe_range_end(outer[1]);
    outer[1] = strobe_range_begin("step 2");
    strobe_range_end(outer[1]);
    strobe_range_end(outer[0]);
    open_spans(outer);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    read_capture(capture, "marker", find_spans, names);
    g_assert_cmpstr(names->str, ==, "step 1;step 2;epoch 1;step 3?;inner 5?;epoch 2?;");
    strobe_session_free(session);
    scratch_remove(folder);
}

/* The names of long spans are read correctly after a kill. */
static void test_outer_names_killed(void)
{
    char *folder = scratch_new();
    g_autoptr(GString) names = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    *n_marked = 0;
    pid_t pid = fork();
    if (pid == 0) {
        StrobeSession *session = session_new(folder, "{}", PATIENT);
        StrobeRange outer[3];
        strobe_session_start(session, NULL);
        mark_names(STROBE_POOL_STRINGS);
        open_spans(outer);
        __atomic_store_n(n_marked, 1, __ATOMIC_RELEASE);
        for (;;)
            pause();
    }
    while (!__atomic_load_n(n_marked, __ATOMIC_ACQUIRE))
        g_usleep(1000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    g_autoptr(GPtrArray) results = strobe_result_find(folder, &error);
    const StrobeResult *result = g_ptr_array_index(results, 0);
    g_assert_true(strobe_result_recover(result, NULL, &error));
    read_capture(result->capture, "marker", find_spans, names);
    g_assert_cmpstr(names->str, ==, "step 3?;inner 5?;epoch 2?;");
    scratch_remove(folder);
}

/* Each segment of a rotated capture has the names of spans that began in earlier segments. */
static void test_outer_names_rotated(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", PATIENT ", \"rotate\": {\"size\": \"1MB\"}");
    g_autoptr(GString) names = g_string_new(NULL);
    StrobeRange outer[3];

    strobe_session_start(session, NULL);
    mark_names(STROBE_POOL_STRINGS);
    open_spans(outer);
    strobe_range_end(outer[0]);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session), *parts = g_path_get_dirname(capture);
    g_auto(GStrv) segments = strobe_segments_list(parts);
    guint n_ended = 0;
    for (guint i = 0; segments[i]; i++) {
        g_autofree char *segment = g_build_filename(parts, segments[i], NULL);
        g_string_truncate(names, 0);
        read_capture(segment, "marker", find_spans, names);
        n_ended += strcmp(names->str, "epoch 2;") == 0;
        if (*names->str && strcmp(names->str, "epoch 2;"))
            g_assert_cmpstr(names->str, ==, "step 3?;inner 5?;epoch 2?;");
    }
    g_assert_cmpuint(g_strv_length(segments), >=, 3);
    g_assert_cmpuint(n_ended, ==, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    n_marked =
        mmap(NULL, sizeof *n_marked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_test_add_func("/long-life/short-threads", test_short_threads);
    g_test_add_func("/long-life/short-threads-killed", test_short_threads_killed);
    g_test_add_func("/long-life/ring-threads", test_ring_threads);
    g_test_add_func("/long-life/unique-names", test_unique_names);
    g_test_add_func("/long-life/outer-names", test_outer_names);
    g_test_add_func("/long-life/outer-names-killed", test_outer_names_killed);
    g_test_add_func("/long-life/outer-names-rotated", test_outer_names_rotated);
    return g_test_run();
}
