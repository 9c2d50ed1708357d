/* SPDX-License-Identifier: Apache-2.0 */
#include "memory-records.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#include "external-tensors.h"

#define DEVICES_MAX 64u /* maximum number of devices; further devices are ignored */

#define SCOPE_FUNCTION 0 /* at::RecordScope */
#define SCOPE_BACKWARD 1

enum { ADDRESS, SIZE, EVENT_ACTION, DEVICE, ALLOCATED, RESERVED, N_EVENT };
enum { SCOPE, IS_ASYNC, TENSORS, TENSOR_LISTS, N_OPERATOR };
enum { USE_ADDRESS, USE_BYTES, USE_INPUT, USE_WRITTEN, USE_LEAF, N_USE };
enum { PARAMETER_ROLE, PARAMETER_TENSOR, N_PARAMETER };
enum { ROLE_ADDRESS, ROLE_BYTES, ROLE_ROLE, N_ROLE };

static const StrobeWantedField event_wanted[N_EVENT] = {
    [ADDRESS] = {"address", STROBE_FIELD_U64},
    [SIZE] = {"size", STROBE_FIELD_I64},
    [EVENT_ACTION] = {"action", STROBE_FIELD_U32},
    [DEVICE] = {"device", STROBE_FIELD_I32},
    [ALLOCATED] = {"total_allocated", STROBE_FIELD_I64},
    [RESERVED] = {"total_reserved", STROBE_FIELD_I64},
};
static const StrobeWantedField operator_wanted[N_OPERATOR] = {
    [SCOPE] = {"scope", STROBE_FIELD_U8},
    [IS_ASYNC] = {"is_async", STROBE_FIELD_BOOL},
    [TENSORS] = {"ascend_raw.tensors", STROBE_FIELD_STRING},
    [TENSOR_LISTS] = {"ascend_raw.tensor_lists", STROBE_FIELD_STRING},
};
static const StrobeWantedField parameter_wanted[N_PARAMETER] = {
    [PARAMETER_ROLE] = {"role", STROBE_FIELD_STRING},
    [PARAMETER_TENSOR] = {"tensor", STROBE_FIELD_STRING},
};
static const StrobeWantedField use_wanted[N_USE] = {
    [USE_ADDRESS] = {"address", STROBE_FIELD_U64},
    [USE_BYTES] = {"bytes", STROBE_FIELD_U64},
    [USE_INPUT] = {"input", STROBE_FIELD_U32},
    [USE_WRITTEN] = {"is_written", STROBE_FIELD_BOOL},
    [USE_LEAF] = {"is_leaf", STROBE_FIELD_BOOL},
};
static const StrobeWantedField role_wanted[N_ROLE] = {
    [ROLE_ADDRESS] = {"address", STROBE_FIELD_U64},
    [ROLE_BYTES] = {"bytes", STROBE_FIELD_U64},
    [ROLE_ROLE] = {"role", STROBE_FIELD_U32},
};

struct MemoryRecords {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder events, operators, uses, roles, parameters;
    gint32 device;
    GArray *devices;  /* elements of type MemoryDevice, by number */
    GArray *instants; /* elements of type FlowInstant */
    GArray *steps;    /* elements of type FlowSpan: steps of optimizers */
    GHashTable
        *thread_buffers; /* track -> GArray of FlowNode: outermost operators that have ended */
    guint n_nodes;
    gboolean is_dropped;
};

MemoryRecords *memory_records_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  gint32 device)
{
    MemoryRecords *records = g_new0(MemoryRecords, 1);

    records->host = host;
    records->self = self;
    records->device = device;
    records->events = (StrobeBinder){.wanted = event_wanted, .n_wanted = N_EVENT};
    records->operators = (StrobeBinder){.wanted = operator_wanted, .n_wanted = N_OPERATOR};
    records->uses = (StrobeBinder){.wanted = use_wanted, .n_wanted = N_USE};
    records->roles = (StrobeBinder){.wanted = role_wanted, .n_wanted = N_ROLE};
    records->parameters = (StrobeBinder){.wanted = parameter_wanted, .n_wanted = N_PARAMETER};
    records->devices = g_array_new(FALSE, FALSE, sizeof(MemoryDevice));
    records->instants = g_array_new(FALSE, FALSE, sizeof(FlowInstant));
    records->steps = g_array_new(FALSE, FALSE, sizeof(FlowSpan));
    records->thread_buffers = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL,
                                                    (GDestroyNotify)(void *)g_array_unref);
    return records;
}

