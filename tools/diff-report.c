/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-report.h"

#include <math.h>
#include <string.h>

#include "terminal.h"

#define PATH_WIDTH_MAX 100

static const struct {
    const char *name, *heading, *path, *metric;
} texts[] = {
    [STROBE_DIFF_BY_OPERATOR] = {"operator", "Self time of operators on the host by call path",
                                 "Call path, innermost first", "host_self"},
    [STROBE_DIFF_BY_KERNEL] = {"kernel", "Time of kernels, copies and fills by what launched them",
                               "Kernel < call path", "duration"},
    [STROBE_DIFF_BY_STEP] = {"step", "Time of a step and its parts", "Part", "duration"},
    [STROBE_DIFF_BY_COMMUNICATION] = {"communication",
                                      "Time of communication operations by what launched them",
                                      "Type < call path", "duration"},
    [STROBE_DIFF_BY_STACK] = {"stack", "Self time of operators on the host by recorded stack",
                              "Stack, innermost first", "host_self"},
    [STROBE_DIFF_BY_HEAD] = {"head", "Time before the first kernel of graphs (head_overhead)",
                             "Part", "duration"},
};

const char *strobe_diff_by_name(guint by)
{
    return by < G_N_ELEMENTS(texts) ? texts[by].name : NULL;
}

/* What a time is the mean of. */
static const char *unit_of(const StrobeDiff *diff)
{
    if (diff->by == STROBE_DIFF_BY_HEAD)
        return "inference";
    return diff->is_whole ? "result" : "step";
}

static gboolean is_shown(const StrobeDiffRow *row, gboolean all)
{
    return all || row->is_listed;
}

/* ---- for people ---- */

static void add_us(StrobeGrid *grid, double ns, gboolean is_known, const char *format)
{
    g_autofree char *text = is_known && isfinite(ns) ? g_strdup_printf(format, ns / 1000) : NULL;

    strobe_grid_add(grid, text ? text : "");
}

static void add_calls(StrobeGrid *grid, const StrobeDiff *diff, const StrobeDiffRow *row,
                      guint side)
{
    const StrobeDiffSample *sample = &row->sides[side];
    gboolean is_all = diff->is_whole || row->is_of_step || diff->by == STROBE_DIFF_BY_HEAD ||
                      row == diff->rows->before;
    guint n_steps = is_all ? 1 : diff->sides[side].steps.steps->len;

    if (sample->is_present)
        strobe_grid_printf(grid, "%.6g", (double)sample->calls / MAX(n_steps, 1));
    else
        strobe_grid_add(grid, "");
}

/* Whether either result has what was launched before it. */
static gboolean has_before(const StrobeDiff *diff)
{
    const StrobeDiffSample *sides = diff->rows->before->sides;

    return sides[STROBE_DIFF_A].is_present || sides[STROBE_DIFF_B].is_present;
}

static const char *remark(const StrobeDiffRow *row)
{
    gboolean in_a = row->sides[STROBE_DIFF_A].is_present;

    if (in_a != row->sides[STROBE_DIFF_B].is_present)
        return !in_a ? (row->is_regression ? "only in B, regression" : "only in B") : "only in A";
    if (row->is_regression)
        return "regression";
    return row->difference == 0 || row->is_beyond ? "" : "within noise";
}

static void add_row(StrobeGrid *grid, const StrobeDiff *diff, const StrobeDiffRow *row,
                    const char *path)
{
    add_us(grid, row->difference, TRUE, "%+.3f");
    if (isnan(row->relative))
        strobe_grid_add(grid, "");
    else
        strobe_grid_printf(grid, "%+.2f", row->relative);
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        add_us(grid, row->sides[i].mean, row->sides[i].is_present, "%.3f");
    add_us(grid, row->noise, TRUE, "%.3f");
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        add_calls(grid, diff, row, i);
    strobe_grid_add(grid, remark(row));
    strobe_grid_add(grid, path);
}

