/* SPDX-License-Identifier: Apache-2.0 */
#include "handle-table.h"

#include <glib.h>

#define HANDLE(i) ((const void *)(((guintptr)(i) + 1) * 16))

static void count_value(void *value, void *user)
{
    (*(guint *)user)++;
}

static void test_put(void)
{
    static HandleTable table = HANDLE_TABLE_INIT;
    static char values[5000];
    void *old;
    guint n = 0;

    g_assert_null(handle_table_find(&table, HANDLE(1)));
    g_assert_false(handle_table_put(&table, NULL, values, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        g_assert_true(handle_table_put(&table, HANDLE(i), &values[i], &old));
        g_assert_null(old);
    }
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
        g_assert_true(handle_table_find(&table, HANDLE(i)) == &values[i]);
    g_assert_null(handle_table_find(&table, HANDLE(G_N_ELEMENTS(values))));
    g_assert_true(handle_table_put(&table, HANDLE(7), &values[0], &old));
    g_assert_true(old == &values[7]);
    g_assert_true(handle_table_find(&table, HANDLE(7)) == &values[0]);
    g_assert_true(handle_table_put(&table, HANDLE(7), NULL, &old));
    g_assert_null(handle_table_find(&table, HANDLE(7)));
    handle_table_each(&table, count_value, &n);
    g_assert_cmpuint(n, ==, G_N_ELEMENTS(values) - 1);
}

static void *find_while_it_grows(void *data)
{
    static char first;
    HandleTable *table = data;

    handle_table_put(table, HANDLE(0), &first, NULL);
    for (guint i = 0; i < 200000; i++)
        g_assert_true(handle_table_find(table, HANDLE(0)) == &first);
    return NULL;
}

static void test_growth(void)
{
    static HandleTable table = HANDLE_TABLE_INIT;
    pthread_t thread;

    pthread_create(&thread, NULL, find_while_it_grows, &table);

    for (guint i = 1; i < 20000; i++)
        handle_table_put(&table, HANDLE(i), &table, NULL);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/handle-table/put", test_put);
    g_test_add_func("/handle-table/growth", test_growth);
    return g_test_run();
}
