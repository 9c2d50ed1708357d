/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-kinds.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/keyed-hash.h>

#define STACKS_MAX 1024u

static const StrobeField event_fields[] = {
    {"phase", STROBE_FIELD_STRING, 0, "", "Phase of the event."},
    {"category", STROBE_FIELD_STRING, 0, "", "Category."},
    {"id", STROBE_FIELD_STRING, 0, "", "Id of a flow."},
    {"arguments", STROBE_FIELD_STRING, 0, "", "Arguments, as JSON."},
    {"duration", STROBE_FIELD_F64, 0, "us", "Duration as written."},
};
const StrobeKind ascend_text_event_kind = STROBE_KIND(
    "ascend_text.event", SPAN, event_fields, "An event of a trace that fits no other kind.");

static const StrobeField unknown_field = {ASCEND_TEXT_ARGUMENTS, STROBE_FIELD_STRING, 0, "",
                                          "Arguments that no field has, as JSON."};

/* ---- the fields of a kind ---- */

static void bind_slot(TraceSlot *slot, const StrobeKind *kind)
{
    const char *field = slot->arg->field;

    for (guint32 i = 0; field && i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, field)) {
            slot->offset = strobe_kind_offset(kind, i);
            slot->type = kind->fields[i].type;
        }
}

static void bind_all(TraceKind *kind, const StrobeKind *declared)
{
    for (guint32 i = 0; i < kind->events->n_args; i++)
        bind_slot(&kind->slots[i], declared);
    kind->exact = -1;
    for (guint32 i = 0; i < declared->n_fields; i++) {
        if (!strcmp(declared->fields[i].name, "exact_us"))
            kind->exact = (gint)strobe_kind_offset(declared, i);
        else if (!strcmp(declared->fields[i].name, ASCEND_TEXT_ARGUMENTS))
            kind->unknown = strobe_kind_offset(declared, i);
    }
}

void trace_kinds_init(TraceKinds *kinds, Import *import)
{
    kinds->import = import;
    kinds->text = g_string_new(NULL);
    kinds->stacks = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    kinds->kinds = g_new0(TraceKind, n_ascend_events);
    for (guint32 i = 0; i < n_ascend_events; i++) {
        TraceKind *kind = &kinds->kinds[i];

        kind->events = &ascend_events[i];
        kind->kind = import_kind(kind->events->kind);
        kind->slots = g_new0(TraceSlot, kind->events->n_args + 1);
        for (guint32 k = 0; k < kind->events->n_args; k++)
            kind->slots[k].arg = &kind->events->args[k];
        bind_all(kind, kind->kind);
    }
}

void trace_kinds_clear(TraceKinds *kinds)
{
    for (guint32 i = 0; i < n_ascend_events; i++)
        g_free(kinds->kinds[i].slots);
    g_free(kinds->kinds);
    g_hash_table_unref(kinds->stacks);
    g_string_free(kinds->text, TRUE);
}

TraceKind *trace_kind_of(const TraceKinds *kinds, gint32 layer, const char *category)
{
    const AscendEvents *events = layer < 0 ? NULL : ascend_events_of((guint32)layer, category);

    return events ? &kinds->kinds[events - ascend_events] : NULL;
}

/* Finds the slot of an argument. Arguments mostly come in the order of the slots, so the search
 * begins at *at, which is set to the position after the slot. */
static TraceSlot *find_slot(const TraceKind *kind, const char *key, guint32 *at)
{
    guint32 n = kind->events->n_args;

    for (guint32 i = 0; i < n; i++) {
        guint32 k = *at + i < n ? *at + i : *at + i - n;

        if (!strcmp(kind->slots[k].arg->key, key)) {
            *at = k + 1;
            return &kind->slots[k];
        }
    }
    return NULL;
}

void trace_kind_index_pass(TraceKind *kind, const char *const *keys, guint n)
{
    guint32 at = 0;

    for (guint i = 0; i < n; i++) {
        TraceSlot *slot = find_slot(kind, keys[i], &at);

        if (slot)
            slot->is_used = TRUE;
        else
            kind->has_unknown = TRUE;
    }
}

static gboolean is_among(const GArray *fields, const char *name)
{
    for (guint i = 0; i < fields->len; i++)
        if (!strcmp(g_array_index(fields, StrobeField, i).name, name))
            return TRUE;
    return FALSE;
}

/* Collects the additional fields ("plugin.field") for which events have an argument. */
static void collect_fields(const TraceKind *kind, GArray *fields)
{
    for (guint32 i = 0; i < kind->events->n_args; i++) {
        const TraceSlot *slot = &kind->slots[i];
        const StrobeField field = {slot->arg->field, STROBE_FIELD_STRING, 0, "", slot->arg->key};

        if (slot->is_used && slot->type == 0 && slot->arg->field && slot->arg->field[0] != '@' &&
            strchr(slot->arg->field, '.') && !is_among(fields, field.name))
            g_array_append_val(fields, field);
    }
    if (kind->has_unknown && !is_among(fields, unknown_field.name))
        g_array_append_val(fields, unknown_field);
}

