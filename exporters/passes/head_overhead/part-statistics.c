/* SPDX-License-Identifier: Apache-2.0 */
#include "part-statistics.h"

#include <math.h>

static const char *const names[PARTS] = {
    "framework", "platform",           "torchair", "python",          "cpp",
    "ge",        "ge_to_first_kernel", "total",    "to_first_kernel",
};

const char *part_name(Part part)
{
    return names[part];
}

gint64 part_of(const struct strobe_head_overhead *f, Part part)
{
    const gint64 values[PARTS] = {
        f->framework, f->platform,           f->torchair, f->python,         f->cpp,
        f->ge,        f->ge_to_first_kernel, f->total,    f->to_first_kernel};

    return values[part];
}

void part_statistics_init(PartStatistics *statistics)
{
    *statistics = (PartStatistics){0};
    for (guint i = 0; i < PARTS; i++)
        statistics->values[i] = g_array_new(FALSE, FALSE, sizeof(gint64));
}

void part_statistics_clear(PartStatistics *statistics)
{
    for (guint i = 0; i < PARTS; i++)
        g_array_unref(statistics->values[i]);
}

void part_statistics_add(PartStatistics *statistics, const struct strobe_head_overhead *f)
{
    for (Part i = 0; i < PARTS; i++) {
        gint64 ns = part_of(f, i);
        if (ns == STROBE_ABSENT_I64)
            continue;
        g_array_append_val(statistics->values[i], ns);
        statistics->sums[i] += (double)ns;
    }
    if (f->python_rest != STROBE_ABSENT_I64) {
        statistics->causes_build += (double)f->python_build;
        statistics->causes_contiguous += (double)f->python_contiguous;
        statistics->causes_python += (double)f->python;
        statistics->n_causes++;
    }
    if (f->python != STROBE_ABSENT_I64)
        statistics->split_torchair += (double)f->torchair;
    statistics->lookup += (double)f->lookup;
}

static gint compare_values(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;

    return (x > y) - (x < y);
}

gboolean part_statistics_get(const PartStatistics *statistics, Part part,
                             struct strobe_head_overhead_summary *summary)
{
    GArray *values = statistics->values[part];
    const gint64 *ns = (const gint64 *)(gconstpointer)values->data;
    guint n = values->len;
    double squares = 0;

    if (n == 0)
        return FALSE;
    g_array_sort(values, compare_values);
    summary->count = n;
    summary->mean = statistics->sums[part] / n;
    for (guint i = 0; i < n; i++)
        squares += ((double)ns[i] - summary->mean) * ((double)ns[i] - summary->mean);
    summary->median = n % 2 ? (double)ns[n / 2] : ((double)ns[n / 2 - 1] + (double)ns[n / 2]) / 2;
    /* the smallest value that is not less than 95 % of the values */
    summary->p95 = (double)ns[((guint64)n * 95 + 99) / 100 - 1];
    summary->min = (double)ns[0];
    summary->max = (double)ns[n - 1];
    summary->deviation = n > 1 ? sqrt(squares / (n - 1)) : STROBE_ABSENT_F64;
    return TRUE;
}
