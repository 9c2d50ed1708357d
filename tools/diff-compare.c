/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-compare.h"

#include "error.h"
#include "terminal.h"

#define STEPS_LISTED_MAX 128u

/* Names of the compared data in messages: `none` for a result that has no such data, `some` for
 * data that is left out. */
static const struct {
    const char *none, *some;
} words[] = {
    [STROBE_DIFF_BY_OPERATOR] = {"operators (records of cpu_op)", "operators"},
    [STROBE_DIFF_BY_KERNEL] = {"kernels (records of device_task)", "kernels and copies"},
    [STROBE_DIFF_BY_STEP] = {"steps (records of step)", "parts of steps"},
    [STROBE_DIFF_BY_COMMUNICATION] = {"communication operations (records of comm_op)",
                                      "communication operations"},
    [STROBE_DIFF_BY_STACK] = {"operators (records of cpu_op)", "operators"},
    [STROBE_DIFF_BY_MARK] = {"marked ranges (records of marker)", "ranges"},
    [STROBE_DIFF_BY_HEAD] = {"inferences of graphs that compile nothing (table head_overhead)",
                             "parts of inferences"},
};

static void init_side(StrobeDiffSide *side, guint number, char *const *paths)
{
    side->n_runs = g_strv_length((char **)paths);
    side->runs = g_new0(StrobeDiffRun, side->n_runs);
    for (guint i = 0; i < side->n_runs; i++)
        strobe_diff_run_init(&side->runs[i], number, paths[i]);
}

StrobeDiff *strobe_diff_new(char *const *const paths[STROBE_DIFF_SIDES], StrobeDiffBy by,
                            const StrobeDiffRule *rule)
{
    StrobeDiff *diff = g_new0(StrobeDiff, 1);

    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        init_side(&diff->sides[i], i, paths[i]);
    diff->by = by;
    diff->rule = *rule;
    diff->rule.is_of_parts = by == STROBE_DIFF_BY_STEP || by == STROBE_DIFF_BY_HEAD;
    diff->rule.by_runs =
        MAX(diff->sides[STROBE_DIFF_A].n_runs, diff->sides[STROBE_DIFF_B].n_runs) > 1;
    diff->notes = g_ptr_array_new_with_free_func(g_free);
    return diff;
}

static void clear_side(StrobeDiffSide *side)
{
    for (guint i = 0; i < side->n_runs; i++)
        strobe_diff_run_clear(&side->runs[i]);
    g_free(side->runs);
}

void strobe_diff_free(StrobeDiff *diff)
{
    if (!diff)
        return;
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        clear_side(&diff->sides[i]);
    strobe_diff_rows_free(diff->rows);
    g_ptr_array_unref(diff->notes);
    g_free(diff);
}

/* ---- runs ---- */

char *strobe_diff_name_run(const StrobeDiffSide *side, guint index)
{
    char name = (char)('A' + side->runs->side);

    return side->n_runs > 1 ? g_strdup_printf("%c%u", name, index + 1)
                            : g_strdup_printf("%c", name);
}

guint strobe_diff_count_steps(const StrobeDiffSide *side)
{
    guint n = 0;

    for (guint i = 0; i < side->n_runs; i++)
        n += side->runs[i].steps.steps->len;
    return n;
}

static guint64 count_values(const StrobeDiffSide *side)
{
    guint64 n = 0;

    for (guint i = 0; i < side->n_runs; i++)
        n += side->runs[i].n_values;
    return n;
}

/* Returns the smallest number of steps among the side's runs. */
static guint least_steps(const StrobeDiffSide *side)
{
    guint least = G_MAXUINT;

    for (guint i = 0; i < side->n_runs; i++)
        least = MIN(least, side->runs[i].steps.steps->len);
    return least;
}

static guint most_steps(const StrobeDiffSide *side)
{
    guint most = 0;

    for (guint i = 0; i < side->n_runs; i++)
        most = MAX(most, side->runs[i].steps.steps->len);
    return most;
}

/* Returns the median of all steps of a side in ns; 0: there are no steps. */
static double median_step(const StrobeDiffSide *side)
{
    g_autoptr(GArray) durations = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; i < side->n_runs; i++)
        strobe_diff_steps_get(&side->runs[i].steps, durations);
    return strobe_median(durations);
}

