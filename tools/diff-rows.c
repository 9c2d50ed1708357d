/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-rows.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

typedef struct Cell {
    guint32 block;
    double ns;
} Cell;

/* ---- rows ---- */

/* Returns the hash of a path. Hashes the addresses of its names, because each name is stored only
 * once. */
static guint path_hash(gconstpointer key)
{
    const StrobeDiffRow *row = key;
    const StrobeHashKey *secret = strobe_hash_key();
    guint64 hash = 0;

    for (const char *const *name = row->path; *name; name++)
        hash = strobe_hash_pair(secret, hash, (gsize)*name);
    return (guint)hash;
}

static gboolean path_equal(gconstpointer a, gconstpointer b)
{
    const char *const *x = ((const StrobeDiffRow *)a)->path;
    const char *const *y = ((const StrobeDiffRow *)b)->path;

    while (*x && *x == *y)
        x++, y++;
    return *x == *y;
}

static void row_free(gpointer data)
{
    StrobeDiffRow *row = data;

    g_free((gpointer)row->path);
    g_array_unref(row->cells);
    g_free(row);
}

static StrobeDiffRow *row_new(const char *const *path)
{
    StrobeDiffRow *row = g_new0(StrobeDiffRow, 1);

    row->path = path;
    row->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
    return row;
}

StrobeDiffRows *strobe_diff_rows_new(const StrobeDiffRule *rule)
{
    StrobeDiffRows *rows = g_new0(StrobeDiffRows, 1);

    rows->rule = *rule;
    rows->rows = g_ptr_array_new_with_free_func(row_free);
    rows->total = row_new((const char *const *)g_new0(char *, 1));
    rows->before = row_new((const char *const *)g_new0(char *, 1));
    rows->index = g_hash_table_new(path_hash, path_equal);
    rows->texts = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    return rows;
}

void strobe_diff_rows_free(StrobeDiffRows *rows)
{
    if (!rows)
        return;
    g_hash_table_unref(rows->index);
    g_ptr_array_unref(rows->rows);
    row_free(rows->total);
    row_free(rows->before);
    g_hash_table_unref(rows->texts);
    g_free(rows);
}

static const char *text_of(StrobeDiffRows *rows, const char *text)
{
    gpointer known = g_hash_table_lookup(rows->texts, text);

    if (!known) {
        known = g_strdup(text);
        g_hash_table_add(rows->texts, known);
    }
    return known;
}

StrobeDiffRow *strobe_diff_rows_get(StrobeDiffRows *rows, const char *const *names, gsize n)
{
    g_autofree const char **path = g_new(const char *, n + 1);
    const StrobeDiffRow key = {.path = path};
    StrobeDiffRow *row;

    for (gsize i = 0; i < n; i++)
        path[i] = text_of(rows, names[i]);
    path[n] = NULL;
    row = g_hash_table_lookup(rows->index, &key);
    if (row || rows->rows->len == STROBE_DIFF_ROWS_MAX)
        return row;
    row = row_new((const char *const *)g_steal_pointer(&path));
    g_ptr_array_add(rows->rows, row);
    g_hash_table_add(rows->index, row);
    return row;
}

void strobe_diff_rows_remove(StrobeDiffRows *rows, StrobeDiffRow *row)
{
    g_hash_table_remove(rows->index, row);
    g_ptr_array_remove(rows->rows, row);
}

/* ---- times ---- */

static void add_cell(StrobeDiffRow *row, guint side, guint32 block, double ns, guint64 calls)
{
    const Cell cell = {block, ns};

    row->sides[side].calls += calls;
    row->sides[side].is_present = TRUE;
    /* Most times arrive in order, so the search begins at the last block. */
    for (guint i = row->cells->len; i > 0; i--) {
        Cell *known = &g_array_index(row->cells, Cell, i - 1);
        if (known->block == block) {
            known->ns += ns;
            return;
        }
    }
    g_array_append_val(row->cells, cell);
}

void strobe_diff_rows_add(StrobeDiffRows *rows, StrobeDiffRow *row, guint side, guint32 block,
                          double ns, guint64 calls)
{
    add_cell(rows->total, side, block, ns, calls);
    if (row)
        add_cell(row, side, block, ns, calls);
    else
        rows->n_dropped[side] += calls;
}

void strobe_diff_rows_add_before(StrobeDiffRows *rows, guint side, double ns)
{
    StrobeDiffSample *sample = &rows->before->sides[side];

    sample->calls++;
    sample->n = 1;
    sample->value += ns;
    sample->is_present = TRUE;
}

