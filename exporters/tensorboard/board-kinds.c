/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the writer of a kind, and maps its fields to arguments. */
#include <strobe/helpers/fields.h>

#include "tensorboard.h"

static const struct {
    const char *name;
    guint32 shape;
    BoardWriter write;
    StrobeWantedField known[BOARD_KNOWN_FIELDS];
} writers[] = {
    {"cpu_op",
     STROBE_SHAPE_SPAN,
     write_operator,
     {{"is_async", STROBE_FIELD_BOOL}, {"scope", STROBE_FIELD_U8}}},
    {"step",
     STROBE_SHAPE_SPAN,
     write_step,
     {{"thread", STROBE_FIELD_U64}, {"number", STROBE_FIELD_I64}}},
    {"marker", STROBE_SHAPE_SPAN, write_marker, {{NULL}}},
    {"python_call", STROBE_SHAPE_SPAN, write_python_call, {{NULL}}},
    {"api_call",
     STROBE_SHAPE_SPAN,
     write_call,
     {{"level", STROBE_FIELD_STRING},
      {"connection", STROBE_FIELD_LINK},
      {"exact_us", STROBE_FIELD_F64}}},
    {"device_task",
     STROBE_SHAPE_SPAN,
     write_task,
     {{"task_type", STROBE_FIELD_STRING},
      {"connection", STROBE_FIELD_LINK},
      {"is_kernel", STROBE_FIELD_BOOL},
      {"copy_bytes", STROBE_FIELD_U64},
      {"exact_us", STROBE_FIELD_F64}}},
    {"comm_op",
     STROBE_SHAPE_SPAN,
     write_collective,
     {{"connection", STROBE_FIELD_LINK},
      {"exact_us", STROBE_FIELD_F64},
      {"op_type", STROBE_FIELD_STRING},
      {"count", STROBE_FIELD_U64},
      {"rank_size", STROBE_FIELD_U32},
      {"data_type", STROBE_FIELD_STRING},
      {"group", STROBE_FIELD_STRING}}},
    {"memory_event",
     STROBE_SHAPE_MEMORY,
     write_memory,
     {{"device", STROBE_FIELD_I32},
      {KINETO_OURS "device_type", STROBE_FIELD_I32},
      {"size", STROBE_FIELD_I64},
      {"address", STROBE_FIELD_U64},
      {"total_reserved", STROBE_FIELD_I64}}},
    {"counter",
     STROBE_SHAPE_COUNTER,
     write_counter,
     {{"value", STROBE_FIELD_F64},
      {KINETO_OURS "series", STROBE_FIELD_STRING},
      {KINETO_OURS "category", STROBE_FIELD_STRING},
      {KINETO_OURS "id", STROBE_FIELD_STRING}}},
    {"metadata",
     STROBE_SHAPE_INSTANT,
     write_metadata,
     {{"value", STROBE_FIELD_STRING}, {"is_json", STROBE_FIELD_BOOL}}},
    {"device_info", STROBE_SHAPE_INSTANT, write_device_info, {{"device", STROBE_FIELD_I32}}},
    {"operator_link",
     STROBE_SHAPE_LINK,
     write_link,
     {{"to_begin", STROBE_FIELD_I64}, {"to_track", STROBE_FIELD_TRACK}}},
    {KINETO_OURS "span",
     STROBE_SHAPE_SPAN,
     write_source_span,
     {{"category", STROBE_FIELD_STRING},
      {"id", STROBE_FIELD_STRING},
      {"arguments", STROBE_FIELD_STRING},
      {"phase", STROBE_FIELD_STRING},
      {"unfinished", STROBE_FIELD_BOOL},
      {"stack", STROBE_FIELD_STACK}}},
    {KINETO_OURS "event",
     STROBE_SHAPE_INSTANT,
     write_source_event,
     {{"phase", STROBE_FIELD_STRING},
      {"category", STROBE_FIELD_STRING},
      {"id", STROBE_FIELD_STRING},
      {"scope", STROBE_FIELD_STRING},
      {"arguments", STROBE_FIELD_STRING},
      {"duration", STROBE_FIELD_F64},
      {"stack", STROBE_FIELD_STACK}}},
    {KINETO_OURS "flow",
     STROBE_SHAPE_INSTANT,
     write_source_flow,
     {{"category", STROBE_FIELD_STRING},
      {"number", STROBE_FIELD_U64},
      {"id", STROBE_FIELD_STRING},
      {"phase", STROBE_FIELD_U8},
      {"is_enclosing", STROBE_FIELD_BOOL}}},
};

/* Kinds that are not drawn: details of another kind, data about the recording itself, and flow
 * events of another tool. */
static const char *const not_drawn[] = {
    "device_pmu",         "l2_cache",      "soc_pmu", "aicpu",
    "clock_sync",         "module_memory", "mac",     "diagnostic",
    "collector_call",     "flow_point",    "loss",    "memory.tensor_use",
    "memory.tensor_role", "cpu_sample"};

static void write_nothing(Board *board, const BoardKind *kind, const StrobeView *record)
{
    (void)board;
    (void)kind;
    (void)record;
}

