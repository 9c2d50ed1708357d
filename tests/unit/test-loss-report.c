/* SPDX-License-Identifier: Apache-2.0 */
/* Causes losses with every cause. Each offered record must be stored, or be counted as lost in the
 * session's report and in the capture. Failing disks are in test-faults.c. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hold.h"
#include "kind-table.h"
#include "thread-buffer.h"
#include "recorder.h"
#include "support.h"
#include "testpoint.h"

/* ---- the counted losses ---- */

static void add_loss(const StrobeView *view, StrobeText name, gpointer user)
{
    guint64 *reported = user;
    struct strobe_loss loss;

    memcpy(&loss, view->fields, sizeof loss);
    g_assert_cmpuint(loss.cause, <, STROBE_LOSS_CAUSES);
    reported[loss.cause] += loss.count;
}

/* Checks that the last window lost `n` records with the cause `cause`, and none with other causes.
 * Truncated strings do not count, because they are no records. */
static void check_losses(StrobeSession *session, guint32 cause, guint64 n)
{
    guint64 reported[STROBE_LOSS_CAUSES] = {0};
    uint64_t lost[STROBE_LOSS_CAUSES];
    g_autofree char *capture = capture_of(session);

    read_capture(capture, "loss", add_loss, reported);
    strobe_recorder_losses(lost);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++) {
        g_assert_cmpuint(reported[i], ==, lost[i]);
        if (i != STROBE_LOSS_STRING_CUT)
            g_assert_cmpuint(reported[i], ==, (i == cause ? n : 0));
    }
}

static guint64 marks_of(StrobeSession *session)
{
    g_autofree char *capture = capture_of(session);
    return read_capture(capture, "marker_instant", NULL, NULL);
}

static guint64 lost_by(guint32 cause)
{
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_recorder_losses(lost);
    return lost[cause];
}

/* ---- a writer that is too slow ---- */

static void overload_pool(const char *format, guint marks)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    strobe_session_start(session, NULL);
    strobe_mark("first");
    Hold *hold = hold_at("full-taken", 1);
    for (guint i = 0; i < marks; i++) {
        char name[64];
        g_snprintf(name, sizeof name, format, i);
        strobe_mark(name);
    }
    hold_wait(hold);
    hold_release(hold);
    strobe_session_stop(session, NULL);
    guint64 lost = lost_by(STROBE_LOSS_POOL_EMPTY);
    g_assert_cmpuint(lost, >, 0);
    g_assert_cmpuint(marks_of(session) + lost, ==, 1 + marks);
    check_losses(session, STROBE_LOSS_POOL_EMPTY, lost);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_pool_empty(void)
{
    overload_pool("same", 600000);
}

/* A record's inline name needs additional room. If there is none, the record counts as lost only
 * once. */
static void test_pool_empty_with_names(void)
{
    overload_pool("a name of its own %u", 300000);
}

/* Opens a range that never ends. The thread ends only after the window, so that the window's end
 * must handle its range. */
static gpointer open_in_crowd(gpointer barriers)
{
    pthread_barrier_t *both = barriers;

    strobe_range_begin("left open");
    pthread_barrier_wait(&both[0]);
    pthread_barrier_wait(&both[1]);
    return NULL;
}

/* Many threads have open ranges when the window ends, there is no free block for these, and the
 * writer thread is held. The window's end waits for a block only once, not for each range. */
