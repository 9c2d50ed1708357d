/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-rows.h"

#include <math.h>

static const guint one_step_each[] = {1, 1, 1, 1, 1, 1, 1, 1};

static StrobeDiffRow *row_of(StrobeDiffRows *rows, const char *name)
{
    return strobe_diff_rows_get(rows, &name, 1);
}

static void add_times(StrobeDiffRows *rows, guint side, const char *name, const double *ns, guint n)
{
    for (guint32 i = 0; i < n; i++)
        strobe_diff_rows_add(rows, row_of(rows, name), side, i, ns[i], 1);
}

static void check_near(double found, double wanted)
{
    g_assert_cmpfloat_with_epsilon(found, wanted, 1e-9 * MAX(fabs(wanted), 1));
}

/* Adds a run in which the row has these times, one for each step. */
static void add_run(StrobeDiffRows *rows, guint side, const char *name, const double *ns, guint n)
{
    add_times(rows, side, name, ns, n);
    strobe_diff_rows_end_run(rows, side, one_step_each, n);
}

static const StrobeDiffRule no_rule = {.threshold = NAN};
static const StrobeDiffRule runs_rule = {.threshold = NAN, .by_runs = TRUE};

static double deviation_of(const StrobeDiffSample *sample)
{
    return strobe_diff_spread(sample).deviation;
}

/* The means are 2 and 5 and the variances 1 and 1, so the standard error is sqrt(1/3 + 1/3) with 4
 * degrees of freedom. The probability of t is then 1 - u (3 - u^2) / 2 with u = t / sqrt(t^2 +
 * 4). */
static void test_steps_as_units(void)
{
    static const double a[] = {1, 2, 3}, b[] = {4, 5, 6};
    const double t = 3 / sqrt(2.0 / 3), u = t / sqrt(t * t + 4);
    StrobeDiffRows *rows = strobe_diff_rows_new(&no_rule);
    StrobeDiffRow *row;

    add_run(rows, STROBE_DIFF_A, "x", a, 3);
    strobe_diff_rows_end_side(rows, STROBE_DIFF_A);
    add_run(rows, STROBE_DIFF_B, "x", b, 3);
    strobe_diff_rows_end_side(rows, STROBE_DIFF_B);
    strobe_diff_rows_compare(rows, 0);
    row = row_of(rows, "x");
    check_near(row->sides[STROBE_DIFF_A].value, 2);
    check_near(deviation_of(&row->sides[STROBE_DIFF_A]), 1);
    check_near(row->difference, 3);
    check_near(row->relative, 150);
    check_near(row->noise, strobe_student_t(0.01, 4) * sqrt(2.0 / 3));
    check_near(row->p, 1 - u * (3 - u * u) / 2);
    check_near(row->q, row->p); /* the test of the total gives the same q */
    g_assert_false(row->is_changed);
    check_near(rows->total->difference, 3);
    strobe_diff_rows_free(rows);
}

/* The units are the medians of the runs, 2, 4 and 9, so single disturbed steps have no effect. */
static void test_runs_as_units(void)
{
    static const double runs[][3] = {{2, 1000, 1}, {4, 4, 4}, {9, 8, 5000}};
    StrobeDiffRows *rows = strobe_diff_rows_new(&runs_rule);
    const StrobeDiffSample *sample;

    for (guint i = 0; i < 3; i++)
        add_run(rows, STROBE_DIFF_A, "x", runs[i], 3);
    strobe_diff_rows_end_side(rows, STROBE_DIFF_A);
    sample = &row_of(rows, "x")->sides[STROBE_DIFF_A];
    g_assert_cmpuint(sample->n, ==, 3);
    g_assert_cmpuint(sample->calls, ==, 9);
    check_near(sample->value, 5);
    check_near(deviation_of(sample), sqrt((9 + 1 + 16) / 2.0));
    strobe_diff_rows_free(rows);
}

/* The steps within each run are equal, but the runs differ. Only the spread between the runs shows
 * this. */
static void test_drift_between_runs(void)
{
    static const double runs[][4] = {{100, 101, 100, 101}, {110, 111, 110, 111}};
    static const double others[][4] = {{112, 113, 112, 113}, {104, 105, 104, 105}};
    StrobeDiffRows *by_runs = strobe_diff_rows_new(&runs_rule);
    StrobeDiffRows *one = strobe_diff_rows_new(&no_rule);

    for (guint i = 0; i < 2; i++) {
        add_run(by_runs, STROBE_DIFF_A, "x", runs[i], 4);
        add_run(by_runs, STROBE_DIFF_B, "x", others[i], 4);
    }
    add_run(one, STROBE_DIFF_A, "x", runs[0], 4);
    add_run(one, STROBE_DIFF_B, "x", others[0], 4);
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++) {
        strobe_diff_rows_end_side(by_runs, i);
        strobe_diff_rows_end_side(one, i);
    }
    strobe_diff_rows_compare(by_runs, 0);
    strobe_diff_rows_compare(one, 0);
    g_assert_true(row_of(one, "x")->is_changed);
    g_assert_false(row_of(by_runs, "x")->is_changed);
    g_assert_cmpfloat(row_of(by_runs, "x")->p, >, 0.5);
    strobe_diff_rows_free(by_runs);
    strobe_diff_rows_free(one);
}

