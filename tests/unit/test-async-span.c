/* SPDX-License-Identifier: Apache-2.0 */
/* Tests async spans in a real session: they end in any order, on any thread, never, or after a
 * kill. */
#include "async-span.h"

#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>
#include "kind-table.h"
#include "pool.h"
#include "reader.h"
#include "recorder.h"
#include "support.h"

typedef struct Fixture {
    char *folder;
    StrobeSession *session;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    f->folder = scratch_new();
    f->session = session_new(f->folder, "{}", data);
    strobe_session_start(f->session, NULL);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    strobe_session_free(f->session);
    scratch_remove(f->folder);
}

static gboolean open_span(guint64 key, const char *name)
{
    return strobe_thread_buffer_async_open(NULL, key, STROBE_KIND_ID_MARKER, name, key);
}

static gboolean close_span(guint64 key)
{
    const struct strobe_marker fields = {key};
    return strobe_thread_buffer_async_close(NULL, key, STROBE_KIND_ID_MARKER, &fields,
                                            sizeof fields);
}

/* Appends "name;" for each range, "name!;" for an unfinished one, in the order of the capture. */
static void add_record(const StrobeView *view, StrobeText name, gpointer user)
{
    g_assert_cmpint(view->end_ns, >=, view->begin_ns);
    g_string_append_printf(user, "%s%s;", name.bytes,
                           view->flags & STROBE_VIEW_UNFINISHED ? "!" : "");
}

static char *stop_and_read(const Fixture *f)
{
    GString *text = g_string_new(NULL);

    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    read_capture(capture, "marker", add_record, text);
    return g_string_free(text, FALSE);
}

static void assert_recorded(const Fixture *f, const char *expected)
{
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, expected);
}

static void test_overlapping(Fixture *f, gconstpointer data)
{
    for (guint i = 0; i < 2; i++) {
        g_assert_true(open_span(1, "a"));
        g_assert_true(open_span(2, "b"));
        g_assert_true(close_span(1));
        g_assert_true(open_span(3, "c"));
        g_assert_true(close_span(2));
        g_assert_true(close_span(3));
    }
    assert_recorded(f, "a;b;c;a;b;c;");
}

static void add_value(const StrobeView *view, StrobeText name, gpointer user)
{
    g_string_append_printf(user, "%s=%" G_GUINT64_FORMAT ";", name.bytes, strobe_view_u64(view, 0));
}

/* The innermost span ends on the fast path, a span around another one on the general path. Without
 * fields their argument is 0. */
static void test_no_fields(Fixture *f, gconstpointer data)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < 2; i++) {
        open_span(1, "outer");
        open_span(2, "inner");
        g_assert_true(strobe_thread_buffer_async_close(NULL, 1, STROBE_KIND_ID_MARKER, NULL, 0));
        g_assert_true(strobe_thread_buffer_async_close(NULL, 2, STROBE_KIND_ID_MARKER, NULL, 0));
    }
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    read_capture(capture, "marker", add_value, text);
    g_assert_cmpstr(text->str, ==, "outer=0;inner=0;outer=0;inner=0;");
}

/* If several spans have the same key, the innermost one ends first, even if there are free entries
 * in the stack below. */
static void test_one_key(Fixture *f, gconstpointer data)
{
    open_span(1, "below");
    open_span(2, "outer");
    g_assert_true(close_span(1));
    open_span(2, "inner");
    g_assert_true(close_span(2));
    g_assert_true(close_span(2));
    assert_recorded(f, "below;inner;outer;");
}

/* In a chain in which the next span always begins before the previous one ends, the stack must not
 * grow. */
static void test_chain(Fixture *f, gconstpointer data)
{
    enum { LINKS = 20000 };
    uint64_t lost[STROBE_LOSS_CAUSES];

    open_span(1, "link");
    for (guint64 i = 2; i <= LINKS; i++) {
        g_assert_true(open_span(i, "link"));
        g_assert_true(close_span(i - 1));
    }
    close_span(LINKS);
    strobe_session_stop(f->session, NULL);
    strobe_recorder_losses(lost);
    g_autofree char *capture = capture_of(f->session);
    g_assert_cmpuint(lost[STROBE_LOSS_SPAN_DEPTH], ==, 0);
    g_assert_cmpuint(read_capture(capture, "marker", NULL, NULL), ==, LINKS);
}

