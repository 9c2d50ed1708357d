/* SPDX-License-Identifier: Apache-2.0 */
/* Events that two threads find are those that one finds. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stream-texts.h"

#define EVENTS 8000

/* Read by one, and by two in pieces of some sizes. */
static void check_from(const char *text, gsize length, guint64 offset)
{
    static const gsize sizes[] = {256, 1000, 4096, 30000, PIECE_BYTES};
    int fd = memfd_create("trace", MFD_CLOEXEC);

    g_assert_cmpint(write(fd, text, length), ==, (gssize)length);
    g_autofree char *expected = stream_text(fd, offset, 0);
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        g_autofree char *found = stream_text(fd, offset, sizes[i]);

        if (strcmp(found, expected) != 0)
            g_test_message("pieces of %zu bytes", sizes[i]);
        g_assert_cmpstr(found, ==, expected);
    }
    close(fd);
}

static void check(const char *text)
{
    check_from(text, strlen(text), 0);
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

static GString *plain_events(guint n)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < n; i++) {
        g_string_append(text, i ? ",\n" : "");
        put_event(text, i);
    }
    return text;
}

static void test_plain(void)
{
    g_autoptr(GString) events = plain_events(EVENTS);
    g_autofree char *object = g_strdup_printf(
        "{\"before\": [1], \"traceEvents\": [%s], \"behind\": {\"a\": 1}}", events->str);
    g_autofree char *array = g_strdup_printf("[%s", events->str);
    g_autofree char *closed = g_strdup_printf("[%s,]", events->str);

    check(object);
    check(array);
    check(closed);
    check_from(object, strlen(object), (guint64)(strstr(object, "{\"ph\"") - object));
}

/* What is damaged, what is longer than a piece or a buffer, and many blanks. */
static void test_damage(void)
{
    g_autofree char *filler = g_strnfill(300000, 'y'), *blanks = g_strnfill(100000, ' ');
    g_autoptr(GString) text = g_string_new("{\"traceEvents\": [");

    for (guint i = 0; i < EVENTS; i++) {
        g_string_append(text, i ? ",\n" : "");
        put_event(text, i);
        if (i % 3000 == 1000)
            g_string_append_printf(text, ", {\"name\": \"%s\"}", filler);
        if (i % 700 == 699)
            g_string_append(text, ", {\"name\": ]}");
        if (i % 900 == 899)
            g_string_append(text, ", 5 {} }, ,{ ");
        if (i == EVENTS / 2)
            g_string_append(text, blanks);
    }
    check(text->str); /* the end is missing */
    g_string_append(text, "], \"behind\": {\"a\": 1}}");
    check(text->str);
    g_string_truncate(text, text->len / 2);
    check(text->str);
}

/* What looks like the begin of an event, and is none. */
static void test_wrong_cuts(void)
{
    g_autoptr(GString) lists = g_string_new("[{\"ph\": \"M\"}");
    g_autoptr(GString) texts = g_string_new("[{}");
    g_autoptr(GString) members = g_string_new("{\"m\": [{\"ph\": \"M\"}");

    for (guint i = 0; i < EVENTS / 8; i++) {
        g_string_append_printf(lists, ", {\"ph\": \"X\", \"args\": {\"list\": [{}");
        g_string_append_printf(texts, ", {\"ph\": \"X\", \"name\": \"{}");
        for (guint k = 0; k < 10; k++) {
            g_string_append_printf(lists, ", {\"ph\": \"X\", \"number\": %u}", i * 10 + k);
            g_string_append_printf(texts, ", {\\\"ph\\\": %u}, {ph}", i * 10 + k);
            g_string_append_printf(members, ", {\"ph\": \"X\", \"number\": %u}", i * 10 + k);
        }
        g_string_append(lists, "]}}");
        g_string_append(texts, "\"}");
    }
    check(lists->str);
    check(texts->str);
    check(members->str);
    g_string_append(members, "], \"traceEvents\": [{\"ph\": \"X\"}, {\"ph\": \"X\"}]}");
    check(members->str);
}