void memory_records_free(MemoryRecords *records)
{
    g_array_unref(records->devices);
    g_array_unref(records->instants);
    g_array_unref(records->steps);
    g_hash_table_unref(records->thread_buffers);
    g_free(records);
}

static gboolean is_wanted(const MemoryRecords *records, gint32 device)
{
    return records->device == MEMORY_ALL_DEVICES || records->device == device;
}

/* ---- adding records ---- */

/* Returns the entry of a device, and adds it if necessary. Returns NULL if there are too many
 * devices. */
static MemoryDevice *find_device(MemoryRecords *records, gint32 number)
{
    const MemoryDevice added = {number, 0, STROBE_ABSENT_I64, STROBE_ABSENT_I64};
    guint place = 0;

    while (place < records->devices->len &&
           g_array_index(records->devices, MemoryDevice, place).number < number)
        place++;
    if (place == records->devices->len ||
        g_array_index(records->devices, MemoryDevice, place).number != number) {
        if (records->devices->len >= DEVICES_MAX)
            return NULL;
        g_array_insert_val(records->devices, place, added);
    }
    return &g_array_index(records->devices, MemoryDevice, place);
}

/* Updates the largest totals of a device. An absent value is the smallest number, so it never
 * replaces a total. */
static void take_totals(MemoryDevice *device, const StrobeView *record, const uint32_t *at)
{
    device->most_allocated =
        MAX(device->most_allocated, strobe_field_i64(record, at[ALLOCATED], STROBE_ABSENT_I64));
    device->most_reserved =
        MAX(device->most_reserved, strobe_field_i64(record, at[RESERVED], STROBE_ABSENT_I64));
}

static void take_event(MemoryRecords *records, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&records->events, record->kind);
    gint64 size = strobe_field_i64(record, at[SIZE], STROBE_ABSENT_I64);
    guint32 action = strobe_field_u32(record, at[EVENT_ACTION], 3);
    const FlowInstant instant = {
        .at_ns = record->begin_ns,
        .address = strobe_field_u64(record, at[ADDRESS], STROBE_ABSENT_U64),
        .bytes = size < 0 ? 0 - (guint64)size : (guint64)size,
        .track = record->track,
        .device = strobe_field_i32(record, at[DEVICE], -1),
        .action = action == 0 && size > 0 ? FLOW_TAKE : FLOW_GIVE,
    };

    MemoryDevice *device =
        is_wanted(records, instant.device) ? find_device(records, instant.device) : NULL;
    if (!device)
        return;
    take_totals(device, record, at);
    /* A negative size means a release, whatever the action is: raw files contain releases of the
     * host's memory in this form. */
    if (action > 1 || size == STROBE_ABSENT_I64 || instant.address == STROBE_ABSENT_U64)
        return;
    device->n_events++;
    if (!records->is_dropped)
        g_array_append_val(records->instants, instant);
}

static void add_step(MemoryRecords *records, const StrobeView *record)
{
    const FlowSpan step = {record->begin_ns, record->end_ns, record->track};

    g_array_append_val(records->steps, step);
}

/* Returns whether the operator stores a gradient in the block that it uses. */
static gboolean is_placing_gradient(const char *name)
{
    return !strcmp(name, "aten::detach") || !strcmp(name, "aten::add_");
}

static GArray *thread_buffer_of(MemoryRecords *records, StrobeTrackId track)
{
    GArray *thread_buffer = g_hash_table_lookup(records->thread_buffers, GUINT_TO_POINTER(track));

    if (!thread_buffer) {
        thread_buffer = g_array_new(FALSE, FALSE, sizeof(FlowNode));
        g_hash_table_insert(records->thread_buffers, GUINT_TO_POINTER(track), thread_buffer);
    }
    return thread_buffer;
}

