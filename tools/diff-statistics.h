/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of `strobe diff`: Welch's t-test, and Benjamini and Hochberg's correction. */
#ifndef STROBE_TOOLS_DIFF_STATISTICS_H
#define STROBE_TOOLS_DIFF_STATISTICS_H

#include <glib.h>

/* The median of doubles (sorts them); 0 for none. */
double strobe_median(GArray *values);

/* The probability of a |t| at least as large without a difference, by Student's t. */
double strobe_student_p(double t, double freedom);
/* The |t| with this probability: the inverse of strobe_student_p(). `p` is above 0 and at most
 * 1. */
double strobe_student_t(double p, double freedom);

/* Values of one side. */
typedef struct StrobeSpread {
    double n, deviation; /* standard deviation of one value; 0 if n is 1 */
} StrobeSpread;

/* Standard error of the difference of two means. */
typedef struct StrobeTest {
    double error;   /* standard error of the difference; NAN: neither side has two values */
    double freedom; /* degrees of freedom of that error */
} StrobeTest;

/* Welch's test. If one side has one value, the deviation of the other is used for both. */
StrobeTest strobe_test_means(const StrobeSpread *a, const StrobeSpread *b);
/* The same for one value of each side, with the spread of all values. */
StrobeTest strobe_test_single(const StrobeSpread *a, const StrobeSpread *b);

/* Half the width of the interval that contains the difference with this confidence (0.99); NAN:
 * unknown. */
double strobe_test_noise(const StrobeTest *test, double confidence);
/* The probability of a difference at least as large without a change; NAN: unknown. */
double strobe_test_p(const StrobeTest *test, double difference);

/* Replaces the probabilities `p` by Benjamini and Hochberg's q: among the differences with a q
 * of at most x, a share of x is expected to be false. */
void strobe_correct_many(double *p, gsize n);

#endif
