/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that waiting records are composed to the same bytes from memory and from a file. */
#include <gio/gio.h>
#include <math.h>

#include "test-chrome-trace-fixture.h"
#include "trace-out.h"

#define ROUNDS 9000u      /* makes many chunks of waiting records */
#define THREADS 20u       /* more than the number of groups */
#define LONG_TEXT 150000u /* longer than the first size of a part */

static StrobeTrackId threads[THREADS], stream, calls, flows, counters;
static StrobeStringId long_text;

static void add_tracks(Fixture *f)
{
    g_autofree char *text = g_strnfill(LONG_TEXT, 'x');

    for (guint i = 0; i < THREADS; i++)
        threads[i] = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 100 + i, NULL, NULL, -1);
    calls = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4711, NULL, "CANN", -1);
    stream = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 2, NULL, "Ascend Hardware", 1);
    flows = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4720, NULL, "CANN", -1);
    counters = strobe_mock_track(f->mock, STROBE_TRACK_COUNTER, 0, NULL, NULL, -1);
    long_text = string(f, text);
}

static guint text_of(Fixture *f, const char *what, guint i)
{
    g_autofree char *text = g_strdup_printf("%s %u", what, i);

    return string(f, text);
}

static gboolean is_long(guint i)
{
    return i % 500 >= 77 && i % 500 < 81;
}

static void add_framework(Fixture *f, guint i)
{
    const StrobeTrackId thread = threads[i % 300 < 20 ? i % THREADS : i % 5];
    const struct strobe_cpu_op op = {i, 1, text_of(f, "shape", i % 50), 0, 0, 0, 0};
    const struct strobe_python_call call = {.id = i, .parent = i / 2, .module = i};
    const struct strobe_task_queue entry = {.correlation = i / 2, .is_dequeue = i % 2};
    gint64 t = T0 + i * 1000;

    strobe_mock_add(f->mock, &strobe_kind_cpu_op, thread,
                    is_long(i) ? long_text : text_of(f, "op", i % 90), t, t + 500, &op);
    strobe_mock_add(f->mock, &strobe_kind_python_call, thread,
                    i % 400 < 4 ? long_text : text_of(f, "f", i % 40), t, t + 700, &call);
    if (i % 9 == 0)
        strobe_mock_add(f->mock, &strobe_kind_task_queue, thread,
                        text_of(f, i % 2 ? "Dequeue@a" : "Enqueue", i), t, t + 10, &entry);
}

/* Flow events between calls and tasks depend on which of them comes first; counters and flow points
 * keep their order. */
static void add_device(Fixture *f, guint i, gboolean has_points)
{
    const struct strobe_api_call call = {string(f, "acl"), string(f, "launch"), 0, i / 3, NAN};
    const struct strobe_device_task task = {.task = i,
                                            .connection = i / 3,
                                            .task_id = i,
                                            .stream = 2,
                                            .is_kernel = i % 3 == 0,
                                            .task_type = string(f, "AI_CORE"),
                                            .copy_bytes = STROBE_ABSENT_U64,
                                            .copy_bandwidth = NAN,
                                            .exact_us = NAN};
    const struct strobe_flow_point point = {.id = text_of(f, "arrow", i), .is_end = i % 2};
    const struct strobe_host_cpu cpu = {.usage = i % 100};
    gint64 t = T0 + i * 1000;

    strobe_mock_add(f->mock, &strobe_kind_api_call, calls, string(f, "aclrtLaunch"), t, t + 9,
                    &call);
    strobe_mock_add(f->mock, &strobe_kind_device_task, stream,
                    is_long(i + 100) ? long_text
                    : i % 5          ? string(f, "MatMul")
                                     : string(f, "MEMCPY_ASYNC"),
                    t, t + 11, &task);
    if (i % 400 == 7)
        strobe_mock_add(f->mock, &strobe_kind_host_cpu, counters, 0, t, t, &cpu);
    if (has_points && i > ROUNDS / 2 && i % 600 == 5)
        strobe_mock_add(f->mock, &strobe_kind_flow_point, flows, string(f, "MsTx"), t, t, &point);
}

static void add_links(Fixture *f)
{
    for (guint i = 0; i < 300; i++) {
        const struct strobe_operator_link link = {i, T0 + i * 7, threads[1 + i % 3]};

        strobe_mock_add(f->mock, &strobe_kind_operator_link, threads[0], 0, T0 + i, T0 + i, &link);
    }
}

static void add_kernels(Fixture *f)
{
    for (guint i = 0; i < 300; i++) {
        const struct strobe_kernel_link link = {i, T0 + i * 1000, stream};
        const struct strobe_overlap overlap = {i % 4, 1};

        strobe_mock_add(f->mock, &strobe_kind_kernel_link, threads[0], 0, T0 + i, T0 + i, &link);
        strobe_mock_add(f->mock, &strobe_kind_overlap, 0, string(f, "Computing"), T0 + i,
                        T0 + i * 2, &overlap);
    }
}

