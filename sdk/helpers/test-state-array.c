/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/state-array.h>

#include <glib.h>

#include "mock-storage.h"

typedef struct Item {
    guint key, order;
} Item;

static int compare_keys(const void *a, const void *b)
{
    const Item *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static void add_items(StrobeStateArray *array, guint n, guint keys)
{
    for (guint i = 0; i < n; i++) {
        const Item item = {g_test_rand_int_range(0, (gint)keys), i};

        strobe_state_array_add(array, &item);
    }
}

static void test_sort(void)
{
    static const guint lengths[] = {0, 1, 2, 3, 255, 256, 257, 10000};
    StrobeStorage storage = strobe_mock_storage(0, 0);

    for (guint i = 0; i < 2 * G_N_ELEMENTS(lengths); i++) {
        const guint n = lengths[i / 2];
        StrobeStateArray array;

        strobe_state_array_init(&array, &storage, sizeof(Item));
        add_items(&array, n, i % 2 ? 4 : G_MAXINT);
        strobe_state_array_sort(&array, compare_keys);
        g_assert_cmpuint(array.n, ==, n);
        for (guint k = 1; k < n; k++) {
            const Item *before = &STROBE_STATE_ITEM(&array, Item, k - 1), *item = before + 1;

            g_assert_true(before->key < item->key ||
                          (before->key == item->key && before->order < item->order));
        }
        strobe_state_array_clear(&array);
    }
}

/* Sorts operators that are in the order of their ends: an operator that encloses others comes after
 * them. */
static void test_nearly_sorted(void)
{
    StrobeStorage storage = strobe_mock_storage(0, 0);
    StrobeStateArray array;

    strobe_state_array_init(&array, &storage, sizeof(Item));
    for (guint i = 1; i <= 5000; i++) {
        const Item item = {i % 1000 ? i : i - 999, i};

        strobe_state_array_add(&array, &item);
    }
    strobe_state_array_sort(&array, compare_keys);
    for (guint i = 1; i < 5000; i++)
        g_assert_cmpuint(STROBE_STATE_ITEM(&array, Item, i - 1).key, <=,
                         STROBE_STATE_ITEM(&array, Item, i).key);
    strobe_state_array_clear(&array);
}

static void test_shorten(void)
{
    StrobeStorage storage = strobe_mock_storage(0, 0);
    StrobeStateArray array;

    strobe_state_array_init(&array, &storage, sizeof(Item));
    add_items(&array, 300, 10);
    strobe_state_array_shorten(&array, 400);
    g_assert_cmpuint(array.n, ==, 300);
    strobe_state_array_shorten(&array, 7);
    g_assert_cmpuint(array.n, ==, 7);
    add_items(&array, 1, 10);
    g_assert_cmpuint(STROBE_STATE_ITEM(&array, Item, 7).order, ==, 0);
    strobe_state_array_clear(&array);
    g_assert_null(array.items);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/state-array/sort", test_sort);
    g_test_add_func("/state-array/nearly-sorted", test_nearly_sorted);
    g_test_add_func("/state-array/shorten", test_shorten);
    return g_test_run();
}
