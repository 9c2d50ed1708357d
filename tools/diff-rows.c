/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-rows.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

/* Two-sided 99 % quantiles of Student's t by degrees of freedom. */
static const double student[] = {
    63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
    3.106,  3.055, 3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845,
    2.831,  2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750,
};
#define STUDENT_MAX G_N_ELEMENTS(student)
#define NORMAL 2.576

typedef struct Cell {
    guint32 block;
    double ns;
} Cell;

/* ---- rows ---- */

/* Names are there once each: a name is its address. */
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

StrobeDiffRows *strobe_diff_rows_new(void)
{
    StrobeDiffRows *rows = g_new0(StrobeDiffRows, 1);

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
    /* Most times come in order: the last blocks are looked at first. */
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
    sample->mean += ns;
    sample->is_present = TRUE;
}

/* Blocks without a cell are 0. */
static void finish_row(StrobeDiffRow *row, guint side, const guint *steps, guint n_blocks)
{
    StrobeDiffSample *sample = &row->sides[side];
    double sum = 0, squares = 0;
    guint n_steps = 0;

    for (guint i = 0; i < n_blocks; i++)
        n_steps += steps[i];
    for (guint i = 0; i < row->cells->len; i++)
        sum += g_array_index(row->cells, Cell, i).ns;
    sample->n = n_blocks;
    sample->mean = n_steps ? sum / n_steps : 0;
    for (guint i = 0; i < row->cells->len; i++) {
        const Cell *cell = &g_array_index(row->cells, Cell, i);
        double off = cell->ns / steps[cell->block] - sample->mean;
        squares += off * off;
    }
    squares += sample->mean * sample->mean * (n_blocks - row->cells->len);
    sample->deviation = n_blocks > 1 ? sqrt(squares / (n_blocks - 1)) : 0;
    g_array_set_size(row->cells, 0);
}

void strobe_diff_rows_finish(StrobeDiffRows *rows, guint side, const guint *steps, guint n_blocks)
{
    for (guint i = 0; i < rows->rows->len; i++)
        finish_row(g_ptr_array_index(rows->rows, i), side, steps, n_blocks);
    finish_row(rows->total, side, steps, n_blocks);
}

/* ---- comparing ---- */

static double student_of(double freedom)
{
    guint whole = freedom >= STUDENT_MAX ? STUDENT_MAX : MAX((guint)freedom, 1);

    if (whole < STUDENT_MAX)
        return student[whole - 1];
    return NORMAL + (student[STUDENT_MAX - 1] - NORMAL) * STUDENT_MAX / freedom;
}

double strobe_diff_noise(const StrobeDiffSample *a, const StrobeDiffSample *b, gboolean is_of_step)
{
    double n_a = MAX(a->n, 1), n_b = MAX(b->n, 1);
    double weight_a = is_of_step ? 1 : n_a, weight_b = is_of_step ? 1 : n_b;
    double variance_a = a->deviation * a->deviation, variance_b = b->deviation * b->deviation;
    double part_a, part_b, freedom;

    if (a->n < 2 && b->n < 2)
        return NAN;
    if (a->n < 2 || b->n < 2) {
        double known = a->n < 2 ? variance_b : variance_a;
        freedom = (a->n < 2 ? n_b : n_a) - 1;
        return student_of(freedom) * sqrt(known / weight_a + known / weight_b);
    }
    part_a = variance_a / weight_a;
    part_b = variance_b / weight_b;
    if (part_a + part_b <= 0)
        return 0;
    freedom = (part_a + part_b) * (part_a + part_b) /
              (part_a * part_a / (n_a - 1) + part_b * part_b / (n_b - 1));
    return student_of(freedom) * sqrt(part_a + part_b);
}

/* Sums of doubles of the same times in another order differ in their last digits. */
static gboolean is_same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * MAX(fabs(a), fabs(b));
}

static void compare_row(StrobeDiffRow *row, const StrobeDiffRule *rule)
{
    const StrobeDiffSample *a = &row->sides[STROBE_DIFF_A], *b = &row->sides[STROBE_DIFF_B];
    gboolean is_equal = is_same(a->mean, b->mean) && a->is_present == b->is_present;

    row->difference = is_equal ? 0 : b->mean - a->mean;
    row->relative = a->mean > 0 ? row->difference / a->mean * 100 : NAN;
    if (!row->is_of_step)
        row->noise = strobe_diff_noise(a, b, FALSE);
    row->is_beyond = !is_equal && fabs(row->difference) >= (double)rule->least_ns &&
                     (isnan(row->noise) || fabs(row->difference) > row->noise);
    row->is_listed = row->is_beyond || (a->is_present != b->is_present &&
                                        fabs(row->difference) >= (double)rule->least_ns);
    row->is_regression = row->is_beyond && row->difference > 0 && !isnan(rule->threshold) &&
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

void strobe_diff_rows_compare(StrobeDiffRows *rows, const StrobeDiffRule *rule)
{
    for (guint i = 0; i < rows->rows->len; i++) {
        StrobeDiffRow *row = g_ptr_array_index(rows->rows, i);

        compare_row(row, rule);
        rows->n_different += row->difference != 0;
        rows->n_listed += row->is_listed;
        rows->n_regressions += row->is_regression;
    }
    compare_row(rows->before, rule);
    rows->before->is_regression = FALSE; /* it says when the recording began */
    if (!rule->is_of_parts) {
        compare_row(rows->total, rule);
        rows->n_regressions += rows->total->is_regression;
    }
    g_ptr_array_sort(rows->rows, by_difference);
}
