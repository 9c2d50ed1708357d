/* SPDX-License-Identifier: Apache-2.0 */
#include "running-median.h"

#include <string.h>

static guint count_values(const StrobeRunningMedian *m)
{
    return (guint)MIN(m->n, STROBE_MEDIAN_VALUES);
}

/* Returns the index of the first value that is not less than `value`. */
static guint place_of(const StrobeRunningMedian *m, guint n, double value)
{
    guint i = 0;

    while (i < n && m->sorted[i] < value)
        i++;
    return i;
}

void strobe_running_median_add(StrobeRunningMedian *m, double value)
{
    guint n = count_values(m), slot = (guint)(m->n % STROBE_MEDIAN_VALUES);

    if (n == STROBE_MEDIAN_VALUES) {
        guint old = place_of(m, n, m->latest[slot]);
        memmove(&m->sorted[old], &m->sorted[old + 1], (n - old - 1) * sizeof *m->sorted);
        n--;
    }
    guint at = place_of(m, n, value);
    memmove(&m->sorted[at + 1], &m->sorted[at], (n - at) * sizeof *m->sorted);
    m->sorted[at] = value;
    m->latest[slot] = value;
    m->n++;
}

double strobe_running_median_value(const StrobeRunningMedian *m)
{
    guint n = count_values(m);

    return n == 0 ? 0 : (m->sorted[(n - 1) / 2] + m->sorted[n / 2]) / 2;
}