static guint64 lost_by_depth(void)
{
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_recorder_losses(lost);
    return lost[STROBE_LOSS_SPAN_DEPTH];
}

/* Spans above the part of a stack that other threads can see cannot be async. Async spans below can
 * be ended while the stack is deep. Each span above that part that is open at the window's end is
 * counted as lost. */
static void test_deep(Fixture *f, gconstpointer data)
{
    enum { BELOW = 200, IN_ALL = 600, LEFT = 300 };
    StrobeRange ranges[IN_ALL];

    for (guint i = 0; i < BELOW; i++)
        ranges[i] = strobe_range_begin("below");
    g_assert_true(open_span(1, "loose"));
    for (guint i = BELOW; i < IN_ALL; i++)
        ranges[i] = strobe_range_begin("above");
    g_assert_false(open_span(2, "too deep"));
    g_assert_true(close_span(1));
    g_assert_true(open_span(3, "in its place"));
    for (guint i = IN_ALL; i-- > LEFT;)
        strobe_range_end(ranges[i]);
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    guint64 stored = read_capture(capture, "marker", NULL, NULL);
    g_assert_cmpuint(stored + lost_by_depth(), ==, IN_ALL + 3);
    g_assert_cmpuint(lost_by_depth(), ==, 1 + LEFT + 1 - STROBE_POOL_SPANS);
}

/* A thread that begins a span. Before another thread ends the span, all records of this thread are
 * overwritten. */
struct owner {
    pid_t tid;
    gint state;
};

static gpointer owner_main(gpointer data)
{
    struct owner *owner = data;

    owner->tid = gettid();
    g_assert_true(open_span(1, "of another"));
    g_atomic_int_set(&owner->state, 1);
    while (g_atomic_int_get(&owner->state) != 2)
        g_usleep(100);
    return NULL;
}

/* The record of a span that another thread ends is on the track of the thread that began it, and
 * this track is still defined, although all other records of the thread are gone. */
static void test_track_stays(Fixture *f, gconstpointer data)
{
    struct owner owner = {0};
    GThread *thread = g_thread_new("owner", owner_main, &owner);
    StrobeView view;

    while (!g_atomic_int_get(&owner.state))
        g_usleep(100);
    for (guint i = 0; i < 1000000; i++)
        strobe_mark("fill");
    g_assert_true(close_span(1));
    g_atomic_int_set(&owner.state, 2);
    g_thread_join(thread);
    g_usleep(100000); /* time for some sweeps of the track table */
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    StrobeReader *reader = strobe_reader_open(capture, NULL);
    do
        g_assert_cmpuint(strobe_reader_next(reader, &view, 1, NULL), ==, 1);
    while (strcmp(view.kind->name, "marker") != 0);
    const StrobeTrackView *track = strobe_reader_track(reader, view.track);
    g_assert_nonnull(track);
    g_assert_cmpint((gint64)track->number, ==, owner.tid);
    strobe_reader_free(reader);
}

static void test_no_such_span(Fixture *f, gconstpointer data)
{
    g_assert_false(close_span(1));
    g_assert_false(open_span(0, "none"));
    g_assert_false(close_span(0));
    open_span(1, "one");
    g_assert_false(close_span(2));
    g_assert_true(close_span(1));
    g_assert_false(close_span(1));
    assert_recorded(f, "one;");
    g_assert_false(open_span(1, "late"));
    g_assert_false(close_span(1));
}

/* Async spans around and inside of spans of the other calls do not end these, and are not ended by
 * them. */
