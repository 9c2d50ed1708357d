/* SPDX-License-Identifier: Apache-2.0 */
/* What is put in order comes back as it was: records of several kinds, with text in between. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "test-fixture.h"
#include "trace-sorter.h"

#define ROWS 20000u
#define TIMES 1000u /* so many different ones: rows of one stay as they came */
#define FIELD_BYTES 28u

typedef struct Fields {
    guint64 numbers[3];
    guint32 last, beyond;
} Fields;

typedef struct Case {
    HeldStore store;
    TraceSorter sorter;
    TraceOut event;
    guint32 n; /* handed on */
    gint64 time_ns;
    guint32 row; /* the last one of that time */
} Case;

static gint64 time_of(guint32 i)
{
    return T0 + (gint64)(i * 7919 % TIMES) * 1000;
}

static StrobeView made(Fields *fields, guint32 i)
{
    *fields = (Fields){{7, i, i % 5 ? 0 : G_MAXUINT64 - i}, i % 3, 0};
    return (StrobeView){.fields = fields,
                        .begin_ns = time_of(i),
                        .end_ns = time_of(i) + i % 10 * 100 - 50,
                        .track = i % 4,
                        .name = i / 3,
                        .flags = i % 50 == 0};
}

static gboolean is_text(guint32 i)
{
    return i % 11 == 4;
}

/* Two kinds, one of them without fields. */
static guint32 kind_of(guint32 i)
{
    return i % 3 ? 0 : 1;
}

static char *text_of(guint32 i)
{
    return g_strdup_printf(", {\"text\": %u}", i);
}

static void add(Case *c, guint32 i)
{
    Fields fields;
    const StrobeView view = made(&fields, i);
    g_autofree char *text = text_of(i);

    if (!is_text(i)) {
        trace_sorter_add_record(&c->sorter, trace_sorter_key_of_time(time_of(i)), kind_of(i), i,
                                &view);
        return;
    }
    c->event.used = 0;
    trace_out_sink(&c->event, text, strlen(text));
    trace_sorter_add(&c->sorter, trace_sorter_key_of_time(time_of(i)), &c->event);
}

static guint32 assert_text(const char *bytes, gsize length)
{
    g_autofree char *found = g_strndup(bytes, length);
    g_autofree char *expected = NULL;
    guint32 i = 0;

    g_assert_cmpint(sscanf(found, ", {\"text\": %u}", &i), ==, 1);
    expected = text_of(i);
    g_assert_cmpstr(found, ==, expected);
    g_assert_true(is_text(i));
    return i;
}

static guint32 assert_record(const TraceSorter *sorter, const char *bytes, guint n_words)
{
    g_autofree guint32 *words = g_new(guint32, n_words);
    TraceSorted sorted;
    Fields fields;
    guint32 i;

    trace_sorter_read(sorter, &sorted, bytes, words);
    i = sorted.row;

    const StrobeView view = made(&fields, i);

    g_assert_false(is_text(i));
    g_assert_cmpuint(sorted.kind, ==, kind_of(i));
    g_assert_cmpint(sorted.view.begin_ns, ==, view.begin_ns);
    g_assert_cmpint(sorted.view.end_ns, ==, view.end_ns);
    g_assert_cmpuint(sorted.view.track, ==, view.track);
    g_assert_cmpuint(sorted.view.name, ==, view.name);
    g_assert_cmpuint(sorted.view.flags, ==, view.flags);
    if (sorted.kind == 0)
        g_assert_cmpmem(sorted.view.fields, FIELD_BYTES, &fields, FIELD_BYTES);
    return i;
}

static int take(void *user, const char *bytes, size_t length)
{
    Case *c = user;
    const guint n_words = trace_sorter_n_words(&c->sorter, bytes);
    const guint32 i =
        n_words ? assert_record(&c->sorter, bytes, n_words) : assert_text(bytes, length);

    if (c->n++) {
        g_assert_cmpint(c->time_ns, <=, time_of(i));
        g_assert_true(c->time_ns < time_of(i) || c->row < i);
    }
    c->time_ns = time_of(i);
    c->row = i;
    return 0;
}

static void test_order(gconstpointer memory)
{
    const StrobeFacts facts = {.memory_bytes = GPOINTER_TO_SIZE(memory),
                               .scratch = open(g_get_tmp_dir(), O_RDONLY | O_DIRECTORY)};
    Case c = {.n = 0};

    held_store_init(&c.store, facts.scratch, 0);
    g_assert_cmpuint(held_store_add_kind(&c.store, FIELD_BYTES), ==, 0);
    g_assert_cmpuint(held_store_add_kind(&c.store, 0), ==, 1);
    trace_sorter_init(&c.sorter, &facts, &c.store);
    trace_out_init_event(&c.event);
    for (guint32 i = 0; i < ROWS; i++)
        add(&c, i);
    trace_sorter_finish(&c.sorter, take, &c);
    g_assert_cmpint(c.sorter.error, ==, 0);
    g_assert_cmpuint(c.n, ==, ROWS);
    trace_out_clear(&c.event);
    trace_sorter_clear(&c.sorter);
    held_store_clear(&c.store);
    close(facts.scratch);
}

/* Times that are the same as doubles of microseconds are the same; those before 1970 in order. */
static void test_key(void)
{
    g_assert_cmpint(trace_sorter_key_of_time(T0), ==, trace_sorter_key_of_time(T0 + 1));
    g_assert_cmpint(trace_sorter_key_of_time(T0), <, trace_sorter_key_of_time(T0 + 1000));
    g_assert_cmpint(trace_sorter_key_of_time(-2000), <, trace_sorter_key_of_time(-1000));
    g_assert_cmpint(trace_sorter_key_of_time(-1), <, trace_sorter_key_of_time(0));
    g_assert_cmpint(trace_sorter_key_of_time(0), <, trace_sorter_key_of_time(1));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/trace-sorter/in-memory", GSIZE_TO_POINTER(256u << 20), test_order);
    g_test_add_data_func("/trace-sorter/in-runs", GSIZE_TO_POINTER(64u << 10), test_order);
    g_test_add_func("/trace-sorter/key", test_key);
    return g_test_run();
}
