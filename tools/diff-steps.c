/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-steps.h"

#include <strobe/helpers/keyed-hash.h>

#include "diff-rows.h"

void strobe_diff_steps_init(StrobeDiffSteps *steps)
{
    *steps = (StrobeDiffSteps){
        .steps = g_array_new(FALSE, FALSE, sizeof(StrobeDiffStep)),
        .blocks = g_array_new(FALSE, TRUE, sizeof(guint)),
        .by_number = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL)};
}

void strobe_diff_steps_clear(StrobeDiffSteps *steps)
{
    g_array_unref(steps->steps);
    g_array_unref(steps->blocks);
    g_hash_table_unref(steps->by_number);
}

void strobe_diff_steps_add(StrobeDiffSteps *steps, const StrobeDiffStep *step,
                           gboolean is_unfinished)
{
    if (is_unfinished || step->end_ns < step->begin_ns)
        steps->n_unfinished++;
    else if (steps->steps->len == STROBE_DIFF_STEPS_MAX)
        steps->n_dropped++;
    else
        g_array_append_vals(steps->steps, step, 1);
}

static gint by_begin(gconstpointer a, gconstpointer b)
{
    const StrobeDiffStep *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static guint block_of(const StrobeDiffSteps *steps, guint index)
{
    return (guint)((guint64)index * steps->blocks->len / steps->steps->len);
}

void strobe_diff_steps_finish(StrobeDiffSteps *steps, gboolean is_whole)
{
    const guint one = 1;

    steps->is_whole = is_whole || steps->steps->len == 0;
    g_array_sort(steps->steps, by_begin);
    if (steps->is_whole) {
        g_array_append_val(steps->blocks, one);
        return;
    }
    g_array_set_size(steps->blocks, MIN(steps->steps->len, STROBE_DIFF_BLOCKS_MAX));
    for (guint i = 0; i < steps->steps->len; i++) {
        const StrobeDiffStep *step = &g_array_index(steps->steps, StrobeDiffStep, i);
        guint block = block_of(steps, i);

        g_array_index(steps->blocks, guint, block)++;
        if (!g_hash_table_contains(steps->by_number, &step->number))
            g_hash_table_insert(steps->by_number, g_memdup2(&step->number, sizeof step->number),
                                GUINT_TO_POINTER(block));
    }
}

void strobe_diff_steps_get(const StrobeDiffSteps *steps, GArray *durations)
{
    for (guint i = 0; i < steps->steps->len; i++) {
        const StrobeDiffStep *step = &g_array_index(steps->steps, StrobeDiffStep, i);
        double ns = (double)(step->end_ns - step->begin_ns);
        g_array_append_val(durations, ns);
    }
}

gint strobe_diff_steps_at(const StrobeDiffSteps *steps, gint64 at_ns)
{
    guint low = 0, high = steps->steps->len;

    if (steps->is_whole)
        return 0;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(steps->steps, StrobeDiffStep, middle).begin_ns <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || g_array_index(steps->steps, StrobeDiffStep, low - 1).end_ns <= at_ns)
        return STROBE_DIFF_OUTSIDE;
    return (gint)block_of(steps, low - 1);
}

gint strobe_diff_steps_of(const StrobeDiffSteps *steps, gint64 number)
{
    gpointer block;

    if (steps->is_whole)
        return 0;
    if (!g_hash_table_lookup_extended(steps->by_number, &number, NULL, &block))
        return STROBE_DIFF_OUTSIDE;
    return (gint)GPOINTER_TO_UINT(block);
}
