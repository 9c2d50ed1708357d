/* SPDX-License-Identifier: Apache-2.0 */
#include "near-sort.h"

#include <string.h>

typedef struct Item {
    gint key;
    guint order;
    char more[13]; /* a size that is no power of two */
} Item;

static gint compare(gconstpointer a, gconstpointer b)
{
    const Item *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

/* The same as the sort that it stands for, equal elements included. */
static void check(GArray *items)
{
    g_autoptr(GArray) other = g_array_copy(items);

    g_array_sort(other, compare);
    near_sort(items, compare);
    g_assert_cmpuint(items->len, ==, other->len);
    for (guint i = 0; i < items->len; i++) {
        g_assert_cmpint(g_array_index(items, Item, i).key, ==, g_array_index(other, Item, i).key);
        g_assert_cmpuint(g_array_index(items, Item, i).order, ==,
                         g_array_index(other, Item, i).order);
    }
}

/* n items whose keys are those of their places, but up to `far` away, `step` places for a key. */
static GArray *make(guint n, guint far, guint step)
{
    GArray *items = g_array_new(FALSE, TRUE, sizeof(Item));

    for (guint i = 0; i < n; i++) {
        Item item = {(gint)(i / step) + g_test_rand_int_range(0, (gint)far + 1), i, ""};

        g_array_append_val(items, item);
    }
    return items;
}

static void test_as_the_other(void)
{
    static const guint sizes[] = {0, 1, 2, 31, 32, 33, 64, 65, 1000, 5000};
    static const guint distances[] = {0, 1, 20, 300, 100000};

    for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
        for (guint d = 0; d < G_N_ELEMENTS(distances); d++)
            for (guint step = 1; step < 8; step += 3) {
                g_autoptr(GArray) items = make(sizes[s], distances[d], step);

                check(items);
            }
}

static void test_backward(void)
{
    g_autoptr(GArray) items = g_array_new(FALSE, TRUE, sizeof(Item));

    for (guint i = 0; i < 3000; i++) {
        Item item = {-(gint)(i / 2), i, ""};

        g_array_append_val(items, item);
    }
    check(items);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/near-sort/as-the-other", test_as_the_other);
    g_test_add_func("/near-sort/backward", test_backward);
    return g_test_run();
}
