/* SPDX-License-Identifier: Apache-2.0 */
/* Tests spans that are found by a key, and the cache of their names, in a real session. Each case
 * uses the general path (a new name) and the fast path (a known name). */
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <unistd.h>
#include "kind-table.h"
#include "thread-buffer.h"
#include "recorder.h"
#include "support.h"

typedef struct Fixture {
    char *folder;
    StrobeSession *session;
    uint32_t kind;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
    f->folder = scratch_new();
    f->session = session_new(f->folder, "{}", NULL);
    f->kind = strobe_kind_id(&strobe_kind_cpu_op);
    strobe_session_start(f->session, NULL);
}

static void tear_down(Fixture *f, gconstpointer data)
{
    strobe_session_free(f->session);
    scratch_remove(f->folder);
}

static uint32_t open_span(const Fixture *f, uint64_t key, const char *name)
{
    return strobe_thread_buffer_span_open(NULL, key, f->kind, name, key);
}

static StrobeClosed close_span(const Fixture *f, uint64_t key)
{
    const struct strobe_cpu_op fields = {.sequence = (int64_t)key, .forward_thread = ~key};
    return strobe_thread_buffer_span_close(NULL, key, f->kind, &fields, sizeof fields);
}

static void assert_closed(StrobeClosed closed, guint depth, guint n_inside)
{
    g_assert_cmpuint(closed.depth, ==, depth);
    g_assert_cmpuint(closed.n_inside, ==, n_inside);
}

/* Appends "name=sequence;" for each operator that ended, in the order of the ends. */
static void add_record(const StrobeView *view, StrobeText name, gpointer user)
{
    if (view->flags & STROBE_VIEW_UNFINISHED)
        return;
    g_assert_cmpint(view->end_ns, >=, view->begin_ns);
    g_assert_cmpuint(strobe_view_u64(view, 8), ==, ~strobe_view_u64(view, 0));
    g_string_append_printf(user, "%s=%" G_GINT64_FORMAT ";", name.bytes, strobe_view_i64(view, 0));
}

static char *stop_and_read(const Fixture *f)
{
    GString *text = g_string_new(NULL);

    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    read_capture(capture, "cpu_op", add_record, text);
    return g_string_free(text, FALSE);
}

static void test_nested(Fixture *f, gconstpointer data)
{
    for (guint64 i = 0; i < 3; i++) {
        g_assert_cmpuint(open_span(f, 10 + i, "outer"), ==, 1);
        g_assert_cmpuint(open_span(f, 20 + i, "inner"), ==, 2);
        assert_closed(close_span(f, 20 + i), 2, 0);
        assert_closed(close_span(f, 10 + i), 1, 0);
    }
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, "inner=20;outer=10;inner=21;outer=11;inner=22;outer=12;");
}

static void test_not_the_innermost(Fixture *f, gconstpointer data)
{
    for (guint i = 0; i < 2; i++) {
        open_span(f, 1, "outer");
        open_span(f, 2, "middle");
        open_span(f, 3, "inner");
        assert_closed(close_span(f, 1), 1, 2);
        assert_closed(close_span(f, 3), 0, 0);
        assert_closed(close_span(f, 2), 0, 0);
    }
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, "outer=1;outer=1;");
}

/* If two spans have the same key, the inner one ends first. */
static void test_same_key(Fixture *f, gconstpointer data)
{
    open_span(f, 1, "first");
    open_span(f, 1, "second");
    assert_closed(close_span(f, 1), 2, 0);
    assert_closed(close_span(f, 1), 1, 0);
    assert_closed(close_span(f, 1), 0, 0);
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, "second=1;first=1;");
}