/* A row that is in every third step counts with a third of its time, and with 0 for a run that
 * lacks it. */
static void test_steps_without(void)
{
    static const double six[] = {6}, other[] = {1, 1, 1};
    StrobeDiffRows *rows = strobe_diff_rows_new(&runs_rule);
    const StrobeDiffSample *sample;

    add_run(rows, STROBE_DIFF_A, "other", other, 3);
    add_times(rows, STROBE_DIFF_A, "x", six, 1);
    add_run(rows, STROBE_DIFF_A, "other", other, 3);
    add_run(rows, STROBE_DIFF_A, "other", other, 3);
    strobe_diff_rows_end_side(rows, STROBE_DIFF_A);
    sample = &row_of(rows, "x")->sides[STROBE_DIFF_A];
    g_assert_cmpuint(sample->n, ==, 3);
    check_near(sample->value, 2.0 / 3);
    check_near(deviation_of(sample), sqrt(4.0 / 3));
    strobe_diff_rows_free(rows);
}

/* If the rows are parts, a run that lacks a row adds no value of 0. */
static void test_parts_without(void)
{
    static const StrobeDiffRule rule = {.threshold = NAN, .by_runs = TRUE, .is_of_parts = TRUE};
    static const double six[] = {6, 6}, other[] = {1, 1};
    StrobeDiffRows *rows = strobe_diff_rows_new(&rule);
    const StrobeDiffSample *sample;

    add_run(rows, STROBE_DIFF_A, "x", six, 2);
    add_run(rows, STROBE_DIFF_A, "other", other, 2);
    strobe_diff_rows_end_side(rows, STROBE_DIFF_A);
    sample = &row_of(rows, "x")->sides[STROBE_DIFF_A];
    g_assert_cmpuint(sample->n, ==, 1);
    check_near(sample->value, 6);
    strobe_diff_rows_free(rows);
}

/* The blocks have 2 and 3 steps with the times 10 / 2 and 30 / 3; the mean of the steps is 40 /
 * 5. */
static void test_groups_of_steps(void)
{
    static const double ns[] = {10, 30};
    static const guint steps[] = {2, 3};
    StrobeDiffRule mean_rule = {.threshold = NAN, .by_runs = TRUE, .is_mean = TRUE};
    StrobeDiffRows *typical = strobe_diff_rows_new(&no_rule);
    StrobeDiffRows *mean = strobe_diff_rows_new(&mean_rule);

    add_times(typical, STROBE_DIFF_B, "x", ns, 2);
    strobe_diff_rows_end_run(typical, STROBE_DIFF_B, steps, 2);
    check_near(row_of(typical, "x")->sides[STROBE_DIFF_B].value, 7.5);
    check_near(deviation_of(&row_of(typical, "x")->sides[STROBE_DIFF_B]), sqrt(12.5));
    add_times(mean, STROBE_DIFF_B, "x", ns, 2);
    strobe_diff_rows_end_run(mean, STROBE_DIFF_B, steps, 2);
    check_near(row_of(mean, "x")->sides[STROBE_DIFF_B].value, 8);
    strobe_diff_rows_free(typical);
    strobe_diff_rows_free(mean);
}

/* A single run with 24 steps is divided into 8 ranges of 3 steps, each with its median; with
 * `by_steps` each step is a unit. */
static void test_stretches(void)
{
    StrobeDiffRule steps_rule = {.threshold = NAN, .by_steps = TRUE};
    StrobeDiffRows *rows[] = {strobe_diff_rows_new(&no_rule), strobe_diff_rows_new(&steps_rule)};
    guint steps[24];

    for (guint i = 0; i < 2; i++) {
        for (guint32 block = 0; block < 24; block++) {
            steps[block] = 1;
            strobe_diff_rows_add(rows[i], row_of(rows[i], "x"), STROBE_DIFF_A, block,
                                 block % 3 ? block / 3 : 1000, 1);
        }
        strobe_diff_rows_end_run(rows[i], STROBE_DIFF_A, steps, 24);
    }
    g_assert_cmpuint(row_of(rows[0], "x")->sides[STROBE_DIFF_A].n, ==, 8);
    check_near(row_of(rows[0], "x")->sides[STROBE_DIFF_A].value, 3.5);
    check_near(deviation_of(&row_of(rows[0], "x")->sides[STROBE_DIFF_A]), sqrt(6));
    g_assert_cmpuint(row_of(rows[1], "x")->sides[STROBE_DIFF_A].n, ==, 24);
    strobe_diff_rows_free(rows[0]);
    strobe_diff_rows_free(rows[1]);
}

