/* SPDX-License-Identifier: Apache-2.0 */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "../fixture/test-export-fixture.h"
#include "proto-message.h"

/* Returns the uncompressed message; NULL: there is no such file. */
static GBytes *take_file(const ExportFixture *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_autoptr(GFile) file = g_file_new_for_path(path);
    g_autoptr(GFileInputStream) raw = g_file_read(file, NULL, NULL);
    g_autoptr(GConverter) unzip =
        G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
    g_autoptr(GError) error = NULL;

    if (!raw)
        return NULL;
    g_autoptr(GInputStream) stream = g_converter_input_stream_new(G_INPUT_STREAM(raw), unzip);
    GBytes *bytes = g_input_stream_read_bytes(stream, 1 << 20, NULL, &error);
    g_assert_no_error(error);
    g_remove(path);
    return bytes;
}

static void assert_message(const GByteArray *message, const char *bytes, gsize length)
{
    g_assert_cmpmem(message->data, message->len, bytes, length);
}

/* Checks the examples in the documentation of the wire format, and the limits of the format. */
static void test_wire(void)
{
    static const guint64 numbers[] = {3, 270, 86942};
    g_autoptr(GByteArray) message = g_byte_array_new();

    proto_add_number(message, 1, 150);
    assert_message(message, "\x08\x96\x01", 3);
    g_byte_array_set_size(message, 0);
    proto_add_bytes(message, 2, "testing", 7);
    assert_message(message, "\x12\x07testing", 9);
    g_byte_array_set_size(message, 0);
    proto_add_packed(message, 6, numbers, G_N_ELEMENTS(numbers));
    assert_message(message, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
    g_byte_array_set_size(message, 0);
    proto_add_number(message, 15, G_MAXUINT64);
    assert_message(message, "\x78\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    g_byte_array_set_size(message, 0);
    proto_add_number(message, 1, 0);
    g_assert_cmpuint(message->len, ==, 0);
}

static void add_sample(ExportFixture *f, gint64 time, const char *const *frames)
{
    const struct strobe_cpu_sample sample = {.time = time,
                                             .stack = strobe_mock_stack(f->mock, frames)};

    strobe_mock_add(f->mock, &strobe_kind_cpu_sample, 0, strobe_mock_string(f->mock, "worker"), 0,
                    0, &sample);
}

/* Checks the first sample of the message: two equal samples become one. */
static void test_samples(ExportFixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"work (h) h.c:7", "main (h)", NULL};

    add_sample(f, 1000, frames);
    add_sample(f, 2000, frames);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autoptr(GBytes) bytes = take_file(f, "profile.pb.gz");
    g_assert_nonnull(bytes);
    gsize size;
    const char *message = g_bytes_get_data(bytes, &size);
    /* The sample: locations 1 and 2, values 2 and 3000, a label with the texts 4 ("thread") and
     * 5. */
    static const char sample[] = "\x12\x0f\x0a\x02\x01\x02\x12\x03\x02\xb8\x17\x1a\x04\x08";
    g_assert_cmpint(size, >, sizeof sample);
    g_assert_cmpmem(message, sizeof sample - 1, sample, sizeof sample - 1);
    g_assert_nonnull(memmem(message, size, "\x32\x03h.c", 5));
    g_assert_nonnull(memmem(message, size, "\x32\x08work (h)", 10));
}

/* Checks the calls and the time of a path of Python calls. A path of samples is not in the file a
 * second time. */
static void test_calls(ExportFixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"a.py(9): leaf", "a.py(1): main", NULL};
    const struct strobe_call_path path = {.source = strobe_mock_string(f->mock, "cpu_sample"),
                                          .path = strobe_mock_stack(f->mock, frames),
                                          .time = 7,
                                          .count = 1};

    export_fixture_add_calls(f, 3000, frames);
    strobe_mock_add(f->mock, &strobe_kind_call_path, 0, 0, 0, 0, &path);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autoptr(GBytes) bytes = take_file(f, "python.pb.gz");
    g_assert_nonnull(bytes);
    gsize size;
    const char *message = g_bytes_get_data(bytes, &size);
    /* The sample: locations 1 and 2, values 3 and 3000; the next field is not a sample. */
    static const char sample[] = "\x12\x09\x0a\x02\x01\x02\x12\x03\x03\xb8\x17\x0a";
    g_assert_cmpint(size, >, sizeof sample);
    g_assert_cmpmem(message, sizeof sample - 1, sample, sizeof sample - 1);
}

static void test_nothing(ExportFixture *f, gconstpointer unused)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
}

static void test_name(ExportFixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"work", NULL};

    strobe_mock_option(f->mock, "file", "a/b");
    add_sample(f, 1000, frames);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_ERROR_IO);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/pprof/" path, ExportFixture, NULL, export_fixture_set_up, function,               \
               export_fixture_tear_down)
    g_test_add_func("/pprof/wire", test_wire);
    ADD("samples", test_samples);
    ADD("calls", test_calls);
    ADD("nothing", test_nothing);
    ADD("name", test_name);
    return g_test_run();
}
