/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-statistics.h"

#include <math.h>

#define ROUNDS_MAX 1000
#define PRECISION 1e-15

static gint compare_doubles(gconstpointer x, gconstpointer y)
{
    double first = *(const double *)x, second = *(const double *)y;

    return (first > second) - (first < second);
}

double strobe_median(GArray *values)
{
    guint half = values->len / 2;

    if (values->len == 0)
        return 0;
    g_array_sort(values, compare_doubles);
    if (values->len % 2)
        return g_array_index(values, double, half);
    return (g_array_index(values, double, half - 1) + g_array_index(values, double, half)) / 2;
}

/* ---- Student's t ---- */

/* Returns the value, or a tiny number if it is nearly 0, because the caller divides by it. */
static double off_zero(double value)
{
    return fabs(value) < 1e-300 ? 1e-300 : value;
}

/* Computes the continued fraction of the incomplete beta function by Lentz's method (DLMF
 * 8.17.22). */
static double beta_fraction(double x, double a, double b)
{
    double numerator = 1, denominator = 1 / off_zero(1 - (a + b) * x / (a + 1));
    double value = denominator;

    for (int m = 1; m < ROUNDS_MAX; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        denominator = 1 / off_zero(1 + even * denominator);
        numerator = off_zero(1 + even / numerator);
        value *= denominator * numerator;
        denominator = 1 / off_zero(1 + odd * denominator);
        numerator = off_zero(1 + odd / numerator);
        value *= denominator * numerator;
        if (fabs(denominator * numerator - 1) < PRECISION)
            break;
    }
    return value;
}

/* Returns the regularised incomplete beta function I_x(a, b). The caller gives 1 - x as `rest`,
 * because it may know 1 - x more exactly than this subtraction. */
static double compute_beta(double x, double rest, double a, double b)
{
    double front;

    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2)) /* for these x the fraction converges quickly */
        return front / a * beta_fraction(x, a, b);
    return 1 - front / b * beta_fraction(rest, b, a);
}

double strobe_student_p(double t, double freedom)
{
    double square = t * t;

    if (isinf(square))
        return 0;
    return compute_beta(freedom / (freedom + square), square / (freedom + square), freedom / 2,
                        0.5);
}

double strobe_student_t(double p, double freedom)
{
    double low = 0, high = 1;

    while (strobe_student_p(high, freedom) > p && high < 1e300)
        high *= 2;
    for (int i = 0; i < ROUNDS_MAX && high - low > PRECISION * high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (strobe_student_p(middle, freedom) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* ---- two means ---- */

static StrobeTest test_of_one_side(double deviation, double n, double share)
{
    return (StrobeTest){.error = deviation * sqrt(share), .freedom = n - 1};
}

/* Returns Welch's test. `part_a` and `part_b` are the contributions of the sides to the variance of
 * the difference. */
static StrobeTest test_of_parts(const StrobeSpread *a, const StrobeSpread *b, double part_a,
                                double part_b)
{
    double sum = part_a + part_b;
    double freedom = sum * sum / (part_a * part_a / (a->n - 1) + part_b * part_b / (b->n - 1));

    return (StrobeTest){.error = sqrt(sum), .freedom = sum > 0 ? freedom : a->n + b->n - 2};
}

/* Returns the test of a difference. `share_a` and `share_b` are the variance of the compared
 * quantity on each side, divided by the variance of one value. */
static StrobeTest test_shares(const StrobeSpread *a, const StrobeSpread *b, double share_a,
                              double share_b)
{
    if (a->n < 2 && b->n < 2)
        return (StrobeTest){.error = NAN, .freedom = NAN};
    if (a->n < 2)
        return test_of_one_side(b->deviation, b->n, share_a + share_b);
    if (b->n < 2)
        return test_of_one_side(a->deviation, a->n, share_a + share_b);
    return test_of_parts(a, b, a->deviation * a->deviation * share_a,
                         b->deviation * b->deviation * share_b);
}

StrobeTest strobe_test_means(const StrobeSpread *a, const StrobeSpread *b)
{
    return test_shares(a, b, 1 / MAX(a->n, 1), 1 / MAX(b->n, 1));
}

StrobeTest strobe_test_single(const StrobeSpread *a, const StrobeSpread *b)
{
    return test_shares(a, b, 1, 1);
}

double strobe_test_noise(const StrobeTest *test, double confidence)
{
    if (isnan(test->error) || test->error == 0)
        return test->error;
    return test->error * strobe_student_t(1 - confidence, test->freedom);
}

double strobe_test_p(const StrobeTest *test, double difference)
{
    if (difference == 0)
        return isnan(test->error) ? NAN : 1;
    return isnan(test->error) ? NAN : strobe_student_p(difference / test->error, test->freedom);
}

/* ---- many tests ---- */

static gint compare_chances(gconstpointer x, gconstpointer y)
{
    return compare_doubles(*(const gpointer *)x, *(const gpointer *)y);
}

void strobe_correct_many(double *p, gsize n)
{
    g_autoptr(GPtrArray) order = g_ptr_array_sized_new((guint)n);
    double least = 1;

    for (gsize i = 0; i < n; i++)
        g_ptr_array_add(order, &p[i]);
    g_ptr_array_sort(order, compare_chances);
    for (gsize rank = n; rank > 0; rank--) {
        double *chance = g_ptr_array_index(order, rank - 1);
        least = MIN(least, *chance * (double)n / (double)rank);
        *chance = least;
    }
}
