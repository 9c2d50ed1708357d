/* SPDX-License-Identifier: Apache-2.0 */
/* The median of the last STROBE_MEDIAN_VALUES values. */
#ifndef STROBE_CORE_RUNNING_MEDIAN_H
#define STROBE_CORE_RUNNING_MEDIAN_H

#include <glib.h>

#define STROBE_MEDIAN_VALUES 63u

typedef struct StrobeRunningMedian {
    double latest[STROBE_MEDIAN_VALUES]; /* a ring: the next value goes to index n %
                                            STROBE_MEDIAN_VALUES */
    double sorted[STROBE_MEDIAN_VALUES];
    guint64 n;
} StrobeRunningMedian;

/* Adds a value; if there are already STROBE_MEDIAN_VALUES values, drops the oldest. */
void strobe_running_median_add(StrobeRunningMedian *median, double value);
/* Returns the median; 0 while there is no value. */
double strobe_running_median_value(const StrobeRunningMedian *median);

#endif
