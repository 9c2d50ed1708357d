/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include "component-call.h"
#include "consumer-host.h"
#include "error.h"
#include "memory-limit.h"

#define DERIVED_ID_BASE 0x10000u
#define DERIVED_BYTES (256u << 10) /* maximum bytes of fields in one batch of derived records */

/* ---- making and freeing ---- */

static gboolean lay_out_kinds(StrobeConsumer *c, GError **error)
{
    c->kinds = g_new0(StrobeReaderKind, c->component->n_kinds + 1);
    c->counts = g_new0(StrobeDerivedCount, c->component->n_kinds + 1);
    for (uint32_t i = 0; i < c->component->n_kinds; i++) {
        const StrobeKind *kind = c->component->kinds[i];
        if (!kind || !kind->name || kind->n_fields > STROBE_KIND_FIELDS_MAX) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN,
                        "pass %s: its kind %u has no name or too many fields", c->component->name,
                        i);
            return FALSE;
        }
        StrobeFieldView *fields = g_new0(StrobeFieldView, kind->n_fields + 1);
        c->counts[i].kind = kind->name;
        c->kinds[i].view = (StrobeKindView){.name = kind->name,
                                            .summary = kind->summary,
                                            .fields = fields,
                                            .n_fields = kind->n_fields,
                                            .shape = kind->shape,
                                            .id = DERIVED_ID_BASE + i,
                                            .derived = 1};
        for (uint32_t f = 0; f < kind->n_fields; f++)
            fields[f] = (StrobeFieldView){.name = kind->fields[f].name,
                                          .unit = kind->fields[f].unit,
                                          .summary = kind->fields[f].summary,
                                          .type = kind->fields[f].type};
        if (!strobe_reader_kind_lay_out(&c->kinds[i], fields)) {
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN,
                        "pass %s: kind \"%s\" has a field of unknown type", c->component->name,
                        kind->name);
            return FALSE;
        }
    }
    return TRUE;
}

static void want_kind(StrobeConsumer *c, const char *kind)
{
    char *copy = g_strdup(kind);

    g_ptr_array_add(c->wants, copy);
    if (strcmp(kind, "*") == 0)
        c->wants_all_raw = TRUE;
    else
        g_hash_table_add(c->wanted, copy);
}

/* Lists the kinds that the consumer wants: those of its component, and those in its options of type
 * kinds. */
static void list_wants(StrobeConsumer *c)
{
    for (const char *const *kind = c->component->wants; *kind; kind++)
        want_kind(c, *kind);
    for (uint32_t i = 0; i < c->component->n_options; i++) {
        const StrobeOption *option = &c->component->options[i];
        if (option->type != STROBE_OPTION_KINDS)
            continue;
        g_auto(GStrv) kinds =
            g_strsplit(strobe_options_text(c->instance.options, option->name), "+", -1);
        for (char **kind = kinds; *kind; kind++)
            if (**kind)
                want_kind(c, *kind);
    }
}

StrobeConsumer *strobe_consumer_new(const StrobeComponent *component,
                                    const StrobeConfigComponent *wanted, GError **error)
{
    StrobeConsumer *c = g_new0(StrobeConsumer, 1);

    c->component = component;
    c->ops = component->ops;
    c->views = g_new(StrobeView, STROBE_BATCH);
    c->unkept = g_new(guint64, STROBE_KIND_FIELDS_MAX);
    c->is_stored = g_new0(gboolean, component->n_kinds + 1);
    c->wants = g_ptr_array_new_null_terminated(0, g_free, TRUE);
    c->wanted = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    if (!strobe_instance_init(&c->instance, component, wanted, strobe_consumer_log, c, error) ||
        !lay_out_kinds(c, error)) {
        strobe_consumer_free(c);
        return NULL;
    }
    list_wants(c);
    return c;
}

