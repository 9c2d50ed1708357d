/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-kinds.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>

#define TRACE_NAME "trace_view.json"

static const StrobeField event_fields[] = {
    {"phase", STROBE_FIELD_STRING, 0, "", "Phase of the event."},
    {"category", STROBE_FIELD_STRING, 0, "", "Category."},
    {"id", STROBE_FIELD_STRING, 0, "", "Id of a flow."},
    {"arguments", STROBE_FIELD_STRING, 0, "", "Arguments, as JSON."},
    {"duration", STROBE_FIELD_F64, 0, "us", "Duration as written."},
};
const StrobeKind ascend_text_event_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_SPAN,
    .name = "ascend_text.event",
    .summary = "An event of a trace that no other kind has a place for.",
    .fields = event_fields,
    .n_fields = G_N_ELEMENTS(event_fields),
};

const StrobeKind *const ascend_text_kinds[ASCEND_TEXT_KINDS] = {
    &ascend_text_event_kind,   &strobe_kind_cpu_op,
    &strobe_kind_task_queue,   &strobe_kind_python_call,
    &strobe_kind_gc,           &strobe_kind_api_call,
    &strobe_kind_device_task,  &strobe_kind_device_pmu,
    &strobe_kind_comm_op,      &strobe_kind_comm_task,
    &strobe_kind_flow_point,   &strobe_kind_core_frequency,
    &strobe_kind_memory_usage, &strobe_kind_module_memory,
    &strobe_kind_hbm,          &strobe_kind_ddr,
    &strobe_kind_llc,          &strobe_kind_qos,
    &strobe_kind_acc_pmu,      &strobe_kind_soc_bandwidth,
    &strobe_kind_hccs,         &strobe_kind_usage,
    &strobe_kind_l2_cache,     &strobe_kind_soc_pmu,
    &strobe_kind_aicpu,        &strobe_kind_nic,
    &strobe_kind_roce,         &strobe_kind_overlap,
    &strobe_kind_os_call,      &strobe_kind_pcie,
    &strobe_kind_sio,
};

static const StrobeKind *find_kind(const char *name)
{
    for (guint i = 0; i < ASCEND_TEXT_KINDS; i++)
        if (!strcmp(ascend_text_kinds[i]->name, name))
            return ascend_text_kinds[i];
    return NULL;
}

static void bind(TraceSlot *slot, const StrobeKind *kind, const AscendArg *arg)
{
    slot->arg = arg;
    for (guint32 i = 0; arg->field && i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, arg->field)) {
            slot->offset = strobe_kind_offset(kind, i);
            slot->type = kind->fields[i].type;
        }
}

static void bind_all(TraceKind *kind)
{
    kind->slots = g_new0(TraceSlot, kind->events->n_args + 1);
    kind->exact = -1;
    for (guint32 i = 0; i < kind->events->n_args; i++)
        bind(&kind->slots[i], kind->kind, &kind->events->args[i]);
    for (guint32 i = 0; i < kind->kind->n_fields; i++)
        if (!strcmp(kind->kind->fields[i].name, "exact_us"))
            kind->exact = (gint)strobe_kind_offset(kind->kind, i);
}

StrobeStatus trace_kinds_init(TraceKinds *kinds, const StrobeImporterHost *host,
                              StrobeInstance *self)
{
    StrobeStatus status = host->kind(self, &ascend_text_event_kind, &kinds->event);

    if (!status)
        status = host->kind(self, &strobe_kind_flow_point, &kinds->flow);
    if (!status)
        status = host->kind(self, &strobe_kind_device_pmu, &kinds->pmu);
    kinds->kinds = g_new0(TraceKind, n_ascend_events);
    for (guint32 i = 0; !status && i < n_ascend_events; i++) {
        TraceKind *kind = &kinds->kinds[i];

        kind->events = &ascend_events[i];
        kind->kind = find_kind(kind->events->kind);
        if (!strcmp(kind->events->kind, "overlap"))
            continue; /* derived: it is not read */
        bind_all(kind);
        status = host->kind(self, kind->kind, &kind->id);
    }
    g_assert(n_ascend_counters <= G_N_ELEMENTS(kinds->counters));
    for (guint32 i = 0; !status && i < n_ascend_counters; i++)
        status = host->kind(self, find_kind(ascend_counters[i].kind), &kinds->counters[i]);
    return status;
}