void trace_kinds_finish(TraceKinds *kinds)
{
    for (guint32 i = 0; i < n_ascend_events; i++) {
        const StrobeKind *kind = kinds->kinds[i].kind;
        g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(StrobeField));

        if (import_extended(kinds->import, kind) != kind)
            continue; /* already extended, because several entries may have the same kind */
        for (guint32 k = i; k < n_ascend_events; k++)
            if (kinds->kinds[k].kind == kind)
                collect_fields(&kinds->kinds[k], fields);
        if (fields->len)
            import_extend(kinds->import, kind, (const StrobeField *)(gpointer)fields->data,
                          fields->len);
    }
    for (guint32 i = 0; i < n_ascend_events; i++)
        bind_all(&kinds->kinds[i], import_extended(kinds->import, kinds->kinds[i].kind));
}

/* ---- arguments ---- */

/* Interns a list without the line breaks that the trace adds. */
static StrobeStringId intern_list(TraceKinds *kinds, const TraceArg *arg)
{
    const StrobeImporterHost *host = kinds->import->host;
    const char *from = arg->text, *end = arg->text + arg->length, *next;

    g_string_truncate(kinds->text, 0);
    while ((next = memchr(from, ';', (gsize)(end - from)))) {
        g_string_append_len(kinds->text, from, next + 1 - from);
        from = next + 1;
        if (end - from >= 2 && from[0] == '\r' && from[1] == '\n')
            from += 2;
    }
    g_string_append_len(kinds->text, from, end - from);
    return host->intern(kinds->import->self, kinds->text->str, kinds->text->len);
}

static StrobeStackId make_stack(const Import *import, const char *text)
{
    g_auto(GStrv) frames = g_strsplit(text, ";\r\n", -1);
    guint n = g_strv_length(frames);
    g_autofree StrobeStringId *ids = g_new(StrobeStringId, n + 1);

    for (guint i = 0; i < n; i++)
        ids[i] = import->host->intern(import->self, frames[i], strlen(frames[i]));
    return import->host->stack(import->self, ids, n);
}

/* Interns a stack. Consecutive operators often have the same stack, so recent stacks are cached. */
static StrobeStackId intern_stack(TraceKinds *kinds, const TraceArg *arg)
{
    gpointer known = g_hash_table_lookup(kinds->stacks, arg->text);

    if (!known) {
        if (g_hash_table_size(kinds->stacks) >= STACKS_MAX)
            g_hash_table_remove_all(kinds->stacks);
        known = GUINT_TO_POINTER(make_stack(kinds->import, arg->text));
        g_hash_table_insert(kinds->stacks, g_strdup(arg->text), known);
    }
    return GPOINTER_TO_UINT(known);
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

static int fill_slot(TraceKinds *kinds, const TraceSlot *slot, const TraceArg *arg, char *fields)
{
    const Import *import = kinds->import;
    StrobeStringId id;

    if (slot->type == 0)
        return 0;
    if (slot->type == STROBE_FIELD_STACK)
        id = intern_stack(kinds, arg);
    else if (slot->type == STROBE_FIELD_STRING && slot->arg->form == ASCEND_ARG_LIST)
        id = intern_list(kinds, arg);
    else if (slot->type == STROBE_FIELD_STRING)
        id = slot->arg->absent && !strcmp(slot->arg->absent, arg->text)
                 ? 0
                 : import->host->intern(import->self, arg->text, arg->length);
    else
        return store_number(slot, arg, fields + slot->offset);
    memcpy(fields + slot->offset, &id, sizeof id);
    return 0;
}

StrobeStringId trace_kinds_args(TraceKinds *kinds, const TraceEvent *event, const guint8 *only)
{
    const Import *import = kinds->import;

    g_string_truncate(kinds->text, 0);
    trace_event_write_args(event, only, &kinds->json, kinds->text);
    return import->host->intern(import->self, kinds->text->str, kinds->text->len);
}

static void keep_unknown(TraceKinds *kinds, const TraceKind *kind, const TraceEvent *event,
                         const guint8 *unknown, char *fields)
{
    StrobeStringId id = trace_kinds_args(kinds, event, unknown);

    for (guint i = 0; i < event->n_args; i++) {
        g_autofree char *name = NULL;

        if (!unknown[i])
            continue;
        name = g_strdup_printf("%s.%s", kind->kind->name, event->args[i].key);
        kinds->import->host->unknown(kinds->import->self, TRACE_NAME, name, 1);
    }
    if (kind->unknown)
        memcpy(fields + kind->unknown, &id, sizeof id);
}

void trace_kind_fill(TraceKinds *kinds, const TraceKind *kind, const TraceEvent *event,
                     void *fields)
{
    guint8 unknown[TRACE_ARGS_MAX] = {0};
    gboolean has_unknown = FALSE;
    guint32 at = 0;

    for (guint i = 0; i < event->n_args; i++) {
        const TraceArg *arg = &event->args[i];
        const TraceSlot *slot = find_slot(kind, arg->key, &at);

        if (!slot)
            unknown[i] = has_unknown = TRUE;
        else if (fill_slot(kinds, slot, arg, fields))
            import_damage(kinds->import, TRACE_NAME, "before offset", event->offset, arg->key);
    }
    if (has_unknown)
        keep_unknown(kinds, kind, event, unknown, fields);
}
