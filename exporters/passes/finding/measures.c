/* SPDX-License-Identifier: Apache-2.0 */
#include "measures.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/intervals.h>
#include <strobe/kinds.h>

#include "sorted-values.h"

#define TOP_NAMES 3
#define LOCK_DEPTH 6u /* number of innermost frames that are searched for a lock call */
#define NAME_SHOWN 80 /* maximum size of a name in the evidence, in bytes */

/* ---- records of one kind ---- */

static void take_step(Measures *m, const StrobeView *record, const uint32_t *at)
{
    busy_times_add_step(m->times, strobe_field_i64(record, at[0], 0),
                        strobe_field_u64(record, at[1], 0), record->begin_ns, record->end_ns);
}

/* Adds a task of a device if the task is a kernel. */
static void take_task(Measures *m, const StrobeView *record, const uint32_t *at)
{
    gint64 duration = record->end_ns - record->begin_ns;

    if (!strobe_field_u8(record, at[0], 0))
        return;
    m->n_kernels++;
    m->kernel_ns += duration;
    if (duration < MEASURES_SMALL_KERNEL_NS)
        m->n_small_kernels++;
}

static void add_value(WeightedMean *mean, double value, guint64 weight)
{
    if (!(value >= 0)) /* the value is absent */
        return;
    mean->sum += value * (double)weight;
    mean->weight += (double)weight;
    mean->count++;
}

static guint64 interval_of(const StrobeView *record, uint32_t at)
{
    guint64 interval = strobe_field_u64(record, at, 1);

    return interval == STROBE_ABSENT_U64 || interval == 0 ? 1 : interval;
}

static void take_pressure(Measures *m, const StrobeView *record, const uint32_t *at)
{
    static const char *const names[N_PRESSURES] = {"cpu", "memory", "io"};
    const char *name = m->host->string(m->self, record->name).bytes;

    for (guint i = 0; i < N_PRESSURES; i++)
        if (!strcmp(name, names[i]))
            add_value(&m->pressure[i], strobe_field_f64(record, at[0], -1),
                      interval_of(record, at[1]));
}

static void take_throttle(Measures *m, const StrobeView *record, const uint32_t *at)
{
    add_value(&m->throttled, strobe_field_f64(record, at[0], -1), interval_of(record, at[1]));
}

static void take_processor(Measures *m, const StrobeView *record, const uint32_t *at)
{
    add_value(&m->processor_wait, strobe_field_f64(record, at[0], -1), 1);
}

/* Adds the use of a disk by the process. The use by other processes counts only in the pressure. */
static void take_disk(Measures *m, const StrobeView *record, const uint32_t *at)
{
    if (!strcmp(m->host->string(m->self, record->name).bytes, "Process"))
        add_value(&m->disk, strobe_field_f64(record, at[0], -1), interval_of(record, at[1]));
}

static void take_host_memory(Measures *m, const StrobeView *record, const uint32_t *at)
{
    guint64 usage = strobe_field_u64(record, at[0], STROBE_ABSENT_U64);
    guint64 limit = strobe_field_u64(record, at[1], STROBE_ABSENT_U64);

    if (usage == STROBE_ABSENT_U64 || limit == STROBE_ABSENT_U64 || limit == 0)
        return;
    m->n_host_memory++;
    m->peak_group_share = MAX(m->peak_group_share, 100.0 * (double)usage / (double)limit);
}

static void take_own_call(Measures *m, const StrobeView *record, const uint32_t *at)
{
    (void)at;
    m->n_own_calls++;
    strobe_intervals_add(&m->own_calls, record->begin_ns, record->end_ns);
    if (m->own_calls.n >= BUSY_STRETCHES_MAX)
        m->own_calls_gap_ns =
            strobe_intervals_coarsen(&m->own_calls, BUSY_STRETCHES_MAX / 2, m->own_calls_gap_ns);
}

static void take_loss(Measures *m, const StrobeView *record, const uint32_t *at)
{
    m->n_lost += strobe_field_u64(record, at[0], 0);
}

static void take_memory(Measures *m, const StrobeView *record, const uint32_t *at)
{
    gint64 allocated = strobe_field_i64(record, at[0], STROBE_ABSENT_I64);
    gint64 reserved = strobe_field_i64(record, at[1], STROBE_ABSENT_I64);

    if (allocated == STROBE_ABSENT_I64 || reserved == STROBE_ABSENT_I64)
        return;
    m->n_memory++;
    if (reserved > m->peak_reserved ||
        (reserved == m->peak_reserved && allocated > m->allocated_at_peak)) {
        m->peak_reserved = reserved;
        m->allocated_at_peak = allocated;
    }
}