/* ---- units ---- */

/* Updates the mean and the sum of the squared deviations. The sum of the squared times would not be
 * exact enough to compute the deviations from it. */
void strobe_diff_sample_add(StrobeDiffSample *sample, double value)
{
    double off = value - sample->value;

    sample->n++;
    sample->value += off / sample->n;
    sample->squares += off * (value - sample->value);
}

StrobeSpread strobe_diff_spread(const StrobeDiffSample *sample)
{
    return (StrobeSpread){sample->n, sample->n > 1 ? sqrt(sample->squares / (sample->n - 1)) : 0};
}

/* The blocks of a run that form a unit, and the cells of a row in these blocks. */
typedef struct Stretch {
    const guint *steps;
    guint begin, end;
    const Cell *cells;
    guint n_cells;
} Stretch;

static double mean_of_steps(const Stretch *stretch)
{
    double sum = 0;
    guint n_steps = 0;

    for (guint i = 0; i < stretch->n_cells; i++)
        sum += stretch->cells[i].ns;
    for (guint i = stretch->begin; i < stretch->end; i++)
        n_steps += stretch->steps[i];
    return n_steps ? sum / n_steps : 0;
}

/* Returns the median time of a step over the blocks that have the row, multiplied by the share of
 * these blocks. For example, a row in every fourth step counts with a quarter of its median. */
static double typical_step(const Stretch *stretch)
{
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; i < stretch->n_cells; i++) {
        const Cell *cell = &stretch->cells[i];
        double ns = cell->ns / stretch->steps[cell->block];
        g_array_append_val(values, ns);
    }
    return strobe_median(values) * values->len / (stretch->end - stretch->begin);
}

static gint by_block(gconstpointer x, gconstpointer y)
{
    const Cell *first = x, *second = y;

    return (first->block > second->block) - (first->block < second->block);
}

static guint count_units(const StrobeDiffRows *rows, guint n_blocks)
{
    if (rows->rule.by_runs)
        return 1;
    return rows->rule.by_steps ? n_blocks : MIN(n_blocks, STROBE_DIFF_STRETCHES_MAX);
}

static void end_run_of_row(const StrobeDiffRows *rows, StrobeDiffRow *row, guint side,
                           const guint *steps, guint n_blocks)
{
    guint n_units = count_units(rows, n_blocks), at = 0;

    if (row->cells->len == 0)
        return;
    g_array_sort(row->cells, by_block);
    for (guint i = 0; i < n_units; i++) {
        Stretch stretch = {.steps = steps,
                           .begin = i * n_blocks / n_units,
                           .end = (i + 1) * n_blocks / n_units,
                           .cells = (const Cell *)(void *)row->cells->data + at};
        for (; at < row->cells->len && g_array_index(row->cells, Cell, at).block < stretch.end;
             at++)
            stretch.n_cells++;
        strobe_diff_sample_add(&row->sides[side], rows->rule.is_mean ? mean_of_steps(&stretch)
                                                                     : typical_step(&stretch));
    }
    g_array_set_size(row->cells, 0);
}

void strobe_diff_rows_end_run(StrobeDiffRows *rows, guint side, const guint *steps, guint n_blocks)
{
    for (guint i = 0; i < rows->rows->len; i++)
        end_run_of_row(rows, g_ptr_array_index(rows->rows, i), side, steps, n_blocks);
    end_run_of_row(rows, rows->total, side, steps, n_blocks);
    rows->n_units[side] += count_units(rows, n_blocks);
    rows->n_runs[side]++;
}

void strobe_diff_rows_end_side(StrobeDiffRows *rows, guint side)
{
    if (rows->n_runs[side] > 1)
        rows->before->sides[side].value /= rows->n_runs[side];
    if (rows->rule.is_of_parts)
        return;
    for (guint i = 0; i < rows->rows->len; i++) {
        StrobeDiffRow *row = g_ptr_array_index(rows->rows, i);
        while (row->sides[side].n < rows->n_units[side])
            strobe_diff_sample_add(&row->sides[side], 0);
    }
}

/* ---- comparing ---- */

/* Whether the numbers are equal up to rounding. Sums of the same doubles in different orders differ
 * in their last digits. */
static gboolean is_same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * MAX(fabs(a), fabs(b));
}

