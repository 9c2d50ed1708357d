/* SPDX-License-Identifier: Apache-2.0 */
/* Imports compressed traces: with several members, cut off, with a wrong checksum. */
#include "test-trace-fixture.h"

#include <gio/gio.h>
#include <string.h>

#define GOOD(name_)                                                                                \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name_                                      \
    "\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 1}"

static guint n_operators(Fixture *f)
{
    guint n = 0;

    while (nth(f, "cpu_op", n))
        n++;
    return n;
}

static GBytes *pack_text(const char *text, gsize length)
{
    g_autoptr(GZlibCompressor) zip = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
    g_autoptr(GOutputStream) memory = g_memory_output_stream_new_resizable();
    g_autoptr(GOutputStream) out = g_converter_output_stream_new(memory, G_CONVERTER(zip));

    g_assert_true(g_output_stream_write_all(out, text, length, NULL, NULL, NULL));
    g_assert_true(g_output_stream_close(out, NULL, NULL));
    return g_memory_output_stream_steal_as_bytes(G_MEMORY_OUTPUT_STREAM(memory));
}

static void test_gzip(Fixture *f, gconstpointer unused)
{
    static const char first[] = "[" GOOD("a"), second[] = "," GOOD("b") "]";
    g_autoptr(GBytes) one = pack_text(first, strlen(first));
    g_autoptr(GBytes) two = pack_text(second, strlen(second));
    g_autoptr(GByteArray) both = g_byte_array_new();

    g_byte_array_append(both, g_bytes_get_data(one, NULL), (guint)g_bytes_get_size(one));
    g_byte_array_append(both, g_bytes_get_data(two, NULL), (guint)g_bytes_get_size(two));
    import_bytes(f, (const char *)both->data, both->len);
    g_assert_cmpuint(n_operators(f), ==, 2);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

static GBytes *packed_operators(void)
{
    g_autoptr(GString) text = g_string_new("[");
    g_autoptr(GRand) random = g_rand_new_with_seed(5);

    for (guint i = 0; i < 5000; i++)
        g_string_append_printf(text,
                               "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%08x\", "
                               "\"ts\": %u, \"dur\": 1}",
                               i ? ", " : "", g_rand_int(random), i);
    g_string_append_c(text, ']');
    return pack_text(text->str, text->len);
}

static void test_cut_gzip(Fixture *f, gconstpointer unused)
{
    g_autoptr(GBytes) bytes = packed_operators();

    import_bytes(f, g_bytes_get_data(bytes, NULL), (gssize)g_bytes_get_size(bytes) / 2);
    g_assert_cmpuint(n_operators(f), >, 1000);
    g_assert_cmpuint(n_operators(f), <, 5000);
    g_assert_true(is_damaged(f, "gzip: the file ends too early"));
}

/* A wrong checksum is reported as such, and not as a file that was cut off. */
static void test_wrong_checksum(Fixture *f, gconstpointer unused)
{
    g_autoptr(GBytes) good = packed_operators();
    gsize length = g_bytes_get_size(good);
    g_autofree guint8 *bytes = g_memdup2(g_bytes_get_data(good, NULL), length);

    bytes[length - 8] ^= 1;
    import_bytes(f, (const char *)bytes, (gssize)length);
    g_assert_true(is_damaged(f, "gzip: "));
    g_assert_false(is_damaged(f, "too early"));
    g_assert_cmpuint(n_operators(f), ==, 5000); /* all events precede the checksum */
}

/* All events before bytes that are not gzip data are imported, also the last one. */
static void test_wrong_bytes(Fixture *f, gconstpointer unused)
{
    static const char first[] = "[" GOOD("a") "," GOOD("b");
    g_autoptr(GBytes) good = pack_text(first, strlen(first));
    g_autoptr(GByteArray) both = g_byte_array_new();

    g_byte_array_append(both, g_bytes_get_data(good, NULL), (guint)g_bytes_get_size(good));
    /* the begin of a second gzip member */
    g_byte_array_append(both, g_bytes_get_data(good, NULL), 10);
    g_byte_array_append(both, (const guint8 *)"\xff\xff\xff\xff", 4);
    import_bytes(f, (const char *)both->data, both->len);
    g_assert_cmpuint(n_operators(f), ==, 2);
    g_assert_true(is_damaged(f, "gzip: "));
}

static void test_padding(Fixture *f, gconstpointer unused)
{
    static const char text[] = "[" GOOD("a") "," GOOD("b");
    g_autoptr(GBytes) good = pack_text(text, strlen(text));
    g_autoptr(GByteArray) padded = g_byte_array_new();

    g_byte_array_append(padded, g_bytes_get_data(good, NULL), (guint)g_bytes_get_size(good));
    g_byte_array_set_size(padded, padded->len + 200000); /* more than the size of one read */
    memset(padded->data + g_bytes_get_size(good), 0, 200000);
    import_bytes(f, (const char *)padded->data, padded->len);
    g_assert_cmpuint(n_operators(f), ==, 2);
    g_assert_false(is_damaged(f, "gzip: "));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("gzip", test_gzip);
    TEST("cut-gzip", test_cut_gzip);
    TEST("wrong-checksum", test_wrong_checksum);
    TEST("padding", test_padding);
    TEST("wrong-bytes", test_wrong_bytes);
    return g_test_run();
}
