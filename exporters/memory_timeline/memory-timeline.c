/* SPDX-License-Identifier: Apache-2.0 */
/* memory_event, cpu_op, memory.tensor_use, memory.tensor_role -> memory over time by category. */
#include "memory-timeline.h"

#include <errno.h>
#include <gzip-file.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/fields.h>

#include "external-tensors.h"
#include "timeline-file.h"

/* The purpose of a block shows only later, so the whole window is held; blocks and versions are
 * counted in 32 bits. */
#define RECORDS_MAX (1u << 30)

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

typedef struct MemoryTimeline {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder events, operators, uses, roles, parameters;
    gint32 device;
    GArray *instants; /* of FlowInstant */
    GArray *steps;    /* of FlowSpan: steps of optimizers */
    GHashTable
        *thread_buffers; /* track -> GArray of FlowNode: outermost operators that have ended */
    guint n_records;
    gboolean has_events;
    gint64 most_allocated, most_reserved; /* absent: no event says it */
} MemoryTimeline;

/* "cpu" is -1, "npu:2" 2, "npu" 0. */
static gboolean parse_device(const char *text, gint32 *device)
{
    guint64 number = 0;

    *device = -1;
    if (!strcmp(text, "cpu"))
        return TRUE;
    if (strcmp(text, "npu") &&
        (strncmp(text, "npu:", 4) ||
         !g_ascii_string_to_unsigned(text + 4, 10, 0, G_MAXINT16, &number, NULL)))
        return FALSE;
    *device = (gint32)number;
    return TRUE;
}

static StrobeStatus memory_timeline_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                         void **state)
{
    const char *device = host->option_text(self, "device");
    MemoryTimeline *out = g_new0(MemoryTimeline, 1);

    if (!parse_device(device, &out->device)) {
        g_free(out);
        return host->fail(self, STROBE_ERROR_CONFIG, __FILE__, __LINE__,
                          "Cannot write memory timeline: device=\"%s\", expected cpu or npu:NUMBER",
                          device);
    }
    out->host = host;
    out->self = self;
    out->events = (StrobeBinder){.wanted = event_wanted, .n_wanted = N_EVENT};
    out->operators = (StrobeBinder){.wanted = operator_wanted, .n_wanted = N_OPERATOR};
    out->uses = (StrobeBinder){.wanted = use_wanted, .n_wanted = N_USE};
    out->roles = (StrobeBinder){.wanted = role_wanted, .n_wanted = N_ROLE};
    out->parameters = (StrobeBinder){.wanted = parameter_wanted, .n_wanted = N_PARAMETER};
    out->instants = g_array_new(FALSE, FALSE, sizeof(FlowInstant));
    out->steps = g_array_new(FALSE, FALSE, sizeof(FlowSpan));
    out->most_allocated = out->most_reserved = STROBE_ABSENT_I64;
    out->thread_buffers = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL,
                                                (GDestroyNotify)(void *)g_array_unref);
    *state = out;
    return STROBE_OK;
}

static void memory_timeline_close(void *state)
{
    MemoryTimeline *out = state;

    g_array_unref(out->instants);
    g_array_unref(out->steps);
    g_hash_table_unref(out->thread_buffers);
    g_free(out);
}

/* ---- records in ---- */

/* The absent value is the least of all. */
static void take_totals(MemoryTimeline *out, const StrobeView *record, const uint32_t *at)
{
    gint64 allocated = strobe_field_i64(record, at[ALLOCATED], STROBE_ABSENT_I64);
    gint64 reserved = strobe_field_i64(record, at[RESERVED], STROBE_ABSENT_I64);

    out->most_allocated = MAX(out->most_allocated, allocated);
    out->most_reserved = MAX(out->most_reserved, reserved);
}

static void take_event(MemoryTimeline *out, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&out->events, record->kind);
    gint64 size = strobe_field_i64(record, at[SIZE], STROBE_ABSENT_I64);
    guint32 action = strobe_field_u32(record, at[EVENT_ACTION], 3);
    FlowInstant instant = {
        .at_ns = record->begin_ns,
        .address = strobe_field_u64(record, at[ADDRESS], STROBE_ABSENT_U64),
        .bytes = size < 0 ? 0 - (guint64)size : (guint64)size,
        .track = record->track,
        .action = action == 0 && size > 0 ? FLOW_TAKE : FLOW_GIVE,
    };

    if (strobe_field_i32(record, at[DEVICE], -1) == out->device)
        take_totals(out, record, at);
    /* A size below 0 is a release, whatever the action: the raw files of the host have it so. */
    if (action > 1 || size == STROBE_ABSENT_I64 || instant.address == STROBE_ABSENT_U64 ||
        strobe_field_i32(record, at[DEVICE], -1) != out->device)
        return;
    out->has_events = TRUE;
    g_array_append_val(out->instants, instant);
}