static void measure_row(const StrobeDiffRows *rows, StrobeDiffRow *row)
{
    const StrobeDiffSample *a = &row->sides[STROBE_DIFF_A], *b = &row->sides[STROBE_DIFF_B];
    StrobeSpread spread_a = strobe_diff_spread(a), spread_b = strobe_diff_spread(b);

    row->difference = is_same(a->value, b->value) ? 0 : b->value - a->value;
    row->relative = a->value > 0 ? row->difference / a->value * 100 : NAN;
    if (!row->is_single || rows->rule.by_runs)
        row->test = strobe_test_means(&spread_a, &spread_b);
    row->p = strobe_test_p(&row->test, row->difference);
    row->noise = strobe_test_noise(&row->test, STROBE_DIFF_CONFIDENCE / 100.0);
    row->q = NAN;
}

/* Whether the row is tested. A row whose time on both sides is below rows->least cannot have a
 * difference that counts, and would weaken the tests of the other rows. */
static gboolean is_candidate(const StrobeDiffRows *rows, const StrobeDiffRow *row)
{
    const StrobeDiffSample *sides = row->sides;

    return !isnan(row->p) &&
           MAX(sides[STROBE_DIFF_A].value, sides[STROBE_DIFF_B].value) >= rows->least;
}

static void correct_rows(StrobeDiffRows *rows)
{
    g_autoptr(GPtrArray) tested = g_ptr_array_new();
    g_autoptr(GArray) chances = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; i < rows->rows->len; i++)
        if (is_candidate(rows, g_ptr_array_index(rows->rows, i)))
            g_ptr_array_add(tested, g_ptr_array_index(rows->rows, i));
    if (!rows->rule.is_of_parts && is_candidate(rows, rows->total))
        g_ptr_array_add(tested, rows->total);
    rows->n_tested = tested->len;
    for (guint i = 0; i < tested->len; i++)
        g_array_append_val(chances, ((StrobeDiffRow *)g_ptr_array_index(tested, i))->p);
    strobe_correct_many((double *)(void *)chances->data, chances->len);
    for (guint i = 0; i < tested->len; i++)
        ((StrobeDiffRow *)g_ptr_array_index(tested, i))->q = g_array_index(chances, double, i);
}

static void judge_row(const StrobeDiffRows *rows, StrobeDiffRow *row)
{
    const StrobeDiffRule *rule = &rows->rule;
    double needed = row->noise * (rule->by_runs ? 1 : STROBE_DIFF_ONE_RUN_FACTOR);

    row->is_changed = row->difference != 0 && fabs(row->difference) >= rows->least &&
                      (isnan(row->p) || row->q <= STROBE_DIFF_Q);
    /* no row is a regression if the threshold is NAN */
    row->is_regression = row->is_changed && row->difference > needed && !isnan(rule->threshold) &&
                         (isnan(row->relative) || row->relative > rule->threshold);
}

static gint compare_paths(const char *const *x, const char *const *y)
{
    gint order = 0;

    for (; *x && *y && order == 0; x++, y++)
        order = strcmp(*x, *y);
    return order ? order : (*x != NULL) - (*y != NULL);
}

static gint by_difference(gconstpointer first, gconstpointer second)
{
    const StrobeDiffRow *x = *(StrobeDiffRow *const *)first;
    const StrobeDiffRow *y = *(StrobeDiffRow *const *)second;
    double size_x = fabs(x->difference), size_y = fabs(y->difference);

    if (size_x != size_y)
        return size_x > size_y ? -1 : 1;
    return compare_paths(x->path, y->path);
}

void strobe_diff_rows_compare(StrobeDiffRows *rows, double step_ns)
{
    rows->least = MAX((double)rows->rule.least_ns, step_ns * STROBE_DIFF_LEAST_EFFECT / 100);
    for (guint i = 0; i < rows->rows->len; i++)
        measure_row(rows, g_ptr_array_index(rows->rows, i));
    measure_row(rows, rows->total);
    measure_row(rows, rows->before);
    correct_rows(rows);
    for (guint i = 0; i < rows->rows->len; i++) {
        StrobeDiffRow *row = g_ptr_array_index(rows->rows, i);

        judge_row(rows, row);
        rows->n_different += row->difference != 0;
        rows->n_changed += row->is_changed;
        rows->n_regressions += row->is_regression;
    }
    if (!rows->rule.is_of_parts) {
        judge_row(rows, rows->total);
        rows->n_regressions += rows->total->is_regression;
    }
    g_ptr_array_sort(rows->rows, by_difference);
}