static void add_field(Board *board, BoardKind *kind, const char *key, guint32 type, guint32 offset,
                      guint8 form)
{
    const CachedText *text = text_cache_escape(board->texts, key, strlen(key));
    BoardField *field = &kind->fields[kind->n_fields++];

    field->key = g_strdup_printf("%.*s: ", (int)text->length, text->bytes);
    field->key_length = text->length + 2;
    field->type = type;
    field->offset = offset;
    field->form = form;
}

static const StrobeFieldView *find_field(const StrobeKindView *view, const char *name)
{
    for (guint i = 0; name && i < view->n_fields; i++)
        if (!strcmp(view->fields[i].name, name))
            return &view->fields[i];
    return NULL;
}

/* Adds the arguments that Kineto's events have for this kind. */
static void add_known(Board *board, BoardKind *kind, const KinetoEvents *events)
{
    for (guint i = 0; i < events->n_args; i++) {
        const KinetoArg *arg = &events->args[i];
        const StrobeFieldView *field = find_field(kind->view, arg->field);

        if (arg->is_old || (arg->field && (!field || !strobe_field_size(field->type))))
            continue;
        add_field(board, kind, arg->key, field ? field->type : 0, field ? field->offset : 0,
                  arg->form);
    }
}

static gboolean is_known(const KinetoEvents *events, const char *name)
{
    for (guint i = 0; i < events->n_args; i++)
        if (events->args[i].field && !strcmp(events->args[i].field, name))
            return TRUE;
    return FALSE;
}

/* Fields that Strobe's plugins add and for which Kineto has its own keys. */
static const struct {
    const char *field, *key;
    guint8 form;
} added_keys[] = {
    {"ascend_raw.modules", "Module Hierarchy", KINETO_TEXT},
    {"cpu_op.flops", "flops", KINETO_NUMBER},
    {"cpu_op.modules", "Module Hierarchy", KINETO_TEXT},
    {"cpu_op.values", "Concrete Inputs", KINETO_JSON},
};

static void add_other(Board *board, BoardKind *kind, const StrobeFieldView *field)
{
    gboolean is_text = field->type == STROBE_FIELD_STRING || field->type == STROBE_FIELD_STACK;
    guint8 form = is_text ? KINETO_TEXT : KINETO_NUMBER;
    const char *key = field->name;

    for (guint i = 0; i < G_N_ELEMENTS(added_keys); i++)
        if (!strcmp(added_keys[i].field, field->name)) {
            key = added_keys[i].key;
            form = added_keys[i].form;
        }
    add_field(board, kind, key, field->type, field->offset, form);
}

/* Sets the fields that are written. If Kineto has the kind, these are its arguments and the fields
 * that plugins added; otherwise all fields. */
static void add_fields(Board *board, BoardKind *kind)
{
    const StrobeKindView *view = kind->view;
    const KinetoEvents *events = kineto_events_of(view->name);

    kind->fields = g_new0(BoardField, view->n_fields + (events ? events->n_args : 0) + 1);
    if (events)
        add_known(board, kind, events);
    for (guint i = 0; i < view->n_fields; i++) {
        const StrobeFieldView *field = &view->fields[i];

        if (!strobe_field_size(field->type) || field->offset == kind->arguments)
            continue;
        if (!events || (strchr(field->name, '.') && !is_known(events, field->name)))
            add_other(board, kind, field);
    }
}

static void choose_writer(BoardKind *kind)
{
    const StrobeKindView *view = kind->view;

    kind->write = write_generic;
    for (guint i = 0; i < G_N_ELEMENTS(not_drawn); i++)
        if (!strcmp(not_drawn[i], view->name))
            kind->write = write_nothing;
    for (guint i = 0; i < G_N_ELEMENTS(writers); i++) {
        if (strcmp(writers[i].name, view->name) || writers[i].shape != view->shape)
            continue;
        kind->write = writers[i].write;
        for (guint k = 0; k < BOARD_KNOWN_FIELDS && writers[i].known[k].name; k++)
            kind->known[k] =
                strobe_field_offset(view, writers[i].known[k].name, writers[i].known[k].type);
    }
}

BoardKind *board_kind_new(Board *board, const StrobeKindView *view)
{
    BoardKind *kind = g_new0(BoardKind, 1);
    const CachedText *name;

    kind->view = view;
    kind->view_fields = view->fields;
    kind->view_n_fields = view->n_fields;
    kind->view_id = view->id;
    for (guint k = 0; k < BOARD_KNOWN_FIELDS; k++)
        kind->known[k] = STROBE_FIELD_MISSING;
    kind->sequence = strobe_field_offset(view, "sequence", STROBE_FIELD_I64);
    kind->arguments = strobe_field_offset(view, KINETO_OURS "arguments", STROBE_FIELD_STRING);
    choose_writer(kind);
    kind->is_event = kind->write != write_metadata && kind->write != write_device_info &&
                     kind->write != write_nothing;
    name = text_cache_escape(board->texts, view->name, strlen(view->name));
    kind->name_text = g_strndup(name->bytes, name->length);
    kind->name_length = name->length;
    add_fields(board, kind);
    return kind;
}

void board_kind_free(gpointer user)
{
    BoardKind *kind = user;

    for (guint i = 0; i < kind->n_fields; i++)
        g_free(kind->fields[i].key);
    g_free(kind->fields);
    g_free(kind->name_text);
    g_free(kind);
}