static void test_among_others(Fixture *f, gconstpointer data)
{
    const struct strobe_cpu_op op = {.sequence = 1};
    const uint32_t kind = strobe_kind_id(&strobe_kind_cpu_op);

    StrobeRange range = strobe_range_begin("range");
    open_span(1, "across");
    strobe_range_end(range);
    g_assert_true(close_span(1));

    strobe_thread_buffer_span_open(NULL, 7, kind, "op", 0);
    open_span(2, "across op");
    StrobeClosed closed = strobe_thread_buffer_span_close(NULL, 7, kind, &op, sizeof op);
    g_assert_cmpuint(closed.depth, ==, 1);
    g_assert_cmpuint(closed.n_inside, ==, 0);
    g_assert_true(close_span(2));

    open_span(3, "around op");
    strobe_thread_buffer_span_open(NULL, 8, kind, "op", 0);
    g_assert_true(close_span(3));
    closed = strobe_thread_buffer_span_close(NULL, 8, kind, &op, sizeof op);
    g_assert_cmpuint(closed.n_inside, ==, 0);
    g_assert_cmpuint(closed.depth, !=, 0);

    open_span(4, "around range");
    range = strobe_range_begin("inner range");
    g_assert_true(close_span(4));
    strobe_range_end(range);
    strobe_range_end(range);
    assert_recorded(f, "range;across;across op;around op;around range;inner range;");
}

/* A range that the end of an outer range has closed stays closed, even if the stack still has its
 * entry. */
static void test_inner_token(Fixture *f, gconstpointer data)
{
    StrobeRange outer = strobe_range_begin("outer");
    StrobeRange inner = strobe_range_begin("inner");

    open_span(1, "loose");
    strobe_range_end(outer);
    strobe_range_end(inner);
    g_assert_true(close_span(1));
    assert_recorded(f, "outer;loose;");
}

/* ---- threads ---- */

static gpointer close_there(gpointer key)
{
    return GINT_TO_POINTER(close_span(GPOINTER_TO_SIZE(key)));
}

static gboolean close_elsewhere(guint64 key)
{
    GThread *thread = g_thread_new("closer", close_there, GSIZE_TO_POINTER(key));
    return GPOINTER_TO_INT(g_thread_join(thread));
}

static void compare_track(const StrobeView *view, StrobeText name, gpointer user)
{
    guint32 *track = user;

    if (*track == 0)
        *track = view->track;
    g_assert_cmpuint(view->track, ==, *track);
}

static void test_other_thread(Fixture *f, gconstpointer data)
{
    guint32 track = 0;

    open_span(1, "here");
    close_span(1);
    open_span(2, "ended there");
    open_span(3, "around");
    g_assert_true(close_elsewhere(2));
    g_assert_false(close_span(2));
    g_assert_false(close_elsewhere(2));
    g_assert_true(close_span(3));
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    g_assert_cmpuint(read_capture(capture, "marker", compare_track, &track), ==, 3);
}

/* If another thread ends all spans that a thread has begun, the thread's stack must not become
 * full. */
static void test_all_elsewhere(Fixture *f, gconstpointer data)
{
    enum { SPANS = 2000 };

    for (guint64 i = 1; i <= SPANS; i++) {
        g_assert_true(open_span(i, "handed over"));
        g_assert_true(close_elsewhere(i));
    }
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    g_assert_cmpuint(read_capture(capture, "marker", NULL, NULL), ==, SPANS);
}

static gpointer open_there(gpointer key)
{
    strobe_range_begin("forgotten");
    open_span(GPOINTER_TO_SIZE(key), "left behind");
    strobe_range_begin("forgotten");
    return NULL;
}

static void open_elsewhere(guint64 key)
{
    g_thread_join(g_thread_new("opener", open_there, GSIZE_TO_POINTER(key)));
}

/* There are more threads than thread buffers, and each has begun a span that is ended after the
 * thread. */