static void add_step(MemoryTimeline *out, const StrobeView *record)
{
    const FlowSpan step = {record->begin_ns, record->end_ns, record->track};

    g_array_append_val(out->steps, step);
}

/* The access of a node that stores a gradient. */
static gboolean is_placing_gradient(const char *name)
{
    return !strcmp(name, "aten::detach") || !strcmp(name, "aten::add_");
}

static GArray *thread_buffer_of(MemoryTimeline *out, StrobeTrackId track)
{
    GArray *thread_buffer = g_hash_table_lookup(out->thread_buffers, GUINT_TO_POINTER(track));

    if (!thread_buffer) {
        thread_buffer = g_array_new(FALSE, FALSE, sizeof(FlowNode));
        g_hash_table_insert(out->thread_buffers, GUINT_TO_POINTER(track), thread_buffer);
    }
    return thread_buffer;
}

/* Nested operators end before the enclosing one, which replaces them. */
static void add_node(MemoryTimeline *out, const StrobeView *record, const char *name, guint scope)
{
    GArray *thread_buffer = thread_buffer_of(out, record->track);
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
           g_array_index(thread_buffer, FlowNode, thread_buffer->len - 1).end_ns <= node.end_ns)
        g_array_set_size(thread_buffer, thread_buffer->len - 1);
    if (!thread_buffer->len ||
        g_array_index(thread_buffer, FlowNode, thread_buffer->len - 1).end_ns <= node.begin_ns)
        g_array_append_val(thread_buffer, node);
}

/* The tensors in an operator's own record. */
static void take_external(MemoryTimeline *out, const StrobeView *record, const char *name,
                          uint32_t offset, gboolean is_list)
{
    StrobeText text = out->host->string(out->self, strobe_field_u32(record, offset, 0));
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
            .action = FLOW_USE,
            .is_written = writes && is_first,
            .is_gradient = is_first && is_placing_gradient(name),
        };

        if (tensor.device == out->device)
            g_array_append_val(out->instants, instant);
    }
}

/* Records of parameters apply to the whole window, whatever their time. */
static void take_parameter(MemoryTimeline *out, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&out->parameters, record->kind);
    const char *role =
        out->host->string(out->self, strobe_field_u32(record, at[PARAMETER_ROLE], 0)).bytes;
    StrobeText text =
        out->host->string(out->self, strobe_field_u32(record, at[PARAMETER_TENSOR], 0));
    ExternalTensor tensor;

    while (external_tensor_next(&text, &tensor)) {
        const FlowInstant instant = {
            .at_ns = G_MAXINT64,
            .address = tensor.address,
            .bytes = tensor.bytes,
            .action = FLOW_ROLE,
            .role = strcmp(role, "state") ? FLOW_ROLE_PARAMETER : FLOW_ROLE_STATE,
        };

        if (tensor.device == out->device)
            g_array_append_val(out->instants, instant);
    }
}

/* Nodes are operators with a schema ("aten::mm") and those of the backward graph; enclosing ones
 * (ranges, the graph's engine) are not. */
static void take_operator(MemoryTimeline *out, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&out->operators, record->kind);
    const char *name = out->host->string(out->self, record->name).bytes;
    guint scope = strobe_field_u8(record, at[SCOPE], SCOPE_FUNCTION);

    if (strobe_field_u8(record, at[IS_ASYNC], 0))
        return;
    take_external(out, record, name, at[TENSORS], FALSE);
    take_external(out, record, name, at[TENSOR_LISTS], TRUE);
    if (g_str_has_prefix(name, "Optimizer.step#"))
        add_step(out, record);
    else if (scope == SCOPE_BACKWARD || (scope == SCOPE_FUNCTION && strstr(name, "::") &&
                                         !g_str_has_prefix(name, "autograd::engine::")))
        add_node(out, record, name, scope);
}

static void take_use(MemoryTimeline *out, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&out->uses, record->kind);
    const char *name = out->host->string(out->self, record->name).bytes;
    const FlowInstant instant = {
        .at_ns = record->begin_ns,
        .address = strobe_field_u64(record, at[USE_ADDRESS], STROBE_ABSENT_U64),
        .bytes = strobe_field_u64(record, at[USE_BYTES], 0),
        .track = record->track,
        .action = FLOW_USE,
        .is_written = strobe_field_u8(record, at[USE_WRITTEN], 0),
        .is_leaf = strobe_field_u8(record, at[USE_LEAF], 0),
        .is_gradient = strobe_field_u32(record, at[USE_INPUT], 1) == 0 && is_placing_gradient(name),
    };

    if (out->device < 0)
        g_array_append_val(out->instants, instant);
}

