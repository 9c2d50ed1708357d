/* SPDX-License-Identifier: Apache-2.0 */
/* Computes overlap from device_task, comm_op and cpu_op. */
#include "overlap.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/intervals.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#define SPANS_MAX 16777216u
/* maximum number of operators of the host, which are kept until it is known whether they are
 * needed */
#define HOST_SPANS_MAX 4194304u

#define SCOPE_USER 7 /* at::RecordScope */
#define HOST (-1)    /* number of the host among the devices */

enum { IS_KERNEL, HOST_TYPE, N_WANTED };
enum { SCOPE, IS_ASYNC, N_OPERATOR };
enum { DEVICE_TASK, COMM_OP, CPU_OP, N_KINDS };

static const char *const kind_names[N_KINDS] = {
    [DEVICE_TASK] = "device_task", [COMM_OP] = "comm_op", [CPU_OP] = "cpu_op"};

static const StrobeWantedField wanted[N_WANTED] = {
    [IS_KERNEL] = {"is_kernel", STROBE_FIELD_BOOL},
    [HOST_TYPE] = {"host_type", STROBE_FIELD_STRING},
};

static const StrobeWantedField operator_wanted[N_OPERATOR] = {
    [SCOPE] = {"scope", STROBE_FIELD_U8},
    [IS_ASYNC] = {"is_async", STROBE_FIELD_BOOL},
};

enum { COMPUTING, COMMUNICATION, NOT_OVERLAPPED, FREE, N_TYPES };

static const char *const names[N_TYPES] = {"Computing", "Communication",
                                           "Communication(Not Overlapped)", "Free"};

typedef struct Device {
    gint32 device;
    StrobeIntervals computing, communication;
    gint64 low, high; /* first begin and last end of the tasks that extend the range of free time */
} Device;

typedef struct Overlap {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    StrobeBinder binder, operators;
    GPtrArray *devices;             /* elements of type Device */
    StrobeIntervals host_computing; /* operators; used only if the host communicates */
    guint64 n_dropped, n_host_dropped;
} Overlap;

static void free_device(gpointer data)
{
    Device *device = data;

    strobe_intervals_clear(&device->computing);
    strobe_intervals_clear(&device->communication);
    g_free(device);
}

static StrobeStatus overlap_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Overlap *pass = g_new0(Overlap, 1);

    pass->host = host;
    pass->self = self;
    pass->binder.wanted = wanted;
    pass->binder.n_wanted = N_WANTED;
    pass->kinds = (StrobeKindNames){.names = kind_names, .n_names = N_KINDS};
    pass->operators.wanted = operator_wanted;
    pass->operators.n_wanted = N_OPERATOR;
    pass->devices = g_ptr_array_new_with_free_func(free_device);
    *state = pass;
    return STROBE_OK;
}

static Device *device_of(Overlap *pass, StrobeTrackId track)
{
    const StrobeTrackView *view = pass->host->track(pass->self, track);
    gint32 number = view ? view->device : -1;
    Device *device;

    for (guint i = 0; i < pass->devices->len; i++) {
        device = g_ptr_array_index(pass->devices, i);
        if (device->device == number)
            return device;
    }
    device = g_new0(Device, 1);
    device->device = number;
    device->low = G_MAXINT64;
    device->high = G_MININT64;
    g_ptr_array_add(pass->devices, device);
    return device;
}

static void add_span(StrobeIntervals *set, const StrobeView *record, guint max, guint64 *n_dropped)
{
    if (set->n >= max) {
        strobe_intervals_merge(set);
        if (set->n > max / 2) {
            ++*n_dropped;
            return;
        }
    }
    strobe_intervals_add(set, record->begin_ns, record->end_ns);
}

/* Returns whether the task is computing. Kernels that carry out a communication operation are not
 * computing. */
static gboolean is_computing(const Overlap *pass, const StrobeView *record)
{
    const char *name = pass->host->string(pass->self, record->name).bytes;

    return !g_str_has_suffix(name, "AicpuKernel") && !g_str_has_suffix(name, "AivKernel");
}

/* Returns whether the task is neither a kernel nor part of the profiler; it may be a copy or an
 * event. Such tasks extend the range in which a gap counts as free time. */
static gboolean is_other(const Overlap *pass, StrobeStringId host_type)
{
    static const char *const kernels[] = {
        "KERNEL_AICORE", "KERNEL_AIVEC",     "KERNEL_MIX_AIC",    "KERNEL_MIX_AIV",
        "FFTS_PLUS",     "PROFILING_ENABLE", "PROFILING_DISABLE", NULL};

    return host_type && !g_strv_contains(kernels, pass->host->string(pass->self, host_type).bytes);
}

/* Returns the same as is_other, for a source that has no host's type of a task: uses the task's
 * name, which a trace has. */
static gboolean is_other_by_name(const Overlap *pass, const StrobeView *record)
{
    static const char *const others[] = {"MEMCPY_ASYNC", "EVENT_RECORD", "EVENT_WAIT", NULL};

    return g_strv_contains(others, pass->host->string(pass->self, record->name).bytes);
}

static void add_task(Overlap *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->binder, record->kind);
    Device *device = device_of(pass, record->track);
    StrobeStringId host_type = strobe_field_u32(record, at[HOST_TYPE], 0);

    if (strobe_field_u8(record, at[IS_KERNEL], 0) && is_computing(pass, record))
        add_span(&device->computing, record, SPANS_MAX, &pass->n_dropped);
    if (is_other(pass, host_type) || (!host_type && is_other_by_name(pass, record))) {
        device->low = MIN(device->low, record->begin_ns);
        device->high = MAX(device->high, record->end_ns);
    }
}