typedef struct Case {
    gint generation;
    gboolean has_points;
    gboolean is_in_file; /* the waiting records are in a file */
    gboolean is_torn;    /* the capture has no end */
    gboolean is_packed;  /* the file is compressed */
} Case;

#define TEXT_MAX ((gsize)64 << 20)

static char *unpack_file(Fixture *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_autoptr(GFile) file = g_file_new_for_path(path);
    g_autoptr(GInputStream) packed = G_INPUT_STREAM(g_file_read(file, NULL, NULL));
    g_autoptr(GZlibDecompressor) unzip = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
    g_autoptr(GInputStream) plain = NULL;
    char *text = g_malloc0(TEXT_MAX);
    gsize length;

    g_assert_nonnull(packed);
    plain = g_converter_input_stream_new(packed, G_CONVERTER(unzip));
    g_assert_true(g_input_stream_read_all(plain, text, TEXT_MAX - 1, &length, NULL, NULL));
    return text;
}

/* Makes the trace from batches of many sizes. */
static char *make_trace(const Case *c)
{
    Fixture f;
    StrobeStorage *storage;
    char *text;

    fixture_set_up(&f, NULL);
    storage = strobe_mock_table(f.mock)->storage(f.mock);
    strobe_mock_metadata(f.mock)->generation = c->generation;
    strobe_mock_metadata(f.mock)->complete = !c->is_torn;
    if (c->is_in_file) {
        storage->log_bytes = 0;
        storage->sorter_bytes = 50000;
    }
    if (c->is_packed)
        strobe_mock_option(f.mock, "gzip", "true");
    add_tracks(&f);
    g_assert_cmpint(strobe_mock_open(f.mock), ==, STROBE_OK);
    for (guint i = 0; i < ROUNDS; i++) {
        add_framework(&f, i);
        add_device(&f, i, c->has_points);
        if (i % 700 == 0 || i % 700 == 1 || i % 700 == 80)
            g_assert_cmpint(strobe_mock_send(f.mock), ==, STROBE_OK);
    }
    g_assert_cmpint(strobe_mock_send(f.mock), ==, STROBE_OK);
    add_links(&f);
    add_kernels(&f);
    g_assert_cmpint(strobe_mock_send(f.mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_end(f.mock), ==, STROBE_OK);
    strobe_mock_close(f.mock);
    text = c->is_packed ? unpack_file(&f, "trace_view.json.gz") : read_file(&f, "trace_view.json");
    fixture_tear_down(&f, NULL);
    return text;
}

static void test_same(gconstpointer data)
{
    const Case *wanted = data;
    Case one = *wanted;

    one.is_in_file = one.is_packed = FALSE;
    g_autofree char *expected = make_trace(&one);
    g_autofree char *found = make_trace(wanted);

    g_assert_cmpuint(strlen(expected), >, 4000000);
    /* If the source has flow points, the exporter makes no flow events from connections. */
    g_assert_true((strstr(expected, "\"HostToDevice") == NULL) == wanted->has_points);
    g_assert_true((strstr(expected, "\"MsTx_") != NULL) == wanted->has_points);
    g_assert_nonnull(strstr(expected, "\"python_function\""));
    g_assert_true((strstr(expected, "\"Strobe losses\"") != NULL) == wanted->is_torn);
    g_assert_true(g_str_equal(found, expected));
}

/* The first text is longer than the buffer, which must grow. */
static void test_long(void)
{
    g_autofree char *text = g_strnfill(LONG_TEXT, 'x');
    TraceOut out;

    trace_out_init(&out, NULL);
    g_assert_cmpint(trace_out_sink(&out, text, LONG_TEXT), ==, 0);
    g_assert_cmpmem(out.bytes, out.used, text, LONG_TEXT);
    trace_out_clear(&out);
}

int main(int argc, char **argv)
{
    static const Case file = {3, .is_in_file = TRUE},
                      points = {3, .has_points = TRUE, .is_in_file = TRUE},
                      older = {1, .is_in_file = TRUE},
                      torn = {3, .is_in_file = TRUE, .is_torn = TRUE},
                      packed = {3, .is_packed = TRUE};

    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/trace-part/file", &file, test_same);
    g_test_add_data_func("/trace-part/points", &points, test_same);
    g_test_add_data_func("/trace-part/older", &older, test_same);
    g_test_add_data_func("/trace-part/torn", &torn, test_same);
    g_test_add_data_func("/trace-part/packed", &packed, test_same);
    g_test_add_func("/trace-part/long", test_long);
    return g_test_run();
}
