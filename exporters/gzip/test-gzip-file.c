/* SPDX-License-Identifier: Apache-2.0 */
#include "gzip-file.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Fixture {
    char *folder;
    int directory;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-gzip-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
    GDir *dir = g_dir_open(f->folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir)))
        unlinkat(f->directory, name, 0);
    g_dir_close(dir);
    g_rmdir(f->folder);
    g_free(f->folder);
    close(f->directory);
}

/* Returns the bytes that gzip unpacks from the file. */
static GByteArray *unpack_file(Fixture *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_autoptr(GFile) file = g_file_new_for_path(path);
    g_autoptr(GInputStream) raw = G_INPUT_STREAM(g_file_read(file, NULL, NULL));
    g_autoptr(GZlibDecompressor) unzip = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
    g_autoptr(GInputStream) in = g_converter_input_stream_new(raw, G_CONVERTER(unzip));
    GByteArray *out = g_byte_array_new();
    guint8 bytes[4096];
    gssize n;

    while ((n = g_input_stream_read(in, bytes, sizeof bytes, NULL, NULL)) > 0)
        g_byte_array_append(out, bytes, (guint)n);
    g_assert_cmpint(n, ==, 0);
    return out;
}

static void test_round_trip(Fixture *f, gconstpointer unused)
{
    StrobeSafeFile *file = gzip_file_create(f->directory, "text.json", TRUE);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    g_autoptr(GByteArray) wanted = g_byte_array_new();
    g_autoptr(GByteArray) found = NULL;

    for (guint i = 0; i < 3000; i++) {
        guint n = (guint)g_rand_int_range(random, 0, i % 100 ? 300 : 200000);
        guint at = wanted->len;

        g_byte_array_set_size(wanted, at + n);
        for (guint k = at; k < at + n; k++)
            wanted->data[k] = (guint8)g_rand_int_range(random, 0, 40);
        g_assert_cmpint(strobe_safe_file_write(file, (const char *)wanted->data + at, n), ==, 0);
    }
    g_assert_cmpint(strobe_safe_file_size(file), ==, wanted->len);
    g_assert_cmpint(strobe_safe_file_finish(file), ==, 0);
    found = unpack_file(f, "text.json.gz");
    g_assert_cmpmem(found->data, found->len, wanted->data, wanted->len);
}

static void test_plain(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "plain.txt", NULL);
    StrobeSafeFile *file = gzip_file_create(f->directory, "plain.txt", FALSE);
    g_autofree char *text = NULL;

    g_assert_cmpint(strobe_safe_file_puts(file, "as it is"), ==, 0);
    g_assert_cmpint(strobe_safe_file_finish(file), ==, 0);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "as it is");
}

static void test_discard(Fixture *f, gconstpointer unused)
{
    StrobeSafeFile *file = gzip_file_create(f->directory, "gone", TRUE);
    GDir *dir;

    g_assert_cmpint(strobe_safe_file_puts(file, "nobody sees it"), ==, 0);
    strobe_safe_file_discard(file);
    dir = g_dir_open(f->folder, 0, NULL);
    g_assert_null(g_dir_read_name(dir));
    g_dir_close(dir);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/gzip/round-trip", Fixture, NULL, set_up, test_round_trip, tear_down);
    g_test_add("/gzip/plain", Fixture, NULL, set_up, test_plain, tear_down);
    g_test_add("/gzip/discard", Fixture, NULL, set_up, test_discard, tear_down);
    return g_test_run();
}
