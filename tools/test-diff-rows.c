/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-rows.h"

#include <math.h>

static const guint one_step_each[] = {1, 1, 1, 1, 1, 1, 1, 1};

static StrobeDiffRow *row_of(StrobeDiffRows *rows, const char *name)
{
    return strobe_diff_rows_get(rows, &name, 1);
}

static void add_side(StrobeDiffRows *rows, guint side, const char *name, const double *ns, guint n)
{
    for (guint32 i = 0; i < n; i++)
        strobe_diff_rows_add(rows, row_of(rows, name), side, i, ns[i], 1);
}

static void check_near(double found, double wanted)
{
    g_assert_cmpfloat_with_epsilon(found, wanted, 1e-9 * MAX(fabs(wanted), 1));
}

static const StrobeDiffRule no_rule = {.threshold = NAN};

/* Means 2 and 5, variances 1 and 1: sqrt(1/3 + 1/3) at 4 degrees of freedom. */
static void test_means(void)
{
    static const double a[] = {1, 2, 3}, b[] = {4, 5, 6};
    StrobeDiffRows *rows = strobe_diff_rows_new();
    StrobeDiffRow *row;

    add_side(rows, STROBE_DIFF_A, "x", a, 3);
    strobe_diff_rows_finish(rows, STROBE_DIFF_A, one_step_each, 3);
    add_side(rows, STROBE_DIFF_B, "x", b, 3);
    strobe_diff_rows_finish(rows, STROBE_DIFF_B, one_step_each, 3);
    strobe_diff_rows_compare(rows, &no_rule);
    row = row_of(rows, "x");
    check_near(row->sides[STROBE_DIFF_A].mean, 2);
    check_near(row->sides[STROBE_DIFF_A].deviation, 1);
    check_near(row->difference, 3);
    check_near(row->relative, 150);
    check_near(row->noise, 4.604 * sqrt(2.0 / 3));
    g_assert_false(row->is_beyond);
    check_near(rows->total->difference, 3);
    strobe_diff_rows_free(rows);
}

/* A step without the row is one of 0: 6, 0, 0 has the mean 2 and the variance 12. */
static void test_steps_without(void)
{
    static const double six[] = {6};
    StrobeDiffRows *rows = strobe_diff_rows_new();
    const StrobeDiffSample *sample;

    add_side(rows, STROBE_DIFF_A, "x", six, 1);
    strobe_diff_rows_finish(rows, STROBE_DIFF_A, one_step_each, 3);
    sample = &row_of(rows, "x")->sides[STROBE_DIFF_A];
    check_near(sample->mean, 2);
    check_near(sample->deviation, sqrt(12));
    g_assert_cmpuint(sample->n, ==, 3);
    strobe_diff_rows_free(rows);
}

/* Runs of 2 and 3 steps: 10 / 2 and 30 / 3 spread, the mean is 40 / 5. */
static void test_runs_of_steps(void)
{
    static const double ns[] = {10, 30};
    static const guint steps[] = {2, 3};
    StrobeDiffRows *rows = strobe_diff_rows_new();
    const StrobeDiffSample *sample;

    add_side(rows, STROBE_DIFF_B, "x", ns, 2);
    strobe_diff_rows_finish(rows, STROBE_DIFF_B, steps, 2);
    sample = &row_of(rows, "x")->sides[STROBE_DIFF_B];
    check_near(sample->mean, 8);
    check_near(sample->deviation, sqrt(9 + 4));
    strobe_diff_rows_free(rows);
}

static void test_noise(void)
{
    const StrobeDiffSample alone = {.n = 1}, spread = {.n = 5, .deviation = 2};
    const StrobeDiffSample steady = {.n = 5}, many = {.n = 1000, .deviation = 2};

    g_assert_true(isnan(strobe_diff_noise(&alone, &alone, FALSE)));
    /* One step: the other side's deviation stands for both. */
    check_near(strobe_diff_noise(&alone, &spread, FALSE), 4.604 * sqrt(4.0 + 4.0 / 5));
    check_near(strobe_diff_noise(&spread, &alone, FALSE), 4.604 * sqrt(4.0 + 4.0 / 5));
    g_assert_cmpfloat(strobe_diff_noise(&steady, &steady, FALSE), ==, 0);
    /* Only one side spreads: its degrees of freedom. */
    check_near(strobe_diff_noise(&steady, &spread, FALSE), 4.604 * sqrt(4.0 / 5));
    /* Single steps spread as steps do, not as means. */
    check_near(strobe_diff_noise(&spread, &spread, TRUE), 3.355 * sqrt(8));
    g_assert_cmpfloat_with_epsilon(strobe_diff_noise(&many, &many, FALSE), 2.576 * sqrt(8.0 / 1000),
                                   2e-3);
}

