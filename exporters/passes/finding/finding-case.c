/* SPDX-License-Identifier: Apache-2.0 */
#include "finding-case.h"

gint64 case_step_ns(const Case *c, guint i)
{
    const BusyStep *step = &g_array_index(c->steps, BusyStep, i);

    return step->end_ns - step->begin_ns;
}

static gint compare_durations(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;

    return (x > y) - (x < y);
}

gint64 case_median_step(const Case *c)
{
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(gint64));

    for (guint i = 0; i < c->steps->len; i++) {
        gint64 duration = case_step_ns(c, i);
        g_array_append_val(sorted, duration);
    }
    g_array_sort(sorted, compare_durations);
    return g_array_index(sorted, gint64, sorted->len / 2);
}
