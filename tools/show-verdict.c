/* SPDX-License-Identifier: Apache-2.0 */
#include "show-verdict.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#include "terminal.h"

/* prefix of the names that PyTorch's data loader records */
#define LOADING "enumerate(DataLoader)"
/* share of the measure above which no more rows are counted */
#define SHARE_ENOUGH 0.8
#define ROWS_MAX 5

/* A kind whose records the verdict receives. */
typedef struct Watched {
    StrobeVerdict *verdict;
    StrobeBinder binder;
    void (*take)(StrobeVerdict *verdict, const StrobeView *record, const guint32 *offsets);
} Watched;

typedef struct Span {
    gint64 begin_ns, duration_ns;
    double loading_ns; /* for a step, the time in PyTorch's data loader */
} Span;

enum { STEPS, OPERATORS, MARKERS, DEVICES, TASKS, N_WATCHED };

struct StrobeVerdict {
    Watched watched[N_WATCHED];
    const StrobeShowSource *source;
    gint64 window_ns;
    GArray *steps; /* of Span */
    GArray *loads; /* of Span: calls of PyTorch's data loader */
    double computing_us, communicating_us, free_us;
    guint64 n_tasks;
};

/* ---- input ---- */

enum { STEP_NUMBER, STEP_DURATION };
static const StrobeWantedField step_fields[] = {{"number", STROBE_FIELD_I64},
                                                {"duration", STROBE_FIELD_I64}};

static void take_step(StrobeVerdict *verdict, const StrobeView *record, const guint32 *offsets)
{
    const gint64 duration = strobe_field_i64(record, offsets[STEP_DURATION], 0);
    const Span step = {record->begin_ns, duration, 0};

    if (strobe_field_i64(record, offsets[STEP_NUMBER], -1) >= 0 && duration > 0)
        g_array_append_val(verdict->steps, step);
}

static gboolean is_loading(const StrobeVerdict *verdict, const StrobeView *record)
{
    const StrobeText name = verdict->source->host->string(verdict->source->self, record->name);

    return name.length >= strlen(LOADING) && memcmp(name.bytes, LOADING, strlen(LOADING)) == 0;
}

/* Adds the record if it is a call of PyTorch's data loader, which is an operator in some versions
 * of PyTorch and a mark in others. */
static void take_span(StrobeVerdict *verdict, const StrobeView *record, const guint32 *offsets)
{
    const Span load = {record->begin_ns, record->end_ns - record->begin_ns, 0};

    (void)offsets;
    if (is_loading(verdict, record))
        g_array_append_val(verdict->loads, load);
}

enum { DEVICE_COMPUTING, DEVICE_COMMUNICATION, DEVICE_FREE };
static const StrobeWantedField device_fields[] = {
    {"computing", STROBE_FIELD_F64},
    {"communication_not_overlapped", STROBE_FIELD_F64},
    {"free", STROBE_FIELD_F64},
};

static double at_least_zero(double number)
{
    return number > 0 ? number : 0; /* also 0 for NaN */
}

static void take_device(StrobeVerdict *verdict, const StrobeView *record, const guint32 *offsets)
{
    verdict->computing_us += at_least_zero(strobe_field_f64(record, offsets[DEVICE_COMPUTING], 0));
    verdict->communicating_us +=
        at_least_zero(strobe_field_f64(record, offsets[DEVICE_COMMUNICATION], 0));
    verdict->free_us += at_least_zero(strobe_field_f64(record, offsets[DEVICE_FREE], 0));
}

static void take_task(StrobeVerdict *verdict, const StrobeView *record, const guint32 *offsets)
{
    (void)record;
    (void)offsets;
    verdict->n_tasks++;
}

/* ---- the run ---- */

static void watched_open(void *table, const StrobeShowSource *source)
{
    const Watched *watched = table;
    const StrobeMetadata *metadata = source->host->metadata(source->self);

    watched->verdict->source = source;
    watched->verdict->window_ns = metadata->window_end_ns - metadata->window_begin_ns;
}

static StrobeStatus watched_add(void *table, const StrobeView *record)
{
    Watched *watched = table;

    watched->take(watched->verdict, record, strobe_binder_offsets(&watched->binder, record->kind));
    return STROBE_OK;
}

static StrobeStatus watched_end(void *table)
{
    (void)table;
    return STROBE_OK;
}

static void watched_close(void *table)
{
    (void)table;
}

StrobeVerdict *strobe_verdict_new(void)
{
    StrobeVerdict *verdict = g_new0(StrobeVerdict, 1);

    verdict->steps = g_array_new(FALSE, FALSE, sizeof(Span));
    verdict->loads = g_array_new(FALSE, FALSE, sizeof(Span));
    return verdict;
}

void strobe_verdict_free(StrobeVerdict *verdict)
{
    g_array_unref(verdict->steps);
    g_array_unref(verdict->loads);
    g_free(verdict);
}

void strobe_verdict_watch(StrobeVerdict *verdict, StrobeShowConsumer *consumer)
{
    static const struct {
        const char *kind;
        const StrobeWantedField *fields;
        guint32 n_fields;
        void (*take)(StrobeVerdict *verdict, const StrobeView *record, const guint32 *offsets);
    } kinds[N_WATCHED] = {
        [STEPS] = {"step_summary", step_fields, G_N_ELEMENTS(step_fields), take_step},
        [OPERATORS] = {"cpu_op", NULL, 0, take_span},
        [MARKERS] = {"marker", NULL, 0, take_span},
        [DEVICES] = {"step_trace", device_fields, G_N_ELEMENTS(device_fields), take_device},
        [TASKS] = {"device_task", NULL, 0, take_task},
    };

    for (guint i = 0; i < N_WATCHED; i++) {
        verdict->watched[i] = (Watched){
            verdict, {.wanted = kinds[i].fields, .n_wanted = kinds[i].n_fields}, kinds[i].take};
        strobe_show_consumer_add(consumer, (StrobeShowTable){.kind = kinds[i].kind,
                                                             .table = &verdict->watched[i],
                                                             .open = watched_open,
                                                             .add = watched_add,
                                                             .end = watched_end,
                                                             .close = watched_close});
    }
}

