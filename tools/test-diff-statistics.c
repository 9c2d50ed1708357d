/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-statistics.h"

#include <math.h>

static void check_near(double found, double wanted, double precision)
{
    g_assert_cmpfloat(fabs(found - wanted), <=, precision);
}

/* Compares the probabilities with closed forms for 1, 2 and 4 degrees of freedom, and with
 * numerical integration for fractional degrees of freedom. */
static void test_student_p(void)
{
    check_near(strobe_student_p(0, 3), 1, 1e-14);
    check_near(strobe_student_p(1, 1), 0.5, 1e-13);
    check_near(strobe_student_p(63.656741, 1), 0.01, 1e-9);
    for (double t = 0.1; t < 1000; t *= 1.7) {
        double u = t / sqrt(t * t + 4), tail = 1 - t / sqrt(t * t + 2);
        check_near(strobe_student_p(t, 1), 1 - 2 / G_PI * atan(t), 1e-12);
        check_near(strobe_student_p(t, 2), tail, 1e-12);
        check_near(strobe_student_p(-t, 2), tail, 1e-12);
        check_near(strobe_student_p(t, 4), 1 - u * (3 - u * u) / 2, 1e-12);
    }
    check_near(strobe_student_p(2, 2.5), 0.1573914958, 1e-9);
    check_near(strobe_student_p(3, 7.3), 0.0189805510, 1e-9);
    check_near(strobe_student_p(1.5, 40.25), 0.1414182570, 1e-9);
    g_assert_cmpfloat(strobe_student_p(INFINITY, 3), ==, 0);
}

/* Compares the values with the two-sided 99 % values in the tables of textbooks. */
static void test_student_t(void)
{
    static const struct {
        double freedom, t;
    } table[] = {{1, 63.657}, {2, 9.925},  {3, 5.841},  {4, 4.604},  {5, 4.032},
                 {10, 3.169}, {20, 2.845}, {30, 2.750}, {60, 2.660}, {120, 2.617}};

    for (gsize i = 0; i < G_N_ELEMENTS(table); i++)
        check_near(strobe_student_t(0.01, table[i].freedom), table[i].t, 5e-4);
    /* the value of the normal distribution */
    check_near(strobe_student_t(0.01, 1e7), 2.5758293, 1e-5);
    check_near(strobe_student_t(0.05, 9), 2.262, 5e-4);
    check_near(strobe_student_p(strobe_student_t(1e-9, 3.3), 3.3), 1e-9, 1e-15);
}

/* The variances are 4 and 9 of 5 and 8 values, so the standard error is the root of 4/5 + 9/8, with
 * Welch's degrees of freedom. */
static void test_means(void)
{
    const StrobeSpread a = {5, 2}, b = {8, 3}, same = {6, 2};
    StrobeTest test = strobe_test_means(&a, &b);

    check_near(test.error, sqrt(1.925), 1e-12);
    check_near(test.freedom, 1.925 * 1.925 / (0.64 / 4 + 1.265625 / 7), 1e-9);
    check_near(strobe_test_noise(&test, 0.99), sqrt(1.925) * strobe_student_t(0.01, test.freedom),
               1e-12);
    test = strobe_test_means(&same, &same);
    check_near(test.error, 2 * sqrt(1.0 / 3), 1e-12);
    check_near(test.freedom, 10, 1e-9);
    check_near(strobe_test_p(&test, test.error * 3.169), 0.01, 1e-4);
    check_near(strobe_test_p(&test, 0), 1, 0);
    /* A single value of each side has the spread of all values. */
    test = strobe_test_single(&same, &same);
    check_near(test.error, sqrt(8), 1e-12);
    check_near(test.freedom, 10, 1e-9);
}

static void test_few_values(void)
{
    const StrobeSpread one = {1, 0}, five = {5, 2}, steady = {5, 0};
    StrobeTest test = strobe_test_means(&one, &one);

    g_assert_true(isnan(test.error));
    g_assert_true(isnan(strobe_test_noise(&test, 0.99)));
    g_assert_true(isnan(strobe_test_p(&test, 1)));
    /* The deviation of the side with five values is used for both sides. */
    test = strobe_test_means(&one, &five);
    check_near(test.error, 2 * sqrt(1 + 1.0 / 5), 1e-12);
    check_near(test.freedom, 4, 0);
    check_near(strobe_test_means(&five, &one).error, test.error, 0);
    /* Without any spread, a difference is never chance. */
    test = strobe_test_means(&steady, &steady);
    check_near(strobe_test_noise(&test, 0.99), 0, 0);
    check_near(strobe_test_p(&test, 1e-9), 0, 0);
    check_near(strobe_test_p(&test, 0), 1, 0);
    /* If only one side has a spread, the degrees of freedom are those of this side. */
    check_near(strobe_test_means(&steady, &five).freedom, 4, 1e-9);
}

/* Corrects the example of Benjamini and Hochberg (1995) in another order. Four of its fifteen
 * values stay below 5 %. */
static void test_correction(void)
{
    double p[] = {0.3240, 0.0001, 0.4262, 0.0004, 0.5719, 0.0019, 0.6528, 0.0095,
                  0.7590, 0.0201, 1.0000, 0.0278, 0.0298, 0.0344, 0.0459};
    guint n = 0;

    strobe_correct_many(p, G_N_ELEMENTS(p));
    for (gsize i = 0; i < G_N_ELEMENTS(p); i++)
        n += p[i] <= 0.05;
    g_assert_cmpuint(n, ==, 4);
    check_near(p[1], 0.0015, 1e-12);
    check_near(p[3], 0.003, 1e-12);
    check_near(p[5], 0.0095, 1e-12);
    check_near(p[7], 0.035625, 1e-12);
    check_near(p[9], 0.0603, 1e-12);
    check_near(p[11], 0.0298 * 15 / 7, 1e-12); /* not 0.0278 * 15 / 6: the next q is smaller */
    check_near(p[0], 0.486, 1e-12);
    check_near(p[10], 1, 0);
}

static void test_correction_of_few(void)
{
    double one[] = {0.02}, equal[] = {0.03, 0.03, 0.03};

    strobe_correct_many(NULL, 0);
    strobe_correct_many(one, 1);
    check_near(one[0], 0.02, 0);
    strobe_correct_many(equal, 3);
    for (gsize i = 0; i < 3; i++)
        check_near(equal[i], 0.03, 1e-15);
}

static void test_median(void)
{
    static const double values[] = {5, 1, 4, 2};
    g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(double));

    check_near(strobe_median(array), 0, 0);
    g_array_append_vals(array, values, 3);
    check_near(strobe_median(array), 4, 0);
    g_array_append_vals(array, values + 3, 1);
    check_near(strobe_median(array), 3, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diff-statistics/student-p", test_student_p);
    g_test_add_func("/diff-statistics/student-t", test_student_t);
    g_test_add_func("/diff-statistics/means", test_means);
    g_test_add_func("/diff-statistics/few-values", test_few_values);
    g_test_add_func("/diff-statistics/correction", test_correction);
    g_test_add_func("/diff-statistics/correction-of-few", test_correction_of_few);
    g_test_add_func("/diff-statistics/median", test_median);
    return g_test_run();
}