static void test_no_such_span(Fixture *f, gconstpointer data)
{
    const struct strobe_marker marker = {0};

    assert_closed(close_span(f, 1), 0, 0);
    for (guint i = 0; i < 2; i++) {
        open_span(f, 1, "open");
        assert_closed(close_span(f, 2), 0, 0);
        assert_closed(
            strobe_thread_buffer_span_close(NULL, 1, STROBE_KIND_ID_MARKER, &marker, sizeof marker),
            0, 0);
        g_assert_cmpuint(open_span(f, 0, "open"), ==, 0);
        assert_closed(close_span(f, 0), 0, 0);
        assert_closed(close_span(f, 1), 1, 0);
    }
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, "open=1;open=1;");
    g_assert_cmpuint(open_span(f, 1, "open"), ==, 0);
    assert_closed(close_span(f, 1), 0, 0);
}

/* A span with a token cannot be found by any key, not even 0. Its end closes the keyed spans inside
 * of it. */
static void test_tokens(Fixture *f, gconstpointer data)
{
    for (guint i = 0; i < 2; i++) {
        StrobeRange range = strobe_range_begin("range");
        assert_closed(close_span(f, 0), 0, 0);
        assert_closed(strobe_thread_buffer_span_close(NULL, 0, STROBE_KIND_ID_MARKER, NULL, 0), 0,
                      0);
        open_span(f, 1, "inside");
        strobe_range_end(range);
        assert_closed(close_span(f, 1), 0, 0);
    }
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, "");
    g_autofree char *capture = capture_of(f->session);
    g_assert_cmpuint(read_capture(capture, "marker", NULL, NULL), ==, 2);
}

static void test_deep(Fixture *f, gconstpointer data)
{
    enum { DEEP = 1100, KEPT = STROBE_POOL_SPANS + STROBE_DEEP_SPANS };
    uint64_t lost[STROBE_LOSS_CAUSES];

    for (guint64 i = 1; i <= DEEP; i++)
        g_assert_cmpuint(open_span(f, i, "deep"), ==, i <= KEPT ? i : 0);
    for (guint64 i = DEEP; i > 0; i--)
        assert_closed(close_span(f, i), i <= KEPT ? (guint)i : 0, 0);
    strobe_session_stop(f->session, NULL);
    strobe_recorder_losses(lost);
    g_autofree char *capture = capture_of(f->session);
    g_assert_cmpuint(lost[STROBE_LOSS_SPAN_DEPTH], ==, DEEP - KEPT);
    g_assert_cmpuint(read_capture(capture, "cpu_op", NULL, NULL), ==, KEPT);
}

static void check_fields(const StrobeView *view, StrobeText name, gpointer user)
{
    gboolean is_short = strcmp(name.bytes, "short") == 0,
             is_empty = strcmp(name.bytes, "none") == 0;
    const guint64 all = 0x5a5a5a5a5a5a5a5a;
    guint64 *n = user;

    g_assert_cmphex(strobe_view_u64(view, 0), ==, is_empty ? 0 : all);
    g_assert_cmphex(strobe_view_u64(view, 8), ==, is_empty ? 0 : is_short ? 0x5a5a5a : all);
    /* the field has a text that was not interned, and is 0 */
    g_assert_cmphex(strobe_view_u32(view, 16), ==, 0);
    (*n)++;
}

/* If a call gives fewer bytes of fields than the kind has, the others are zero; additional bytes
 * are dropped. Other records are not damaged. */
static void test_sizes(Fixture *f, gconstpointer data)
{
    unsigned char bytes[200];
    guint64 n = 0;

    memset(bytes, 0x5a, sizeof bytes);
    for (guint i = 0; i < 2; i++) {
        open_span(f, 1, "none");
        strobe_thread_buffer_span_close(NULL, 1, f->kind, NULL, 0);
        open_span(f, 1, "short");
        strobe_thread_buffer_span_close(NULL, 1, f->kind, bytes, 11);
        open_span(f, 1, "exact");
        strobe_thread_buffer_span_close(NULL, 1, f->kind, bytes, sizeof(struct strobe_cpu_op));
        open_span(f, 1, "long");
        strobe_thread_buffer_span_close(NULL, 1, f->kind, bytes, sizeof bytes);
    }
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    read_capture(capture, "cpu_op", check_fields, &n);
    g_assert_cmpuint(n, ==, 8);
}

