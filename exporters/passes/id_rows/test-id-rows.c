/* SPDX-License-Identifier: Apache-2.0 */
#include "id-rows.h"

typedef struct Row {
    guint64 id, value, other;
} Row;

static void add(IdRows *rows, guint64 id)
{
    Row *row;

    g_assert_null(id_rows_find(rows, id));
    row = id_rows_add(rows, id);
    g_assert_cmpuint(row->id, ==, id);
    g_assert_cmpuint(row->value | row->other, ==, 0);
    row->value = id * 3;
    row->other = 1;
}

static void check(const IdRows *rows, guint64 id)
{
    const Row *row = id_rows_find(rows, id);

    g_assert_nonnull(row);
    g_assert_cmpuint(row->id, ==, id);
    g_assert_cmpuint(row->value, ==, id * 3);
}

/* `step` apart; the oldest `forgotten` go when all are there, and come once more. */
static void check_step(guint64 from, guint64 step, guint n, guint forgotten)
{
    IdRows *rows = id_rows_new(sizeof(Row));

    for (guint i = 0; i < n; i++)
        add(rows, from + i * step);
    id_rows_forget(rows, forgotten);
    g_assert_cmpuint(id_rows_count(rows), ==, n - forgotten);
    for (guint i = 0; i < n; i++) {
        const guint64 id = from + i * step;

        if (i < forgotten) {
            g_assert_null(id_rows_find(rows, id));
        } else {
            check(rows, id);
            g_assert_true(id_rows_at(rows, i - forgotten) == id_rows_find(rows, id));
        }
    }
    for (guint i = 0; i < forgotten; i++)
        add(rows, from + i * step);
    for (guint i = 0; i < n; i++)
        check(rows, from + i * step);
    id_rows_forget(rows, n);
    g_assert_cmpuint(id_rows_count(rows), ==, 0);
    g_assert_null(id_rows_find(rows, from));
    add(rows, from);
    id_rows_free(rows);
}

static void test_found(void)
{
    check_step(0, 1, 1, 0);
    check_step(0, 1, 1, 1);
    check_step(0, 1, 5000, 1024);
    check_step(G_MAXUINT64 - 9000, 3, 3000, 1500);
    check_step(7, 8, 4000, 3999);
    check_step(1, (guint64)1 << 40, 3000, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/id-rows/found", test_found);
    return g_test_run();
}