static StrobeDiffRows *compare_two(const StrobeDiffRule *rule, const double *slower, gsize n,
                                   double step_ns)
{
    static const double ten[] = {10, 10}, five[] = {5, 5};
    StrobeDiffRows *rows = strobe_diff_rows_new(rule);

    add_times(rows, STROBE_DIFF_A, "slower", ten, 2);
    add_run(rows, STROBE_DIFF_A, "gone", five, 2);
    strobe_diff_rows_end_side(rows, STROBE_DIFF_A);
    add_times(rows, STROBE_DIFF_B, "slower", slower, (guint)n);
    add_run(rows, STROBE_DIFF_B, "new", five, 2);
    strobe_diff_rows_end_side(rows, STROBE_DIFF_B);
    strobe_diff_rows_compare(rows, step_ns);
    return rows;
}

static void test_rules(void)
{
    static const double eleven[] = {11, 11};
    const StrobeDiffRule rule = {.threshold = 5};
    StrobeDiffRows *rows = compare_two(&rule, eleven, 2, 0);

    g_assert_true(row_of(rows, "slower")->is_regression);
    g_assert_true(row_of(rows, "new")->is_regression);
    g_assert_true(isnan(row_of(rows, "new")->relative));
    g_assert_false(row_of(rows, "gone")->is_regression);
    g_assert_true(row_of(rows, "gone")->is_changed);
    check_near(row_of(rows, "gone")->relative, -100);
    /* The total rises from 15 to 16, by 6.7 %. */
    g_assert_true(rows->total->is_regression);
    g_assert_cmpuint(rows->n_regressions, ==, 3);
    /* The rows are sorted by difference, the largest first, and equal ones by name. */
    g_assert_cmpstr(((StrobeDiffRow *)rows->rows->pdata[0])->path[0], ==, "gone");
    g_assert_cmpstr(((StrobeDiffRow *)rows->rows->pdata[2])->path[0], ==, "slower");
    strobe_diff_rows_free(rows);
}

/* A difference of 1 ns counts if the step has 1000 ns, but not in a longer step. --min-time may
 * require a larger difference. */
static void test_least(void)
{
    static const double eleven[] = {11, 11};
    const StrobeDiffRule none = {.threshold = 5}, two = {.threshold = 5, .least_ns = 2};
    const struct {
        const StrobeDiffRule *rule;
        double step_ns;
        gboolean is_changed;
    } cases[] = {{&none, 1000, TRUE}, {&none, 1001, FALSE}, {&two, 1000, FALSE}};

    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        StrobeDiffRows *rows = compare_two(cases[i].rule, eleven, 2, cases[i].step_ns);
        g_assert_cmpint(row_of(rows, "slower")->is_changed, ==, cases[i].is_changed);
        g_assert_cmpint(row_of(rows, "slower")->is_regression, ==, cases[i].is_changed);
        g_assert_cmpuint(rows->n_different, ==, 3);
        strobe_diff_rows_free(rows);
    }
}

/* 6 rows are too small to be tested. The correction counts only the two other rows and the
 * total. */
static void test_small_rows_cost_nothing(void)
{
    static const double a[] = {1000, 1001, 1002, 1003}, b[] = {1100, 1101, 1102, 1103};
    StrobeDiffRows *rows = strobe_diff_rows_new(&no_rule);

    for (guint side = 0; side < STROBE_DIFF_SIDES; side++) {
        static const double small[] = {0.5, 0.6, 0.5, 0.6};
        for (guint i = 0; i < 6; i++) {
            g_autofree char *name = g_strdup_printf("small%u", i);
            add_times(rows, side, name, small, 4);
        }
        add_times(rows, side, "x", side ? b : a, 4);
        add_run(rows, side, "y", a, 4);
        strobe_diff_rows_end_side(rows, side);
    }
    strobe_diff_rows_compare(rows, 1000);
    g_assert_true(isnan(row_of(rows, "small0")->q));
    check_near(row_of(rows, "y")->q, 1);
    check_near(row_of(rows, "x")->q, MIN(3 * row_of(rows, "x")->p, rows->total->p * 3 / 2));
    strobe_diff_rows_free(rows);
}

/* With one run on each side, a change must be twice the noise to be a regression; with several runs
 * any change is one. */
