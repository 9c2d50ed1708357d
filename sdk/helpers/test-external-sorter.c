/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <glib.h>
#include <mock-storage.h>
#include <string.h>
#include <strobe/helpers/external-sorter.h>

/* The head of a record; a number of bytes that depends on the test follows. */
typedef struct Numbered {
    StrobeSortKey key;
    gint64 number;
} Numbered;

typedef StrobeSortKey (*KeyOf)(gint64 i, gint64 n);

static StrobeSortKey key_backwards(gint64 i, gint64 n)
{
    return (StrobeSortKey){0, n - i};
}

static StrobeSortKey key_nearly(gint64 i, gint64 n)
{
    return (StrobeSortKey){0, i + i * 7919 % 50};
}

/* Returns keys in ascending order for the first third, and then again ascending keys in the same
 * range. */
static StrobeSortKey key_twice(gint64 i, gint64 n)
{
    return (StrobeSortKey){0, i < n / 3 ? 6 * i : 3 * i - n};
}

static StrobeSortKey key_few(gint64 i, gint64 n)
{
    return (StrobeSortKey){i % 2, i * 7919 % 11 - 5};
}

/* Returns keys from the whole range, including the least and the greatest key. */
static StrobeSortKey key_wide(gint64 i, gint64 n)
{
    static const gint64 ends[] = {G_MININT64, G_MAXINT64, -1, 0, G_MININT64 + 1};
    const guint64 mixed = (guint64)(i % 2000 + 1) * 0x9e3779b97f4a7c15u;

    if (i % 500 < 5)
        return (StrobeSortKey){ends[i % 5], ends[i % 7 % 5]};
    return (StrobeSortKey){(gint64)(mixed >> 40) % 3, (gint64)mixed};
}

static gint compare_numbered(gconstpointer a, gconstpointer b, gpointer unused)
{
    const Numbered *x = a, *y = b;

    if (x->key.major != y->key.major)
        return x->key.major < y->key.major ? -1 : 1;
    return (x->key.minor > y->key.minor) - (x->key.minor < y->key.minor);
}

static void check_order(StrobeStorage *storage, KeyOf key_of, gint64 n, gsize more)
{
    StrobeExternalSorter *sorter = strobe_external_sorter_new(storage);
    g_autofree Numbered *expected = g_new(Numbered, n);
    g_autofree char *record = g_malloc0(sizeof *expected + more);
    const char *found;
    size_t length;

    for (gint64 i = 0; i < n; i++) {
        expected[i] = (Numbered){key_of(i, n), i};
        memcpy(record, &expected[i], sizeof *expected);
        g_assert_cmpint(
            strobe_external_sorter_add(sorter, expected[i].key, record, sizeof *expected + more),
            ==, 0);
    }
    /* this sort is stable */
    g_qsort_with_data(expected, (gint)n, sizeof *expected, compare_numbered, NULL);
    for (gint64 i = 0; i < n; i++) {
        found = strobe_external_sorter_next(sorter, &length);
        g_assert_nonnull(found);
        g_assert_cmpmem(found, sizeof *expected, &expected[i], sizeof *expected);
        g_assert_cmpuint(length, ==, sizeof *expected + more);
    }
    g_assert_null(strobe_external_sorter_next(sorter, &length));
    g_assert_cmpint(strobe_external_sorter_error(sorter), ==, 0);
    strobe_external_sorter_free(sorter);
}

/* Sorts in memory, in a few runs, and in so many runs that groups of them are merged first. */
static void test_orders(void)
{
    static const KeyOf keys[] = {key_backwards, key_nearly, key_twice, key_few, key_wide};
    static const gint64 counts[] = {1, 2, 31, 32, 33, 64, 65, 95, 1000, 4097, 20000};
    static const guint64 bounds[] = {G_MAXINT32, 200000, 4000};

    for (gsize i = 0; i < G_N_ELEMENTS(keys); i++)
        for (gsize k = 0; k < G_N_ELEMENTS(counts); k++)
            for (gsize m = 0; m < G_N_ELEMENTS(bounds); m++) {
                StrobeStorage storage = strobe_mock_storage(100000, bounds[m]);

                check_order(&storage, keys[i], counts[k], 0);
            }
}

