/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics of `strobe diff`: Welch's t-test, and Benjamini and Hochberg's correction. */
#ifndef STROBE_TOOLS_DIFF_STATISTICS_H
#define STROBE_TOOLS_DIFF_STATISTICS_H

#include <glib.h>

/* The median of doubles, which it sorts; 0 of none. */
double strobe_median(GArray *values);

/* The chance of a |t| at least as large without a difference, by Student's t. */
double strobe_student_p(double t, double freedom);
/* The |t| that has this chance: strobe_student_p() turned round. `p` is above 0 and at most 1. */
double strobe_student_t(double p, double freedom);

/* Some values of one side. */
typedef struct StrobeSpread {
    double n, deviation; /* the standard deviation of one value; 0 where n is 1 */
} StrobeSpread;

/* What the difference of two means is measured by. */
typedef struct StrobeTest {
    double error;   /* the standard error of the difference; NAN: neither side has two values */
    double freedom; /* degrees of freedom of that error */
} StrobeTest;

/* Welch's. Where one side has one value, the deviation of the other stands for both. */
StrobeTest strobe_test_means(const StrobeSpread *a, const StrobeSpread *b);
/* The same of one value of each side, by the spread of all. */
StrobeTest strobe_test_single(const StrobeSpread *a, const StrobeSpread *b);

/* Half the width of the interval that holds the difference with this confidence (0.99); NAN: not
 * known. */
double strobe_test_noise(const StrobeTest *test, double confidence);
/* The chance of a difference at least as large where nothing has changed; NAN: not known. */
double strobe_test_p(const StrobeTest *test, double difference);

/* Replaces the chances `p` of so many tests by Benjamini and Hochberg's q: of all differences with
 * a q of at most x, a share of x is expected to be chance. */
void strobe_correct_many(double *p, gsize n);

#endif