static void test_twice_the_noise(void)
{
    static const double a[] = {99, 101, 99, 101};
    static const double more[] = {0, 5, 14};
    static const gboolean wanted[][3] = {{FALSE, FALSE, TRUE}, {FALSE, TRUE, TRUE}};

    for (guint by_runs = 0; by_runs < 2; by_runs++)
        for (guint i = 0; i < 3; i++) {
            const StrobeDiffRule rule = {.threshold = 0, .by_runs = by_runs != 0};
            StrobeDiffRows *rows = strobe_diff_rows_new(&rule);
            for (guint side = 0; side < STROBE_DIFF_SIDES; side++) {
                for (guint n = 0; n < 4; n++) {
                    double ns = a[n] + (side ? more[i] : 0);
                    guint32 block = by_runs ? 0 : n;
                    strobe_diff_rows_add(rows, row_of(rows, "x"), side, block, ns, 1);
                    if (by_runs || n == 3)
                        strobe_diff_rows_end_run(rows, side, one_step_each, by_runs ? 1 : 4);
                }
                strobe_diff_rows_end_side(rows, side);
            }
            strobe_diff_rows_compare(rows, 0);
            g_assert_cmpint(row_of(rows, "x")->is_changed, ==, i > 0);
            g_assert_cmpint(row_of(rows, "x")->is_regression, ==, wanted[by_runs][i]);
            strobe_diff_rows_free(rows);
        }
}

/* With a single step on each side a difference is listed, but is no regression. */
static void test_unknown_noise(void)
{
    static const double one[] = {1}, three[] = {3};
    const StrobeDiffRule rule = {.threshold = 0};
    StrobeDiffRows *rows = strobe_diff_rows_new(&rule);

    add_run(rows, STROBE_DIFF_A, "x", one, 1);
    add_run(rows, STROBE_DIFF_B, "x", three, 1);
    strobe_diff_rows_compare(rows, 0);
    g_assert_true(isnan(row_of(rows, "x")->noise));
    g_assert_true(row_of(rows, "x")->is_changed);
    g_assert_false(row_of(rows, "x")->is_regression);
    strobe_diff_rows_free(rows);
}

static void test_paths(void)
{
    static const char *const deep[] = {"b", "a"}, *const other[] = {"b", "c"};
    StrobeDiffRows *rows = strobe_diff_rows_new(&no_rule);
    StrobeDiffRow *row = strobe_diff_rows_get(rows, deep, 2);

    g_assert_true(row == strobe_diff_rows_get(rows, deep, 2));
    g_assert_true(row != strobe_diff_rows_get(rows, deep, 1));
    g_assert_true(row != strobe_diff_rows_get(rows, other, 2));
    g_assert_cmpuint(rows->rows->len, ==, 3);
    strobe_diff_rows_free(rows);
}

/* The time of a row above the maximum number of rows is only in the total. */
static void test_bound(void)
{
    StrobeDiffRows *rows = strobe_diff_rows_new(&no_rule);

    for (guint i = 0; i <= STROBE_DIFF_ROWS_MAX; i++) {
        g_autofree char *name = g_strdup_printf("%u", i);
        strobe_diff_rows_add(rows, row_of(rows, name), STROBE_DIFF_A, 0, 1, 1);
    }
    strobe_diff_rows_end_run(rows, STROBE_DIFF_A, one_step_each, 1);
    g_assert_cmpuint(rows->rows->len, ==, STROBE_DIFF_ROWS_MAX);
    g_assert_cmpuint(rows->n_dropped[STROBE_DIFF_A], ==, 1);
    check_near(rows->total->sides[STROBE_DIFF_A].value, STROBE_DIFF_ROWS_MAX + 1);
    strobe_diff_rows_free(rows);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diff-rows/steps-as-units", test_steps_as_units);
    g_test_add_func("/diff-rows/runs-as-units", test_runs_as_units);
    g_test_add_func("/diff-rows/drift-between-runs", test_drift_between_runs);
    g_test_add_func("/diff-rows/steps-without", test_steps_without);
    g_test_add_func("/diff-rows/parts-without", test_parts_without);
    g_test_add_func("/diff-rows/groups-of-steps", test_groups_of_steps);
    g_test_add_func("/diff-rows/stretches", test_stretches);
    g_test_add_func("/diff-rows/rules", test_rules);
    g_test_add_func("/diff-rows/least", test_least);
    g_test_add_func("/diff-rows/small-rows-cost-nothing", test_small_rows_cost_nothing);
    g_test_add_func("/diff-rows/twice-the-noise", test_twice_the_noise);
    g_test_add_func("/diff-rows/unknown-noise", test_unknown_noise);
    g_test_add_func("/diff-rows/paths", test_paths);
    g_test_add_func("/diff-rows/bound", test_bound);
    return g_test_run();
}
