/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-report.h"

#include <math.h>
#include <string.h>

#include "terminal.h"

#define PATH_WIDTH_MAX 100
#define TEXT_WIDTH 80
#define SCHEMA_VERSION 1 /* version of the JSON's structure */

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
    [STROBE_DIFF_BY_MARK] = {"mark", "Self time of marked ranges by the ranges around them",
                             "Range, innermost first", "host_self"},
    [STROBE_DIFF_BY_HEAD] = {"head", "Time before the first kernel of graphs (head_overhead)",
                             "Part", "duration"},
};

const char *strobe_diff_by_name(guint by)
{
    return by < G_N_ELEMENTS(texts) ? texts[by].name : NULL;
}

/* Returns the word for the unit over which times are averaged. */
static const char *unit_of(const StrobeDiff *diff)
{
    if (diff->by == STROBE_DIFF_BY_HEAD)
        return "inference";
    return diff->is_whole ? "result" : "step";
}

/* Returns the words for the units whose spread is the noise. */
static const char *units_of(const StrobeDiff *diff)
{
    if (diff->rule.by_runs)
        return "runs";
    return diff->by == STROBE_DIFF_BY_HEAD ? "inferences"
           : diff->rule.by_steps           ? "steps"
                                           : "stretches of steps";
}

static gboolean is_shown(const StrobeDiffRow *row, gboolean all)
{
    return all || row->is_changed;
}

static const char one_run_text[] =
    "With one run a side, drift of the machine looks like a change: compare several runs with "
    "--against to tell them apart.";

/* ---- for people ---- */

/* Prints a text in lines that fit any terminal. */
static void print_text(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    gsize used = 0;

    for (guint i = 0; words[i]; i++) {
        gsize width = (gsize)g_utf8_strlen(words[i], -1);
        if (used > 0 && used + 1 + width > TEXT_WIDTH)
            used = 0;
        printf("%s%s", i == 0 ? "" : used == 0 ? "\n" : " ", words[i]);
        used += (used > 0) + width;
    }
    putchar('\n');
}

static void print_texts(const char *format, ...) G_GNUC_PRINTF(1, 2);
static void print_texts(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    print_text(text);
}

static void add_us(StrobeGrid *grid, double ns, gboolean is_known, const char *format)
{
    g_autofree char *text = is_known && isfinite(ns) ? g_strdup_printf(format, ns / 1000) : NULL;

    strobe_grid_add(grid, text ? text : "");
}

static void add_q(StrobeGrid *grid, double q)
{
    if (isnan(q))
        strobe_grid_add(grid, "");
    else if (q < 0.0001)
        strobe_grid_add(grid, "<0.0001");
    else
        strobe_grid_printf(grid, "%.4f", q);
}

/* Returns the number of calls of a row in a step or, if results are compared as a whole, in a
 * result. For parts of inferences and for single steps, returns the total. */
static double calls_of(const StrobeDiff *diff, const StrobeDiffRow *row, guint side)
{
    const StrobeDiffSide *runs = &diff->sides[side];
    gboolean is_all = row->is_single || diff->by == STROBE_DIFF_BY_HEAD;
    guint n = is_all                                        ? 1
              : diff->is_whole || row == diff->rows->before ? runs->n_runs
                                                            : strobe_diff_count_steps(runs);

    return (double)row->sides[side].calls / MAX(n, 1);
}

static void add_calls(StrobeGrid *grid, const StrobeDiff *diff, const StrobeDiffRow *row)
{
    g_autofree char *a = g_strdup_printf("%.6g", calls_of(diff, row, STROBE_DIFF_A));
    g_autofree char *b = g_strdup_printf("%.6g", calls_of(diff, row, STROBE_DIFF_B));

    if (!strcmp(a, b))
        strobe_grid_add(grid, a);
    else
        strobe_grid_printf(grid, "%s > %s", a, b);
}

/* Whether a side has work that was launched before the recording. */
static gboolean has_before(const StrobeDiff *diff)
{
    const StrobeDiffSample *sides = diff->rows->before->sides;

    return sides[STROBE_DIFF_A].is_present || sides[STROBE_DIFF_B].is_present;
}

