/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tasks of each captured inference: one row for each task (op_summary), and sums by
 * operator (op_statistic). Tasks are sorted by capture; only the tasks of the current capture are
 * in memory. */
#include <errno.h>
#include <string.h>

#include "svp_summary.h"

#define TASKS_MAX 1000000u /* maximum number of tasks of a capture */

static const char *const summary_titles[] = {"Layer Id",
                                             "Ori Layer Name",
                                             "Layer Name",
                                             "Layer Type",
                                             "Time(us)",
                                             "Time Ratio",
                                             "Mac Busy Ratio",
                                             "Mac Ppen Ratio",
                                             "Vec Busy Ratio",
                                             "Vec Ppen Ratio",
                                             "Dstr Ratio",
                                             "Dtrans Ratio",
                                             "DLD Ratio",
                                             "WLD Ratio",
                                             "Memory Bound",
                                             "DDR Read(byte)",
                                             "DDR Write(byte)",
                                             "DDR Total(byte)",
                                             NULL};

static const char *const statistic_titles[] = {"Task ID",
                                               "Stream ID",
                                               "OP Name",
                                               "Task Type",
                                               "Total Time Ratio(%)",
                                               "Total Time(us)",
                                               "Count",
                                               "Avg(us)",
                                               "Max(us)",
                                               "Min(us)",
                                               NULL};

/* Counters of which a column shows the share of the cycles, in the order of columns. */
static const guint8 shares[] = {SVP_MAC_BUSY, SVP_MAC_PPEN, SVP_VEC_BUSY, SVP_VEC_PPEN,
                                SVP_DSTR,     SVP_DTRANS,   SVP_DLD,      SVP_WLD};

/* ---- op_summary ---- */

static gboolean has_counters(const GArray *tasks)
{
    for (guint i = 0; i < tasks->len; i++) {
        const SvpTask *task = &g_array_index(tasks, SvpTask, i);

        for (guint k = 0; k < SVP_COUNTERS; k++)
            if (task->counters[k] != SVP_ABSENT)
                return TRUE;
    }
    return FALSE;
}

static guint64 get_duration(const SvpTask *task)
{
    return (guint64)(task->end_ns - task->begin_ns);
}

static void put_text(const Summary *summary, SummaryFile *file, StrobeStringId id)
{
    const StrobeText text = summary->host->string(summary->self, id);

    if (text.length)
        summary_file_text(file, text.bytes, text.length);
    else
        summary_file_text(file, "N/A", 3);
}

/* Writes max(Dstr, DLD, WLD) / max(Mac Busy, Vec Ppen). If the divisor is 0, the value is 0 if the
 * dividend is 0, and absent otherwise. All are counts of cycles, whose total cancels out. */
static void put_memory_bound(SummaryFile *file, const guint64 *counters)
{
    static const guint8 needed[] = {SVP_CYCLES, SVP_DSTR,     SVP_DLD,
                                    SVP_WLD,    SVP_MAC_BUSY, SVP_VEC_PPEN};
    guint64 memory = MAX(MAX(counters[SVP_DSTR], counters[SVP_DLD]), counters[SVP_WLD]);
    guint64 compute = MAX(counters[SVP_MAC_BUSY], counters[SVP_VEC_PPEN]);
    char text[SVP_NUMBER_MAX];

    for (guint i = 0; i < G_N_ELEMENTS(needed); i++)
        if (counters[needed[i]] == SVP_ABSENT)
            memory = SVP_ABSENT;
    if (counters[SVP_CYCLES] == 0)
        memory = SVP_ABSENT;
    if (memory == 0 && compute == 0)
        compute = 1;
    svp_format_ratio(text, memory, compute, 1, 3);
    summary_file_number(file, text);
}

static guint64 add_counters(guint64 a, guint64 b)
{
    guint64 sum;

    return a == SVP_ABSENT || b == SVP_ABSENT || __builtin_add_overflow(a, b, &sum) ? SVP_ABSENT
                                                                                    : sum;
}

static void put_whole(SummaryFile *file, guint64 value)
{
    char text[SVP_NUMBER_MAX];

    svp_format_whole(text, value);
    summary_file_number(file, text);
}

static void put_us(SummaryFile *file, guint64 ns)
{
    char text[SVP_NUMBER_MAX];

    svp_format_us(text, ns);
    summary_file_number(file, text);
}

static void put_percent(SummaryFile *file, guint64 part, guint64 whole)
{
    char text[SVP_NUMBER_MAX];

    svp_format_ratio(text, part, whole, 100, 3);
    summary_file_number(file, text);
}