void trace_kinds_clear(TraceKinds *kinds)
{
    for (guint32 i = 0; i < n_ascend_events; i++)
        g_free(kinds->kinds[i].slots);
    g_free(kinds->kinds);
}

const TraceKind *trace_kind_of(const TraceKinds *kinds, guint32 layer, const char *category)
{
    const AscendEvents *events = ascend_events_of(layer, category);
    const TraceKind *kind = events ? &kinds->kinds[events - ascend_events] : NULL;

    return kind && kind->id ? kind : NULL;
}

/* ---- arguments ---- */

/* A list as the source joined it, without the line breaks that the trace adds. */
static StrobeStringId intern_list(const StrobeImporterHost *host, StrobeInstance *self,
                                  const TraceArg *arg)
{
    g_autoptr(GString) text = g_string_new_len(arg->text, (gssize)arg->length);

    g_string_replace(text, ";\r\n", ";", 0);
    return host->intern(self, text->str, text->len);
}

static StrobeStackId intern_stack(const StrobeImporterHost *host, StrobeInstance *self,
                                  const TraceArg *arg)
{
    g_auto(GStrv) frames = g_strsplit(arg->text, ";\r\n", -1);
    guint n = g_strv_length(frames);
    g_autofree StrobeStringId *ids = g_new(StrobeStringId, n + 1);

    for (guint i = 0; i < n; i++)
        ids[i] = host->intern(self, frames[i], strlen(frames[i]));
    return host->stack(self, ids, n);
}

static int store_number(const TraceSlot *slot, const TraceArg *arg, void *at)
{
    StrobeColumn column = {arg->key, "", STROBE_CELL_AUTO, slot->arg->absent};
    StrobeCellValue value;

    if (slot->arg->form == ASCEND_ARG_YES_NO) {
        value = (StrobeCellValue){.type = STROBE_CELL_WHOLE, .whole = !strcmp(arg->text, "yes")};
        return strobe_cell_store(&value, slot->type, at);
    }
    if (strobe_cell_read(&column, arg->text, arg->length, &value))
        return -1;
    return strobe_cell_store(&value, slot->type, at);
}

static int fill_slot(const StrobeImporterHost *host, StrobeInstance *self, const TraceSlot *slot,
                     const TraceArg *arg, char *fields)
{
    StrobeStringId id;

    if (slot->type == 0)
        return 0;
    if (slot->type == STROBE_FIELD_STACK)
        id = intern_stack(host, self, arg);
    else if (slot->type == STROBE_FIELD_STRING && slot->arg->form == ASCEND_ARG_LIST)
        id = intern_list(host, self, arg);
    else if (slot->type == STROBE_FIELD_STRING)
        id = slot->arg->absent && !strcmp(slot->arg->absent, arg->text)
                 ? 0
                 : host->intern(self, arg->text, arg->length);
    else
        return store_number(slot, arg, fields + slot->offset);
    memcpy(fields + slot->offset, &id, sizeof id);
    return 0;
}

static const TraceSlot *find_slot(const TraceKind *kind, const char *key)
{
    for (guint32 i = 0; i < kind->events->n_args; i++)
        if (!strcmp(kind->slots[i].arg->key, key))
            return &kind->slots[i];
    return NULL;
}

void trace_kind_fill(const TraceKind *kind, const StrobeImporterHost *host, StrobeInstance *self,
                     const TraceEvent *event, void *fields)
{
    for (guint i = 0; i < event->n_args; i++) {
        const TraceArg *arg = &event->args[i];
        const TraceSlot *slot = find_slot(kind, arg->key);

        if (!slot) {
            g_autofree char *name = g_strdup_printf("%s.%s", kind->kind->name, arg->key);

            host->unknown(self, TRACE_NAME, name, 1);
        } else if (fill_slot(host, self, slot, arg, fields)) {
            g_autofree char *place =
                g_strdup_printf(TRACE_NAME ", before offset %" G_GUINT64_FORMAT, event->offset);

            host->damage(self, place, arg->key);
        }
    }
}
