/* SPDX-License-Identifier: Apache-2.0 */
#include "id-rows.h"

typedef struct Row {
    guint64 id, value, other;
} Row;

static void add_row(IdRows *rows, guint64 id)
{
    Row *row;

    g_assert_null(id_rows_find(rows, id));
    row = id_rows_add(rows, id);
    g_assert_cmpuint(row->id, ==, id);
    g_assert_cmpuint(row->value | row->other, ==, 0);
    row->value = id * 3;
    row->other = 1;
}

static void check_row(const IdRows *rows, guint64 id)
{
    const Row *row = id_rows_find(rows, id);

    g_assert_nonnull(row);
    g_assert_cmpuint(row->id, ==, id);
    g_assert_cmpuint(row->value, ==, id * 3);
}

/* Adds `n` ids with the distance `step`, drops the `forgotten` oldest rows, and adds them again. */
static void check_step(guint64 from, guint64 step, guint n, guint forgotten)
{
    IdRows *rows = id_rows_new(sizeof(Row));

    for (guint i = 0; i < n; i++)
        add_row(rows, from + i * step);
    id_rows_forget(rows, forgotten);
    g_assert_cmpuint(id_rows_count(rows), ==, n - forgotten);
    for (guint i = 0; i < n; i++) {
        const guint64 id = from + i * step;

        if (i < forgotten) {
            g_assert_null(id_rows_find(rows, id));
        } else {
            check_row(rows, id);
            g_assert_true(id_rows_at(rows, i - forgotten) == id_rows_find(rows, id));
        }
    }
    for (guint i = 0; i < forgotten; i++)
        add_row(rows, from + i * step);
    for (guint i = 0; i < n; i++)
        check_row(rows, from + i * step);
    id_rows_forget(rows, n);
    g_assert_cmpuint(id_rows_count(rows), ==, 0);
    g_assert_null(id_rows_find(rows, from));
    add_row(rows, from);
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

/* Adds ids with this distance, each of which needs its own slot. */
static void check_hostile(guint64 step)
{
    const guint n = 40000;
    IdRows *rows = id_rows_new(sizeof(Row));

    for (guint i = 0; i < n; i++)
        add_row(rows, i * step << 2);
    g_assert_cmpuint(id_rows_steps(rows), <, 8 * (guint64)n);
    for (guint i = 0; i < n; i++)
        check_row(rows, i * step << 2);
    id_rows_free(rows);
}

/* A hash with a constant factor could be attacked with the inverse of the factor. */
static void test_hostile(void)
{
    const guint64 undone = 0xf1de83e19937733du; /* its product with 0x9e3779b97f4a7c15 is 1 */

    check_hostile(1);
    check_hostile((guint64)1 << 32);
    check_hostile(undone);
    check_hostile(undone << 8);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/id-rows/found", test_found);
    g_test_add_func("/id-rows/hostile", test_hostile);
    return g_test_run();
}