/* Writes the columns that follow the layer's names. */
static void put_figures(SummaryFile *file, guint64 time, guint64 whole, const guint64 *counters)
{
    put_us(file, time);
    put_percent(file, time, whole);
    for (guint i = 0; i < G_N_ELEMENTS(shares); i++)
        put_percent(file, counters[shares[i]], counters[SVP_CYCLES]);
    put_memory_bound(file, counters);
    put_whole(file, counters[SVP_DDR_READ]);
    put_whole(file, counters[SVP_DDR_WRITE]);
    put_whole(file, add_counters(counters[SVP_DDR_READ], counters[SVP_DDR_WRITE]));
}

static void put_layer(const Summary *summary, SummaryFile *file, const SvpTask *task, guint64 whole)
{
    if (task->has_layer)
        summary_file_uint(file, task->layer_id);
    else
        summary_file_text(file, "N/A", 3);
    put_text(summary, file, task->ori_name ? task->ori_name : task->name);
    put_text(summary, file, task->name);
    put_text(summary, file, task->type);
    put_figures(file, get_duration(task), whole, task->counters);
}

/* Adds up each counter over the layers that have it. The counters before SVP_DDR_READ, which are
 * written as shares of the cycles, count only in layers that have the number of cycles. */
static void sum_counters(const GArray *tasks, guint64 *sums)
{
    for (guint k = 0; k < SVP_COUNTERS; k++)
        sums[k] = SVP_ABSENT;
    for (guint i = 0; i < tasks->len; i++) {
        const SvpTask *task = &g_array_index(tasks, SvpTask, i);
        const gboolean has_cycles = task->counters[SVP_CYCLES] != SVP_ABSENT;

        for (guint k = 0; k < SVP_COUNTERS; k++) {
            const gboolean is_plain = k >= SVP_DDR_READ;

            if (task->counters[k] != SVP_ABSENT && (is_plain || has_cycles))
                sums[k] = sums[k] == SVP_ABSENT ? task->counters[k]
                                                : add_counters(sums[k], task->counters[k]);
        }
    }
}

/* Adds up the misses and the requests of the layers that have both counters. */
static void sum_icache(const GArray *tasks, guint64 *requests, guint64 *misses)
{
    *requests = *misses = SVP_ABSENT;
    for (guint i = 0; i < tasks->len; i++) {
        const guint64 *counters = g_array_index(tasks, SvpTask, i).counters;

        if (counters[SVP_ICACHE_REQUESTS] == SVP_ABSENT ||
            counters[SVP_ICACHE_MISSES] == SVP_ABSENT)
            continue;
        *requests = *requests == SVP_ABSENT
                        ? counters[SVP_ICACHE_REQUESTS]
                        : add_counters(*requests, counters[SVP_ICACHE_REQUESTS]);
        *misses = *misses == SVP_ABSENT ? counters[SVP_ICACHE_MISSES]
                                        : add_counters(*misses, counters[SVP_ICACHE_MISSES]);
    }
}

/* Returns the name of the file:
 * op_summary_{device}.{model}.{id}.{batch}.{pics}.{current}.{icache_miss_rate}.{frequency} */
static char *summary_name(const Summary *summary, const SvpCapture *capture, const GArray *tasks)
{
    char model[SVP_MODEL_MAX + 1], rate[SVP_NUMBER_MAX], mhz[SVP_NUMBER_MAX];
    const guint64 frequency = svp_rows_capture_mhz(summary->rows, capture);
    guint64 requests, misses;

    svp_rows_model_name(summary->rows, capture->name, model);
    sum_icache(tasks, &requests, &misses);
    svp_format_ratio(rate, misses, requests, 100, 2);
    svp_format_whole(mhz, frequency);
    return g_strdup_printf("op_summary_%u.%s.%u.%u.%u.%" G_GUINT64_FORMAT ".%s.%s", capture->device,
                           model, capture->model, capture->batch, capture->pics,
                           capture->current_pic, *rate == 'N' ? "NA" : g_strdelimit(rate, ".", '_'),
                           frequency == SVP_ABSENT ? "NA" : mhz);
}

static guint64 whole_time(const GArray *tasks)
{
    guint64 sum = 0;

    for (guint i = 0; i < tasks->len; i++)
        sum += get_duration(&g_array_index(tasks, SvpTask, i));
    return sum;
}