/* Returns the spread of the steps in the first run of a side. */
static StrobeSpread spread_of_steps(const StrobeDiffSide *side)
{
    g_autoptr(GArray) durations = g_array_new(FALSE, FALSE, sizeof(double));
    StrobeDiffSample sample = {0};

    strobe_diff_steps_get(&side->runs->steps, durations);
    for (guint i = 0; i < durations->len; i++)
        strobe_diff_sample_add(&sample, g_array_index(durations, double, i));
    return strobe_diff_spread(&sample);
}

/* ---- data that could not be compared ---- */

static void add_note(StrobeDiff *diff, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void add_note(StrobeDiff *diff, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_ptr_array_add(diff->notes, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

static void note_left_out(StrobeDiff *diff, guint number)
{
    const StrobeDiffSide *side = &diff->sides[number];
    const char *some = words[diff->by].some;
    char name = (char)('A' + number);
    guint64 n_dropped = diff->rows->n_dropped[number];
    StrobeDiffRest rest = {0};

    for (guint i = 0; i < side->n_runs; i++) {
        rest.n_outside += side->runs[i].rest.n_outside;
        rest.outside_ns += side->runs[i].rest.outside_ns;
        rest.n_async += side->runs[i].rest.n_async;
    }
    if (rest.n_outside > 0) {
        g_autofree char *time = strobe_text_duration((gint64)rest.outside_ns);
        add_note(diff, "%c: %" G_GUINT64_FORMAT " %s outside the steps, %s in all, are left out",
                 name, rest.n_outside, some, time);
    }
    if (rest.n_async > 0)
        add_note(diff,
                 "%c: %" G_GUINT64_FORMAT
                 " operators that ended on another thread have no self time",
                 name, rest.n_async);
    if (n_dropped > 0)
        add_note(diff,
                 "%c: %" G_GUINT64_FORMAT
                 " %s are in the sum only, and rows may lack them: their call "
                 "path is too long, or there are more than %u",
                 name, n_dropped, some, STROBE_DIFF_ROWS_MAX);
}

static void note_source(StrobeDiff *diff, const StrobeDiffRun *run, const char *name)
{
    if (run->steps.n_unfinished > 0)
        add_note(diff, "%s: %" G_GUINT64_FORMAT " steps that did not end are left out", name,
                 run->steps.n_unfinished);
    if (run->steps.n_dropped > 0)
        add_note(diff, "%s: %" G_GUINT64_FORMAT " steps beyond the first %u are left out", name,
                 run->steps.n_dropped, STROBE_DIFF_STEPS_MAX);
    if (run->n_damaged > 0)
        add_note(diff, "%s: %" G_GUINT64_FORMAT " parts of the source are damaged", name,
                 run->n_damaged);
    if (run->n_lost > 0)
        add_note(diff,
                 "%s: %" G_GUINT64_FORMAT " records were lost: times and calls may be too small",
                 name, run->n_lost);
    if (!run->is_sealed)
        add_note(diff, "%s: the capture is incomplete", name);
}

static void note_sources(StrobeDiff *diff, guint number)
{
    const StrobeDiffSide *side = &diff->sides[number];

    for (guint i = 0; i < side->n_runs; i++) {
        g_autofree char *name = strobe_diff_name_run(side, i);
        note_source(diff, &side->runs[i], name);
    }
}

/* Notes why the spread is unknown. */
static void note_noise(StrobeDiff *diff)
{
    static const char nothing[] = "the noise is not known, and no row is a regression";
    const StrobeDiffSide *a = &diff->sides[STROBE_DIFF_A], *b = &diff->sides[STROBE_DIFF_B];

    if (diff->is_whole && diff->by != STROBE_DIFF_BY_HEAD)
        add_note(diff, "%s no steps: the results are compared as wholes",
                 least_steps(a)   ? "B has"
                 : least_steps(b) ? "A has"
                                  : "A and B have");
    if (diff->rule.by_runs)
        return;
    if (diff->by == STROBE_DIFF_BY_HEAD) {
        if (MAX(count_values(a), count_values(b)) < 2)
            add_note(diff, "Neither has two inferences: %s", nothing);
    } else if (diff->is_whole) {
        add_note(diff, "Each side has one run without steps: %s", nothing);
    } else if (MAX(most_steps(a), most_steps(b)) < 2) {
        add_note(diff, "Neither has two steps: %s", nothing);
    }
}

static void note_single_steps(StrobeDiff *diff)
{
    const StrobeDiffSide *a = &diff->sides[STROBE_DIFF_A], *b = &diff->sides[STROBE_DIFF_B];
    guint most = MAX(most_steps(a), most_steps(b)), least = MIN(least_steps(a), least_steps(b));

    if (most > STEPS_LISTED_MAX)
        add_note(diff, "There are more than %u steps: they are not listed one by one",
                 STEPS_LISTED_MAX);
    else if (most > least)
        add_note(diff, "%c: the last %u steps have no counterpart, they count for the means only",
                 most_steps(a) == most ? 'A' : 'B', most - least);
}

/* ---- comparing single steps ---- */

static void add_step(StrobeDiffRow *row, const StrobeDiffRun *run, guint index)
{
    const StrobeDiffStep *step = &g_array_index(run->steps.steps, StrobeDiffStep, index);
    StrobeDiffSample *sample = &row->sides[run->side];

    sample->calls++;
    sample->is_present = TRUE;
    strobe_diff_sample_add(sample, (double)(step->end_ns - step->begin_ns));
}

static char *step_title(const StrobeDiff *diff, guint index)
{
    gint64 numbers[STROBE_DIFF_SIDES];

    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        numbers[i] = g_array_index(diff->sides[i].runs->steps.steps, StrobeDiffStep, index).number;
    if (numbers[STROBE_DIFF_A] == numbers[STROBE_DIFF_B])
        return g_strdup_printf("step %" G_GINT64_FORMAT, numbers[STROBE_DIFF_A]);
    return g_strdup_printf("step %" G_GINT64_FORMAT " | %" G_GINT64_FORMAT, numbers[STROBE_DIFF_A],
                           numbers[STROBE_DIFF_B]);
}

/* Adds a row for the steps with this index in all runs. NULL: there are too many rows. */
static StrobeDiffRow *add_place(StrobeDiff *diff, guint index)
{
    g_autofree char *title = step_title(diff, index);
    g_autofree char *place = g_strdup_printf("%u", index + 1);
    const char *const names[] = {title, place, STROBE_DIFF_DURATION};
    StrobeDiffRow *row = strobe_diff_rows_get(diff->rows, names, G_N_ELEMENTS(names));

    for (guint i = 0; row && i < STROBE_DIFF_SIDES; i++)
        for (guint r = 0; r < diff->sides[i].n_runs; r++)
            add_step(row, &diff->sides[i].runs[r], index);
    return row;
}

/* Adds a row for each index that all runs have, which compares the steps of A and B with this
 * index. With one run on each side, the test uses the spread of all steps of a run. Adds no rows if
 * a run has more than STEPS_LISTED_MAX steps. */
static void add_steps(StrobeDiff *diff)
{
    const StrobeDiffSide *a = &diff->sides[STROBE_DIFF_A], *b = &diff->sides[STROBE_DIFF_B];
    guint n = MIN(least_steps(a), least_steps(b));
    StrobeSpread spread_a = spread_of_steps(a);
    StrobeSpread spread_b = spread_of_steps(b);

    if (MAX(most_steps(a), most_steps(b)) > STEPS_LISTED_MAX)
        return;
    for (guint i = 0; i < n; i++) {
        StrobeDiffRow *row = add_place(diff, i);
        if (!row)
            return;
        row->is_single = TRUE;
        row->test = strobe_test_single(&spread_a, &spread_b);
    }
}

/* Removes the rows that only one side has, with a note: their time on the other side is not 0 but
 * unknown. */
static void drop_untold(StrobeDiff *diff)
{
    GPtrArray *rows = diff->rows->rows;

    for (guint i = rows->len; i > 0; i--) {
        StrobeDiffRow *row = g_ptr_array_index(rows, i - 1);
        gboolean in_a = row->sides[STROBE_DIFF_A].is_present;

        if (in_a == row->sides[STROBE_DIFF_B].is_present)
            continue;
        add_note(diff, "%c does not record \"%s\" of its %s", in_a ? 'B' : 'A', row->path[0],
                 diff->by == STROBE_DIFF_BY_HEAD ? "inferences" : "steps");
        strobe_diff_rows_remove(diff->rows, row);
    }
}

/* ---- reading and comparing ---- */

static gboolean has_values(const StrobeDiffSide *side, StrobeDiffBy by, GError **error)
{
    for (guint i = 0; i < side->n_runs; i++) {
        if (side->runs[i].n_values > 0)
            continue;
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s has no %s: there is nothing to compare", side->runs[i].path,
                    words[by].none);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_rows(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    strobe_diff_rows_free(diff->rows);
    diff->rows = strobe_diff_rows_new(&diff->rule);
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++) {
        StrobeDiffSide *side = &diff->sides[i];
        for (guint r = 0; r < side->n_runs; r++)
            if (!strobe_diff_run_read(&side->runs[r], registry, diff->by, diff->rows, error))
                return FALSE;
        if (!has_values(side, diff->by, error))
            return FALSE;
        strobe_diff_rows_end_side(diff->rows, i);
    }
    return TRUE;
}

/* Whether each run of the side has kernels whose operators are known. */
static gboolean is_linked(const StrobeDiffSide *side)
{
    for (guint i = 0; i < side->n_runs; i++)
        if (side->runs[i].n_linked == 0)
            return FALSE;
    return TRUE;
}

static gboolean any_linked(const StrobeDiffSide *side)
{
    for (guint i = 0; i < side->n_runs; i++)
        if (side->runs[i].n_linked > 0)
            return TRUE;
    return FALSE;
}

/* Reads the rows again by name only, because one side does not record which operators launched its
 * kernels. */
static gboolean read_by_name(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    add_note(diff, "%c does not say which operators launched its %s: they are compared by name",
             is_linked(&diff->sides[STROBE_DIFF_A]) ? 'B' : 'A', words[diff->by].some);
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        for (guint r = 0; r < diff->sides[i].n_runs; r++) {
            diff->sides[i].runs[r].rest = (StrobeDiffRest){0};
            diff->sides[i].runs[r].by_name = TRUE;
        }
    return read_rows(diff, registry, error);
}

static gboolean read_steps(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    const StrobeDiffSide *a = &diff->sides[STROBE_DIFF_A], *b = &diff->sides[STROBE_DIFF_B];
    guint least;

    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        for (guint r = 0; r < diff->sides[i].n_runs; r++)
            if (!strobe_diff_run_read_steps(&diff->sides[i].runs[r], registry, error))
                return FALSE;
    least = MIN(least_steps(a), least_steps(b));
    diff->is_whole = least == 0;
    diff->rule.by_steps = least == 1;
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        for (guint r = 0; r < diff->sides[i].n_runs; r++)
            strobe_diff_steps_finish(&diff->sides[i].runs[r].steps, diff->is_whole);
    return TRUE;
}

static gboolean read_all(StrobeDiff *diff, StrobeRegistry *registry, GError **error)
{
    const StrobeDiffSide *a = &diff->sides[STROBE_DIFF_A], *b = &diff->sides[STROBE_DIFF_B];

    if (!read_steps(diff, registry, error) || !read_rows(diff, registry, error))
        return FALSE;
    if (strobe_diff_is_of_device(diff->by) && (any_linked(a) || any_linked(b)) &&
        !(is_linked(a) && is_linked(b)))
        return read_by_name(diff, registry, error);
    return TRUE;
}

/* Returns the time of A of which a difference must be at least a minimum share: the duration of a
 * step or, if results are compared as a whole, the total time. Returns 0 for parts of inferences,
 * which have no such minimum. */
static double base_of_effect(const StrobeDiff *diff)
{
    if (diff->by == STROBE_DIFF_BY_HEAD)
        return 0;
    return diff->is_whole ? diff->rows->total->sides[STROBE_DIFF_A].value
                          : median_step(&diff->sides[STROBE_DIFF_A]);
}

static gboolean find_runs(StrobeDiff *diff, StrobeRegistry *registry, StrobeDiffScratch scratch,
                          gpointer user, GError **error)
{
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        for (guint r = 0; r < diff->sides[i].n_runs; r++)
            if (!strobe_diff_run_find(&diff->sides[i].runs[r], registry, scratch, user, error))
                return FALSE;
    return TRUE;
}

gboolean strobe_diff_compare(StrobeDiff *diff, StrobeRegistry *registry, StrobeDiffScratch scratch,
                             gpointer user, GError **error)
{
    if (!find_runs(diff, registry, scratch, user, error) || !read_all(diff, registry, error))
        return FALSE;
    if (diff->rule.is_of_parts)
        drop_untold(diff);
    if (diff->by == STROBE_DIFF_BY_STEP)
        add_steps(diff);
    strobe_diff_rows_compare(diff->rows, base_of_effect(diff));
    note_noise(diff);
    if (diff->by == STROBE_DIFF_BY_STEP && !diff->is_whole)
        note_single_steps(diff);
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++) {
        note_sources(diff, i);
        note_left_out(diff, i);
    }
    return TRUE;
}