/* ---- names ---- */

/* Records the name twice, and adds the expected text of the capture to `expected`. */
static void record_name(const Fixture *f, const char *name, GString *expected)
{
    for (guint i = 0; i < 2; i++) {
        open_span(f, 1, name);
        close_span(f, 1);
        g_string_append_printf(expected, "%s=1;", name);
    }
}

/* The same address contains different texts one after the other: shorter, longer, or with one
 * different byte. */
static void test_changing_name(Fixture *f, gconstpointer data)
{
    static const char *const texts[] = {
        "aten::add",
        "aten::add_",
        "aten::ad",
        "a",
        "",
        "aten::adx",
        "aten::sub",
        "a text that is longer than what the cache keeps of a name, by some words",
        "a text that is longer than what the cache keeps of a name, by one word"};
    g_autoptr(GString) expected = g_string_new(NULL);
    _Alignas(8) char place[100];

    for (gsize offset = 0; offset < 8; offset++)
        for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
            strcpy(place + offset, texts[i]);
            record_name(f, place + offset, expected);
        }
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, expected->str);
}

/* Names of every length end at the end of the accessible memory, after which no byte may be
 * read. */
static void test_name_at_the_end_of_a_page(Fixture *f, gconstpointer data)
{
    gsize page = (gsize)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_autoptr(GString) expected = g_string_new(NULL);

    g_assert_true(memory != MAP_FAILED);
    g_assert_cmpint(mprotect(memory + page, page, PROT_NONE), ==, 0);
    for (gsize length = 0; length < 60; length++) {
        char *name = memory + page - length - 1;
        memset(name, 'a' + (int)(length % 26), length);
        record_name(f, name, expected);
        if (length) { /* a text that is shorter than the known one at this address */
            name[length - 1] = '\0';
            record_name(f, name, expected);
        }
    }
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, expected->str);
    munmap(memory, 2 * page);
}

/* Only the text and its NUL are compared, not the bytes around them. `place` is aligned so that it
 * is always in one page, because the cache does not keep a text that spans two pages. */
static void test_what_is_compared(Fixture *f, gconstpointer data)
{
    _Alignas(64) char place[64];

    for (gsize start = 8; start < 16; start++)
        for (gsize length = 0; length < 30; length++) {
            struct cached_name known = {0};
            memset(place, 'x', sizeof place);
            place[start + length] = '\0';
            strobe_cached_name_set(&known, place + start, 7);
            g_assert_cmpuint(known.id, ==, 7);
            for (gsize i = 0; i < sizeof place; i++) {
                gboolean counts = i >= start && i <= start + length;
                place[i] ^= 1;
                g_assert_cmpint(strobe_cached_equals(&known, place + start), ==, !counts);
                place[i] ^= 1;
            }
            g_assert_false(strobe_cached_equals(&known, place + start + 1));
        }
}

/* Records more names than the cache has entries. */
static void test_many_names(Fixture *f, gconstpointer data)
{
    enum { NAMES = 2000 };
    g_autoptr(GString) expected = g_string_new(NULL);
    static char names[NAMES][16];

    for (guint i = 0; i < NAMES; i++)
        g_snprintf(names[i], sizeof names[i], "name %u", i);
    for (guint round = 0; round < 3; round++)
        for (guint i = 0; i < NAMES; i++)
            record_name(f, names[i], expected);
    g_autofree char *found = stop_and_read(f);
    g_assert_cmpstr(found, ==, expected->str);
}

/* Another session has another table of strings, so ids of the old table must not occur in its
 * capture. */