static int write_summary(const Summary *summary, const SvpCapture *capture, const GArray *tasks)
{
    g_autofree char *name = summary_name(summary, capture, tasks);
    SummaryFile *file = summary_begin(summary, name, summary_titles);
    const guint64 whole = whole_time(tasks);
    guint64 sums[SVP_COUNTERS];

    if (!file)
        return errno;
    for (guint i = 0; i < tasks->len; i++)
        put_layer(summary, file, &g_array_index(tasks, SvpTask, i), whole);
    sum_counters(tasks, sums);
    for (guint i = 0; i < 4; i++)
        summary_file_text(file, "-", 1);
    put_figures(file, whole, whole, sums);
    return summary_file_finish(file);
}

/* ---- op_statistic ---- */

typedef struct Operator {
    guint32 stream;
    StrobeStringId name, core;
    guint64 n, total, most, least;
} Operator;

static guint hash_operator(gconstpointer key)
{
    const Operator *op = key;

    return op->stream * 31 + op->name * 7 + op->core;
}

static gboolean equal_operators(gconstpointer a, gconstpointer b)
{
    const Operator *one = a, *other = b;

    return one->stream == other->stream && one->name == other->name && one->core == other->core;
}

/* Returns the sums of the tasks by operator, in the order in which the operators first ran. */
static GPtrArray *sum_operators(const GArray *tasks)
{
    g_autoptr(GHashTable) known = g_hash_table_new(hash_operator, equal_operators);
    GPtrArray *operators = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < tasks->len; i++) {
        const SvpTask *task = &g_array_index(tasks, SvpTask, i);
        const Operator key = {.stream = task->stream, .name = task->name, .core = task->core};
        Operator *op = g_hash_table_lookup(known, &key);
        const guint64 time = get_duration(task);

        if (!op) {
            op = g_memdup2(&key, sizeof key);
            op->least = G_MAXUINT64;
            g_ptr_array_add(operators, op);
            g_hash_table_add(known, op);
        }
        op->n++;
        op->total += time;
        op->most = MAX(op->most, time);
        op->least = MIN(op->least, time);
    }
    return operators;
}

static void put_unit(const Summary *summary, SummaryFile *file, StrobeStringId core)
{
    const guint unit = svp_unit_find(summary->host->string(summary->self, core).bytes);

    if (unit < SVP_UNITS)
        summary_file_text(file, svp_unit_names[unit], strlen(svp_unit_names[unit]));
    else
        put_text(summary, file, core);
}

static int write_statistic(const Summary *summary, const SvpCapture *capture, const GArray *tasks)
{
    g_autofree char *name =
        g_strdup_printf("op_statistic_%u_%u_%" G_GUINT64_FORMAT "_%u", capture->device,
                        capture->model, capture->current_pic, capture->number);
    g_autoptr(GPtrArray) operators = sum_operators(tasks);
    SummaryFile *file = summary_begin(summary, name, statistic_titles);
    const guint64 whole = whole_time(tasks);

    if (!file)
        return errno;
    for (guint i = 0; i < operators->len; i++) {
        const Operator *op = g_ptr_array_index(operators, i);

        summary_file_uint(file, i);
        summary_file_uint(file, op->stream);
        put_text(summary, file, op->name);
        put_unit(summary, file, op->core);
        put_percent(file, op->total, whole);
        put_us(file, op->total);
        summary_file_uint(file, op->n);
        put_us(file, svp_divide(op->total, op->n));
        put_us(file, op->most);
        put_us(file, op->least);
    }
    return summary_file_finish(file);
}

/* ---- captures ---- */

static int write_capture(const Summary *summary, guint index, const GArray *tasks)
{
    const SvpCapture *capture = svp_rows_capture(summary->rows, index);
    int error = 0;

    if (tasks->len == 0 || !capture->is_reported)
        return 0;
    if (has_counters(tasks))
        error = write_summary(summary, capture, tasks);
    return error ? error : write_statistic(summary, capture, tasks);
}

int task_summary_write(Summary *summary)
{
    g_autoptr(GArray) tasks = g_array_new(FALSE, FALSE, sizeof(SvpTask));
    guint index = 0;
    const SvpTask *task;
    int error = 0;

    while (!error && (task = svp_rows_next_task(summary->rows))) {
        if (task->capture != index) {
            error = write_capture(summary, index, tasks);
            g_array_set_size(tasks, 0);
            index = task->capture;
        }
        if (tasks->len < TASKS_MAX)
            g_array_append_vals(tasks, task, 1);
    }
    if (!error)
        error = svp_rows_error(summary->rows);
    return error ? error : write_capture(summary, index, tasks);
}
