/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the functions that write a kind, and the fields that they read themselves. */
#include <strobe/helpers/fields.h>

#include "device-kinds.h"

/* The functions for kinds, by the kind's name. A kind that has another shape, or lacks a required
 * field, is written by the generic functions. */
static const struct {
    const char *name;
    guint32 shape;
    TraceWriter write; /* NULL: `prepare` and `compose` write the kind */
    TracePrepare prepare;
    TraceComposer compose;
    guint8 part;
    gboolean only_known; /* only the fields in `known` are written */
    /* fields that are not in `known` are written only if a plugin added them ("plugin.field") */
    gboolean only_extended;
    guint n_required; /* the first n_required fields of `known` must exist */
    StrobeWantedField known[TRACE_KNOWN_FIELDS];
} writers[] = {
    {"cpu_op", STROBE_SHAPE_SPAN, NULL, prepare_cpu_op, compose_cpu_op, .only_extended = TRUE,
     .known = {{"sequence", STROBE_FIELD_I64},
               {"forward_thread", STROBE_FIELD_U64},
               {"shapes", STROBE_FIELD_STRING},
               {"types", STROBE_FIELD_STRING},
               {"stack", STROBE_FIELD_STACK},
               {"cpu_op.flops", STROBE_FIELD_U64}}},
    {"step", STROBE_SHAPE_SPAN, NULL, prepare_step, compose_step, .only_known = TRUE},
    {"gc", STROBE_SHAPE_SPAN, write_gc, .only_known = TRUE},
    {"operator_link", STROBE_SHAPE_LINK, NULL, prepare_link, compose_link, TRACE_PART_BACKWARD,
     .only_known = TRUE, .n_required = 3,
     .known = {{"sequence", STROBE_FIELD_I64},
               {"to_begin", STROBE_FIELD_I64},
               {"to_track", STROBE_FIELD_TRACK}}},
    {"task_queue", STROBE_SHAPE_SPAN, write_task_queue, .only_known = TRUE, .n_required = 2,
     .known = {{"correlation", STROBE_FIELD_LINK}, {"is_dequeue", STROBE_FIELD_BOOL}}},
    {"python_call", STROBE_SHAPE_SPAN, NULL, prepare_python_call, compose_python_call,
     TRACE_PART_PYTHON, .only_extended = TRUE, .n_required = 2,
     .known = {{"id", STROBE_FIELD_LINK},
               {"parent", STROBE_FIELD_LINK},
               {"module", STROBE_FIELD_I64}}},
    {"kernel_link", STROBE_SHAPE_LINK, NULL, prepare_kernel_link, compose_kernel_link,
     TRACE_PART_LINKS, .only_known = TRUE, .n_required = 2,
     .known = {{"to_begin", STROBE_FIELD_I64}, {"to_track", STROBE_FIELD_TRACK}}},
    {"flow_point", STROBE_SHAPE_INSTANT, NULL, prepare_flow_point, compose_flow_point,
     TRACE_PART_DEVICES, .only_known = TRUE, .n_required = 2,
     .known = {{"id", STROBE_FIELD_STRING}, {"is_end", STROBE_FIELD_BOOL}}},
    {"overlap", STROBE_SHAPE_SPAN, NULL, prepare_overlap, compose_overlap, TRACE_PART_DEVICES,
     .only_known = TRUE, .n_required = 2,
     .known = {{"type", STROBE_FIELD_U32}, {"device", STROBE_FIELD_I32}}},
    {"ascend_text.event", STROBE_SHAPE_SPAN, NULL, prepare_on_track, compose_source_event,
     TRACE_PART_DEVICES, .only_known = TRUE, .n_required = 1,
     .known = {{"phase", STROBE_FIELD_STRING},
               {"category", STROBE_FIELD_STRING},
               {"id", STROBE_FIELD_STRING},
               {"arguments", STROBE_FIELD_STRING},
               {"duration", STROBE_FIELD_F64}}},
    {"marker", STROBE_SHAPE_SPAN, NULL, prepare_marker, compose_marker,
     .known = {{"argument", STROBE_FIELD_U64},
               {"marker.domain", STROBE_FIELD_STRING},
               {"marker.event", STROBE_FIELD_U32}}},
    {"marker_instant", STROBE_SHAPE_INSTANT, NULL, prepare_marker, compose_marker,
     .known = {{"argument", STROBE_FIELD_U64},
               {"marker.domain", STROBE_FIELD_STRING},
               {"marker.event", STROBE_FIELD_U32}}},
    {"host_cpu", STROBE_SHAPE_COUNTER, NULL, prepare_cpu_usage, compose_cpu_usage,
     .only_known = TRUE, .n_required = 1, .known = {{"usage", STROBE_FIELD_F64}}},
    {"loss", STROBE_SHAPE_SPAN, write_loss},
    {"collector_call", STROBE_SHAPE_SPAN, NULL, prepare_run_event, compose_generic},
    {"diagnostic", STROBE_SHAPE_INSTANT, NULL, prepare_run_event, compose_instant},
    {"metadata", STROBE_SHAPE_INSTANT, NULL, prepare_run_event, compose_instant},
    {"counter", STROBE_SHAPE_COUNTER, NULL, prepare_on_track, compose_counter, .only_known = TRUE,
     .n_required = 1,
     .known = {{"value", STROBE_FIELD_F64}, {"chrome_trace.series", STROBE_FIELD_STRING}}},
    {"chrome_trace.flow", STROBE_SHAPE_INSTANT, NULL, prepare_external_flow, compose_external_flow,
     .only_known = TRUE, .n_required = 4,
     .known = {{"category", STROBE_FIELD_STRING},
               {"number", STROBE_FIELD_U64},
               {"id", STROBE_FIELD_STRING},
               {"phase", STROBE_FIELD_U8},
               {"is_enclosing", STROBE_FIELD_BOOL}}},
    {"head_overhead", STROBE_SHAPE_SPAN, write_head_overhead, .only_known = TRUE, .n_required = 5,
     .known = {{"framework", STROBE_FIELD_I64},
               {"torchair", STROBE_FIELD_I64},
               {"python", STROBE_FIELD_I64},
               {"cpp", STROBE_FIELD_I64},
               {"ge", STROBE_FIELD_I64},
               {"is_nested", STROBE_FIELD_BOOL},
               {"is_compile", STROBE_FIELD_BOOL}}},
};

