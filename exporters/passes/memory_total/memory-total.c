/* SPDX-License-Identifier: Apache-2.0 */
/* Computes memory_total from memory_event and memory_usage. */
#include "memory-total.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/external-sorter.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#define INSTANT_MAX 4096u /* maximum number of events with the same time that are sorted */
#define DEVICES_MAX 256u  /* maximum number of devices; they are searched one by one */
/* number of the action of a state, which is neither an allocation nor a release */
#define STATE 3

enum { ALLOCATED, RESERVED, ACTIVE, STREAM, ACTION, DEVICE, COMPONENT, N_EVENT };
enum { DDR, HBM, USAGE_DEVICE, N_USAGE };

static const StrobeWantedField event_wanted[N_EVENT] = {
    [ALLOCATED] = {"total_allocated", STROBE_FIELD_I64},
    [RESERVED] = {"total_reserved", STROBE_FIELD_I64},
    [ACTIVE] = {"total_active", STROBE_FIELD_I64},
    [STREAM] = {"stream", STROBE_FIELD_U64},
    [ACTION] = {"action", STROBE_FIELD_U32},
    [DEVICE] = {"device", STROBE_FIELD_I32},
    [COMPONENT] = {"component", STROBE_FIELD_STRING},
};
static const StrobeWantedField usage_wanted[N_USAGE] = {
    [DDR] = {"ddr", STROBE_FIELD_I64},
    [HBM] = {"hbm", STROBE_FIELD_I64},
    [USAGE_DEVICE] = {"device", STROBE_FIELD_I32},
};

/* The owner of the memory. The sum of PTA and GE is emitted as well. The framework's memory on the
 * host is SIDE_OTHER, because GE has no memory on the host. */
enum { SIDE_PTA = 0, SIDE_GE = 1, SIDE_OTHER = 2 };

typedef struct Row {
    gint64 at_ns;
    struct strobe_memory_total total;
    StrobeTrackId track;
    StrobeStringId name;
    guint8 side;
    guint8 is_state;
} Row;

/* The last rows of PTA and GE on one device. */
typedef struct Last {
    gint32 device;
    gboolean has[2];
    struct strobe_memory_total total[2];
} Last;

typedef struct MemoryTotal {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder events, usages;
    StrobeExternalSorter *rows; /* elements of type Row, sorted by time: states of allocators */
    /* elements of type Row: the events that have the latest time so far */
    GArray *instant;
    GArray *last; /* elements of type Last */
    StrobeStringId sum_name, app_name;
    gboolean is_full; /* the host had no memory for a record */
} MemoryTotal;

static StrobeStatus memory_total_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                      void **state)
{
    MemoryTotal *pass = g_new0(MemoryTotal, 1);

    pass->host = host;
    pass->self = self;
    pass->events.wanted = event_wanted;
    pass->events.n_wanted = N_EVENT;
    pass->usages.wanted = usage_wanted;
    pass->usages.n_wanted = N_USAGE;
    pass->rows = strobe_external_sorter_new(host->storage(self));
    pass->instant = g_array_new(FALSE, FALSE, sizeof(Row));
    pass->last = g_array_new(FALSE, FALSE, sizeof(Last));
    pass->sum_name = host->intern(self, "PTA+GE", strlen("PTA+GE"));
    pass->app_name = host->intern(self, "APP", strlen("APP"));
    *state = pass;
    return STROBE_OK;
}

static void memory_total_close(void *state)
{
    MemoryTotal *pass = state;

    strobe_external_sorter_free(pass->rows);
    g_array_unref(pass->instant);
    g_array_unref(pass->last);
    g_free(pass);
}

/* ---- emitting rows ---- */

static void emit_row(MemoryTotal *pass, const Row *row)
{
    struct strobe_memory_total *fields = NULL;

    if (!pass->is_full)
        fields = pass->host->emit(pass->self, 0, row->track, row->name, row->at_ns, row->at_ns);
    if (fields)
        *fields = row->total;
    else
        pass->is_full = TRUE;
}

/* ---- sums ---- */

static gint64 add_sizes(gint64 a, gint64 b)
{
    gint64 value;

    if (a == STROBE_ABSENT_I64)
        return b;
    if (b == STROBE_ABSENT_I64)
        return a;
    return __builtin_add_overflow(a, b, &value) ? STROBE_ABSENT_I64 : value;
}

static Last *last_of(MemoryTotal *pass, gint32 device)
{
    Last added = {.device = device};

    for (guint i = 0; i < pass->last->len; i++)
        if (g_array_index(pass->last, Last, i).device == device)
            return &g_array_index(pass->last, Last, i);
    if (pass->last->len >= DEVICES_MAX)
        return NULL;
    g_array_append_val(pass->last, added);
    return &g_array_index(pass->last, Last, pass->last->len - 1);
}

/* Emits the row. If the row is of PTA or GE, then emits its sum with the last row of the other
 * allocator of these two. */
static void take_row(MemoryTotal *pass, const Row *row)
{
    Last *last = row->side == SIDE_OTHER ? NULL : last_of(pass, row->total.device);
    Row both = *row;
    guint other = !row->side;

    emit_row(pass, row);
    if (!last)
        return;
    if (last->has[other]) {
        const struct strobe_memory_total *total = &last->total[other];

        both.total.allocated = add_sizes(both.total.allocated, total->allocated);
        both.total.reserved = add_sizes(both.total.reserved, total->reserved);
        both.total.active = add_sizes(both.total.active, total->active);
        if (both.total.stream == STROBE_ABSENT_U64)
            both.total.stream = total->stream;
    }
    both.name = pass->sum_name;
    emit_row(pass, &both);
    last->total[row->side] = row->total;
    last->has[row->side] = TRUE;
}