/* ---- output ---- */

guint64 strobe_verdict_tasks(const StrobeVerdict *verdict)
{
    return verdict->n_tasks;
}

static double to_percent(double part, double whole)
{
    return whole > 0 ? 100 * MIN(part / whole, 1) : 0;
}

static int compare_begins(gconstpointer a, gconstpointer b)
{
    const Span *first = a, *second = b;

    return (first->begin_ns > second->begin_ns) - (first->begin_ns < second->begin_ns);
}

static int compare_doubles(gconstpointer a, gconstpointer b)
{
    const double first = *(const double *)a, second = *(const double *)b;

    return (first > second) - (first < second);
}

/* Sorts the doubles, which must not be empty, and returns their median; of two middle ones the
 * lower. */
static double take_median(GArray *numbers)
{
    g_array_sort(numbers, compare_doubles);
    return g_array_index(numbers, double, (numbers->len - 1) / 2);
}

/* Returns the last step that begins at or before `time`. NULL: there is none. */
static Span *find_step(const StrobeVerdict *verdict, gint64 time)
{
    guint low = 0, high = verdict->steps->len;

    while (low < high) {
        const guint middle = low + (high - low) / 2;
        if (g_array_index(verdict->steps, Span, middle).begin_ns <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &g_array_index(verdict->steps, Span, low - 1) : NULL;
}

/* Returns the median of the percentages of the steps' durations that the data loader takes. A mean
 * would depend too much on the first step, which may contain the start of the program. */
static double loading_of_steps(const StrobeVerdict *verdict)
{
    g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(double));

    g_array_sort(verdict->steps, compare_begins);
    for (guint i = 0; i < verdict->loads->len; i++) {
        const Span *load = &g_array_index(verdict->loads, Span, i);
        Span *step = find_step(verdict, load->begin_ns);
        if (step && load->begin_ns < step->begin_ns + step->duration_ns)
            step->loading_ns += (double)load->duration_ns;
    }
    for (guint i = 0; i < verdict->steps->len; i++) {
        const Span *step = &g_array_index(verdict->steps, Span, i);
        const double share = to_percent(step->loading_ns, (double)step->duration_ns);
        g_array_append_val(shares, share);
    }
    return take_median(shares);
}

static double loading_of_window(const StrobeVerdict *verdict)
{
    double sum = 0;

    for (guint i = 0; i < verdict->loads->len; i++)
        sum += (double)g_array_index(verdict->loads, Span, i).duration_ns;
    return to_percent(sum, (double)verdict->window_ns);
}

static char *describe_steps(const StrobeVerdict *verdict)
{
    const guint n = verdict->steps->len;
    g_autoptr(GArray) durations = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; i < n; i++) {
        const double duration = (double)g_array_index(verdict->steps, Span, i).duration_ns;
        g_array_append_val(durations, duration);
    }
    g_autofree char *middle = strobe_text_duration((gint64)take_median(durations));
    return g_strdup_printf(n == 1 ? "%u step of %s" : "%u steps of %s (median)", n, middle);
}

char *strobe_verdict_steps(const StrobeVerdict *verdict)
{
    const gboolean has_steps = verdict->steps->len > 0, has_loads = verdict->loads->len > 0;
    g_autofree char *steps = has_steps ? describe_steps(verdict) : NULL;

    if (!has_loads)
        return g_steal_pointer(&steps);
    return g_strdup_printf("%s%swaiting for data %.0f %% of %s", has_steps ? steps : "",
                           has_steps ? "; " : "",
                           has_steps ? loading_of_steps(verdict) : loading_of_window(verdict),
                           has_steps ? "each step" : "the time");
}

char *strobe_verdict_devices(const StrobeVerdict *verdict)
{
    const double all = verdict->computing_us + verdict->communicating_us + verdict->free_us;

    if (all <= verdict->free_us)
        return NULL;
    if (verdict->communicating_us <= 0)
        return g_strdup_printf("devices idle %.0f %% of the time",
                               to_percent(verdict->free_us, all));
    return g_strdup_printf(
        "devices compute %.0f %%, communicate %.0f %% and idle %.0f %% of the time",
        to_percent(verdict->computing_us, all), to_percent(verdict->communicating_us, all),
        to_percent(verdict->free_us, all));
}

char *strobe_verdict_shares(const StrobeRows *rows, const char *of, const char *noun)
{
    double sum = 0;
    guint n = 0;

    if (rows->measure_total <= 0)
        return NULL;
    while (n < rows->measures->len && n < ROWS_MAX && sum < SHARE_ENOUGH * rows->measure_total)
        sum += g_array_index(rows->measures, double, n++);
    /* The text does not say 100 % if there are other rows, even if their share is nearly 0. */
    const gboolean is_nearly = n < rows->n_seen && to_percent(sum, rows->measure_total) > 99;
    return g_strdup_printf("%s%.0f %% of %s in %u %s%s", is_nearly ? "over " : "",
                           is_nearly ? 99 : to_percent(sum, rows->measure_total), of, n, noun,
                           n == 1 ? "" : "s");
}