static void take_device_step(Measures *m, const StrobeView *record, const uint32_t *at)
{
    double stage = strobe_field_f64(record, at[0], 0);

    if (!(stage > 0))
        return;
    m->n_device_steps++;
    m->device_stage_us += stage;
    m->device_free_us += MAX(strobe_field_f64(record, at[1], 0), 0);
    m->device_communication_us += MAX(strobe_field_f64(record, at[2], 0), 0);
}

static void take_call(Measures *m, const StrobeView *record, const uint32_t *at)
{
    StrobeText name = m->host->string(m->self, record->name);

    (void)at;
    if (lock_waits_is_lock(name.bytes, name.length))
        lock_waits_add(m->lock_calls, record->track, record->name, 0, record->begin_ns,
                       record->end_ns);
}

/* Returns the index of the outermost function that waits for a lock, among the LOCK_DEPTH innermost
 * frames. Returns `n` if none of them waits for a lock. */
static gsize find_lock(const Measures *m, const StrobeStringId *frames, gsize n)
{
    gsize found = n;

    for (gsize i = 0; i < MIN(n, LOCK_DEPTH); i++) {
        StrobeText text = m->host->string(m->self, frames[i]);

        if (lock_waits_is_lock(text.bytes, text.length))
            found = i;
    }
    return found;
}

/* Adds a wait if it is for a lock. A thread that was ready to run waited for a processor, not for a
 * lock. */
static void take_wait(Measures *m, const StrobeView *record, const uint32_t *at)
{
    const StrobeStringId *frames = NULL;
    gsize n = m->host->stack_frames(m->self, strobe_field_u32(record, at[0], 0), &frames);
    gsize lock = strobe_field_u8(record, at[1], 0) ? n : find_lock(m, frames, n);

    if (lock < n)
        lock_waits_add(m->lock_stacks, record->track, frames[lock],
                       lock + 1 < n ? frames[lock + 1] : 0, record->begin_ns, record->end_ns);
}

typedef void (*TakeRecord)(Measures *measures, const StrobeView *record, const uint32_t *at);

#define WANTED_MAX 3

static const struct {
    const char *kind;
    TakeRecord take;
    StrobeWantedField wanted[WANTED_MAX];
} takers[] = {
    {"step", take_step, {{"number", STROBE_FIELD_I64}, {"thread", STROBE_FIELD_U64}}},
    {"device_task", take_task, {{"is_kernel", STROBE_FIELD_BOOL}}},
    {"host_pressure", take_pressure, {{"some", STROBE_FIELD_F64}, {"interval", STROBE_FIELD_U64}}},
    {"host_throttle",
     take_throttle,
     {{"throttled", STROBE_FIELD_F64}, {"interval", STROBE_FIELD_U64}}},
    {"host_cpu", take_processor, {{"wait", STROBE_FIELD_F64}}},
    {"host_disk", take_disk, {{"utilisation", STROBE_FIELD_F64}, {"interval", STROBE_FIELD_U64}}},
    {"host_mem",
     take_host_memory,
     {{"cgroup_usage", STROBE_FIELD_U64}, {"cgroup_limit", STROBE_FIELD_U64}}},
    {"collector_call", take_own_call, {{"status", STROBE_FIELD_I64}}},
    {"loss", take_loss, {{"count", STROBE_FIELD_U64}}},
    {"memory_event",
     take_memory,
     {{"total_allocated", STROBE_FIELD_I64}, {"total_reserved", STROBE_FIELD_I64}}},
    {"os_call", take_call, {{"status", STROBE_FIELD_I64}}},
    {"cpu_sample.wait",
     take_wait,
     {{"stack", STROBE_FIELD_STACK}, {"is_preempted", STROBE_FIELD_BOOL}}},
    {"step_trace",
     take_device_step,
     {{"stage", STROBE_FIELD_F64},
      {"free", STROBE_FIELD_F64},
      {"communication_not_overlapped", STROBE_FIELD_F64}}},
};

G_STATIC_ASSERT(G_N_ELEMENTS(takers) <= 24);

/* ---- spans of threads ---- */

/* Returns the part to which a record belongs. Caches the part by the ids of the kind and the name,
 * so that each text is compared only once. */
static StepPart find_cause(Measures *m, const StrobeView *record)
{
    guint64 key = (guint64)record->kind->id << 32 | record->name;
    gpointer known = g_hash_table_lookup(m->causes, GSIZE_TO_POINTER(key));

    if (known)
        return (StepPart)(GPOINTER_TO_UINT(known) - 1);
    StepPart part = cause_of_name(record->kind->name, m->host->string(m->self, record->name).bytes);
    if (g_hash_table_size(m->causes) < MEASURES_NAMES_MAX * 16)
        g_hash_table_insert(m->causes, GSIZE_TO_POINTER(key), GUINT_TO_POINTER(part + 1));
    return part;
}

