/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of `strobe diff`: Welch's t-test, and Benjamini and Hochberg's correction. */
#ifndef STROBE_TOOLS_DIFF_STATISTICS_H
#define STROBE_TOOLS_DIFF_STATISTICS_H

#include <glib.h>

/* Returns the median of doubles, which it sorts; 0 if there are none. */
double strobe_median(GArray *values);

/* Returns the probability of a |t| at least as large if there is no difference, by Student's
 * t-distribution. */
double strobe_student_p(double t, double freedom);
/* Returns the |t| that has the probability `p`; this is the inverse of strobe_student_p(). `p` must
 * be above 0 and at most 1. */
double strobe_student_t(double p, double freedom);

/* The number and the spread of one side's values. */
typedef struct StrobeSpread {
    double n, deviation; /* deviation: standard deviation of a value; 0 if n is 1 */
} StrobeSpread;

/* A test of the difference of two means. */
typedef struct StrobeTest {
    double error;   /* standard error of the difference; NAN: neither side has two values */
    double freedom; /* degrees of freedom of `error` */
} StrobeTest;

/* Returns Welch's test. If one side has only one value, the deviation of the other is used for
 * both. */
StrobeTest strobe_test_means(const StrobeSpread *a, const StrobeSpread *b);
/* Returns the test of the difference between one value of A and one value of B, whose spread is
 * that of all values of their side. */
StrobeTest strobe_test_single(const StrobeSpread *a, const StrobeSpread *b);

/* Returns half the width of the interval that contains the difference with this confidence (0.99
 * for example); NAN: unknown. */
double strobe_test_noise(const StrobeTest *test, double confidence);
/* Returns the probability of a difference at least as large without a change; NAN: unknown. */
double strobe_test_p(const StrobeTest *test, double difference);

/* Replaces the probabilities `p` by Benjamini and Hochberg's q. Among the differences whose q is at
 * most x, the expected share of false ones is x. */
void strobe_correct_many(double *p, gsize n);

#endif