/* Sorts records that are longer than a block of the log, and longer than the memory. */
static void test_long_records(void)
{
    static const guint64 bounds[] = {G_MAXINT32, 1000000, 1000};

    for (gsize i = 0; i < G_N_ELEMENTS(bounds); i++) {
        StrobeStorage storage = strobe_mock_storage(0, bounds[i]);

        check_order(&storage, key_backwards, 100, 300001);
    }
}

static int files_opened;

static int32_t count_file(StrobeStorage *storage)
{
    files_opened++;
    return strobe_mock_storage(0, 0).open_file(storage);
}

/* Checks that any number of records that arrive in order make one run, so that no second log is
 * made. */
static void test_in_order(void)
{
    StrobeStorage storage = strobe_mock_storage(0, 1000);
    StrobeExternalSorter *sorter = strobe_external_sorter_new(&storage);
    size_t length;

    files_opened = 0;
    storage.open_file = count_file;
    for (gint64 i = 0; i < 30000; i++)
        *(gint64 *)strobe_external_sorter_reserve(sorter, (StrobeSortKey){i / 9, 0}, sizeof i) = i;
    for (gint64 i = 0; i < 30000; i++)
        g_assert_cmpint(*(gint64 *)strobe_external_sorter_next(sorter, &length), ==, i);
    g_assert_null(strobe_external_sorter_next(sorter, &length));
    g_assert_cmpint(files_opened, ==, 1);
    strobe_external_sorter_free(sorter);
}

static void test_empty(void)
{
    StrobeStorage storage = strobe_mock_storage(0, 1000);
    StrobeExternalSorter *sorter = strobe_external_sorter_new(&storage);
    size_t length;

    g_assert_null(strobe_external_sorter_next(sorter, &length));
    strobe_external_sorter_free(sorter);
    sorter = strobe_external_sorter_new(&storage);
    g_assert_cmpint(strobe_external_sorter_add(sorter, (StrobeSortKey){0, 0}, NULL, 0), ==, 0);
    g_assert_nonnull(strobe_external_sorter_next(sorter, &length));
    g_assert_cmpuint(length, ==, 0);
    g_assert_null(strobe_external_sorter_next(sorter, &length));
    strobe_external_sorter_free(sorter);
    strobe_external_sorter_free(NULL);
    g_assert_cmpint(strobe_external_sorter_add(NULL, (StrobeSortKey){0, 0}, NULL, 0), ==, ENOMEM);
}

static int32_t open_no_file(StrobeStorage *storage)
{
    errno = ENOSPC;
    return -1;
}

/* Checks that adding and reading records fail if no file can be opened. */
static void test_no_file(void)
{
    StrobeStorage storage = strobe_mock_storage(0, 1000);
    StrobeExternalSorter *sorter = strobe_external_sorter_new(&storage);
    size_t length;

    storage.open_file = open_no_file;
    while (strobe_external_sorter_add(sorter, (StrobeSortKey){0, 0}, "record", 6) == 0)
        ;
    g_assert_cmpint(strobe_external_sorter_error(sorter), ==, ENOSPC);
    g_assert_null(strobe_external_sorter_next(sorter, &length));
    g_assert_cmpint(strobe_external_sorter_error(sorter), ==, ENOSPC);
    strobe_external_sorter_free(sorter);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/external-sorter/orders", test_orders);
    g_test_add_func("/external-sorter/long-records", test_long_records);
    g_test_add_func("/external-sorter/in-order", test_in_order);
    g_test_add_func("/external-sorter/empty", test_empty);
    g_test_add_func("/external-sorter/no-file", test_no_file);
    return g_test_run();
}