/* Kinds that are not drawn, because they are useful only in tables: details of another kind, kinds
 * without a time, and samples of which only sums are useful. */
static const char *const not_drawn[] = {
    "device_pmu",         "l2_cache",      "soc_pmu", "aicpu",    "device_info",
    "clock_sync",         "module_memory", "mac",     "sampling", "memory.tensor_use",
    "memory.tensor_role", "cpu_sample"};

/* Kinds of imports that are not drawn: data from other files of the recording tool, or data about
 * the import itself. */
static const char *const not_drawn_of_imports[] = {"metadata",
                                                   "diagnostic",
                                                   "collector_call",
                                                   "step_range",
                                                   "kernel_detail",
                                                   "operator_device",
                                                   "op_statistic",
                                                   "api_statistic",
                                                   "step_trace",
                                                   "memory_event",
                                                   "memory_block",
                                                   "memory_total",
                                                   "communication_time",
                                                   "communication_bandwidth",
                                                   "communication_matrix"};

static gboolean is_named(const char *name, const char *const *names, guint n)
{
    for (guint i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return TRUE;
    return FALSE;
}

static gboolean is_drawn(const ChromeTrace *trace, const StrobeKindView *view)
{
    if (is_named(view->name, not_drawn, G_N_ELEMENTS(not_drawn)))
        return FALSE;
    if (!trace->is_import)
        return TRUE;
    return !is_named(view->name, not_drawn_of_imports, G_N_ELEMENTS(not_drawn_of_imports)) &&
           !g_str_has_prefix(view->name, "ascend_db.") &&
           (!g_str_has_prefix(view->name, "ascend_text.") ||
            !strcmp(view->name, "ascend_text.event"));
}

static void write_nothing(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    (void)trace;
    (void)kind;
    (void)record;
}

/* Returns the index of the kind's functions in `writers`; -1: the generic ones. Sets the offsets of
 * the known fields. */
static int find_writer(TraceKind *kind)
{
    for (guint i = 0; i < G_N_ELEMENTS(writers); i++) {
        if (strcmp(writers[i].name, kind->view->name) || writers[i].shape != kind->view->shape)
            continue;
        for (guint k = 0; k < TRACE_KNOWN_FIELDS && writers[i].known[k].name; k++) {
            kind->known[k] =
                strobe_field_offset(kind->view, writers[i].known[k].name, writers[i].known[k].type);
            if (k < writers[i].n_required && kind->known[k] == STROBE_FIELD_MISSING)
                return -1;
        }
        return (int)i;
    }
    return -1;
}

/* Returns whether put_field writes the field. */
static gboolean is_other(const TraceKind *kind, int writer, const StrobeFieldView *field)
{
    if (!strobe_field_size(field->type) || kind->counters)
        return FALSE;
    if (kind->events)
        return trace_events_is_extra(kind->events, field);
    if (writer < 0)
        return kind->view->shape != STROBE_SHAPE_COUNTER ||
               (field->type != STROBE_FIELD_STRING && field->type != STROBE_FIELD_STACK &&
                field->type != STROBE_FIELD_TRACK && field->type != STROBE_FIELD_LINK);
    if (writers[writer].only_known || (writers[writer].only_extended && !strchr(field->name, '.')))
        return FALSE;
    for (guint k = 0; k < TRACE_KNOWN_FIELDS && writers[writer].known[k].name; k++)
        if (kind->known[k] == field->offset && field->type == writers[writer].known[k].type)
            return FALSE;
    return TRUE;
}

/* Fields that Strobe's plugins add, and the names by which readers of the Ascend profiler's files
 * know them. */
static const struct {
    const char *field, *key;
} added_keys[] = {
    {"cpu_op.modules", "Module Hierarchy"},
    {"ascend_raw.modules", "Module Hierarchy"},
    {"cpu_op.values", "Concrete Inputs"},
};

/* Returns the key of the field: from added_keys or from the Ascend profiler's events in formats/;
 * if neither has the field, its own name. */
static const char *key_of(const TraceKind *kind, const StrobeFieldView *field)
{
    for (gsize i = 0; i < G_N_ELEMENTS(added_keys); i++)
        if (!strcmp(added_keys[i].field, field->name))
            return added_keys[i].key;
    for (guint32 i = 0; i < n_ascend_events; i++)
        for (guint32 k = 0; k < ascend_events[i].n_args; k++) {
            const AscendArg *arg = &ascend_events[i].args[k];

            if (!strcmp(ascend_events[i].kind, kind->view->name) && arg->field &&
                !strcmp(arg->field, field->name))
                return arg->key;
        }
    return field->name;
}

static void add_field(ChromeTrace *trace, TraceKind *kind, const StrobeFieldView *field)
{
    const char *key = key_of(kind, field);
    const CachedText *name = text_cache_escape(trace->texts, key, strlen(key));
    TraceField *added = &kind->fields[kind->n_fields++];
    g_autofree char *text = g_strdup_printf("%.*s: ", (int)name->length, name->bytes);

    added->key_length = name->length + 2;
    added->key = trace_out_pad(text, added->key_length);
    /* Viewers draw only numbers, so a Boolean value becomes a number. */
    added->type = kind->compose == compose_generic_counter && field->type == STROBE_FIELD_BOOL
                      ? STROBE_FIELD_U8
                      : field->type;
    added->offset = field->offset;
    added->is_json = !strcmp(field->name, "ascend_text.arguments");
}

static void choose_writer(ChromeTrace *trace, TraceKind *kind, int writer)
{
    if (!is_drawn(trace, kind->view)) {
        kind->write = write_nothing;
    } else if (writer >= 0) {
        kind->write = writers[writer].write;
        kind->prepare = writers[writer].prepare;
        kind->compose = writers[writer].compose;
        kind->part = writers[writer].part;
    } else if (trace_events_bind(trace, kind)) {
        kind->prepare = prepare_device_event;
        kind->compose = compose_device_event;
        kind->part = TRACE_PART_DEVICES;
    } else if (trace_counters_bind(trace, kind)) {
        kind->write = write_device_counter;
        kind->compose = compose_device_counter;
        kind->part = TRACE_PART_DEVICES;
    } else if (kind->view->shape == STROBE_SHAPE_COUNTER) {
        kind->prepare = prepare_on_track;
        kind->compose = compose_generic_counter;
    } else {
        kind->prepare = prepare_on_track;
        kind->compose = kind->view->shape == STROBE_SHAPE_SPAN ? compose_generic : compose_instant;
    }
}

TraceKind *trace_kind_new(ChromeTrace *trace, const StrobeKindView *view)
{
    TraceKind *kind = g_new0(TraceKind, 1);
    const CachedText *name;
    int writer;

    kind->view = view;
    kind->view_fields = view->fields;
    kind->view_n_fields = view->n_fields;
    kind->view_id = view->id;
    for (guint k = 0; k < TRACE_KNOWN_FIELDS; k++)
        kind->known[k] = STROBE_FIELD_MISSING;
    kind->field_bytes = strobe_view_field_bytes(view);
    writer = find_writer(kind);
    choose_writer(trace, kind, writer);
    name = text_cache_escape(trace->texts, view->name, strlen(view->name));
    kind->name_text = trace_out_pad(name->bytes, name->length);
    kind->name_length = name->length;
    kind->fields = g_new0(TraceField, view->n_fields + 1);
    for (guint i = 0; i < view->n_fields; i++)
        if (is_other(kind, writer, &view->fields[i]))
            add_field(trace, kind, &view->fields[i]);
    return kind;
}

const TraceKind *trace_kind_own(ChromeTrace *trace, TraceComposer compose)
{
    TraceKind *kind = g_new0(TraceKind, 1);

    kind->compose = compose;
    g_ptr_array_add(trace->all_kinds, kind);
    return kind;
}

void trace_kind_free(gpointer user)
{
    TraceKind *kind = user;

    for (guint i = 0; i < kind->n_fields; i++)
        g_free(kind->fields[i].key);
    g_free(kind->fields);
    trace_events_free(kind->events);
    trace_counters_free(kind->counters);
    g_free(kind->name_text);
    g_free(kind);
}

const TraceKind *trace_find_kind(ChromeTrace *trace, const StrobeKindView *view)
{
    TraceKind **recent = &trace->recent[view->id % TRACE_RECENT];
    TraceKind *kind = *recent;

    if (!kind || kind->view != view)
        kind = g_hash_table_lookup(trace->kinds, view);
    if (!kind || kind->view_fields != view->fields || kind->view_n_fields != view->n_fields ||
        kind->view_id != view->id) {
        kind = trace_kind_new(trace, view);
        /* a kind that the new one replaces may still have waiting records */
        g_ptr_array_add(trace->all_kinds, kind);
        g_hash_table_replace(trace->kinds, (gpointer)view, kind);
    }
    *recent = kind;
    return kind;
}
