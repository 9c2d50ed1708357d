/* SPDX-License-Identifier: Apache-2.0 */
/* Tests thread buffers, pool and writer thread in a real session: every offered record is stored or
 * counted as lost. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kind-table.h"
#include "thread-buffer.h"
#include "recorder.h"
#include "support.h"

static void test_standard_ids(void)
{
    g_autofree char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    g_assert_cmpuint(strobe_kind_id(&strobe_kind_marker), ==, STROBE_KIND_ID_MARKER);
    g_assert_cmpuint(strobe_kind_id(&strobe_kind_marker_instant), ==,
                     STROBE_KIND_ID_MARKER_INSTANT);
    g_assert_cmpuint(strobe_kind_id(&strobe_kind_counter), ==, STROBE_KIND_ID_COUNTER);
    g_assert_cmpuint(strobe_kind_id(&strobe_kind_loss), ==, STROBE_KIND_ID_LOSS);
    strobe_session_free(session);
    scratch_remove(g_steal_pointer(&folder));
}

static gpointer mark_many(gpointer data)
{
    for (gsize i = 0; i < GPOINTER_TO_SIZE(data); i++) {
        StrobeRange outer = strobe_range_begin_argument("outer", i);
        StrobeRange inner = strobe_range_begin("inner");
        strobe_range_end(inner);
        strobe_mark("mark");
        strobe_range_end(outer);
    }
    return NULL;
}

struct order {
    guint64 next[8];
    guint64 tracks[8];
    guint n;
};

/* Checks that the arguments of each thread's records are in order and without a gap. */
static void check_order(const StrobeView *view, StrobeText name, gpointer user)
{
    struct order *order = user;
    guint i;

    g_assert_cmpint(view->end_ns, >=, view->begin_ns);
    if (strcmp(name.bytes, "outer"))
        return;
    for (i = 0; i < order->n && order->tracks[i] != view->track; i++)
        ;
    if (i == order->n)
        order->tracks[order->n++] = view->track;
    g_assert_cmpuint(strobe_view_u64(view, 0), ==, order->next[i]++);
}