static const char *choose_remark(const StrobeDiff *diff, const StrobeDiffRow *row)
{
    gboolean in_a = row->sides[STROBE_DIFF_A].is_present;

    if (row->is_regression)
        return "regression";
    if (in_a != row->sides[STROBE_DIFF_B].is_present)
        return in_a ? "only in A" : "only in B";
    if (row->difference == 0 || row->is_changed || row == diff->rows->before)
        return "";
    return fabs(row->difference) < diff->rows->least ? "too small" : "unclear";
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
        add_us(grid, row->sides[i].value, row->sides[i].is_present, "%.3f");
    add_us(grid, row->noise, TRUE, "%.3f");
    add_q(grid, row->q);
    add_calls(grid, diff, row);
    strobe_grid_add(grid, choose_remark(diff, row));
    strobe_grid_add(grid, path);
}

static StrobeGrid *new_grid(const StrobeDiff *diff)
{
    static const char *const numbers[] = {"Change us", "Change %", "A us", "B us",
                                          "Noise us",  "q",        "Calls"};
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
    for (guint i = 0; i < side->n_runs; i++) {
        const StrobeDiffRun *run = &side->runs[i];
        const char *origin = run->format ? run->format : "recorded";
        g_autofree char *name = strobe_diff_name_run(side, i);
        g_autofree char *path = strobe_text_printable(run->path, strlen(run->path));
        g_autofree char *format = strobe_text_printable(origin, strlen(origin));

        printf("%s: %s (%s, steps: %u)\n", name, path, format, run->steps.steps->len);
    }
}

static void print_rule(const StrobeDiff *diff)
{
    g_autofree char *least = strobe_text_duration((gint64)ceil(diff->rows->least));

    g_autofree char *rule = g_strdup_printf(
        "A row has changed if q is %g or less and the change %s or more. q comes from the spread "
        "between the %s. The noise is half the width of the %d %% confidence interval of the "
        "change.",
        STROBE_DIFF_Q, least, units_of(diff), STROBE_DIFF_CONFIDENCE);

    print_texts("Rows that have not changed: %u (--all shows them)",
                diff->rows->rows->len - diff->rows->n_changed);
    if (diff->rows->n_tested > 0)
        print_text(rule);
    if (!isnan(diff->rule.threshold))
        print_texts("Regressions, changed and more than %g %% slower%s: %u", diff->rule.threshold,
                    diff->rule.by_runs ? "" : ", by twice the noise", diff->rows->n_regressions);
}

static const char *value_of(const StrobeDiff *diff)
{
    if (diff->by == STROBE_DIFF_BY_HEAD)
        return "mean of an inference";
    return diff->is_whole ? "in all" : diff->rule.is_mean ? "mean of a step" : "median step";
}

static void print_verdict(const StrobeDiff *diff, guint limit, gboolean all)
{
    const StrobeDiffRows *rows = diff->rows;

    if (all || rows->n_changed > 0 || rows->total->is_changed) {
        print_texts("\n%s, %s:\n", texts[diff->by].heading, value_of(diff));
        print_rows(diff, limit, all);
        putchar('\n');
        print_rule(diff);
    } else if (rows->rows->len == 0) {
        puts("Nothing could be compared:");
    } else if (rows->n_different == 0) {
        printf("No difference: rows %u, all equal\n", rows->rows->len);
    } else {
        print_texts(
            "No change beyond chance: rows %u, of which %u differ less clearly (--all shows "
            "them)",
            rows->rows->len, rows->n_different);
    }
}

void strobe_diff_print(const StrobeDiff *diff, guint limit, gboolean all)
{
    for (guint i = 0; i < STROBE_DIFF_SIDES; i++)
        print_side(&diff->sides[i]);
    print_verdict(diff, limit, all);
    for (guint i = 0; i < diff->notes->len; i++)
        print_text(g_ptr_array_index(diff->notes, i));
    if (!diff->rule.by_runs)
        print_text(one_run_text);
}

/* ---- for programs ---- */

