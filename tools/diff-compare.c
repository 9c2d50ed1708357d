/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-compare.h"

#include <stdlib.h>

#include "error.h"
#include "terminal.h"

/* What a result lacks that has nothing to compare, and what is left out of one that has. */
static const struct {
    const char *none, *some;
} words[] = {
    [STROBE_DIFF_BY_OPERATOR] = {"operators (records of cpu_op)", "operators"},
    [STROBE_DIFF_BY_KERNEL] = {"kernels (records of device_task)", "kernels and copies"},
    [STROBE_DIFF_BY_STEP] = {"steps (records of step)", "parts of steps"},
    [STROBE_DIFF_BY_COMMUNICATION] = {"communication operations (records of comm_op)",
                                      "communication operations"},
    [STROBE_DIFF_BY_STACK] = {"operators (records of cpu_op)", "operators"},
    [STROBE_DIFF_BY_HEAD] = {"inferences of graphs that compile nothing (table head_overhead)",
                             "parts of inferences"},
};

StrobeDiff *strobe_diff_new(const char *a, const char *b, StrobeDiffBy by,
                            const StrobeDiffRule *rule)
{
    StrobeDiff *diff = g_new0(StrobeDiff, 1);

    diff->by = by;
    diff->rule = *rule;
    diff->rule.is_of_parts = by == STROBE_DIFF_BY_STEP || by == STROBE_DIFF_BY_HEAD;
    diff->rows = strobe_diff_rows_new();
    diff->notes = g_ptr_array_new_with_free_func(g_free);
    strobe_diff_side_init(&diff->sides[STROBE_DIFF_A], STROBE_DIFF_A, a);
    strobe_diff_side_init(&diff->sides[STROBE_DIFF_B], STROBE_DIFF_B, b);
    return diff;
}

void strobe_diff_free(StrobeDiff *diff)
{
    if (!diff)
        return;
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        strobe_diff_side_clear(&diff->sides[i]);
    strobe_diff_rows_free(diff->rows);
    g_ptr_array_unref(diff->notes);
    g_free(diff);
}

/* ---- what could not be compared ---- */