static void test_frames(void)
{
    g_autoptr(GString) events = plain_events(EVENTS / 4);
    g_autoptr(GString) frames = g_string_new(NULL);

    for (guint i = 0; i < EVENTS / 2; i++)
        g_string_append_printf(frames, "%s\"%u\": {\"name\": \"f%u\", \"parent\": %u}",
                               i ? ", " : "", i, i, i / 2);
    g_autofree char *behind =
        g_strdup_printf("{\"traceEvents\": [%s], \"stackFrames\": {%s}}", events->str, frames->str);
    g_autofree char *before =
        g_strdup_printf("{\"stackFrames\": {%s}, \"traceEvents\": [%s]}", frames->str, events->str);
    check(behind);
    check(before);
}

/* An event of more than 16 MiB is damage, wherever it lies. */
static void test_too_long(void)
{
    static const gsize sizes[] = {EVENT_BYTES_MAX - 40, EVENT_BYTES_MAX + 40, 3 * EVENT_BYTES_MAX};
    g_autoptr(GString) events = plain_events(3000);

    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        g_autofree char *filler = g_strnfill(sizes[i], 'y');
        g_autofree char *text =
            g_strdup_printf("[%s, {\"name\": \"%s\"}, %s]", events->str, filler, events->str);
        int fd = memfd_create("trace", MFD_CLOEXEC);

        g_assert_cmpint(write(fd, text, strlen(text)), ==, (gssize)strlen(text));
        g_autofree char *one = stream_text(fd, 0, 0), *two = stream_text(fd, 0, PIECE_BYTES);
        g_assert_true(strcmp(one, two) == 0);
        g_assert_true((strstr(one, "less than 16 MiB") != NULL) == (i > 0));
        close(fd);
    }
}

/* Bytes changed, left out and doubled at random. */
static void test_mutations(void)
{
    static const char alphabet[] = "{}[],:\"\\ \n1e-tph";
    g_autoptr(GString) events = plain_events(60);

    for (guint run = 0; run < 150; run++) {
        g_autoptr(GString) text = g_string_new(run % 2 ? "{\"traceEvents\": [" : "[");
        guint n = (guint)g_test_rand_int_range(1, 12);

        g_string_append(text, events->str);
        g_string_append(text, run % 2 ? "], \"m\": [{}, {\"ph\": 1}]}" : "]");
        for (guint i = 0; i < n; i++) {
            gsize at = (gsize)g_test_rand_int_range(0, (gint32)text->len - 50);

            if (i % 3 == 0)
                g_string_erase(text, (gssize)at, g_test_rand_int_range(1, 50));
            else if (i % 3 == 1)
                g_string_insert_len(text, (gssize)at, events->str + at % 500, 300);
            else
                text->str[at] = alphabet[g_test_rand_int_range(0, sizeof alphabet - 1)];
        }
        check(text->str);
    }
}

static gboolean take_some(void *user, const EventStream *stream, int result, const Event *event,
                          const char *error)
{
    guint *left = user;

    return --*left > 0;
}

/* Both end, wherever they are. */
static void test_left(void)
{
    g_autoptr(GString) events = plain_events(EVENTS);
    int fd = memfd_create("trace", MFD_CLOEXEC);

    g_string_prepend(events, "[");
    g_assert_cmpint(write(fd, events->str, events->len), ==, (gssize)events->len);
    for (guint wanted = 1; wanted < EVENTS; wanted = wanted * 2 + 1) {
        ByteSource *source = byte_source_new(fd);
        guint left = wanted;

        event_stream_read_by_two(source, 0, 4096, take_some, &left);
        g_assert_cmpuint(left, ==, 0);
        byte_source_free(source);
    }
    close(fd);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/chrome_trace/stream/plain", test_plain);
    g_test_add_func("/chrome_trace/stream/damage", test_damage);
    g_test_add_func("/chrome_trace/stream/wrong-cuts", test_wrong_cuts);
    g_test_add_func("/chrome_trace/stream/frames", test_frames);
    g_test_add_func("/chrome_trace/stream/too-long", test_too_long);
    g_test_add_func("/chrome_trace/stream/mutations", test_mutations);
    g_test_add_func("/chrome_trace/stream/left", test_left);
    return g_test_run();
}