void strobe_consumer_free(gpointer consumer)
{
    StrobeConsumer *c = consumer;

    if (!c)
        return;
    strobe_consumer_close(c);
    g_clear_pointer(&c->log, strobe_derived_log_unref);
    for (uint32_t i = 0; c->kinds && i < c->component->n_kinds; i++)
        g_free((void *)(uintptr_t)c->kinds[i].view.fields);
    g_free(c->kinds);
    g_free(c->counts);
    g_hash_table_unref(c->wanted);
    g_ptr_array_unref(c->wants);
    strobe_instance_clear(&c->instance);
    g_clear_error(&c->failure);
    g_free(c->views);
    g_free(c->unkept);
    g_free(c->is_stored);
    g_free(c);
}

/* ---- a run ---- */

static void begin_call(const StrobeConsumer *c, const char *call)
{
    strobe_component_call_begin(c->component, call);
    strobe_memory_check_room();
}

static void end_call(StrobeConsumer *c, const char *call, StrobeStatus status)
{
    strobe_component_call_end();
    if (status < 0 && !c->failure)
        strobe_instance_set_error(&c->instance, call, status, &c->failure);
}

/* Does the capture itself contain records of this derived kind? In an imported capture they may
 * come from the source, and then replace the output of the pass. */
static gboolean is_stored(StrobeReader *reader, const char *kind)
{
    const StrobeKindView *view;

    for (guint32 i = 0; (view = strobe_reader_kind(reader, i)); i++)
        if (strcmp(view->name, kind) == 0)
            return TRUE;
    return FALSE;
}

static void begin_log(StrobeConsumer *c)
{
    for (guint32 i = 0; i < c->component->n_kinds; i++) {
        c->counts[i].n = c->counts[i].n_incomplete = 0;
        c->is_stored[i] = is_stored(c->reader, c->counts[i].kind);
    }
    c->newest = NULL;
    if (strobe_consumer_is_pass(c))
        c->log = strobe_derived_log_new(c->storage);
}

void strobe_consumer_open(StrobeConsumer *c, StrobeReader *reader, const StrobeMetadata *metadata,
                          StrobeStorage *storage)
{
    StrobeStatus status;

    c->reader = reader;
    c->metadata = *metadata;
    c->storage = storage;
    c->gaps = NULL;
    g_clear_error(&c->failure);
    begin_log(c);
    begin_call(c, "open");
    status = c->ops->open(&strobe_consumer_host, &c->instance, &c->state);
    c->is_open = status == STROBE_OK;
    if (status > 0)
        status = STROBE_ERROR_FAILED;
    end_call(c, "open", status);
}

static void call_batch(StrobeConsumer *c, const StrobeView *views, gsize n)
{
    begin_call(c, "batch");
    end_call(c, "batch", c->ops->batch(c->state, views, n));
}

gboolean strobe_consumer_is_pass(const StrobeConsumer *c)
{
    return c->component->type == STROBE_COMPONENT_PASS;
}

gboolean strobe_consumer_wants(const StrobeConsumer *c, const StrobeKindView *kind)
{
    return (c->wants_all_raw && !kind->derived) || g_hash_table_contains(c->wanted, kind->name);
}

void strobe_consumer_take(StrobeConsumer *c, const StrobeBatch *batch)
{
    gboolean is_wanted[STROBE_BATCH];
    guint n_wanted = 0, n = 0;

    if (!c->is_open || c->failure)
        return;
    for (guint i = 0; i < batch->n_kinds; i++) {
        is_wanted[i] = strobe_consumer_wants(c, batch->kinds[i]);
        n_wanted += is_wanted[i] != FALSE;
    }
    if (n_wanted == batch->n_kinds) {
        call_batch(c, batch->views, batch->n);
        return;
    }
    for (guint i = 0; i < batch->n; i++)
        if (is_wanted[batch->kind_of[i]])
            c->views[n++] = batch->views[i];
    if (n)
        call_batch(c, c->views, n);
}

void strobe_consumer_raw_end(StrobeConsumer *c, const StrobeMetadata *metadata, StrobeGaps *gaps)
{
    c->metadata = *metadata;
    c->gaps = gaps;
    if (!c->is_open || c->failure || !c->ops->raw_end)
        return;
    begin_call(c, "raw_end");
    end_call(c, "raw_end", c->ops->raw_end(c->state));
}

/* ---- derived records ---- */

/* Returns the record's flags. Checks for gaps again, because not all losses may have been known
 * when the record was emitted. */