static void add_name(Measures *m, StepPart part, const StrobeView *record)
{
    GHashTable *names = m->names[part];
    NamedTime *time = g_hash_table_lookup(names, GUINT_TO_POINTER(record->name));

    if (!time) {
        if (g_hash_table_size(names) >= MEASURES_NAMES_MAX)
            return;
        time = g_new0(NamedTime, 1);
        time->name = record->name;
        time->kind = g_intern_string(record->kind->name);
        g_hash_table_insert(names, GUINT_TO_POINTER(record->name), time);
    }
    time->time_ns += MAX(record->end_ns - record->begin_ns, 0);
    time->count++;
}

/* Adds a step if the record is an operator that marks a step, for example "ProfilerStep#7". */
static void take_mark(Measures *m, const StrobeView *record)
{
    const char *name = m->host->string(m->self, record->name).bytes;
    const StrobeTrackView *track = m->host->track(m->self, record->track);

    if (!strcmp(record->kind->name, "cpu_op") && g_str_has_prefix(name, CAUSE_STEP_MARK))
        busy_times_add_mark(m->times, g_ascii_strtoll(name + strlen(CAUSE_STEP_MARK), NULL, 10),
                            track ? track->number : 0, record->begin_ns, record->end_ns);
}

static void take_span(Measures *m, const StrobeView *record)
{
    StepPart part = find_cause(m, record);

    if (part == N_PARTS) {
        take_mark(m, record);
        return;
    }
    m->n_spans[part]++;
    if (part < PART_OPERATORS)
        add_name(m, part, record);
    busy_times_add(m->times, record->track, part, record->begin_ns, record->end_ns);
}

/* ---- all kinds ---- */

Measures *measures_new(const StrobeConsumerHost *host, StrobeInstance *self)
{
    Measures *m = g_new0(Measures, 1);

    m->host = host;
    m->self = self;
    m->times = busy_times_new();
    m->causes = g_hash_table_new(g_direct_hash, g_direct_equal);
    m->lock_calls = lock_waits_new();
    m->lock_stacks = lock_waits_new();
    for (guint i = 0; i < N_PARTS; i++)
        m->names[i] = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    for (guint i = 0; i < G_N_ELEMENTS(takers); i++) {
        m->binders[i].wanted = takers[i].wanted;
        while (m->binders[i].n_wanted < WANTED_MAX && takers[i].wanted[m->binders[i].n_wanted].name)
            m->binders[i].n_wanted++;
    }
    return m;
}

void measures_free(Measures *m)
{
    busy_times_free(m->times);
    g_hash_table_unref(m->causes);
    strobe_intervals_clear(&m->own_calls);
    lock_waits_free(m->lock_calls);
    lock_waits_free(m->lock_stacks);
    for (guint i = 0; i < N_PARTS; i++)
        g_hash_table_unref(m->names[i]);
    g_free(m);
}

void measures_add(Measures *m, const StrobeView *record)
{
    for (guint i = 0; i < G_N_ELEMENTS(takers); i++)
        if (!strcmp(record->kind->name, takers[i].kind)) {
            takers[i].take(m, record, strobe_binder_offsets(&m->binders[i], record->kind));
            return;
        }
    take_span(m, record);
}

double weighted_mean(const WeightedMean *mean)
{
    return mean->weight > 0 ? mean->sum / mean->weight : 0;
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
    const NamedTime *x = *(NamedTime *const *)a, *y = *(NamedTime *const *)b;

    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : 0;
}

char *measures_top_names(const Measures *m, StepPart part)
{
    g_autoptr(GPtrArray) sorted = sorted_values(m->names[part], compare_times);
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < MIN(sorted->len, TOP_NAMES); i++) {
        const NamedTime *time = g_ptr_array_index(sorted, i);
        StrobeText name = m->host->string(m->self, time->name);

        g_string_append_printf(text, "%s%.*s", i ? "; " : "", (int)MIN(name.length, NAME_SHOWN),
                               name.bytes);
        /* the count of a single name is the count of the finding, so it is not repeated */
        if (sorted->len > 1)
            g_string_append_printf(text, " %" G_GUINT64_FORMAT " x", time->count);
        g_string_append_printf(text, ", %.2f ms", (double)time->time_ns / 1e6);
    }
    return g_string_free(text, FALSE);
}

const char *measures_top_kind(const Measures *m, StepPart part, const char *otherwise)
{
    g_autoptr(GPtrArray) sorted = sorted_values(m->names[part], compare_times);

    return sorted->len ? ((const NamedTime *)g_ptr_array_index(sorted, 0))->kind : otherwise;
}