/* Returns whether an operator with this name starts communication or waits for it. */
static gboolean is_communicating(const char *name)
{
    return g_str_has_prefix(name, "c10d::") || g_str_has_prefix(name, "_c10d_functional::");
}

/* Adds an operator. Inner operators come first; an outer operator replaces the operators that it
 * contains. */
static void add_operator(Overlap *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->operators, record->kind);
    StrobeIntervals *set = &pass->host_computing;

    if (strobe_field_u8(record, at[SCOPE], 0) == SCOPE_USER ||
        strobe_field_u8(record, at[IS_ASYNC], 0) ||
        is_communicating(pass->host->string(pass->self, record->name).bytes))
        return;
    while (set->n && set->items[set->n - 1].begin_ns >= record->begin_ns &&
           set->items[set->n - 1].end_ns <= record->end_ns)
        set->n--;
    add_span(set, record, HOST_SPANS_MAX, &pass->n_host_dropped);
}

static StrobeStatus overlap_batch(void *state, const StrobeView *records, size_t n)
{
    Overlap *pass = state;

    for (size_t i = 0; i < n; i++) {
        const guint32 kind = strobe_kind_place(&pass->kinds, records[i].kind);

        if (kind == CPU_OP)
            add_operator(pass, &records[i]);
        else if (kind == DEVICE_TASK)
            add_task(pass, &records[i]);
        else if (kind == COMM_OP)
            add_span(&device_of(pass, records[i].track)->communication, &records[i], SPANS_MAX,
                     &pass->n_dropped);
    }
    return STROBE_OK;
}

static gboolean emit_spans(Overlap *pass, const Device *device, guint type,
                           const StrobeIntervals *set)
{
    StrobeStringId name = pass->host->intern(pass->self, names[type], strlen(names[type]));

    for (gsize i = 0; i < set->n; i++) {
        const StrobeInterval *stretch = &set->items[i];
        struct strobe_overlap *fields;

        if (stretch->begin_ns == stretch->end_ns)
            continue;
        fields = pass->host->emit(pass->self, 0, 0, name, stretch->begin_ns, stretch->end_ns);
        if (!fields)
            return FALSE;
        fields->type = type;
        fields->device = device->device;
        if (pass->host->touches_gap(pass->self, 0, stretch->begin_ns, stretch->end_ns))
            pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    }
    return TRUE;
}

/* Finds the free time: the gaps between busy intervals. The range goes from the first to the last
 * busy interval; from generation 3 on, other tasks extend it. */
static void find_free(const Overlap *pass, const Device *device, const StrobeIntervals *busy,
                      StrobeIntervals *free_time)
{
    StrobeIntervals range = {0};
    gint64 low = busy->n ? busy->items[0].begin_ns : G_MAXINT64;
    gint64 high = busy->n ? busy->items[busy->n - 1].end_ns : G_MININT64;

    if (pass->host->metadata(pass->self)->generation >= 3) {
        low = MIN(low, device->low);
        high = MAX(high, device->high);
    }
    if (low < high)
        strobe_intervals_add(&range, low, high);
    strobe_intervals_subtract(&range, busy, free_time);
    strobe_intervals_clear(&range);
}

static gboolean emit_device(Overlap *pass, Device *device)
{
    StrobeIntervals alone = {0}, busy = {0}, free_time = {0};
    gboolean is_emitted;

    if (device->device == HOST && !device->computing.n) {
        strobe_intervals_append(&device->computing, &pass->host_computing);
        pass->n_dropped += pass->n_host_dropped;
    }
    strobe_intervals_merge(&device->computing);
    strobe_intervals_merge(&device->communication);
    strobe_intervals_subtract(&device->communication, &device->computing, &alone);
    strobe_intervals_unite(&device->computing, &device->communication, &busy);
    find_free(pass, device, &busy, &free_time);
    is_emitted = !alone.is_short && !busy.is_short && !free_time.is_short &&
                 emit_spans(pass, device, COMPUTING, &device->computing) &&
                 emit_spans(pass, device, COMMUNICATION, &device->communication) &&
                 emit_spans(pass, device, NOT_OVERLAPPED, &alone) &&
                 emit_spans(pass, device, FREE, &free_time);
    strobe_intervals_clear(&alone);
    strobe_intervals_clear(&busy);
    strobe_intervals_clear(&free_time);
    return is_emitted;
}

static StrobeStatus overlap_end(void *state)
{
    Overlap *pass = state;

    for (guint i = 0; i < pass->devices->len; i++)
        if (!emit_device(pass, g_ptr_array_index(pass->devices, i)))
            return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                    "Cannot emit overlap: out of memory");
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " tasks beyond %u intervals count as free time",
                        pass->n_dropped, SPANS_MAX / 2);
    return STROBE_OK;
}

static void overlap_close(void *state)
{
    Overlap *pass = state;

    g_ptr_array_unref(pass->devices);
    strobe_intervals_clear(&pass->host_computing);
    g_free(pass);
}

const StrobeConsumerOps overlap_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = overlap_open,
    .batch = overlap_batch,
    .end = overlap_end,
    .close = overlap_close,
};