static void test_thread_gone(Fixture *f, gconstpointer data)
{
    enum { THREADS = STROBE_POOL_THREAD_BUFFERS + 100 };
    uint64_t lost[STROBE_LOSS_CAUSES];

    for (guint64 i = 1; i <= THREADS; i++) {
        open_elsewhere(i);
        g_assert_true(close_span(i));
        g_assert_false(close_span(i));
    }
    open_elsewhere(THREADS + 1);
    strobe_session_stop(f->session, NULL);
    strobe_recorder_losses(lost);
    g_assert_cmpuint(lost[STROBE_LOSS_NO_THREAD_BUFFER], ==, 0);
    GString *text = g_string_new(NULL);
    g_autofree char *capture = capture_of(f->session);
    g_assert_cmpuint(read_capture(capture, "marker", add_record, text), ==, 3 * (THREADS + 1));
    g_assert_nonnull(strstr(text->str, "left behind!;"));
    g_string_free(text, TRUE);

    strobe_session_start(f->session, NULL);
    g_assert_false(close_span(THREADS + 1));
    open_elsewhere(1);
    g_assert_true(close_span(1));
}

static void test_unfinished(Fixture *f, gconstpointer data)
{
    open_span(1, "never");
    open_span(2, "ended");
    open_span(3, "neither");
    close_span(2);
    assert_recorded(f, "ended;neither!;never!;");
}

/* ---- two threads that end one span ---- */

typedef struct Race {
    GMutex lock;
    guint64 next;
    _Atomic guint64 n_ended;
} Race;

enum { RACES = 20000 };

static gpointer close_spans(gpointer user)
{
    Race *all = user;

    for (guint64 i = 1; i <= RACES; i++)
        if (close_span(i))
            all->n_ended++;
    return NULL;
}

static gpointer begin_all(gpointer user)
{
    guint64 n = 0;

    for (guint64 i = 1; i <= RACES; i++) {
        n += open_span(i, "raced for");
        close_span(i / 2 + 1);
    }
    *(guint64 *)user = n;
    return NULL;
}

/* If several threads end a span at the same time, exactly one succeeds, and there is exactly one
 * record. */
static void test_race(Fixture *f, gconstpointer data)
{
    Race all = {.n_ended = 0};
    guint64 n_begun = 0, n_unfinished = 0;
    GThread *opener = g_thread_new("opener", begin_all, &n_begun);
    GThread *closers[2];

    for (guint i = 0; i < G_N_ELEMENTS(closers); i++)
        closers[i] = g_thread_new("closer", close_spans, &all);
    g_thread_join(opener);
    for (guint i = 0; i < G_N_ELEMENTS(closers); i++)
        g_thread_join(closers[i]);
    GString *text = g_string_new(NULL);
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    guint64 n = read_capture(capture, "marker", add_record, text);
    for (const char *at = text->str; (at = strchr(at, '!')); at++)
        n_unfinished++;
    g_string_free(text, TRUE);
    g_assert_cmpuint(n, ==, n_begun);
    g_assert_cmpuint(n - n_unfinished, >=, all.n_ended);
}

#define ADD(path, function) g_test_add(path, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/async-span/overlapping", test_overlapping);
    ADD("/async-span/no-fields", test_no_fields);
    ADD("/async-span/one-key", test_one_key);
    ADD("/async-span/chain", test_chain);
    ADD("/async-span/deep", test_deep);
    g_test_add("/async-span/track-stays", Fixture,
               "\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\", \"flush_interval\": \"1ms\"}",
               set_up, test_track_stays, tear_down);
    ADD("/async-span/no-such-span", test_no_such_span);
    ADD("/async-span/among-others", test_among_others);
    ADD("/async-span/inner-token", test_inner_token);
    ADD("/async-span/other-thread", test_other_thread);
    ADD("/async-span/all-elsewhere", test_all_elsewhere);
    /* the pool is large, because each of the test's threads leaves a block */
    g_test_add("/async-span/thread-gone", Fixture,
               "\"buffer\": {\"size\": \"8MB\", \"policy\": \"block\"}", set_up, test_thread_gone,
               tear_down);
    ADD("/async-span/unfinished", test_unfinished);
    ADD("/async-span/race", test_race);
    return g_test_run();
}