static void write_double(StrobeJsonWriter *json, const char *key, double value)
{
    strobe_json_key(json, key);
    strobe_json_double(json, value); /* NAN becomes null */
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

static void write_run(StrobeJsonWriter *json, const StrobeDiffRun *run)
{
    strobe_json_begin_object(json);
    strobe_json_key(json, "path");
    strobe_json_text(json, run->path, strlen(run->path));
    strobe_json_key(json, "format");
    strobe_json_string(json, run->format ? run->format : "recorded");
    write_uint(json, "steps", run->steps.steps->len);
    write_uint(json, "records", run->n_values);
    write_uint(json, "lost", run->n_lost);
    strobe_json_end_object(json);
}

static void write_side(StrobeJsonWriter *json, const StrobeDiffSide *side)
{
    const char key[] = {(char)('a' + side->runs->side), '\0'};

    strobe_json_key(json, key);
    strobe_json_begin_object(json);
    write_uint(json, "n_runs", side->n_runs);
    strobe_json_key(json, "runs");
    strobe_json_begin_array(json);
    for (guint i = 0; i < side->n_runs; i++)
        write_run(json, &side->runs[i]);
    strobe_json_end_array(json);
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
    write_double(json, "value", sample->value);
    write_double(json, "deviation", sample->n > 1 ? strobe_diff_spread(sample).deviation : NAN);
    write_uint(json, "units", sample->n);
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
    write_double(json, "p", row->p);
    write_double(json, "q", row->q);
    write_bool(json, "changed", row->is_changed);
    write_bool(json, "regression", row->is_regression);
    strobe_json_end_object(json);
}

static void write_head(const StrobeDiff *diff, StrobeJsonWriter *json)
{
    write_uint(json, "schema_version", SCHEMA_VERSION);
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
    strobe_json_key(json, "value");
    strobe_json_string(json, value_of(diff));
    strobe_json_key(json, "spread_between");
    if (diff->rows->n_tested > 0)
        strobe_json_string(json, units_of(diff));
    else
        strobe_json_null(json);
    write_uint(json, "confidence", STROBE_DIFF_CONFIDENCE);
    write_double(json, "max_q", STROBE_DIFF_Q);
    write_double(json, "least_effect", diff->rows->least);
    write_double(json, "threshold", diff->rule.threshold);
}

static void write_counts(const StrobeDiff *diff, StrobeJsonWriter *json)
{
    write_uint(json, "total_rows", diff->rows->rows->len);
    write_uint(json, "different_rows", diff->rows->n_different);
    write_uint(json, "changed_rows", diff->rows->n_changed);
    write_uint(json, "regressions", diff->rows->n_regressions);
}

static void write_rows(const StrobeDiff *diff, guint limit, gboolean all, StrobeJsonWriter *json)
{
    const GPtrArray *rows = diff->rows->rows;
    guint n = 0;

    strobe_json_key(json, "rows");
    strobe_json_begin_array(json);
    for (guint i = 0; i < rows->len; i++) {
        const StrobeDiffRow *row = g_ptr_array_index(rows, i);
        if (is_shown(row, all) && n++ < limit)
            write_row(json, row, TRUE);
    }
    strobe_json_end_array(json);
}

/* Writes a row that is not in the list of rows as the member `key`, or null if `row` is NULL. */
static void write_single(StrobeJsonWriter *json, const char *key, const StrobeDiffRow *row)
{
    strobe_json_key(json, key);
    if (row)
        write_row(json, row, FALSE);
    else
        strobe_json_null(json);
}

void strobe_diff_write(const StrobeDiff *diff, guint limit, gboolean all, StrobeJsonWriter *json)
{
    strobe_json_begin_object(json);
    write_head(diff, json);
    write_counts(diff, json);
    write_rows(diff, limit, all, json);
    write_single(json, "total", diff->rule.is_of_parts ? NULL : diff->rows->total);
    write_single(json, "launched_before", has_before(diff) ? diff->rows->before : NULL);
    strobe_json_key(json, "not_compared");
    strobe_json_begin_array(json);
    for (guint i = 0; i < diff->notes->len; i++)
        strobe_json_string(json, g_ptr_array_index(diff->notes, i));
    strobe_json_end_array(json);
    strobe_json_end_object(json);
}