static void test_open_and_no_block(void)
{
    enum { THREADS = 100 };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\"}");
    pthread_barrier_t both[2];
    GThread *threads[THREADS];

    for (guint i = 0; i < 2; i++)
        pthread_barrier_init(&both[i], NULL, THREADS + 1);
    Hold *hold = hold_at("full-taken", 1);
    strobe_session_start(session, NULL);
    for (guint i = 0; i < THREADS; i++)
        threads[i] = g_thread_new(NULL, open_in_crowd, both);
    pthread_barrier_wait(&both[0]);
    hold_wait(hold);
    for (guint i = 0; i < 400000; i++)
        strobe_mark("fill");
    gint64 begin = g_get_monotonic_time();
    strobe_session_stop(session, NULL);
    /* the wait is a tenth of a second for all threads, not for each */
    g_assert_cmpint(g_get_monotonic_time() - begin, <, THREADS * 100000 / 2);
    hold_release(hold);
    pthread_barrier_wait(&both[1]);
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    guint64 lost = lost_by(STROBE_LOSS_POOL_EMPTY);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(marks_of(session) + read_capture(capture, "marker", NULL, NULL) + lost, ==,
                     400000 + THREADS);
    check_losses(session, STROBE_LOSS_POOL_EMPTY, lost);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- refusals ---- */

