/* SPDX-License-Identifier: Apache-2.0 */
#include "outlier-rule.h"

#define OUTLIER_FACTOR 1.5      /* an outlier takes at least this many times the median */
#define LEAST_SHARE 3.0         /* % of the time of all steps */
#define N_CAUSES PART_OPERATORS /* parts with a smaller number have findings of their own */

/* The additional time of all outliers, compared with usual steps: in total, and for each part. */
typedef struct Excess {
    gint64 total_ns, causes_ns[N_CAUSES];
    guint n_steps, longest;
} Excess;

static gboolean is_outlier(const Case *c, guint i, gint64 median)
{
    return (double)case_step_ns(c, i) >= OUTLIER_FACTOR * (double)median;
}

/* Returns the mean of the part over the steps that are not outliers. */
static gint64 usual_part(const Case *c, guint part, gint64 median)
{
    gint64 sum = 0, n = 0;

    for (guint i = c->first; i < c->steps->len; i++) {
        if (is_outlier(c, i, median))
            continue;
        sum += g_array_index(c->steps, BusyStep, i).parts[part];
        n++;
    }
    return n ? sum / n : 0;
}

static Excess sum_excess(const Case *c, gint64 median)
{
    Excess excess = {.longest = c->first};
    gint64 usual[N_CAUSES];

    for (guint part = 0; part < N_CAUSES; part++)
        usual[part] = usual_part(c, part, median);
    for (guint i = c->first; i < c->steps->len; i++) {
        const BusyStep *step = &g_array_index(c->steps, BusyStep, i);

        if (!is_outlier(c, i, median))
            continue;
        excess.n_steps++;
        excess.total_ns += case_step_ns(c, i) - median;
        for (guint part = 0; part < N_CAUSES; part++)
            excess.causes_ns[part] += MAX(step->parts[part] - usual[part], 0);
        if (case_step_ns(c, i) > case_step_ns(c, excess.longest))
            excess.longest = i;
    }
    return excess;
}

static char *describe_excess(const Case *c, const Excess *excess, gint64 median)
{
    static const char *const names[N_CAUSES] = {"garbage collection", "waiting for data",
                                                "waiting for the device", "compiling"};
    const BusyStep *longest = &g_array_index(c->steps, BusyStep, excess->longest);
    GString *text = g_string_new(NULL);

    g_string_printf(text, "step %" G_GINT64_FORMAT " %.2f ms, median %.2f ms", longest->number,
                    (double)case_step_ns(c, excess->longest) / 1e6, (double)median / 1e6);
    for (guint part = 0; part < N_CAUSES; part++) {
        double share = share_of((double)excess->causes_ns[part], (double)excess->total_ns);

        if (share >= 10)
            g_string_append_printf(text, "; %.0f %% of the additional time is %s",
                                   MIN(share, 100.0), names[part]);
    }
    return g_string_free(text, FALSE);
}

gboolean outlier_rule_detect(const Case *c, Finding *out)
{
    gint64 median = c->n_steps >= OUTLIER_STEPS_MIN ? case_median_step(c) : 0;
    Excess excess = median ? sum_excess(c, median) : (Excess){0};
    gint64 explained = 0;

    out->share = share_of((double)excess.total_ns, (double)c->steps_ns);
    if (out->share < LEAST_SHARE)
        return FALSE;
    for (guint part = 0; part < N_CAUSES; part++)
        explained += excess.causes_ns[part];
    out->explained = share_of((double)MIN(explained, excess.total_ns), (double)c->steps_ns);
    out->is_effect = TRUE;
    out->id = "step_outliers";
    out->table = "step";
    out->count = excess.n_steps;
    out->confidence = 80;
    out->summary = g_strdup_printf("%u of %u steps take over %.1f times the median step; their "
                                   "additional time is %.1f %% of the time.",
                                   excess.n_steps, c->n_steps, OUTLIER_FACTOR, out->share);
    out->evidence = describe_excess(c, &excess, median);
    out->advice = "Compare one of these steps with a usual one: evaluation, saving, recompilation "
                  "or another program's load is often the cause.";
    return TRUE;
}