static void test_threads(void)
{
    enum { THREADS = 4, RANGES = 40000 };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    GThread *threads[THREADS];
    uint64_t lost[STROBE_LOSS_CAUSES];
    struct order order = {0};

    strobe_session_start(session, NULL);
    for (guint i = 0; i < THREADS; i++)
        threads[i] = g_thread_new("marks", mark_many, GSIZE_TO_POINTER(RANGES));
    for (guint i = 0; i < THREADS; i++)
        g_thread_join(threads[i]);
    strobe_session_stop(session, NULL);
    strobe_recorder_losses(lost);
    g_autofree char *capture = capture_of(session);
    guint64 ranges = read_capture(capture, "marker", lost[0] ? NULL : check_order, &order);
    guint64 marks = read_capture(capture, "marker_instant", NULL, NULL);
    g_assert_cmpuint(ranges + marks + lost[STROBE_LOSS_POOL_EMPTY], ==, THREADS * RANGES * 3);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* If the disk is too slow for the pool, every lost record is counted. */
static void test_loss_report(void)
{
    enum { MARKS = 2000000 };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    guint64 reported = 0;
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_session_start(session, NULL);
    for (guint i = 0; i < MARKS; i++)
        strobe_mark("m");
    strobe_session_stop(session, NULL);
    strobe_recorder_losses(lost);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        reported += lost[i];
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(read_capture(capture, "marker_instant", NULL, NULL) + reported, ==, MARKS);
    g_test_message("%" G_GUINT64_FORMAT " of %d records lost", reported, MARKS);
    strobe_session_free(session);
    scratch_remove(folder);
}

static _Atomic int signals; /* atomic, because two threads may run the handler at the same time */
static int keep_on = 1;     /* atomic */

static void mark_in_handler(int number)
{
    strobe_mark("from a handler");
    signals++;
}

/* A signal handler that records inside of another record's critical section loses its own record,
 * which is counted. No other record is disturbed. */
static void test_nested(void)
{
    if (WITH_TSAN) {
        g_test_skip("ThreadSanitizer calls handlers without the kernel's frame on the stack");
        return;
    }
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct sigaction action = {.sa_handler = mark_in_handler};
    struct itimerval timer = {{0, 50}, {0, 50}}, off = {{0, 0}, {0, 0}};
    uint64_t lost[STROBE_LOSS_CAUSES];
    guint64 own = 0;

    sigaction(SIGALRM, &action, NULL);
    strobe_session_start(session, NULL);
    strobe_mark("attach");
    setitimer(ITIMER_REAL, &timer, NULL);
    for (; own < 300000; own++)
        strobe_mark("own");
    setitimer(ITIMER_REAL, &off, NULL);
    strobe_session_stop(session, NULL);
    strobe_recorder_losses(lost);
    g_autofree char *capture = capture_of(session);
    guint64 found = read_capture(capture, "marker_instant", NULL, NULL);
    g_assert_cmpuint(found + lost[STROBE_LOSS_NESTED] + lost[STROBE_LOSS_POOL_EMPTY], ==,
                     1 + own + (guint64)signals);
    g_test_message("%d signals, %d nested", (int)signals, (int)lost[STROBE_LOSS_NESTED]);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void find_long(const StrobeView *view, StrobeText name, gpointer user)
{
    gsize *longest = user;
    *longest = MAX(*longest, name.length);
}

static void test_long_names(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    g_autofree char *name = g_strnfill(100000, 'n');
    g_autofree char *huge = g_strnfill(2000000, 'h');
    uint64_t lost[STROBE_LOSS_CAUSES];
    gsize longest = 0;

    strobe_session_start(session, NULL);
    strobe_mark(name);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    read_capture(capture, "marker_instant", find_long, &longest);
    g_assert_cmpuint(longest, ==, 100000);
    strobe_session_start(session, NULL);
    strobe_mark(huge);
    strobe_session_stop(session, NULL);
    strobe_recorder_losses(lost);
    g_assert_cmpuint(lost[STROBE_LOSS_STRING_CUT], >=, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void find_unfinished(const StrobeView *view, StrobeText name, gpointer user)
{
    GString *names = user;

    if (view->flags & STROBE_VIEW_UNFINISHED)
        g_string_append_printf(names, "%s=%" G_GUINT64_FORMAT ";", name.bytes,
                               strobe_view_u64(view, 0));
}

/* Spans that are open at the window's end are stored as unfinished. Their end after the window has
 * no effect. */
static void test_open_spans(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    g_autoptr(GString) names = g_string_new(NULL);

    strobe_session_start(session, NULL);
    StrobeRange outer = strobe_range_begin_argument("outer", 1);
    StrobeRange inner = strobe_range_begin_argument("inner", 2);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    read_capture(capture, "marker", find_unfinished, names);
    g_assert_cmpstr(names->str, ==, "inner=2;outer=1;");
    strobe_session_start(session, NULL);
    strobe_range_end(inner);
    strobe_range_end(outer);
    strobe_session_stop(session, NULL);
    g_autofree char *second = capture_of(session);
    g_assert_cmpuint(read_capture(second, "marker", NULL, NULL), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_deep_spans(void)
{
    enum { DEEP = 1100, KEPT = STROBE_POOL_SPANS + STROBE_DEEP_SPANS };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    StrobeRange ranges[DEEP];
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_session_start(session, NULL);
    for (guint i = 0; i < DEEP; i++)
        ranges[i] = strobe_range_begin("deep");
    for (guint i = DEEP; i-- > 0;)
        strobe_range_end(ranges[i]);
    strobe_session_stop(session, NULL);
    strobe_recorder_losses(lost);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(lost[STROBE_LOSS_SPAN_DEPTH], ==, DEEP - KEPT);
    g_assert_cmpuint(read_capture(capture, "marker", NULL, NULL), ==, KEPT);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- times ---- */

static const uint64_t lasting[] = {0, 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, (uint64_t)1 << 40};

/* Checks that each span has the right duration, even if its times are stored in one word instead of
 * two. */
static void check_times(const StrobeView *view, StrobeText name, gpointer user)
{
    gint64 *begins = user;
    guint64 i = strobe_view_u64(view, 0);
    double ns = (double)lasting[i % G_N_ELEMENTS(lasting)] * strobe_clock_ns_per_tick();

    g_assert_cmpfloat(ABS((double)(view->end_ns - view->begin_ns) - ns), <=, 2 + ns * 1e-3);
    begins[i / G_N_ELEMENTS(lasting)] = view->begin_ns;
}

static void reserve_spans(StrobeWriter *writer, uint64_t begin, guint64 first)
{
    for (guint i = 0; i < G_N_ELEMENTS(lasting); i++) {
        guint64 *argument = strobe_thread_buffer_reserve(writer, STROBE_KIND_ID_MARKER, 0, 0, begin,
                                                         begin + lasting[i]);
        g_assert_nonnull(argument);
        *argument = first + i;
        strobe_thread_buffer_commit(writer);
    }
}

/* Records spans that begin before, with and after their block, and whose durations have up to more
 * than 32 bits. */
static void test_times(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    gint64 begins[3] = {0};

    strobe_session_start(session, NULL);
    uint64_t before = strobe_clock_now();
    StrobeWriter *writer = strobe_thread_buffer_writer();
    reserve_spans(writer, before, 0);
    g_assert_cmpuint(writer->base, >, before);
    reserve_spans(writer, writer->base, G_N_ELEMENTS(lasting));
    reserve_spans(writer, strobe_clock_now(), 2 * G_N_ELEMENTS(lasting));
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(read_capture(capture, "marker", check_times, begins), ==,
                     3 * G_N_ELEMENTS(lasting));
    g_assert_cmpint(begins[0], <=, begins[1]);
    g_assert_cmpint(begins[1], <=, begins[2]);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_short_times(void)
{
    const uint64_t base = UINT64_C(0x123456789abcdef0), most = UINT32_MAX;
    const struct {
        uint64_t begin, end;
        int fits;
    } spans[] = {{base, base, 1},
                 {base + most, base + most + most, 1},
                 {base + most + 1, base + most + 1, 0},
                 {base - 1, base + 1, 0},
                 {base, base + most + 1, 0},
                 {base + 5, base + 4, 0},
                 {0, UINT64_MAX, 0}};

    for (guint i = 0; i < G_N_ELEMENTS(spans); i++) {
        int fits;
        uint64_t times = strobe_short_times(base, spans[i].begin, spans[i].end, &fits);
        g_assert_cmpint(fits, ==, spans[i].fits);
        if (fits) {
            g_assert_cmpuint(strobe_short_begin(base, times), ==, spans[i].begin);
            g_assert_cmpuint(strobe_short_end(base, times), ==, spans[i].end);
        }
    }
}

static gpointer mark_on(gpointer data)
{
    guint64 n = 0;

    while (g_atomic_int_get(&keep_on)) {
        strobe_mark("load");
        if (++n % 1000 == 0)
            g_usleep(100);
    }
    return NULL;
}

/* Children that are forked while threads record do not record, do not hang, and do not change the
 * parent's capture. */
static void test_fork(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    guint forks = test_count("STROBE_TEST_FORKS", 50);
    GThread *thread;

    g_atomic_int_set(&keep_on, 1);
    strobe_session_start(session, NULL);
    thread = g_thread_new("load", mark_on, NULL);
    for (guint i = 0; i < forks; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            strobe_mark("child");
            alarm(5);
            if (strobe_session_stop(session, NULL) != STROBE_ERROR_STATE || strobe_enabled())
                _exit(1);
            strobe_session_free(session);
            _exit(0);
        }
        int status;
        g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
        g_assert_cmpint(status, ==, 0);
    }
    g_atomic_int_set(&keep_on, 0);
    g_thread_join(thread);
    strobe_mark("parent");
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    gsize longest = 0;
    read_capture(capture, "marker_instant", find_long, &longest);
    g_assert_cmpuint(longest, ==, strlen("parent"));
    strobe_session_free(session);
    scratch_remove(folder);
}

static void mark_in_child(void)
{
    strobe_mark("from another's fork handler");
}

/* A fork handler of the program may run before Strobe's in the child. It must not find the gate
 * open while the pool is unmapped. */
static void test_fork_handler(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    int status;

    strobe_session_start(session, NULL);
    strobe_mark("parent");
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(status, ==, 0);
    strobe_mark("parent");
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(read_capture(capture, "marker_instant", NULL, NULL), ==, 2);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Windows begin and end while threads record, so that the gate closes during critical sections. */
static void test_windows_under_load(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    GThread *threads[3];

    g_atomic_int_set(&keep_on, 1);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("load", mark_on, NULL);
    for (guint i = 0; i < 30; i++) {
        strobe_session_start(session, NULL);
        g_usleep(2000);
        strobe_session_stop(session, NULL);
        g_autofree char *capture = capture_of(session);
        read_capture(capture, "marker_instant", NULL, NULL);
    }
    g_atomic_int_set(&keep_on, 0);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    strobe_session_free(session);
    scratch_remove(folder);
}

static int tells_losses; /* atomic */

static gpointer tell_losses(gpointer data)
{
    const StrobeTrack track = {
        sizeof track, STROBE_TRACK_COUNTER, STROBE_CLOCK_HOST, -1, 1, "told", "", 0, 0};

    while (g_atomic_int_get(&tells_losses)) {
        strobe_recorder_lost(STROBE_LOSS_COLLECTOR_DROPPED, 1);
        strobe_recorder_track(&track);
    }
    return NULL;
}

/* A collector may count losses in a thread of the program while the session ends. */
static void test_losses_while_closing(void)
{
    g_autofree char *folder = scratch_new();
    GThread *threads[2];

    g_atomic_int_set(&tells_losses, 1);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("losses", tell_losses, NULL);
    for (guint i = 0; i < 50; i++) {
        StrobeSession *session = session_new(folder, "{}", NULL);
        strobe_session_start(session, NULL);
        strobe_session_stop(session, NULL);
        strobe_session_free(session);
    }
    g_atomic_int_set(&tells_losses, 0);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    scratch_remove(g_steal_pointer(&folder));
}

int main(int argc, char **argv)
{
    pthread_atfork(NULL, NULL, mark_in_child); /* registered before Strobe's own handlers */
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/recorder/standard-ids", test_standard_ids);
    g_test_add_func("/recorder/threads", test_threads);
    g_test_add_func("/recorder/ledger", test_loss_report);
    g_test_add_func("/recorder/nested", test_nested);
    g_test_add_func("/recorder/long-names", test_long_names);
    g_test_add_func("/recorder/open-spans", test_open_spans);
    g_test_add_func("/recorder/deep-spans", test_deep_spans);
    g_test_add_func("/recorder/times", test_times);
    g_test_add_func("/recorder/short-times", test_short_times);
    g_test_add_func("/recorder/fork", test_fork);
    g_test_add_func("/recorder/fork-handler", test_fork_handler);
    g_test_add_func("/recorder/windows-under-load", test_windows_under_load);
    g_test_add_func("/recorder/losses-while-closing", test_losses_while_closing);
    return g_test_run();
}
