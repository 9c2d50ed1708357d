/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <glib.h>
#include <string.h>
#include <strobe/helpers/compression.h>

#define BYTES 60000u

typedef struct {
    StrobeCompression *compression;
    char plain[BYTES], frame[BYTES], again[BYTES];
    size_t n; /* bytes of the frame */
} Fixture;

static void set_up(Fixture *f, gconstpointer user)
{
    for (guint i = 0; i < BYTES; i++)
        f->plain[i] = (char)(i / 100);
    f->compression = strobe_compression_new();
    f->n = strobe_compress(f->compression, f->frame, f->plain, BYTES);
}

static void tear_down(Fixture *f, gconstpointer user)
{
    strobe_compression_free(f->compression);
}

static int decompress_frame(Fixture *f, size_t length, size_t n)
{
    return strobe_decompress(f->compression, f->again, length, f->frame, n);
}

static void test_round_trip(Fixture *f, gconstpointer user)
{
    if (!strobe_compression_exists()) {
        g_assert_cmpuint(f->n, ==, 0);
        g_assert_cmpint(decompress_frame(f, BYTES, BYTES), ==, EIO);
        return;
    }
    for (guint i = 0; i < 2; i++) { /* the working memory is used again */
        g_assert_cmpuint(f->n, <, BYTES / 10);
        g_assert_cmpuint(strobe_compressed_length(f->frame, STROBE_COMPRESSED_HEAD_BYTES), ==,
                         BYTES);
        g_assert_cmpint(decompress_frame(f, BYTES, f->n), ==, 0);
        g_assert_cmpmem(f->again, BYTES, f->plain, BYTES);
        f->n = strobe_compress(f->compression, f->frame, f->plain, BYTES);
    }
}

static void test_larger(Fixture *f, gconstpointer user)
{
    for (guint i = 0; i < BYTES; i++)
        f->plain[i] = (char)(i * 2654435761u >> 13 ^ i * 40503u >> 5);
    g_assert_cmpuint(strobe_compress(f->compression, f->frame, f->plain, 40), ==, 0);
    g_assert_cmpuint(strobe_compress(f->compression, f->frame, f->plain, 0), ==, 0);
}

static void test_damage(Fixture *f, gconstpointer user)
{
    g_assert_cmpint(decompress_frame(f, BYTES, f->n / 2), ==, EIO);
    g_assert_cmpint(decompress_frame(f, BYTES - 1, f->n), ==, EIO);
    g_assert_cmpint(decompress_frame(f, BYTES, 0), ==, EIO);
    g_assert_cmpuint(strobe_compressed_length(f->frame, 3), ==, 0);
    memset(f->frame, 'x', 4);
    g_assert_cmpuint(strobe_compressed_length(f->frame, f->n), ==, 0);
    g_assert_cmpint(decompress_frame(f, BYTES, f->n), ==, EIO);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/compression/round-trip", Fixture, NULL, set_up, test_round_trip, tear_down);
    g_test_add("/compression/larger", Fixture, NULL, set_up, test_larger, tear_down);
    g_test_add("/compression/damage", Fixture, NULL, set_up, test_damage, tear_down);
    return g_test_run();
}
