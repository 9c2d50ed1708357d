/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

#include "row-log.h"

#define ROWS 30000

/* Most as the one before but later; some far later, of another device, or with more cells. */
static LoggedRow row_of(GRand *rand, const LoggedRow *before)
{
    LoggedRow row = *before;

    row.key.minor += g_rand_int_range(rand, 0, 100000);
    row.length = g_rand_int(rand);
    switch (g_rand_int_range(rand, 0, 50)) {
    case 0:
        row.key.major = g_rand_int_range(rand, -2, 3);
        row.key.minor = G_MININT64 + g_rand_int(rand);
        break;
    case 1:
        row.key.minor += G_MAXUINT32;
        break;
    case 2:
        row.n_cells++;
        break;
    default:
        break;
    }
    return row;
}

typedef struct Check {
    GRand *rand;
    LoggedRow before;
    guint n;
} Check;

static int check(void *user, const LoggedRow *row)
{
    Check *check = user;

    check->before = row_of(check->rand, &check->before);
    g_assert_cmpint(row->key.major, ==, check->before.key.major);
    g_assert_cmpint(row->key.minor, ==, check->before.key.minor);
    g_assert_cmpuint(row->length, ==, check->before.length);
    g_assert_cmpuint(row->n_cells, ==, check->before.n_cells);
    check->n++;
    return 0;
}

static void test_rows(gconstpointer n_rows)
{
    const guint n = GPOINTER_TO_UINT(n_rows);
    int folder = open(g_get_tmp_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    RowLog *log = row_log_new(folder);
    GRand *rand = g_rand_new_with_seed(151);
    Check found = {.rand = g_rand_new_with_seed(151)};
    LoggedRow row = {.n_cells = 0};

    for (guint i = 0; i < n; i++) {
        row = row_of(rand, &row);
        g_assert_cmpint(row_log_add(log, &row), ==, 0);
    }
    g_assert_cmpint(row_log_each(log, check, &found), ==, 0);
    g_assert_cmpuint(found.n, ==, n);
    row_log_free(log);
    row_log_free(NULL);
    g_rand_free(rand);
    g_rand_free(found.rand);
    close(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/csv/row-log/none", GUINT_TO_POINTER(0), test_rows);
    g_test_add_data_func("/csv/row-log/few", GUINT_TO_POINTER(7), test_rows);
    g_test_add_data_func("/csv/row-log/many", GUINT_TO_POINTER(ROWS), test_rows);
    return g_test_run();
}