static void test_sessions(Fixture *f, gconstpointer data)
{
    static const char *const names[] = {"one", "two", "three"};
    g_autoptr(GString) expected = g_string_new(NULL);
    g_autofree char *first = NULL;

    for (guint i = 0; i < 3; i++)
        record_name(f, names[i], expected);
    first = stop_and_read(f);
    g_assert_cmpstr(first, ==, expected->str);
    tear_down(f, NULL);
    set_up(f, NULL);
    g_string_truncate(expected, 0);
    for (guint i = 3; i-- > 0;)
        record_name(f, names[i], expected);
    g_autofree char *second = stop_and_read(f);
    g_assert_cmpstr(second, ==, expected->str);
}

/* ---- windows and threads ---- */

/* A span of one window does not exist in the next window. The id of its name stays valid. */
static void test_windows(Fixture *f, gconstpointer data)
{
    open_span(f, 1, "open at the end");
    g_autofree char *first = stop_and_read(f);
    strobe_session_start(f->session, NULL);
    assert_closed(close_span(f, 1), 0, 0);
    g_assert_cmpuint(open_span(f, 2, "open at the end"), ==, 1);
    assert_closed(close_span(f, 2), 1, 0);
    g_autofree char *second = stop_and_read(f);
    g_assert_cmpstr(second, ==, "open at the end=2;");
}

static gpointer record_one(gpointer user)
{
    const Fixture *f = user;

    for (guint i = 0; i < 2; i++) {
        open_span(f, 1, "of a thread");
        close_span(f, 1);
    }
    return NULL;
}

static void count_track(const StrobeView *view, StrobeText name, gpointer user)
{
    guint64 *counts = user;

    g_assert_cmpuint(view->track, <, 64);
    counts[view->track]++;
}

/* Threads that run one after the other share a thread buffer and its block, but their records are
 * on separate tracks. */
static void test_threads(Fixture *f, gconstpointer data)
{
    enum { THREADS = 8 };
    guint64 counts[64] = {0};
    guint n_tracks = 0;

    for (guint i = 0; i < THREADS; i++)
        g_thread_join(g_thread_new("short", record_one, f));
    strobe_session_stop(f->session, NULL);
    g_autofree char *capture = capture_of(f->session);
    read_capture(capture, "cpu_op", count_track, counts);
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        if (counts[i]) {
            g_assert_cmpuint(counts[i], ==, 2);
            n_tracks++;
        }
    g_assert_cmpuint(n_tracks, ==, THREADS);
}

/* Makes so many records that blocks become full while a span is open. */
static void test_many(Fixture *f, gconstpointer data)
{
    enum { SPANS = 20000 };
    uint64_t lost[STROBE_LOSS_CAUSES];

    for (guint64 i = 1; i <= SPANS; i++) {
        g_assert_cmpuint(open_span(f, i, "many"), ==, 1);
        assert_closed(close_span(f, i), 1, 0);
    }
    strobe_session_stop(f->session, NULL);
    strobe_recorder_losses(lost);
    g_autofree char *capture = capture_of(f->session);
    g_assert_cmpuint(read_capture(capture, "cpu_op", NULL, NULL) + lost[STROBE_LOSS_POOL_EMPTY], ==,
                     SPANS);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*test)(Fixture *, gconstpointer);
    } tests[] = {{"/keyed-span/nested", test_nested},
                 {"/keyed-span/not-the-innermost", test_not_the_innermost},
                 {"/keyed-span/same-key", test_same_key},
                 {"/keyed-span/no-such-span", test_no_such_span},
                 {"/keyed-span/tokens", test_tokens},
                 {"/keyed-span/deep", test_deep},
                 {"/keyed-span/sizes", test_sizes},
                 {"/keyed-span/changing-name", test_changing_name},
                 {"/keyed-span/name-at-the-end-of-a-page", test_name_at_the_end_of_a_page},
                 {"/keyed-span/what-is-compared", test_what_is_compared},
                 {"/keyed-span/many-names", test_many_names},
                 {"/keyed-span/sessions", test_sessions},
                 {"/keyed-span/windows", test_windows},
                 {"/keyed-span/threads", test_threads},
                 {"/keyed-span/many", test_many}};

    g_test_init(&argc, &argv, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
    return g_test_run();
}
