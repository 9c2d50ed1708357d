/* SPDX-License-Identifier: Apache-2.0 */
#include "report-operators.h"

#include <sorted-values.h>
#include <string.h>

/* maximum number of names for each kind; further names have no percentiles */
#define NAMES_MAX 2048u
#define STEPS_MAX 1048576u
#define PARTS 4u /* number of buckets for each octave */
#define BUCKETS (64u * PARTS)

enum { OF_OPERATORS, OF_TASKS, OF_CALLS, N_SORTS };

static const char *const sorts[N_SORTS] = {"cpu_op", "device_task", "api_call"};

typedef struct DurationCounts {
    StrobeStringId name;
    guint64 n;
    gint64 total_ns;
    guint32 buckets[BUCKETS];
} DurationCounts;

struct ReportOperators {
    GHashTable *names[N_SORTS]; /* name -> DurationCounts */
    guint64 n_left_out[N_SORTS];
    gint64 left_out_ns[N_SORTS];
    GArray *steps; /* elements of type gint64: durations of steps, in ns */
};

ReportOperators *report_operators_new(void)
{
    ReportOperators *operators = g_new0(ReportOperators, 1);

    for (guint i = 0; i < N_SORTS; i++)
        operators->names[i] = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    operators->steps = g_array_new(FALSE, FALSE, sizeof(gint64));
    return operators;
}

void report_operators_free(ReportOperators *operators)
{
    for (guint i = 0; i < N_SORTS; i++)
        g_hash_table_unref(operators->names[i]);
    g_array_unref(operators->steps);
    g_free(operators);
}

/* Returns the bucket of a duration. The two bits after the highest one determine the quarter of the
 * duration's octave. */
static guint bucket_of(gint64 duration)
{
    if (duration < 4)
        return (guint)MAX(duration, 0);
    guint octave = g_bit_storage((gulong)duration) - 1;

    return octave * PARTS + (guint)((duration >> (octave - 2)) & 3);
}

static double middle_of(guint bucket)
{
    if (bucket < 4)
        return bucket;
    double low = (double)(G_GINT64_CONSTANT(1) << (bucket / PARTS)) * (1 + bucket % PARTS / 4.0);

    return low + (double)(G_GINT64_CONSTANT(1) << (bucket / PARTS)) / 8;
}

static void count_duration(ReportOperators *operators, guint sort, const StrobeView *record)
{
    GHashTable *names = operators->names[sort];
    DurationCounts *counts = g_hash_table_lookup(names, GUINT_TO_POINTER(record->name));

    if (!counts) {
        if (g_hash_table_size(names) >= NAMES_MAX) {
            operators->n_left_out[sort]++;
            operators->left_out_ns[sort] += record->end_ns - record->begin_ns;
            return;
        }
        counts = g_new0(DurationCounts, 1);
        counts->name = record->name;
        g_hash_table_insert(names, GUINT_TO_POINTER(record->name), counts);
    }
    counts->n++;
    counts->total_ns += record->end_ns - record->begin_ns;
    counts->buckets[bucket_of(record->end_ns - record->begin_ns)]++;
}

void report_operators_add(ReportOperators *operators, const StrobeView *record)
{
    gint64 duration = record->end_ns - record->begin_ns;

    if (!strcmp(record->kind->name, "step") && operators->steps->len < STEPS_MAX)
        g_array_append_val(operators->steps, duration);
    for (guint i = 0; i < N_SORTS; i++)
        if (!strcmp(record->kind->name, sorts[i]))
            count_duration(operators, i, record);
}

static gint compare_durations(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;

    return (x > y) - (x < y);
}

static gint64 step_at(const GArray *sorted, double share)
{
    guint at = (guint)(share * (sorted->len - 1) + 0.5);

    return g_array_index(sorted, gint64, at);
}

void report_operators_write_steps(ReportOperators *operators, StrobeJsonWriter *json)
{
    g_array_sort(operators->steps, compare_durations);
    strobe_json_begin_object(json);
    strobe_json_key(json, "count");
    strobe_json_uint(json, operators->steps->len);
    if (operators->steps->len) {
        strobe_json_key(json, "median");
        strobe_json_int(json, step_at(operators->steps, 0.5));
        strobe_json_key(json, "p95");
        strobe_json_int(json, step_at(operators->steps, 0.95));
    }
    strobe_json_end_object(json);
}

static double duration_at(const DurationCounts *counts, double share)
{
    guint64 before = 0;

    for (guint i = 0; i < BUCKETS; i++) {
        before += counts->buckets[i];
        if ((double)before >= share * (double)counts->n)
            return middle_of(i);
    }
    return 0;
}

/* Compares names by total time; the longest come first. */
static gint compare_counts(gconstpointer a, gconstpointer b)
{
    const DurationCounts *x = *(DurationCounts *const *)a, *y = *(DurationCounts *const *)b;

    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : 0;
}

static void write_counts(const DurationCounts *counts, const ReportSource *source,
                         StrobeJsonWriter *json)
{
    strobe_json_begin_array(json);
    report_write_text(source, source->host->string(source->self, counts->name), json);
    strobe_json_double(json, duration_at(counts, 0.5));
    strobe_json_double(json, duration_at(counts, 0.95));
    strobe_json_uint(json, counts->n);
    strobe_json_int(json, counts->total_ns);
    strobe_json_end_array(json);
}

/* The sum of the calls of names that have no percentiles. */
typedef struct NamesRest {
    guint64 n;
    gint64 total_ns;
} NamesRest;

/* Writes the names with the most time, and returns the sum of the other names. */
static NamesRest write_names(const ReportOperators *operators, guint sort,
                             const ReportSource *source, StrobeJsonWriter *json)
{
    g_autoptr(GPtrArray) sorted = sorted_values(operators->names[sort], compare_counts);
    NamesRest rest = {operators->n_left_out[sort], operators->left_out_ns[sort]};
    guint most = report_limit(source, NAMES_MAX);

    strobe_json_key(json, sorts[sort]);
    strobe_json_begin_array(json);
    for (guint i = 0; i < sorted->len; i++) {
        const DurationCounts *counts = g_ptr_array_index(sorted, i);

        if (i < most) {
            write_counts(counts, source, json);
            continue;
        }
        rest.n += counts->n;
        rest.total_ns += counts->total_ns;
    }
    strobe_json_end_array(json);
    return rest;
}

void report_operators_write(const ReportOperators *operators, const ReportSource *source,
                            StrobeJsonWriter *json)
{
    NamesRest rests[N_SORTS];

    strobe_json_begin_object(json);
    for (guint i = 0; i < N_SORTS; i++)
        rests[i] = write_names(operators, i, source, json);
    strobe_json_key(json, "left_out");
    strobe_json_begin_object(json);
    for (guint i = 0; i < N_SORTS; i++) {
        strobe_json_key(json, sorts[i]);
        strobe_json_begin_array(json);
        strobe_json_uint(json, rests[i].n);
        strobe_json_int(json, rests[i].total_ns);
        strobe_json_end_array(json);
    }
    strobe_json_end_object(json);
    strobe_json_end_object(json);
}