static void note(StrobeDiff *diff, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void note(StrobeDiff *diff, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_ptr_array_add(diff->notes, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

static void note_left_out(StrobeDiff *diff, const StrobeDiffSide *side)
{
    const char *some = words[diff->by].some;
    char name = (char)('A' + side->side);
    guint64 n_dropped = diff->rows->n_dropped[side->side];

    if (side->rest.n_outside > 0) {
        g_autofree char *time = strobe_text_duration((gint64)side->rest.outside_ns);
        note(diff, "%c: %" G_GUINT64_FORMAT " %s outside the steps, %s in all, are left out", name,
             side->rest.n_outside, some, time);
    }
    if (side->rest.n_async > 0)
        note(diff,
             "%c: %" G_GUINT64_FORMAT " operators that ended on another thread have no self time",
             name, side->rest.n_async);
    if (n_dropped > 0)
        note(diff,
             "%c: %" G_GUINT64_FORMAT " %s are in the sum only, and rows may lack them: their call "
             "path is too long, or there are more than %u",
             name, n_dropped, some, STROBE_DIFF_ROWS_MAX);
}

static void note_source(StrobeDiff *diff, const StrobeDiffSide *side)
{
    char name = (char)('A' + side->side);

    if (side->steps.n_unfinished > 0)
        note(diff, "%c: %" G_GUINT64_FORMAT " steps that did not end are left out", name,
             side->steps.n_unfinished);
    if (side->steps.n_dropped > 0)
        note(diff, "%c: %" G_GUINT64_FORMAT " steps beyond the first %u are left out", name,
             side->steps.n_dropped, STROBE_DIFF_STEPS_MAX);
    if (side->n_damaged > 0)
        note(diff, "%c: %" G_GUINT64_FORMAT " parts of the source are damaged", name,
             side->n_damaged);
    if (side->n_lost > 0)
        note(diff, "%c: %" G_GUINT64_FORMAT " records were lost: times and calls may be too small",
             name, side->n_lost);
    if (!side->is_sealed)
        note(diff, "%c: the capture is incomplete", name);
}

static void note_noise(StrobeDiff *diff)
{
    const StrobeDiffSide *a = &diff->sides[STROBE_DIFF_A], *b = &diff->sides[STROBE_DIFF_B];

    if (diff->by == STROBE_DIFF_BY_HEAD) {
        if (a->n_values < 2 && b->n_values < 2)
            note(diff, "Neither has two inferences: the noise is not known");
        return;
    }
    if (diff->is_whole)
        note(diff, "%s no steps: both are compared as wholes, and the noise is not known",
             a->steps.steps->len   ? "B has"
             : b->steps.steps->len ? "A has"
                                   : "A and B have");
    else if (a->steps.steps->len < 2 && b->steps.steps->len < 2)
        note(diff, "Neither has two steps: the noise is not known");
    if (diff->by != STROBE_DIFF_BY_STEP)
        return;
    if (MAX(a->steps.steps->len, b->steps.steps->len) > STROBE_DIFF_BLOCKS_MAX)
        note(diff, "There are more than %u steps: they are not listed one by one",
             STROBE_DIFF_BLOCKS_MAX);
    else if (a->steps.steps->len != b->steps.steps->len)
        note(diff, "%c: the last %d steps have no counterpart, they count for the means only",
             a->steps.steps->len > b->steps.steps->len ? 'A' : 'B',
             abs((int)a->steps.steps->len - (int)b->steps.steps->len));
}

/* ---- steps one by one ---- */

static void set_step(StrobeDiffSample *sample, const StrobeDiffSteps *steps, guint index)
{
    const StrobeDiffStep *step = &g_array_index(steps->steps, StrobeDiffStep, index);

    *sample = (StrobeDiffSample){
        .calls = 1, .n = 1, .mean = (double)(step->end_ns - step->begin_ns), .is_present = TRUE};
}

static char *step_title(const StrobeDiffSteps *a, const StrobeDiffSteps *b, guint index)
{
    gint64 in_a = g_array_index(a->steps, StrobeDiffStep, index).number;
    gint64 in_b = g_array_index(b->steps, StrobeDiffStep, index).number;

    if (in_a == in_b)
        return g_strdup_printf("step %" G_GINT64_FORMAT, in_a);
    return g_strdup_printf("step %" G_GINT64_FORMAT " | %" G_GINT64_FORMAT, in_a, in_b);
}

/* Each step of A against the step of B that has its place; the spread of all is its noise. */
static void add_steps(StrobeDiff *diff)
{
    static const char *const duration = STROBE_DIFF_DURATION;
    const StrobeDiffRow *all = strobe_diff_rows_get(diff->rows, &duration, 1);
    const StrobeDiffSteps *a = &diff->sides[STROBE_DIFF_A].steps;
    const StrobeDiffSteps *b = &diff->sides[STROBE_DIFF_B].steps;
    guint n = MIN(a->steps->len, b->steps->len);

    if (MAX(a->steps->len, b->steps->len) > STROBE_DIFF_BLOCKS_MAX)
        return;
    for (guint i = 0; i < n; i++) {
        g_autofree char *title = step_title(a, b, i);
        g_autofree char *place = g_strdup_printf("%u", i + 1);
        const char *const names[] = {title, place, duration};
        StrobeDiffRow *row = strobe_diff_rows_get(diff->rows, names, G_N_ELEMENTS(names));

        if (!row || !all)
            return;
        row->is_of_step = TRUE;
        row->noise =
            strobe_diff_noise(&all->sides[STROBE_DIFF_A], &all->sides[STROBE_DIFF_B], TRUE);
        set_step(&row->sides[STROBE_DIFF_A], a, i);
        set_step(&row->sides[STROBE_DIFF_B], b, i);
    }
}

/* A part that one result does not tell is not 0 there. */
static void drop_untold(StrobeDiff *diff)
{
    GPtrArray *rows = diff->rows->rows;

    for (guint i = rows->len; i > 0; i--) {
        StrobeDiffRow *row = g_ptr_array_index(rows, i - 1);
        gboolean in_a = row->sides[STROBE_DIFF_A].is_present;

        if (in_a == row->sides[STROBE_DIFF_B].is_present)
            continue;
        note(diff, "%c does not tell \"%s\" of its %s", in_a ? 'B' : 'A', row->path[0],
             diff->by == STROBE_DIFF_BY_HEAD ? "inferences" : "steps");
        strobe_diff_rows_remove(diff->rows, row);
    }
}

/* ---- all of it ---- */

static gboolean has_values(const StrobeDiff *diff, GError **error)
{
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++) {
        const StrobeDiffSide *side = &diff->sides[i];
        if (side->n_values > 0)
            continue;
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s has no %s: there is nothing to compare", side->path, words[diff->by].none);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_rows(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        if (!strobe_diff_side_read(&diff->sides[i], registry, diff->by, diff->rows, error))
            return FALSE;
    return has_values(diff, error);
}

/* Where one result says what launched its kernels and the other does not, only their names are the
 * same in both. */
static gboolean read_by_name(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    note(diff, "%c does not say which operators launched its %s: they are compared by name",
         diff->sides[STROBE_DIFF_A].n_linked ? 'B' : 'A', words[diff->by].some);
    strobe_diff_rows_free(diff->rows);
    diff->rows = strobe_diff_rows_new();
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++) {
        diff->sides[i].rest = (StrobeDiffRest){0};
        diff->sides[i].by_name = TRUE;
    }
    return read_rows(diff, registry, error);
}

static gboolean read_both(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    StrobeDiffSide *a = &diff->sides[STROBE_DIFF_A], *b = &diff->sides[STROBE_DIFF_B];

    if (!strobe_diff_side_read_steps(a, registry, error) ||
        !strobe_diff_side_read_steps(b, registry, error))
        return FALSE;
    diff->is_whole = a->steps.steps->len == 0 || b->steps.steps->len == 0;
    strobe_diff_steps_finish(&a->steps, diff->is_whole);
    strobe_diff_steps_finish(&b->steps, diff->is_whole);
    if (!read_rows(diff, registry, error))
        return FALSE;
    if (strobe_diff_is_of_device(diff->by) && !a->n_linked != !b->n_linked)
        return read_by_name(diff, registry, error);
    return TRUE;
}

gboolean strobe_diff_run(StrobeDiff *diff, StrobeRegistry *registry, StrobeDiffScratch scratch,
                         gpointer user, GError **error)
{
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        if (!strobe_diff_side_find(&diff->sides[i], registry, scratch, user, error))
            return FALSE;
    if (!read_both(diff, registry, error))
        return FALSE;
    if (diff->rule.is_of_parts)
        drop_untold(diff);
    if (diff->by == STROBE_DIFF_BY_STEP)
        add_steps(diff);
    strobe_diff_rows_compare(diff->rows, &diff->rule);
    note_noise(diff);
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++) {
        note_source(diff, &diff->sides[i]);
        note_left_out(diff, &diff->sides[i]);
    }
    return TRUE;
}
