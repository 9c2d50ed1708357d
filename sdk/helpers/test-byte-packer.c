/* SPDX-License-Identifier: Apache-2.0 */
#include "byte-packer.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#define BLOCK STROBE_PACK_BLOCK

/* Packs and unpacks in buffers that are as large as they must be; how many bytes it was meanwhile.
 */
static gsize there_and_back(const char *bytes, gsize n)
{
    g_autofree char *packed = g_malloc(STROBE_PACK_ROOM(n));
    gsize length = strobe_pack(bytes, n, packed);
    g_autofree char *exact = g_memdup2(packed, length);
    g_autofree char *back = g_malloc(n + 1);

    g_assert_cmpuint(length, <=, STROBE_PACK_ROOM(n));
    g_assert_cmpint(strobe_unpack(exact, length, back, n), ==, 0);
    g_assert_cmpmem(back, n, bytes, n);
    return length;
}

static void test_sizes(void)
{
    g_autofree char *same = g_strnfill(BLOCK, 'a');
    g_autofree char *text = g_malloc(BLOCK + 64);
    gsize used = 0;

    for (guint i = 0; used < BLOCK; i++)
        used += (gsize)g_snprintf(text + used, 64, "{\"ph\":\"s\",\"id\":%u,\"ts\":%u.125}", i,
                                  1000 + 17 * i);
    for (gsize n = 0; n < 300; n++) {
        there_and_back(same, n);
        there_and_back(text, n);
    }
    g_assert_cmpuint(there_and_back(same, BLOCK), <, 200);
    g_assert_cmpuint(there_and_back(text, BLOCK), <, BLOCK / 3);
}

/* Bytes that do not repeat, and rows of them that do, of any length. */
static void test_random(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(4711);
    g_autofree char *bytes = g_malloc(BLOCK);

    for (guint turn = 0; turn < 200; turn++) {
        guint kinds = 1u << g_rand_int_range(random, 0, 9);

        for (gsize i = 0; i < BLOCK; i++)
            bytes[i] = (char)g_rand_int_range(random, 0, (gint)kinds);
        for (guint copies = turn % 8; copies > 0; copies--) {
            gint n = g_rand_int_range(random, 1, BLOCK / 4);

            memmove(bytes + g_rand_int_range(random, 0, BLOCK - n),
                    bytes + g_rand_int_range(random, 0, BLOCK - n), (gsize)n);
        }
        there_and_back(bytes, BLOCK - turn);
    }
}

/* Whatever it is given, it keeps to the lengths: the buffers have no byte more. */
static void test_damaged(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(4712);
    g_autofree char *bytes = g_malloc0(4096);
    g_autofree char *packed = g_malloc(STROBE_PACK_ROOM(4096));
    guint refused = 0;

    for (guint i = 0; i < 4096; i++)
        bytes[i] = (char)(i % 13 * (i / 500));
    gsize length = strobe_pack(bytes, 4096, packed);
    for (guint turn = 0; turn < 20000; turn++) {
        gsize n = (gsize)g_rand_int_range(random, 0, (gint)length + 1);
        g_autofree guchar *damaged = g_memdup2(packed, n);
        g_autofree char *back = g_malloc(4096);

        for (guint i = 0; n && i < 3; i++)
            damaged[g_rand_int_range(random, 0, (gint)n)] = (guchar)g_rand_int(random);
        refused += strobe_unpack(damaged, n, back, 4096) == EILSEQ;
    }
    g_assert_cmpuint(refused, >, 10000);
    g_assert_cmpint(strobe_unpack(packed, length, bytes, 4095), ==, EILSEQ);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/byte-packer/sizes", test_sizes);
    g_test_add_func("/byte-packer/random", test_random);
    g_test_add_func("/byte-packer/damaged", test_damaged);
    return g_test_run();
}