/* ---- events of the same time ---- */

/* Returns whether `row` is an event and one of `instant` is a state of the same allocator and
 * device. */
static gboolean is_reported_twice(const GArray *instant, const Row *row)
{
    for (guint i = 0; !row->is_state && i < instant->len; i++) {
        const Row *other = &g_array_index(instant, Row, i);

        if (other->is_state && other->name == row->name && other->total.device == row->total.device)
            return TRUE;
    }
    return FALSE;
}

/* Processes the events that have the same time. The events of GE come last. */
static void finish_instant(MemoryTotal *pass)
{
    GArray *instant = pass->instant;
    gboolean has_state = FALSE;

    for (guint i = 0; i < instant->len; i++)
        has_state = has_state || g_array_index(instant, Row, i).is_state;
    for (guint is_ge = 0; is_ge < 2; is_ge++)
        for (guint i = 0; i < instant->len; i++) {
            const Row *row = &g_array_index(instant, Row, i);

            if ((row->side == SIDE_GE) == is_ge && (!has_state || !is_reported_twice(instant, row)))
                take_row(pass, row);
        }
    g_array_set_size(instant, 0);
}

/* ---- reading records ---- */

static void add_event(MemoryTotal *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->events, record->kind);
    StrobeStringId component = strobe_field_u32(record, at[COMPONENT], 0);
    const char *word = pass->host->string(pass->self, component).bytes;
    gint32 device = (gint32)strobe_field_u32(record, at[DEVICE], (guint32)-1);
    const Row row = {
        .at_ns = record->begin_ns,
        .total = {.allocated = strobe_field_i64(record, at[ALLOCATED], STROBE_ABSENT_I64),
                  .reserved = strobe_field_i64(record, at[RESERVED], STROBE_ABSENT_I64),
                  .active = strobe_field_i64(record, at[ACTIVE], STROBE_ABSENT_I64),
                  .stream = strobe_field_u64(record, at[STREAM], STROBE_ABSENT_U64),
                  .device = device},
        .track = record->track,
        .name = component,
        .side = device < 0             ? SIDE_OTHER
                : !strcmp(word, "PTA") ? SIDE_PTA
                : !strcmp(word, "GE")  ? SIDE_GE
                                       : SIDE_OTHER,
        .is_state = strobe_field_u32(record, at[ACTION], STATE) == STATE,
    };

    /* The event does not name its allocator. The host's memory belongs to no device. */
    if (!strcmp(word, "CPU"))
        return;
    if (row.total.allocated == STROBE_ABSENT_I64 && row.total.reserved == STROBE_ABSENT_I64)
        return;
    strobe_external_sorter_add(pass->rows, (StrobeSortKey){row.at_ns, 0}, &row, sizeof row);
}

static void take_sorted(MemoryTotal *pass)
{
    const Row *row;
    size_t length;

    while ((row = strobe_external_sorter_next(pass->rows, &length))) {
        if (pass->instant->len && (g_array_index(pass->instant, Row, 0).at_ns != row->at_ns ||
                                   pass->instant->len >= INSTANT_MAX))
            finish_instant(pass);
        g_array_append_vals(pass->instant, row, 1);
    }
    finish_instant(pass);
}

static void add_usage(MemoryTotal *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->usages, record->kind);
    const Row row = {
        .at_ns = record->begin_ns,
        .total = {.allocated = STROBE_ABSENT_I64,
                  .reserved = add_sizes(strobe_field_i64(record, at[DDR], STROBE_ABSENT_I64),
                                        strobe_field_i64(record, at[HBM], STROBE_ABSENT_I64)),
                  .active = STROBE_ABSENT_I64,
                  .stream = STROBE_ABSENT_U64,
                  .device = (gint32)strobe_field_u32(record, at[USAGE_DEVICE], (guint32)-1)},
        .track = record->track,
        .name = pass->app_name,
    };

    if (!strcmp(pass->host->string(pass->self, record->name).bytes, "app"))
        emit_row(pass, &row);
}

static StrobeStatus check_errors(MemoryTotal *pass)
{
    const int error = strobe_external_sorter_error(pass->rows);

    if (error)
        return strobe_storage_fail(pass->host, pass->self, "allocations", error);
    if (!pass->is_full)
        return STROBE_OK;
    return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                            "Cannot emit memory_total: the host has no room for it");
}

static StrobeStatus memory_total_batch(void *state, const StrobeView *records, size_t n)
{
    MemoryTotal *pass = state;

    for (size_t i = 0; i < n; i++) {
        if (!strcmp(records[i].kind->name, "memory_event"))
            add_event(pass, &records[i]);
        else if (!strcmp(records[i].kind->name, "memory_usage"))
            add_usage(pass, &records[i]);
    }
    return check_errors(pass);
}

static StrobeStatus memory_total_end(void *state)
{
    MemoryTotal *pass = state;

    take_sorted(pass);
    return check_errors(pass);
}

const StrobeConsumerOps memory_total_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = memory_total_open,
    .batch = memory_total_batch,
    .end = memory_total_end,
    .close = memory_total_close,
};
