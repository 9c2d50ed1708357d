/* SPDX-License-Identifier: Apache-2.0 */
/* What waits comes back as it was: from memory, from a file, and with text in between. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "test-fixture.h"
#include "trace-held.h"

#define RECORDS 5000u
#define FIELD_BYTES 52u /* the last words are no whole eight bytes */

typedef struct Fields {
    guint64 numbers[6];
    guint32 last, beyond;
} Fields;

static const char texts[] = ", {\"text\": 1}";

/* Numbers that stay, that grow, and that are anything. */
static StrobeView made(Fields *fields, guint32 i)
{
    GRand *any = g_rand_new_with_seed(i);

    *fields = (Fields){{7, i, i / 100, G_MAXUINT64 - i, 0, g_rand_int(any)}, i % 3, i};
    const StrobeView view = {.fields = fields,
                             .begin_ns = i % 7 ? T0 + i * 1000 : G_MININT64 + i,
                             .end_ns = i % 5 ? T0 + i * 1000 + g_rand_int(any) : G_MAXINT64 - i,
                             .track = i % 4,
                             .name = g_rand_int(any),
                             .flags = i % 50 == 0};
    g_rand_free(any);
    return view;
}

static gboolean has_text(guint32 i)
{
    return i % 700 == 3;
}

static void put_text(TraceHeld *held)
{
    TraceOut *out = trace_held_texts(held);
    char *at = trace_out_event(out);

    trace_out_done(out, trace_out_text(out, at, texts + 2, strlen(texts) - 2));
}

/* Two kinds, one of them without fields. */
static void fill(HeldStore *store, TraceHeld *held)
{
    const guint32 kind = held_store_add_kind(store, FIELD_BYTES);
    const guint32 plain = held_store_add_kind(store, 0);

    for (guint32 i = 0; i < RECORDS; i++) {
        Fields fields;
        const StrobeView view = made(&fields, i);

        trace_held_add(held, i % 3 ? kind : plain, i / 9, &view);
        if (has_text(i))
            put_text(held);
    }
    put_text(held);
}

static void assert_record(const HeldEntry *entry, guint32 i)
{
    Fields fields;
    const StrobeView view = made(&fields, i);

    g_assert_cmpuint(entry->kind, ==, i % 3 ? 0 : 1);
    g_assert_cmpuint(entry->row, ==, i / 9);
    g_assert_cmpint(entry->view.begin_ns, ==, view.begin_ns);
    g_assert_cmpint(entry->view.end_ns, ==, view.end_ns);
    g_assert_cmpuint(entry->view.track, ==, view.track);
    g_assert_cmpuint(entry->view.name, ==, view.name);
    g_assert_cmpuint(entry->view.flags, ==, view.flags);
    if (i % 3)
        g_assert_cmpmem(entry->view.fields, FIELD_BYTES, &fields, FIELD_BYTES);
}

/* All of a chunk; returns the number of the record that comes next. */
static guint32 check_chunk(HeldReader *reader, guint32 next)
{
    HeldEntry entry;

    while (held_reader_next(reader, &entry)) {
        const gboolean is_text = next && has_text(next - 1) && entry.n_text;

        g_assert_cmpuint(entry.n_text, ==, is_text ? strlen(texts) : 0);
        if (!is_text)
            assert_record(&entry, next++);
    }
    return next;
}

static void test_back(Fixture *f, gconstpointer most)
{
    g_autofree char *bytes = g_malloc(HELD_CHUNK);
    HeldStore store;
    HeldReader reader;
    TraceHeld held;
    guint32 next = 0;
    guint n;

    held_store_init(&store, f->directory, GPOINTER_TO_SIZE(most));
    trace_held_init(&held, &store, f->directory, G_MAXSIZE);
    g_assert_false(trace_held_has_events(&held));
    fill(&store, &held);
    g_assert_true(trace_held_has_events(&held));
    n = trace_held_n_chunks(&held);
    g_assert_cmpuint(n, >, 10);
    g_assert_true((store.file != NULL) == (GPOINTER_TO_SIZE(most) != G_MAXSIZE));
    held_reader_init(&reader, &store);
    for (guint i = 0; i < n; i++) {
        gsize length;

        g_assert_cmpint(held_log_read(held.log, i, bytes, &length), ==, 0);
        held_reader_begin(&reader, bytes, length);
        next = check_chunk(&reader, next);
    }
    g_assert_cmpuint(next, ==, RECORDS);
    held_reader_clear(&reader);
    trace_held_clear(&held);
    held_store_clear(&store);
}

