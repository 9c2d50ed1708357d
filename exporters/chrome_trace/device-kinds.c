/* SPDX-License-Identifier: Apache-2.0 */
#include "device-kinds.h"

#include <strobe/helpers/fields.h>

static const AscendEvents *find_events(const StrobeKindView *view)
{
    for (guint32 i = 0; i < n_ascend_events; i++) {
        const AscendEvents *events = &ascend_events[i];

        if (events->layer != ASCEND_LAYER_PYTHON && events->layer != ASCEND_LAYER_GC &&
            events->layer != ASCEND_LAYER_OVERLAP && !strcmp(events->kind, view->name))
            return events;
    }
    return NULL;
}

static void find_field(const StrobeKindView *view, const char *name, guint32 *type, guint32 *offset)
{
    for (guint32 i = 0; name && i < view->n_fields; i++)
        if (!strcmp(view->fields[i].name, name) && strobe_field_size(view->fields[i].type)) {
            *type = view->fields[i].type;
            *offset = view->fields[i].offset;
        }
}

static guint8 source_of(const AscendEvents *events, const AscendArg *row)
{
    gboolean is_call = events->layer == ASCEND_LAYER_CANN;

    if (!row->field)
        return TRACE_ARGUMENT_FUNCTION;
    if (!strcmp(row->field, STROBE_COLUMN_TRACK))
        return TRACE_ARGUMENT_ROW;
    if (!strcmp(row->field, STROBE_COLUMN_NAME))
        return TRACE_ARGUMENT_NAME;
    if (is_call && !strcmp(row->field, "level"))
        return TRACE_ARGUMENT_LEVEL;
    return strcmp(row->field, "task_type") ? TRACE_ARGUMENT_FIELD : TRACE_ARGUMENT_TASK_TYPE;
}

static guint8 put_of(const TraceArgument *argument)
{
    if (argument->source == TRACE_ARGUMENT_ROW)
        return TRACE_PUT_ROW;
    if (argument->source != TRACE_ARGUMENT_FIELD)
        return TRACE_PUT_ANY;
    if (argument->type == STROBE_FIELD_STRING)
        return argument->form == ASCEND_ARG_LIST ? TRACE_PUT_ANY : TRACE_PUT_TEXT;
    if (argument->form != ASCEND_ARG_INT)
        return TRACE_PUT_ANY;
    switch (argument->type) {
    case STROBE_FIELD_U32:
        return TRACE_PUT_U32;
    case STROBE_FIELD_I32:
        return TRACE_PUT_I32;
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        return TRACE_PUT_U64;
    case STROBE_FIELD_I64:
        return TRACE_PUT_I64;
    default:
        return TRACE_PUT_ANY;
    }
}

static void bind_argument(ChromeTrace *trace, TraceArgument *argument, const StrobeKindView *view,
                          const AscendEvents *events, const AscendArg *row)
{
    const CachedText *key = text_cache_escape(trace->texts, row->key, strlen(row->key));
    g_autofree char *text = g_strdup_printf(", %.*s: ", (int)key->length, key->bytes);

    argument->absent = row->absent;
    argument->form = row->form == ASCEND_ARG_SHORT && !trace->is_old ? ASCEND_ARG_FLOAT : row->form;
    argument->key_length = key->length + 4;
    argument->key = trace_out_pad(text, argument->key_length);
    argument->source = source_of(events, row);
    find_field(view, row->field, &argument->type, &argument->offset);
    if (argument->source == TRACE_ARGUMENT_TASK_TYPE)
        find_field(view, "core", &argument->other_type, &argument->other_offset);
    argument->put = put_of(argument);
}

gboolean trace_events_bind(ChromeTrace *trace, TraceKind *kind)
{
    const StrobeKindView *view = kind->view;
    const AscendEvents *events = view->shape == STROBE_SHAPE_SPAN ? find_events(view) : NULL;
    guint8 generation = ascend_generation_bit(trace->rows->generation);
    TraceEvents *bound;

    if (!events)
        return FALSE;
    kind->events = bound = g_new0(TraceEvents, 1);
    bound->layer = events->layer;
    bound->is_transfer = !strcmp(events->kind, "comm_task");
    bound->arguments = g_new0(TraceArgument, events->n_args + 1);
    for (guint32 i = 0; i < events->n_args; i++)
        if (events->args[i].generations & generation)
            bind_argument(trace, &bound->arguments[bound->n_arguments++], view, events,
                          &events->args[i]);
    bound->exact = strobe_field_offset(view, "exact_us", STROBE_FIELD_F64);
    bound->level = strobe_field_offset(view, "level", STROBE_FIELD_STRING);
    bound->connection = strobe_field_offset(view, "connection", STROBE_FIELD_LINK);
    bound->is_kernel = strobe_field_offset(view, "is_kernel", STROBE_FIELD_BOOL);
    bound->task_id = strobe_field_offset(view, "task_id", STROBE_FIELD_U32);
    bound->batch = strobe_field_offset(view, "batch", STROBE_FIELD_U32);
    bound->context = strobe_field_offset(view, "context", STROBE_FIELD_U32);
    bound->stream = strobe_field_offset(view, "stream", STROBE_FIELD_U32);
    return TRUE;
}

gboolean trace_events_is_extra(const TraceEvents *events, const StrobeFieldView *field)
{
    for (guint i = 0; i < events->n_arguments; i++)
        if (events->arguments[i].type && events->arguments[i].offset == field->offset)
            return FALSE;
    return strchr(field->name, '.') != NULL;
}

void trace_events_free(TraceEvents *events)
{
    if (!events)
        return;
    for (guint i = 0; i < events->n_arguments; i++)
        g_free(events->arguments[i].key);
    g_free(events->arguments);
    g_free(events);
}
