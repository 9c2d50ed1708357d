/* SPDX-License-Identifier: Apache-2.0 */
/* Events read ahead by a thread are those that are read when they are asked for. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "event-stream.h"

#define EVENTS 20000

typedef struct Fixture {
    char *path;
    int descriptor;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->descriptor = g_file_open_tmp("strobe-stream-XXXXXX", &f->path, NULL);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    close(f->descriptor);
    g_unlink(f->path);
    g_free(f->path);
}

static void put_event(GString *out, guint number)
{
    guint n = (guint)g_test_rand_int_range(0, 20);

    g_string_append_printf(out, "{\"ph\": \"X\", \"name\": \"event %u\", \"ts\": %u.5, \"odd\": 1",
                           number, number);
    if (n)
        g_string_append(out, ", \"args\": {");
    for (guint i = 0; i < n; i++)
        g_string_append_printf(out, "%s\"key %u\": [%u, \"value\"]", i ? ", " : "", i, number);
    g_string_append(out, n ? "}}" : "}");
}

/* Some MB, with what is damaged and what is longer than a buffer. */
static void write_trace(Fixture *f)
{
    g_autofree char *filler = g_strnfill(3 << 20, 'y');
    g_autoptr(GString) text = g_string_new("{\"before\": [1], \"traceEvents\": [");

    for (guint i = 0; i < EVENTS; i++) {
        g_string_append(text, i ? ",\n" : "");
        put_event(text, i);
        if (i % 7000 == 5000)
            g_string_append_printf(text, ", {\"name\": \"%s\"}", filler);
        if (i % 3000 == 2999)
            g_string_append(text, ", {\"name\": ]}");
        if (i == EVENTS / 2)
            for (guint blanks = 0; blanks < 1 << 20; blanks++)
                g_string_append_c(text, ' ');
    }
    g_string_append(text, "], \"behind\": {\"a\": 1}}");
    g_assert_true(g_file_set_contents(f->path, text->str, (gssize)text->len, NULL));
    close(f->descriptor);
    f->descriptor = g_open(f->path, O_RDONLY | O_CLOEXEC, 0);
}

static void check_slice(const Slice *a, const Slice *b)
{
    g_assert_cmpuint(a->type, ==, b->type);
    g_assert_cmpmem(a->text, a->length, b->text, b->length);
}

static void check_event(const Event *a, const Event *b)
{
    g_assert_cmpuint(a->offset, ==, b->offset);
    g_assert_cmpuint(a->n_args, ==, b->n_args);
    g_assert_cmpuint(a->n_others, ==, b->n_others);
    check_slice(&a->phase, &b->phase);
    check_slice(&a->name, &b->name);
    check_slice(&a->ts, &b->ts);
    check_slice(&a->args, &b->args);
    for (guint i = 0; i < a->n_args; i++) {
        check_slice(&a->arg[i].key, &b->arg[i].key);
        check_slice(&a->arg[i].value, &b->arg[i].value);
    }
}

static void test_same(Fixture *f, gconstpointer unused)
{
    ByteSource *sources[2];
    EventStream *streams[2];
    const Event *events[2];
    const char *errors[2];
    guint n[4] = {0};
    int results[2];

    write_trace(f);
    for (guint i = 0; i < 2; i++) {
        sources[i] = byte_source_new(f->descriptor);
        streams[i] = event_stream_new(sources[i], i == 1, 0);
    }
    do {
        for (guint i = 0; i < 2; i++)
            results[i] = event_stream_next(streams[i], &events[i], &errors[i]);
        g_assert_cmpint(results[0], ==, results[1]);
        if (results[0] == EVENT_DAMAGE)
            g_assert_cmpstr(errors[0], ==, errors[1]);
        if (results[0] != EVENT_END && results[0] != EVENT_DAMAGE)
            check_event(events[0], events[1]);
        n[results[0] + 1]++;
    } while (results[0] != EVENT_END);
    g_assert_cmpuint(n[EVENT_ONE + 1], ==, EVENTS + 3);
    g_assert_cmpuint(n[EVENT_MEMBER + 1], ==, 2);
    g_assert_cmpuint(n[EVENT_DAMAGE + 1], ==, 6);
    g_assert_cmpuint(event_stream_position(streams[1]), ==, byte_source_total(sources[1]));
    for (guint i = 0; i < 2; i++) {
        event_stream_free(streams[i]);
        byte_source_free(sources[i]);
    }
}

/* The thread ends, wherever it is. */
static void test_left(Fixture *f, gconstpointer unused)
{
    write_trace(f);
    for (guint wanted = 0; wanted < 8000; wanted = wanted * 3 + 1) {
        ByteSource *source = byte_source_new(f->descriptor);
        EventStream *stream = event_stream_new(source, TRUE, 0);
        const Event *event;
        const char *error;

        for (guint i = 0; i < wanted; i++)
            g_assert_cmpint(event_stream_next(stream, &event, &error), !=, EVENT_END);
        event_stream_free(stream);
        byte_source_free(source);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/chrome_trace/stream/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("same", test_same);
    ADD("left", test_left);
    return g_test_run();
}