static guint16 flags_of(StrobeGaps *gaps, const StrobeDerived *record)
{
    return record->track && strobe_gaps_touch(gaps, record->track, record->begin_ns, record->end_ns)
               ? record->flags | STROBE_VIEW_INCOMPLETE
               : record->flags;
}

/* Records of a derived log that are passed to a consumer together, as the consumer's `views`; their
 * fields are in `bytes`. */
typedef struct DerivedBatch {
    const StrobeConsumer *pass;
    gboolean *is_wanted; /* indexed by kind of the pass */
    guint n;
    gsize used;
    char *bytes;
} DerivedBatch;

static void add_view(DerivedBatch *batch, StrobeConsumer *c, const StrobeDerived *record)
{
    c->views[batch->n++] =
        (StrobeView){.kind = &batch->pass->kinds[record->kind].view,
                     .fields = memcpy(batch->bytes + batch->used, record + 1, record->field_bytes),
                     .begin_ns = record->begin_ns,
                     .end_ns = record->end_ns,
                     .track = record->track,
                     .name = record->name,
                     .flags = flags_of(c->gaps, record)};
    batch->used += record->field_bytes;
}

static void hand_over(DerivedBatch *batch, StrobeConsumer *c)
{
    if (batch->n && !c->failure)
        call_batch(c, c->views, batch->n);
    batch->n = 0;
    batch->used = 0;
}

static void take_records(StrobeConsumer *c, DerivedBatch *batch, StrobeRecordLogReader *reader)
{
    const StrobeDerived *record;

    while (!c->failure && (record = strobe_derived_log_next(reader, &c->failure))) {
        if (!batch->is_wanted[record->kind])
            continue;
        if (batch->n == STROBE_BATCH || batch->used + record->field_bytes > DERIVED_BYTES)
            hand_over(batch, c);
        add_view(batch, c, record);
    }
    hand_over(batch, c);
}

void strobe_consumer_take_derived(StrobeConsumer *c, const StrobeConsumer *pass,
                                  StrobeDerivedLog *log)
{
    StrobeRecordLogReader *reader = strobe_derived_log_read(log);
    const guint32 n_kinds = pass->component->n_kinds;
    DerivedBatch batch = {.pass = pass};

    if (!reader)
        return;
    batch.bytes = g_malloc(DERIVED_BYTES);
    batch.is_wanted = g_new(gboolean, n_kinds);
    for (guint32 i = 0; i < n_kinds; i++)
        batch.is_wanted[i] = g_hash_table_contains(c->wanted, pass->counts[i].kind);
    take_records(c, &batch, reader);
    g_free(batch.is_wanted);
    g_free(batch.bytes);
    strobe_record_log_reader_free(reader);
}

/* ---- the end ---- */

void strobe_consumer_end(StrobeConsumer *c)
{
    if (!c->is_open || c->failure)
        return;
    begin_call(c, "end");
    end_call(c, "end", c->ops->end(c->state));
}

void strobe_consumer_close(StrobeConsumer *c)
{
    if (c->is_open) {
        begin_call(c, "close");
        c->ops->close(c->state);
        strobe_component_call_end();
    }
    c->is_open = FALSE;
    c->state = NULL;
    g_clear_pointer(&c->metadata_texts, g_hash_table_unref);
}

/* Counts incomplete records again, because not all gaps were known when the records were emitted.
 * If there are no gaps, only the pass's own flags make a record incomplete, and these were counted
 * already. */
void strobe_consumer_count_incomplete(StrobeConsumer *c)
{
    const StrobeDerived *record;
    StrobeRecordLogReader *reader;

    if (!strobe_gaps_touch(c->gaps, 0, G_MININT64, G_MAXINT64) ||
        !(reader = strobe_derived_log_read(c->log)))
        return;
    for (guint32 i = 0; i < c->component->n_kinds; i++)
        c->counts[i].n_incomplete = 0;
    while ((record = strobe_derived_log_next(reader, NULL)))
        c->counts[record->kind].n_incomplete +=
            (flags_of(c->gaps, record) & STROBE_VIEW_INCOMPLETE) != 0;
    strobe_record_log_reader_free(reader);
}
