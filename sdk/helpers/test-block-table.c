/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/block-table.h>

#include <glib.h>

#define N_THREADS 4
#define N_ROUNDS 200000u

static void test_add_and_take(void)
{
    guint64 size, before;

    g_assert_cmpint(strobe_blocks_take(0x1000, &size), ==, 0);
    g_assert_cmpint(strobe_blocks_add(0x1000, 7, &before), ==, 1);
    g_assert_cmpuint(before, ==, 0);
    g_assert_cmpint(strobe_blocks_add(0x1000, 9, &before), ==, 1); /* the release was not
                                                                    * reported */
    g_assert_cmpuint(before, ==, 7);
    g_assert_cmpint(strobe_blocks_take(0x1000, &size), ==, 1);
    g_assert_cmpuint(size, ==, 9);
    g_assert_cmpint(strobe_blocks_take(0x1000, &size), ==, 0);
}

/* Returns the number of blocks that found room; checks that no accepted block is lost. */
static guint fill_table(guint64 step, guint64 n)
{
    guint64 size, before;
    guint n_added = 0, n_taken = 0;

    for (guint64 i = 1; i <= n; i++)
        n_added += (guint)strobe_blocks_add(i * step, i, &before);
    for (guint64 i = 1; i <= n; i++)
        if (strobe_blocks_take(i * step, &size)) {
            g_assert_cmpuint(size, ==, i);
            n_taken++;
        }
    g_assert_cmpuint(n_taken, ==, n_added);
    return n_added;
}

static void test_full(void)
{
    guint n_near = fill_table(64, 2 * STROBE_BLOCKS_NEAR);

    g_assert_cmpuint(n_near, >, STROBE_BLOCKS_NEAR / 2);
    g_assert_cmpuint(n_near, <=, STROBE_BLOCKS_NEAR);
    g_assert_cmpuint(strobe_blocks_prepare(STROBE_BLOCKS_FAR + 1), ==,
                     STROBE_BLOCKS_NEAR + 5 * STROBE_BLOCKS_FAR);
    /* fills three quarters of all entries with addresses at a distance of 64 bytes, of a page, and
     * of a page and 64 bytes */
    g_assert_cmpuint(fill_table(64, STROBE_BLOCKS_FAR / 4 * 3), ==, STROBE_BLOCKS_FAR / 4 * 3);
    g_assert_cmpuint(fill_table(4096, STROBE_BLOCKS_FAR / 4 * 3), ==, STROBE_BLOCKS_FAR / 4 * 3);
    g_assert_cmpuint(fill_table(4096 + 64, 5 * (STROBE_BLOCKS_FAR / 4 * 3)), ==,
                     5 * (STROBE_BLOCKS_FAR / 4 * 3));
    guint n = fill_table(64, 6 * STROBE_BLOCKS_FAR);
    g_assert_cmpuint(n, <=, STROBE_BLOCKS_NEAR + 5 * STROBE_BLOCKS_FAR);
    g_assert_cmpuint(n, >=, 5 * (STROBE_BLOCKS_FAR / 8 * 7));
}

/* Each thread uses its own addresses, which are in the same buckets as those of the other
 * threads. */
static gpointer use_addresses(gpointer number)
{
    guint64 size, before, base = (GPOINTER_TO_UINT(number) + 1) * 64;

    for (guint64 i = 1; i <= N_ROUNDS; i++) {
        guint64 address = base + i % 977 * 64 * N_THREADS;

        g_assert_cmpint(strobe_blocks_add(address, i, &before), ==, 1);
        g_assert_cmpuint(before, ==, 0);
        g_assert_cmpint(strobe_blocks_take(address, &size), ==, 1);
        g_assert_cmpuint(size, ==, i);
    }
    return NULL;
}

static void test_threads(void)
{
    GThread *threads[N_THREADS];

    for (guint i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new("work", use_addresses, GUINT_TO_POINTER(i));
    for (guint i = 0; i < N_THREADS; i++)
        g_thread_join(threads[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/block-table/add-and-take", test_add_and_take);
    g_test_add_func("/block-table/full", test_full);
    g_test_add_func("/block-table/threads", test_threads);
    return g_test_run();
}