/* Adds an operator. Removes the operators inside it, which ended earlier, so that only outermost
 * operators remain. */
static void add_node(MemoryRecords *records, const StrobeView *record, const char *name,
                     guint scope)
{
    GArray *thread_buffer = thread_buffer_of(records, record->track);
    const FlowNode node = {.begin_ns = record->begin_ns,
                           .end_ns = record->end_ns,
                           .name = record->name,
                           .track = record->track,
                           .gradient = FLOW_NO_BLOCK,
                           .is_backward = scope == SCOPE_BACKWARD,
                           .gathers = !strcmp(name, "torch::autograd::AccumulateGrad")};

    while (thread_buffer->len &&
           g_array_index(thread_buffer, FlowNode, thread_buffer->len - 1).begin_ns >=
               node.begin_ns &&
           g_array_index(thread_buffer, FlowNode, thread_buffer->len - 1).end_ns <= node.end_ns) {
        g_array_set_size(thread_buffer, thread_buffer->len - 1);
        records->n_nodes--;
    }
    if (!thread_buffer->len ||
        g_array_index(thread_buffer, FlowNode, thread_buffer->len - 1).end_ns <= node.begin_ns) {
        g_array_append_val(thread_buffer, node);
        records->n_nodes++;
    }
}

/* Adds the uses of the tensors that an operator's record lists. */
static void take_external(MemoryRecords *records, const StrobeView *record, const char *name,
                          uint32_t offset, gboolean is_list)
{
    StrobeText text = records->host->string(records->self, strobe_field_u32(record, offset, 0));
    const char *bytes = text.bytes, *first_end = memchr(bytes, is_list ? '}' : ')', text.length);
    gboolean writes = external_operator_writes(name);
    ExternalTensor tensor;

    while (external_tensor_next(&text, &tensor)) {
        gboolean is_first = !first_end || text.bytes <= first_end + 1;
        const FlowInstant instant = {
            .at_ns = record->begin_ns,
            .address = tensor.address,
            .bytes = tensor.bytes,
            .track = record->track,
            .device = tensor.device,
            .action = FLOW_USE,
            .is_written = writes && is_first,
            .is_gradient = is_first && is_placing_gradient(name),
        };

        if (is_wanted(records, tensor.device))
            g_array_append_val(records->instants, instant);
    }
}

/* Adds a reported parameter. The block is a parameter in the whole window, whatever the time of the
 * record. */
static void take_parameter(MemoryRecords *records, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&records->parameters, record->kind);
    const char *role =
        records->host->string(records->self, strobe_field_u32(record, at[PARAMETER_ROLE], 0)).bytes;
    StrobeText text =
        records->host->string(records->self, strobe_field_u32(record, at[PARAMETER_TENSOR], 0));
    ExternalTensor tensor;

    while (external_tensor_next(&text, &tensor)) {
        const FlowInstant instant = {
            .at_ns = G_MAXINT64,
            .address = tensor.address,
            .bytes = tensor.bytes,
            .device = tensor.device,
            .action = FLOW_ROLE,
            .role = strcmp(role, "state") ? FLOW_ROLE_PARAMETER : FLOW_ROLE_STATE,
        };

        if (is_wanted(records, tensor.device))
            g_array_append_val(records->instants, instant);
    }
}

/* Adds an operator with a schema ("aten::mm") or of the backward graph. Other operators, such as
 * ranges and the graph's engine, only contain these operators and are not nodes. */
static void take_operator(MemoryRecords *records, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&records->operators, record->kind);
    const char *name = records->host->string(records->self, record->name).bytes;
    guint scope = strobe_field_u8(record, at[SCOPE], SCOPE_FUNCTION);

    if (strobe_field_u8(record, at[IS_ASYNC], 0))
        return;
    take_external(records, record, name, at[TENSORS], FALSE);
    take_external(records, record, name, at[TENSOR_LISTS], TRUE);
    if (g_str_has_prefix(name, "Optimizer.step#"))
        add_step(records, record);
    else if (scope == SCOPE_BACKWARD || (scope == SCOPE_FUNCTION && strstr(name, "::") &&
                                         !g_str_has_prefix(name, "autograd::engine::")))
        add_node(records, record, name, scope);
}