static void take_role(MemoryTimeline *out, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&out->roles, record->kind);
    const FlowInstant instant = {
        .at_ns = record->begin_ns,
        .address = strobe_field_u64(record, at[ROLE_ADDRESS], STROBE_ABSENT_U64),
        .bytes = strobe_field_u64(record, at[ROLE_BYTES], 0),
        .track = record->track,
        .action = FLOW_ROLE,
        .role = (guint8)MIN(strobe_field_u32(record, at[ROLE_ROLE], FLOW_N_ROLES), FLOW_N_ROLES),
    };

    if (out->device < 0 && instant.role < FLOW_N_ROLES)
        g_array_append_val(out->instants, instant);
}

static StrobeStatus memory_timeline_batch(void *state, const StrobeView *records, size_t n)
{
    MemoryTimeline *out = state;

    for (size_t i = 0; i < n; i++) {
        const char *kind = records[i].kind->name;

        if (++out->n_records > RECORDS_MAX || out->instants->len > RECORDS_MAX)
            return out->host->fail(out->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                   "Cannot write memory timeline: more than %u records; "
                                   "record fewer steps",
                                   RECORDS_MAX);
        if (!strcmp(kind, "memory_event"))
            take_event(out, &records[i]);
        else if (!strcmp(kind, "cpu_op"))
            take_operator(out, &records[i]);
        else if (!strcmp(kind, "memory.tensor_use"))
            take_use(out, &records[i]);
        else if (!strcmp(kind, "memory.tensor_role"))
            take_role(out, &records[i]);
        else if (!strcmp(kind, "ascend_raw.parameter"))
            take_parameter(out, &records[i]);
    }
    return STROBE_OK;
}

/* ---- out ---- */

static GArray *all_nodes(MemoryTimeline *out)
{
    GArray *nodes = g_array_new(FALSE, FALSE, sizeof(FlowNode));
    GHashTableIter iter;
    gpointer thread_buffer;

    g_hash_table_iter_init(&iter, out->thread_buffers);
    while (g_hash_table_iter_next(&iter, NULL, &thread_buffer))
        g_array_append_vals(nodes, ((GArray *)thread_buffer)->data, ((GArray *)thread_buffer)->len);
    return nodes;
}

static int write_form(const TimelineText *text, const char *name, StrobeSafeFile *file)
{
    g_autofree char *plain =
        g_str_has_suffix(name, ".gz") ? g_strndup(name, strlen(name) - 3) : g_strdup(name);

    if (g_str_has_suffix(plain, ".html"))
        return timeline_write_page(text, file);
    if (g_str_has_suffix(plain, "raw.json"))
        return timeline_write_raw(text, file);
    return timeline_write_json(text, file);
}

static StrobeStatus write_file(MemoryTimeline *out, const TimelineText *text)
{
    const StrobeMetadata *metadata = out->host->metadata(out->self);
    const char *name = out->host->option_text(out->self, "file");
    StrobeSafeFile *file =
        gzip_file_create(metadata->directory, name, out->host->option_bool(out->self, "gzip"));
    int error = file ? write_form(text, name, file) : errno;

    if (file && error)
        strobe_safe_file_discard(file);
    else if (file)
        error = strobe_safe_file_finish(file);
    if (!error)
        return STROBE_OK;
    return out->host->fail(out->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                           "Cannot write memory timeline: file=\"%s\", folder=\"%s\": %s", name,
                           metadata->directory_path, g_strerror(error));
}

static StrobeStatus memory_timeline_end(void *state)
{
    MemoryTimeline *out = state;
    TimelineText text = {.host = out->host,
                         .self = out->self,
                         .device = out->host->option_text(out->self, "device"),
                         .most_allocated = out->most_allocated,
                         .most_reserved = out->most_reserved};
    StrobeStatus status;
    Categories *categories;
    GArray *events, *samples;
    Flow *flow;

    if (!out->has_events) {
        out->host->log(out->self, STROBE_LOG_WARNING,
                       "No file is written: no memory of the device \"%s\" was recorded (option "
                       "device)",
                       text.device);
        return STROBE_OK;
    }
    flow = flow_new(all_nodes(out), out->instants, out->steps);
    text.categories = categories = categories_new(flow);
    text.events = events = timeline_events(categories);
    text.samples = samples = timeline_samples(events);
    status = write_file(out, &text);
    g_array_unref(events);
    g_array_unref(samples);
    categories_free(categories);
    flow_free(flow);
    return status;
}

const StrobeConsumerOps memory_timeline_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = memory_timeline_open,
    .batch = memory_timeline_batch,
    .end = memory_timeline_end,
    .close = memory_timeline_close,
};