/* Each chunk says all that it needs. */
static void test_any_chunk(Fixture *f, gconstpointer unused)
{
    g_autofree char *bytes = g_malloc(HELD_CHUNK);
    HeldStore store;
    HeldReader reader;
    TraceHeld held;
    HeldEntry entry;
    gsize length;

    held_store_init(&store, -1, G_MAXSIZE);
    trace_held_init(&held, &store, f->directory, G_MAXSIZE);
    fill(&store, &held);
    held_reader_init(&reader, &store);
    for (guint i = trace_held_n_chunks(&held); i-- > 0;) {
        g_assert_cmpint(held_log_read(held.log, i, bytes, &length), ==, 0);
        held_reader_begin(&reader, bytes, length);
        g_assert_true(held_reader_next(&reader, &entry));
        for (guint32 k = 0; k < RECORDS && entry.n_text == 0; k++) {
            Fields fields;

            if (made(&fields, k).name != entry.view.name)
                continue;
            assert_record(&entry, k);
            check_chunk(&reader, k + 1);
            break;
        }
    }
    held_reader_clear(&reader);
    trace_held_clear(&held);
    held_store_clear(&store);
}

static void test_full_disk(Fixture *f, gconstpointer unused)
{
    g_autofree char *bytes = g_malloc(HELD_CHUNK);
    struct rlimit old, limit;
    HeldStore store;
    TraceHeld held;
    gsize length;
    int error;

    getrlimit(RLIMIT_FSIZE, &old);
    limit = (struct rlimit){65536, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    held_store_init(&store, f->directory, 0);
    trace_held_init(&held, &store, f->directory, G_MAXSIZE);
    fill(&store, &held);
    error = held_log_read(held.log, trace_held_n_chunks(&held) - 1, bytes, &length);
    setrlimit(RLIMIT_FSIZE, &old);
    g_assert_cmpint(error, ==, EFBIG);
    g_assert_cmpint(store.error, ==, EFBIG);
    trace_held_clear(&held);
    held_store_clear(&store);
}

static void test_no_folder(Fixture *f, gconstpointer unused)
{
    HeldStore store;
    TraceHeld held;

    held_store_init(&store, -1, 0);
    trace_held_init(&held, &store, -1, G_MAXSIZE);
    fill(&store, &held);
    trace_held_n_chunks(&held);
    g_assert_cmpint(store.error, ==, EBADF);
    trace_held_clear(&held);
    held_store_clear(&store);
}

/* The whole exporter says so. */
static void test_export_without_disk(Fixture *f, gconstpointer unused)
{
    const struct strobe_python_call call = {.id = 1};

    strobe_mock_facts(f->mock)->memory_bytes = 0;
    close(strobe_mock_facts(f->mock)->scratch);
    strobe_mock_facts(f->mock)->scratch = -1;
    for (guint i = 0; i < RECORDS; i++)
        strobe_mock_add(f->mock, &strobe_kind_python_call, f->thread, string(f, "f"), T0 + i * 77,
                        T0 + i * 78, &call);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_ERROR_IO);
    assert_has(strobe_mock_error(f->mock), "Cannot write the trace");
    g_assert_null(read_file(f, "trace_view.json"));
}

static void add(const char *path, gconstpointer data, void (*test)(Fixture *f, gconstpointer data))
{
    g_test_add(path, Fixture, data, fixture_set_up, test, fixture_tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/held-records/memory", GSIZE_TO_POINTER(G_MAXSIZE), test_back);
    add("/held-records/file", NULL, test_back);
    add("/held-records/memory-and-file", GSIZE_TO_POINTER(50000), test_back);
    add("/held-records/any-chunk", NULL, test_any_chunk);
    add("/held-records/full-disk", NULL, test_full_disk);
    add("/held-records/no-folder", NULL, test_no_folder);
    add("/held-records/export-without-disk", NULL, test_export_without_disk);
    return g_test_run();
}