static StrobeGrid *new_grid(const StrobeDiff *diff)
{
    static const char *const numbers[] = {"Change us", "Change %", "A us",   "B us",
                                          "Noise us",  "Calls A",  "Calls B"};
    StrobeGrid *grid = strobe_grid_new();

    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
        strobe_grid_add_column(grid, numbers[i], TRUE, 0);
    strobe_grid_add_column(grid, "Remark", FALSE, 0);
    strobe_grid_add_column(grid, texts[diff->by].path, FALSE, PATH_WIDTH_MAX);
    return grid;
}

static void print_rows(const StrobeDiff *diff, guint limit, gboolean all)
{
    const GPtrArray *rows = diff->rows->rows;
    StrobeGrid *grid = new_grid(diff);
    guint n = 0;

    for (guint i = 0; i < rows->len; i++) {
        const StrobeDiffRow *row = g_ptr_array_index(rows, i);
        if (!is_shown(row, all) || n++ >= limit)
            continue;
        g_autofree char *path = g_strjoinv(" < ", (char **)(gpointer)row->path);
        add_row(grid, diff, row, path);
    }
    if (!diff->rule.is_of_parts) {
        g_autofree char *sum = g_strdup_printf("(sum of all %u rows)", rows->len);
        add_row(grid, diff, diff->rows->total, sum);
    }
    if (has_before(diff))
        add_row(grid, diff, diff->rows->before, "(launched before the recording, in all)");
    strobe_grid_print(grid, stdout);
    strobe_grid_free(grid);
    if (n > limit)
        printf("(%u of %u rows; --limit shows more)\n", limit, n);
}

static void print_side(const StrobeDiffSide *side)
{
    g_autofree char *path = strobe_text_printable(side->path, strlen(side->path));
    g_autofree char *format = side->format
                                  ? strobe_text_printable(side->format, strlen(side->format))
                                  : g_strdup("recorded");

    printf("%c: %s (%s, steps: %u)\n", 'A' + side->side, path, format, side->steps.steps->len);
}

static void print_rule(const StrobeDiff *diff)
{
    guint n_within = diff->rows->rows->len - diff->rows->n_listed;

    printf(
        "Rows within the noise: %u (--all shows them). The noise is half the width of\nthe %d %% "
        "confidence interval of the difference of the means, estimated over\nthe %ss.\n",
        n_within, STROBE_DIFF_CONFIDENCE, diff->by == STROBE_DIFF_BY_HEAD ? unit_of(diff) : "step");
    if (!isnan(diff->rule.threshold))
        printf("Regressions, more than %g %% slower beyond the noise: %u\n", diff->rule.threshold,
               diff->rows->n_regressions);
}

void strobe_diff_print(const StrobeDiff *diff, guint limit, gboolean all)
{
    gboolean any = all || diff->rows->n_listed > 0 || diff->rows->total->is_beyond;

    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        print_side(&diff->sides[i]);
    if (any) {
        printf("\n%s, %s:\n\n", texts[diff->by].heading,
               diff->by == STROBE_DIFF_BY_HEAD ? "mean of an inference"
               : diff->is_whole                ? "in all"
                                               : "mean of a step");
        print_rows(diff, limit, all);
        putchar('\n');
        print_rule(diff);
    } else if (diff->rows->rows->len == 0) {
        puts("Nothing could be compared:");
    } else if (diff->rows->n_different == 0) {
        printf("No difference: rows %u, all equal\n", diff->rows->rows->len);
    } else {
        printf("No difference beyond the noise: rows %u, of which %u differ within it (--all shows "
               "them)\n",
               diff->rows->rows->len, diff->rows->n_different);
    }
    for (guint i = 0; i < diff->notes->len; i++)
        printf("%s\n", (const char *)g_ptr_array_index(diff->notes, i));
}

/* ---- for programs ---- */

static void write_double(StrobeJsonWriter *json, const char *key, double value)
{
    strobe_json_key(json, key);
    strobe_json_double(json, value); /* NAN: null */
}

static void write_uint(StrobeJsonWriter *json, const char *key, guint64 value)
{
    strobe_json_key(json, key);
    strobe_json_uint(json, value);
}

static void write_bool(StrobeJsonWriter *json, const char *key, gboolean value)
{
    strobe_json_key(json, key);
    strobe_json_bool(json, value);
}