static void take_use(MemoryRecords *records, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&records->uses, record->kind);
    const char *name = records->host->string(records->self, record->name).bytes;
    const FlowInstant instant = {
        .at_ns = record->begin_ns,
        .address = strobe_field_u64(record, at[USE_ADDRESS], STROBE_ABSENT_U64),
        .bytes = strobe_field_u64(record, at[USE_BYTES], 0),
        .track = record->track,
        .device = -1,
        .action = FLOW_USE,
        .is_written = strobe_field_u8(record, at[USE_WRITTEN], 0),
        .is_leaf = strobe_field_u8(record, at[USE_LEAF], 0),
        .is_gradient = strobe_field_u32(record, at[USE_INPUT], 1) == 0 && is_placing_gradient(name),
    };

    if (is_wanted(records, -1))
        g_array_append_val(records->instants, instant);
}

static void take_role(MemoryRecords *records, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&records->roles, record->kind);
    const FlowInstant instant = {
        .at_ns = record->begin_ns,
        .address = strobe_field_u64(record, at[ROLE_ADDRESS], STROBE_ABSENT_U64),
        .bytes = strobe_field_u64(record, at[ROLE_BYTES], 0),
        .track = record->track,
        .device = -1,
        .action = FLOW_ROLE,
        .role = (guint8)MIN(strobe_field_u32(record, at[ROLE_ROLE], FLOW_N_ROLES), FLOW_N_ROLES),
    };

    if (is_wanted(records, -1) && instant.role < FLOW_N_ROLES)
        g_array_append_val(records->instants, instant);
}

void memory_records_add(MemoryRecords *records, const StrobeView *record)
{
    static const struct {
        const char *kind;
        void (*take)(MemoryRecords *records, const StrobeView *record);
    } takers[] = {
        {"memory_event", take_event},
        {"cpu_op", take_operator},
        {"memory.tensor_use", take_use},
        {"memory.tensor_role", take_role},
        {"ascend_raw.parameter", take_parameter},
    };

    for (guint i = 0; i < (records->is_dropped ? 1 : G_N_ELEMENTS(takers)); i++)
        if (!strcmp(record->kind->name, takers[i].kind))
            takers[i].take(records, record);
}

void memory_records_drop(MemoryRecords *records)
{
    records->is_dropped = TRUE;
    records->n_nodes = 0;
    g_hash_table_remove_all(records->thread_buffers);
    g_array_unref(records->instants);
    g_array_unref(records->steps);
    records->instants = g_array_new(FALSE, FALSE, sizeof(FlowInstant));
    records->steps = g_array_new(FALSE, FALSE, sizeof(FlowSpan));
}

guint64 memory_records_count(const MemoryRecords *records)
{
    return (guint64)records->instants->len + records->n_nodes;
}

const GArray *memory_records_devices(const MemoryRecords *records)
{
    return records->devices;
}

/* ---- making the flow ---- */

static GArray *all_nodes(const MemoryRecords *records)
{
    GArray *nodes = g_array_new(FALSE, FALSE, sizeof(FlowNode));
    GHashTableIter iter;
    gpointer thread_buffer;

    g_hash_table_iter_init(&iter, records->thread_buffers);
    while (g_hash_table_iter_next(&iter, NULL, &thread_buffer))
        g_array_append_vals(nodes, ((GArray *)thread_buffer)->data, ((GArray *)thread_buffer)->len);
    return nodes;
}

static GArray *instants_of(const MemoryRecords *records, gint32 device)
{
    GArray *instants;

    if (records->device == device)
        return g_array_ref(records->instants);
    instants = g_array_new(FALSE, FALSE, sizeof(FlowInstant));
    for (guint i = 0; i < records->instants->len; i++) {
        const FlowInstant *instant = &g_array_index(records->instants, FlowInstant, i);

        if (instant->device == device)
            g_array_append_val(instants, *instant);
    }
    return instants;
}

Flow *memory_records_flow(MemoryRecords *records, gint32 device)
{
    g_autoptr(GArray) instants = instants_of(records, device);

    return flow_new(all_nodes(records), instants, records->steps);
}