static void test_rules(void)
{
    static const double ten[] = {10, 10}, eleven[] = {11, 11}, five[] = {5, 5};
    StrobeDiffRows *rows = strobe_diff_rows_new();
    const StrobeDiffRule rule = {.threshold = 5, .least_ns = 1};

    add_side(rows, STROBE_DIFF_A, "slower", ten, 2);
    add_side(rows, STROBE_DIFF_A, "gone", five, 2);
    strobe_diff_rows_finish(rows, STROBE_DIFF_A, one_step_each, 2);
    add_side(rows, STROBE_DIFF_B, "slower", eleven, 2);
    add_side(rows, STROBE_DIFF_B, "new", five, 2);
    strobe_diff_rows_finish(rows, STROBE_DIFF_B, one_step_each, 2);
    strobe_diff_rows_compare(rows, &rule);
    g_assert_true(row_of(rows, "slower")->is_regression);
    g_assert_true(row_of(rows, "new")->is_regression);
    g_assert_true(isnan(row_of(rows, "new")->relative));
    g_assert_false(row_of(rows, "gone")->is_regression);
    g_assert_true(row_of(rows, "gone")->is_listed);
    check_near(row_of(rows, "gone")->relative, -100);
    /* 15 to 16: the sum is slower by 6.7 %. */
    g_assert_true(rows->total->is_regression);
    g_assert_cmpuint(rows->n_regressions, ==, 3);
    /* Largest first, equal ones by name. */
    g_assert_cmpstr(((StrobeDiffRow *)rows->rows->pdata[0])->path[0], ==, "gone");
    g_assert_cmpstr(((StrobeDiffRow *)rows->rows->pdata[2])->path[0], ==, "slower");
    strobe_diff_rows_free(rows);
}

static void test_least(void)
{
    static const double ten[] = {10, 10}, eleven[] = {11, 11};
    StrobeDiffRows *rows = strobe_diff_rows_new();
    const StrobeDiffRule rule = {.threshold = 5, .least_ns = 2};

    add_side(rows, STROBE_DIFF_A, "slower", ten, 2);
    strobe_diff_rows_finish(rows, STROBE_DIFF_A, one_step_each, 2);
    add_side(rows, STROBE_DIFF_B, "slower", eleven, 2);
    strobe_diff_rows_finish(rows, STROBE_DIFF_B, one_step_each, 2);
    strobe_diff_rows_compare(rows, &rule);
    g_assert_false(row_of(rows, "slower")->is_listed);
    g_assert_cmpuint(rows->n_regressions, ==, 0);
    g_assert_cmpuint(rows->n_different, ==, 1);
    strobe_diff_rows_free(rows);
}

static void test_paths(void)
{
    static const char *const deep[] = {"b", "a"}, *const other[] = {"b", "c"};
    StrobeDiffRows *rows = strobe_diff_rows_new();
    StrobeDiffRow *row = strobe_diff_rows_get(rows, deep, 2);

    g_assert_true(row == strobe_diff_rows_get(rows, deep, 2));
    g_assert_true(row != strobe_diff_rows_get(rows, deep, 1));
    g_assert_true(row != strobe_diff_rows_get(rows, other, 2));
    g_assert_cmpuint(rows->rows->len, ==, 3);
    strobe_diff_rows_free(rows);
}

/* Beyond the last row a time is in the sum only. */
static void test_bound(void)
{
    StrobeDiffRows *rows = strobe_diff_rows_new();

    for (guint i = 0; i <= STROBE_DIFF_ROWS_MAX; i++) {
        g_autofree char *name = g_strdup_printf("%u", i);
        strobe_diff_rows_add(rows, row_of(rows, name), STROBE_DIFF_A, 0, 1, 1);
    }
    strobe_diff_rows_finish(rows, STROBE_DIFF_A, one_step_each, 1);
    g_assert_cmpuint(rows->rows->len, ==, STROBE_DIFF_ROWS_MAX);
    g_assert_cmpuint(rows->n_dropped[STROBE_DIFF_A], ==, 1);
    check_near(rows->total->sides[STROBE_DIFF_A].mean, STROBE_DIFF_ROWS_MAX + 1);
    strobe_diff_rows_free(rows);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diff-rows/means", test_means);
    g_test_add_func("/diff-rows/steps-without", test_steps_without);
    g_test_add_func("/diff-rows/runs-of-steps", test_runs_of_steps);
    g_test_add_func("/diff-rows/noise", test_noise);
    g_test_add_func("/diff-rows/rules", test_rules);
    g_test_add_func("/diff-rows/least", test_least);
    g_test_add_func("/diff-rows/paths", test_paths);
    g_test_add_func("/diff-rows/bound", test_bound);
    return g_test_run();
}