static void write_side(StrobeJsonWriter *json, const StrobeDiffSide *side)
{
    const char key[] = {(char)('a' + side->side), '\0'};

    strobe_json_key(json, key);
    strobe_json_begin_object(json);
    strobe_json_key(json, "path");
    strobe_json_text(json, side->path, strlen(side->path));
    strobe_json_key(json, "format");
    strobe_json_string(json, side->format ? side->format : "recorded");
    write_uint(json, "steps", side->steps.steps->len);
    write_uint(json, "records", side->n_values);
    write_uint(json, "lost", side->n_lost);
    strobe_json_end_object(json);
}

static void write_sample(StrobeJsonWriter *json, const StrobeDiffRow *row, guint side)
{
    const StrobeDiffSample *sample = &row->sides[side];
    const char key[] = {(char)('a' + side), '\0'};

    strobe_json_key(json, key);
    if (!sample->is_present) {
        strobe_json_null(json);
        return;
    }
    strobe_json_begin_object(json);
    write_double(json, "mean", sample->mean);
    write_double(json, "deviation", sample->n > 1 ? sample->deviation : NAN);
    write_uint(json, "samples", sample->n);
    write_uint(json, "calls", sample->calls);
    strobe_json_end_object(json);
}

static void write_row(StrobeJsonWriter *json, const StrobeDiffRow *row, gboolean has_path)
{
    strobe_json_begin_object(json);
    if (has_path) {
        strobe_json_key(json, "path");
        strobe_json_begin_array(json);
        for (const char *const *name = row->path; *name; name++)
            strobe_json_text(json, *name, strlen(*name));
        strobe_json_end_array(json);
    }
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        write_sample(json, row, i);
    write_double(json, "difference", row->difference);
    write_double(json, "relative", row->relative);
    write_double(json, "noise", row->noise);
    write_bool(json, "beyond_noise", row->is_beyond);
    write_bool(json, "regression", row->is_regression);
    strobe_json_end_object(json);
}

static void write_head(const StrobeDiff *diff, StrobeJsonWriter *json)
{
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        write_side(json, &diff->sides[i]);
    strobe_json_key(json, "by");
    strobe_json_string(json, texts[diff->by].name);
    strobe_json_key(json, "metric");
    strobe_json_string(json, texts[diff->by].metric);
    strobe_json_key(json, "unit");
    strobe_json_string(json, "ns");
    strobe_json_key(json, "per");
    strobe_json_string(json, unit_of(diff));
    write_uint(json, "confidence", STROBE_DIFF_CONFIDENCE);
    write_double(json, "threshold", diff->rule.threshold);
    write_uint(json, "min_time", (guint64)diff->rule.least_ns);
}

void strobe_diff_write(const StrobeDiff *diff, guint limit, gboolean all, StrobeJsonWriter *json)
{
    const GPtrArray *rows = diff->rows->rows;
    guint n = 0;

    strobe_json_begin_object(json);
    write_head(diff, json);
    write_uint(json, "total_rows", rows->len);
    write_uint(json, "different_rows", diff->rows->n_different);
    write_uint(json, "listed_rows", all ? rows->len : diff->rows->n_listed);
    write_uint(json, "regressions", diff->rows->n_regressions);
    strobe_json_key(json, "rows");
    strobe_json_begin_array(json);
    for (guint i = 0; i < rows->len; i++) {
        const StrobeDiffRow *row = g_ptr_array_index(rows, i);
        if (is_shown(row, all) && n++ < limit)
            write_row(json, row, TRUE);
    }
    strobe_json_end_array(json);
    strobe_json_key(json, "total");
    if (diff->rule.is_of_parts)
        strobe_json_null(json);
    else
        write_row(json, diff->rows->total, FALSE);
    strobe_json_key(json, "launched_before");
    if (has_before(diff))
        write_row(json, diff->rows->before, FALSE);
    else
        strobe_json_null(json);
    strobe_json_key(json, "not_compared");
    strobe_json_begin_array(json);
    for (guint i = 0; i < diff->notes->len; i++)
        strobe_json_string(json, g_ptr_array_index(diff->notes, i));
    strobe_json_end_array(json);
    strobe_json_end_object(json);
}