static void test_too_large(void)
{
    static const uint32_t sizes[] = {0, 12, STROBE_BULK_MAX + 8};
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    strobe_session_start(session, NULL);
    StrobeWriter *writer = strobe_thread_buffer_writer();
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        g_assert_null(strobe_thread_buffer_reserve_bulk(writer, sizes[i], 5));
    strobe_mark("stored");
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(marks_of(session), ==, 1);
    check_losses(session, STROBE_LOSS_TOO_LARGE, 5 * G_N_ELEMENTS(sizes));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A record of an undeclared kind is a fault of the collector, so its loss has that cause. */
static void test_undeclared_kind(void)
{
    static const uint32_t kinds[] = {0, STROBE_KINDS_MAX - 1, STROBE_KINDS_MAX, UINT32_MAX};
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    strobe_session_start(session, NULL);
    StrobeWriter *writer = strobe_thread_buffer_writer();
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
        g_assert_null(strobe_thread_buffer_reserve(writer, kinds[i], 0, 0, strobe_clock_now(), 0));
    strobe_session_stop(session, NULL);
    check_losses(session, STROBE_LOSS_COLLECTOR_FAILED, G_N_ELEMENTS(kinds));
    strobe_session_free(session);
    scratch_remove(folder);
}

struct crowd {
    pthread_barrier_t all_there;
};

static gpointer mark_in_crowd(gpointer data)
{
    struct crowd *crowd = data;

    strobe_mark("one of many");
    /* each thread keeps its buffer until all threads have one */
    pthread_barrier_wait(&crowd->all_there);
    return NULL;
}

static void test_no_thread_buffer(void)
{
    enum { THREADS = STROBE_POOL_THREAD_BUFFERS + 40 };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", "\"buffer\": {\"size\": \"128MB\"}");
    g_autofree GThread **threads = g_new(GThread *, THREADS);
    struct crowd crowd;

    pthread_barrier_init(&crowd.all_there, NULL, THREADS);
    strobe_session_start(session, NULL);
    for (guint i = 0; i < THREADS; i++)
        threads[i] = g_thread_new(NULL, mark_in_crowd, &crowd);
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    strobe_session_stop(session, NULL);
    guint64 lost = lost_by(STROBE_LOSS_NO_THREAD_BUFFER);
    g_assert_cmpuint(lost, >=, 40);
    g_assert_cmpuint(marks_of(session) + lost, ==, THREADS);
    check_losses(session, STROBE_LOSS_NO_THREAD_BUFFER, lost);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- a record inside another ---- */

static const char *hit_at; /* name of the test point at which a signal is raised once */

static void set_hook(void (*hook)(const char *))
{
    __atomic_store_n(&strobe_testpoint_hook, hook, __ATOMIC_RELEASE);
}

static void mark_in_handler(int number)
{
    strobe_mark("in a handler");
}

static void raise_at_point(const char *point)
{
    const char *at = __atomic_load_n(&hit_at, __ATOMIC_ACQUIRE);

    if (!at || strcmp(point, at) != 0)
        return;
    __atomic_store_n(&hit_at, NULL, __ATOMIC_RELEASE);
    raise(SIGUSR1);
}

static gpointer mark_once(gpointer data)
{
    strobe_mark(data);
    return NULL;
}

/* A signal interrupts a critical section of a thread, even of its first record, and the handler's
 * record is lost and counted. */
static void test_signal(void)
{
    static const char *const points[] = {"attach-busy", "thread-buffer-busy", "record-reserved",
                                         "record-filled", "string-numbered"};
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    signal(SIGUSR1, mark_in_handler);
    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
        strobe_session_start(session, NULL);
        __atomic_store_n(&hit_at, points[i], __ATOMIC_RELEASE);
        set_hook(raise_at_point);
        g_thread_join(g_thread_new("hit", mark_once, (gpointer)points[i]));
        set_hook(NULL);
        strobe_session_stop(session, NULL);
        g_test_message("hit at %s", points[i]);
        g_assert_cmpuint(marks_of(session), ==, 1);
        check_losses(session, STROBE_LOSS_NESTED, 1);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

static void end_thread(const char *point)
{
    if (strcmp(point, "record-reserved") == 0)
        pthread_exit(NULL);
}

static void *mark_and_end(void *data)
{
    strobe_mark("never finished");
    return NULL;
}

/* A thread ends while it makes a record. The next thread can use its thread buffer. */
static void test_thread_ended(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    pthread_t thread;

    strobe_session_start(session, NULL);
    set_hook(end_thread);
    g_assert_cmpint(pthread_create(&thread, NULL, mark_and_end, NULL), ==, 0);
    pthread_join(thread, NULL);
    set_hook(NULL);
    g_thread_join(g_thread_new("next", mark_once, (gpointer) "next"));
    strobe_session_stop(session, NULL);
    /* the window's end did not wait for the thread */
    g_assert_cmpuint(count_stuck_buffers(), ==, 0);
    g_assert_cmpuint(marks_of(session), ==, 1);
    check_losses(session, STROBE_LOSS_NESTED, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

static __thread gboolean is_to_end;

static void end_thread_at_ring(const char *point)
{
    if (is_to_end && strcmp(point, "ring-locked") == 0)
        pthread_exit(NULL);
}

static void *mark_until_end(void *data)
{
    is_to_end = TRUE;
    for (;;)
        strobe_mark("round and round");
    return NULL;
}

/* If a thread ends while it takes the oldest block of a flight recorder, no other thread waits for
 * it. Threads take such blocks only if the writer thread keeps no blocks free, so the writer thread
 * is held. */
static void test_thread_ended_at_ring(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}");
    pthread_t thread;

    strobe_session_start(session, NULL);
    Hold *hold = hold_at("ring-tidied", 1);
    hold_wait(hold);
    set_hook(end_thread_at_ring);
    g_assert_cmpint(pthread_create(&thread, NULL, mark_until_end, NULL), ==, 0);
    pthread_join(thread, NULL);
    set_hook(NULL);
    hold_release(hold);
    g_thread_join(g_thread_new("next", mark_once, (gpointer) "next"));
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(lost_by(STROBE_LOSS_NESTED), ==, 1);
    g_assert_cmpuint(marks_of(session), >, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Recording threads continue if the writer thread is stopped while it collects full blocks. */
static void test_ring_while_writer_holds_it(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}");

    strobe_session_start(session, NULL);
    for (guint i = 0; i < 600000; i++) /* so many that the ring was full more than once */
        strobe_mark("round and round");
    Hold *hold = hold_at("ring-tidying", 1);
    hold_wait(hold);
    /* On a loaded machine the writer may have been interrupted before, for longer than the ring has
     * room. */
    guint64 lost_before = lost_by(STROBE_LOSS_POOL_EMPTY);
    for (guint i = 0; i < 150000; i++) /* fewer records than the ring holds */
        strobe_mark("round and round");
    g_assert_cmpuint(lost_by(STROBE_LOSS_POOL_EMPTY), ==, lost_before);
    hold_release(hold);
    strobe_session_stop(session, NULL);
    if (lost_before == 0)
        g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
    strobe_session_free(session);
    scratch_remove(folder);
}

static gboolean mark_while_forking;

static void mark_in_fork_handler(void)
{
    if (mark_while_forking)
        strobe_mark("in a fork handler");
}

/* Fork handlers of the program, which run between Strobe's handlers, can record. */
static void test_fork_handler(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    int status;

    strobe_session_start(session, NULL);
    strobe_mark("before");
    mark_while_forking = TRUE;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    mark_while_forking = FALSE;
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    strobe_mark("after");
    strobe_session_stop(session, NULL);
    /* two marks of this function, and one each of the handlers `prepare` and `parent` */
    g_assert_cmpuint(marks_of(session), ==, 4);
    check_losses(session, STROBE_LOSS_NESTED, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- after the window ---- */

/* A late record of a sealed window is counted in the next capture, together with late records that
 * a collector counts between the windows. Losses between windows with other causes are in no
 * capture. */
static void test_late(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    strobe_session_start(session, NULL);
    StrobeWriter *writer = strobe_thread_buffer_writer();
    uint64_t begin = strobe_clock_now();
    strobe_session_stop(session, NULL);
    check_losses(session, STROBE_LOSS_LATE, 0);
    g_assert_null(
        strobe_thread_buffer_reserve(writer, STROBE_KIND_ID_MARKER_INSTANT, 0, 0, begin, 0));
    begin = strobe_clock_now(); /* a record after this time belongs to no window */
    g_assert_null(
        strobe_thread_buffer_reserve(writer, STROBE_KIND_ID_MARKER_INSTANT, 0, 0, begin, 0));
    strobe_recorder_lost(STROBE_LOSS_LATE, 5);
    strobe_recorder_lost(STROBE_LOSS_COLLECTOR_DROPPED, 7);
    g_assert_cmpuint(strobe_recorder_late(), ==, 6);
    strobe_session_start(session, NULL);
    strobe_mark("next");
    strobe_session_stop(session, NULL);
    check_losses(session, STROBE_LOSS_LATE, 6);
    g_assert_cmpuint(strobe_recorder_late(), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- a collector that fails ---- */

static void test_collector_failed(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{\"fails_midway\": {}}", NULL);

    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    guint64 stored = read_capture(capture, "fails_midway.item", NULL, NULL);
    g_assert_cmpuint(stored, ==, 600);
    check_losses(session, STROBE_LOSS_COLLECTOR_FAILED, 1000 - stored);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "made to fail"));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Records that a source still has when the time for late records is over cannot be counted, but a
 * diagnostic reports them. */
static void test_never_drained(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{\"never_drained\": {}}", NULL);

    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "never_drained: it had more"));
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    /* registered before Strobe's own handlers */
    pthread_atfork(mark_in_fork_handler, mark_in_fork_handler, NULL);
    g_test_init(&argc, &argv, NULL);
    g_autofree char *path = g_strconcat(BAD_PLUGINS, ":", g_getenv("STROBE_PLUGIN_PATH"), NULL);
    g_setenv("STROBE_PLUGIN_PATH", path, TRUE);
    g_test_add_func("/loss-report/pool-empty", test_pool_empty);
    g_test_add_func("/loss-report/pool-empty-with-names", test_pool_empty_with_names);
    g_test_add_func("/loss-report/open-and-no-block", test_open_and_no_block);
    g_test_add_func("/loss-report/too-large", test_too_large);
    g_test_add_func("/loss-report/undeclared-kind", test_undeclared_kind);
    g_test_add_func("/loss-report/no-thread-buffer", test_no_thread_buffer);
    g_test_add_func("/loss-report/signal", test_signal);
    g_test_add_func("/loss-report/thread-ended", test_thread_ended);
    g_test_add_func("/loss-report/thread-ended-at-ring", test_thread_ended_at_ring);
    g_test_add_func("/loss-report/ring-while-writer-holds-it", test_ring_while_writer_holds_it);
    g_test_add_func("/loss-report/fork-handler", test_fork_handler);
    g_test_add_func("/loss-report/late", test_late);
    g_test_add_func("/loss-report/collector-failed", test_collector_failed);
    g_test_add_func("/loss-report/never-drained", test_never_drained);
    return g_test_run();
}
