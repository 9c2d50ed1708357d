/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include "component-call.h"
#include "error.h"
#include "json-text.h"
#include "log.h"

#define DERIVED_ID_BASE 0x10000u
#define LONG_STRETCH 256u /* of wanted records: handed on without a copy */
#define VIEW_FLAGS                                                                                 \
    (STROBE_VIEW_UNFINISHED | STROBE_VIEW_STRADDLES | STROBE_VIEW_INCOMPLETE |                     \
     STROBE_VIEW_CLOCK_UNSURE)

/* ---- host table ---- */

static StrobeConsumer *consumer_of(StrobeInstance *self)
{
    return self->owner;
}

static const StrobeFacts *host_facts(StrobeInstance *self)
{
    return consumer_of(self)->facts;
}

static StrobeText host_string(StrobeInstance *self, StrobeStringId id)
{
    return strobe_reader_string(consumer_of(self)->reader, id);
}

static size_t host_stack_frames(StrobeInstance *self, StrobeStackId id,
                                const StrobeStringId **frames)
{
    return strobe_reader_stack(consumer_of(self)->reader, id, frames);
}

static const StrobeTrackView *host_track(StrobeInstance *self, StrobeTrackId id)
{
    return strobe_reader_track(consumer_of(self)->reader, id);
}

static uint32_t host_track_count(StrobeInstance *self)
{
    return strobe_reader_n_tracks(consumer_of(self)->reader);
}

/* Exporters look texts up side by side, and may do so while the pipeline's thread interns: passes
 * alone write, in their turn. */
static gboolean may_intern(StrobeInstance *self)
{
    const StrobeConsumer *c = consumer_of(self);

    return c->is_pass || c->is_of_caller;
}

/* What all passes share changes in their order, whichever thread calls them. */
static void await_turn(const StrobeConsumer *c, gboolean for_texts)
{
    if (c->settle)
        c->settle(c->settle_user);
    if (c->turns)
        strobe_turns_wait(c->turns, c->turn);
    if (c->end && for_texts)
        c->end->await_texts(c->end);
    else if (c->end)
        c->end->await(c->end);
}

static StrobeStringId host_intern(StrobeInstance *self, const char *bytes, size_t length)
{
    if (!may_intern(self))
        return 0;
    await_turn(consumer_of(self), TRUE);
    return strobe_reader_intern(consumer_of(self)->reader, bytes, length);
}

static StrobeStackId host_stack(StrobeInstance *self, const StrobeStringId *frames, size_t n)
{
    if (!may_intern(self))
        return 0;
    await_turn(consumer_of(self), TRUE);
    return strobe_reader_intern_stack(consumer_of(self)->reader, frames, n);
}

static void *host_emit(StrobeInstance *self, uint32_t kind_index, StrobeTrackId track,
                       StrobeStringId name, int64_t begin_ns, int64_t end_ns)
{
    StrobeConsumer *c = consumer_of(self);

    if (!c->spool || kind_index >= c->component->n_kinds)
        return NULL;
    struct StrobeSpooled record = {.kind = (guint16)kind_index,
                                   .track = track,
                                   .name = name,
                                   .field_bytes = c->kinds[kind_index].field_words * 8,
                                   .begin_ns = begin_ns,
                                   .end_ns = end_ns};
    void *fields = strobe_spool_add(c->spool, &record);
    if (!fields && !c->failure)
        g_set_error(&c->failure, STROBE_ERROR, STROBE_ERROR_IO,
                    "pass %s: no space for its derived records in the temporary folder",
                    c->component->name);
    return fields;
}

static const char *host_fact(StrobeInstance *self, const char *key)
{
    StrobeConsumer *c = consumer_of(self);
    JsonObject *facts = strobe_reader_facts(c->reader);
    JsonNode *node = json_object_has_member(facts, key) ? json_object_get_member(facts, key) : NULL;
    char *text;

    if (!node || JSON_NODE_HOLDS_NULL(node))
        return "";
    if (json_node_get_value_type(node) == G_TYPE_STRING)
        return json_node_get_string(node);
    if (!c->fact_texts)
        c->fact_texts = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, g_free);
    text = g_hash_table_lookup(c->fact_texts, key);
    if (!text) {
        text = strobe_json_to_text(node, 0);
        g_hash_table_insert(c->fact_texts, g_strdup(key), text);
    }
    return text;
}

static int32_t host_touches_gap(StrobeInstance *self, StrobeTrackId track, int64_t begin_ns,
                                int64_t end_ns)
{
    return strobe_gaps_touch(consumer_of(self)->gaps, track, begin_ns, end_ns);
}

static void host_flag(StrobeInstance *self, uint32_t flags)
{
    StrobeConsumer *c = consumer_of(self);

    if (c->spool)
        strobe_spool_flag(c->spool, (guint16)(flags & VIEW_FLAGS));
}

struct pieces {
    const StrobeConsumer *consumer;
    void (*piece)(void *user, uint32_t i);
    void *user;
};

/* In whichever thread. */
static void do_piece(gpointer data, guint i)
{
    const struct pieces *pieces = data;

    strobe_component_call_begin(pieces->consumer->component, "side_by_side");
    pieces->piece(pieces->user, i);
    strobe_component_call_end();
}

static void host_side_by_side(StrobeInstance *self, uint32_t n,
                              void (*piece)(void *user, uint32_t i), void *user)
{
    struct pieces pieces = {consumer_of(self), piece, user};

    strobe_crew_share(pieces.consumer->crew, do_piece, &pieces, n);
}

static const StrobeConsumerHost consumer_host = {
    .struct_size = sizeof(StrobeConsumerHost),
    .abi_minor = STROBE_ABI_MINOR,
    .facts = host_facts,
    .string = host_string,
    .stack_frames = host_stack_frames,
    .track = host_track,
    .track_count = host_track_count,
    .intern = host_intern,
    .stack = host_stack,
    .emit = host_emit,
    .fact = host_fact,
    .option_bool = strobe_instance_option_bool,
    .option_int = strobe_instance_option_int,
    .option_double = strobe_instance_option_double,
    .option_text = strobe_instance_option_text,
    .log = strobe_instance_log,
    .fail = strobe_instance_fail,
    .touches_gap = host_touches_gap,
    .flag = host_flag,
    .side_by_side = host_side_by_side,
};

static void log_line(StrobeInstance *self, gint32 level, const char *text)
{
    await_turn(consumer_of(self), FALSE);
    strobe_log(level, "%s: %s", self->component->name, text);
}

/* ---- making ---- */

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

static void want(StrobeConsumer *c, const char *kind)
{
    char *copy = g_strdup(kind);

    g_ptr_array_add(c->wants, copy);
    if (strcmp(kind, "*") == 0)
        c->wants_all_raw = TRUE;
    else
        g_hash_table_add(c->wanted, copy);
}

/* The kinds that it lists, and those that its user named in an option for kinds. */
static void list_wants(StrobeConsumer *c)
{
    for (const char *const *kind = c->component->wants; *kind; kind++)
        want(c, *kind);
    for (uint32_t i = 0; i < c->component->n_options; i++) {
        const StrobeOption *option = &c->component->options[i];
        if (option->type != STROBE_OPTION_KINDS)
            continue;
        g_auto(GStrv) kinds =
            g_strsplit(strobe_options_text(c->instance.options, option->name), "+", -1);
        for (char **kind = kinds; *kind; kind++)
            if (**kind)
                want(c, *kind);
    }
}

StrobeConsumer *strobe_consumer_new(const StrobeComponent *component,
                                    const StrobeConfigComponent *wanted, GError **error)
{
    StrobeConsumer *c = g_new0(StrobeConsumer, 1);

    c->component = component;
    c->ops = component->ops;
    c->is_pass = component->type == STROBE_COMPONENT_PASS;
    c->batch = g_new(StrobeView, STROBE_BATCH);
    c->verdicts = g_hash_table_new(NULL, NULL);
    c->wants = g_ptr_array_new_null_terminated(0, g_free, TRUE);
    c->wanted = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    if (!strobe_instance_init(&c->instance, component, wanted, log_line, c, error) ||
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
    for (uint32_t i = 0; c->kinds && i < c->component->n_kinds; i++)
        g_free((void *)(uintptr_t)c->kinds[i].view.fields);
    g_free(c->kinds);
    g_free(c->counts);
    g_hash_table_unref(c->wanted);
    g_ptr_array_unref(c->wants);
    g_hash_table_unref(c->verdicts);
    strobe_instance_clear(&c->instance);
    g_clear_error(&c->failure);
    g_free(c->batch);
    g_free(c);
}

/* ---- a run ---- */

static void begin_call(const StrobeConsumer *c, const char *call)
{
    strobe_component_call_begin(c->component, call);
}

static void end_call(StrobeConsumer *c, const char *call, StrobeStatus status)
{
    strobe_component_call_end();
    if (status < 0 && !c->failure)
        strobe_instance_set_error(&c->instance, call, status, &c->failure);
}

void strobe_consumer_open(StrobeConsumer *c, StrobeReader *reader, const StrobeFacts *facts,
                          StrobeGaps *gaps)
{
    StrobeStatus status;

    c->reader = reader;
    c->facts = facts;
    c->gaps = gaps;
    c->n_batch = 0;
    g_clear_error(&c->failure);
    g_hash_table_remove_all(c->verdicts);
    memset(c->recent, 0, sizeof c->recent);
    for (uint32_t i = 0; i < c->component->n_kinds; i++)
        c->counts[i].n = c->counts[i].n_incomplete = 0;
    if (c->is_pass)
        c->spool = strobe_spool_new();
    begin_call(c, "open");
    status = c->ops->open(&consumer_host, &c->instance, &c->state);
    c->is_open = status == STROBE_OK;
    if (status > 0)
        status = STROBE_ERROR_FAILED;
    end_call(c, "open", status);
}

static void hand_over(StrobeConsumer *c, const StrobeView *views, gsize n)
{
    begin_call(c, "batch");
    end_call(c, "batch", c->ops->batch(c->state, views, n));
}

static void flush_batch(StrobeConsumer *c)
{
    if (c->n_batch && !c->failure)
        hand_over(c, c->batch, c->n_batch);
    c->n_batch = 0;
}

static gboolean look_up(StrobeConsumer *c, const StrobeKindView *kind)
{
    guint verdict = GPOINTER_TO_UINT(g_hash_table_lookup(c->verdicts, kind));

    if (!verdict) {
        gboolean wanted =
            (c->wants_all_raw && !kind->derived) || g_hash_table_contains(c->wanted, kind->name);
        verdict = wanted ? 1 : 2;
        g_hash_table_insert(c->verdicts, (gpointer)(uintptr_t)kind, GUINT_TO_POINTER(verdict));
    }
    return verdict == 1;
}

static gboolean matches(StrobeConsumer *c, const StrobeKindView *kind)
{
    StrobeVerdict *recent =
        &c->recent[((uintptr_t)kind >> 4) * 0x9e3779b1u >> 8 & (STROBE_RECENT_KINDS - 1)];

    if (G_UNLIKELY(recent->kind != kind))
        *recent = (StrobeVerdict){kind, look_up(c, kind)};
    return recent->is_wanted;
}

static void put(StrobeConsumer *c, const StrobeView *views, gsize n)
{
    while (n) {
        gsize part = MIN(n, STROBE_BATCH - c->n_batch);

        memcpy(c->batch + c->n_batch, views, part * sizeof *views);
        c->n_batch += part;
        views += part;
        n -= part;
        if (c->n_batch == STROBE_BATCH)
            flush_batch(c);
    }
}

/* As they are, or copied to those before where they are few. */
static void take(StrobeConsumer *c, const StrobeView *views, gsize n)
{
    if (n < LONG_STRETCH) {
        put(c, views, n);
        return;
    }
    flush_batch(c);
    if (!c->failure)
        hand_over(c, views, n);
}

void strobe_consumer_feed(StrobeConsumer *c, const StrobeViewRuns *runs)
{
    guint8 is_wanted[STROBE_BATCH];
    const StrobeView *views = runs->views;
    gsize n = 0, n_left = 0; /* wanted: up to `views`, and those not looked at */

    if (!c->is_open || c->failure)
        return;
    for (guint i = 0; i < runs->n_kinds; i++) {
        is_wanted[i] = matches(c, runs->kinds[i]) != 0;
        n_left += is_wanted[i] ? runs->n_of[i] : 0;
    }
    if (n_left == runs->n) {
        views += n_left;
        n = n_left;
        n_left = 0;
    }
    for (guint i = 0; n_left; i++) {
        if (is_wanted[runs->runs[i].kind]) {
            n += runs->runs[i].n;
            n_left -= runs->runs[i].n;
        } else if (n) {
            take(c, views - n, n);
            n = 0;
        }
        views += runs->runs[i].n;
    }
    if (n)
        take(c, views - n, n);
    flush_batch(c); /* the views' fields live as long as the caller's batch */
}

void strobe_consumer_raw_end(StrobeConsumer *c)
{
    if (!c->is_open || c->failure || !c->ops->raw_end)
        return;
    begin_call(c, "raw_end");
    end_call(c, "raw_end", c->ops->raw_end(c->state));
}

void strobe_consumer_kinds_left(StrobeConsumer *c)
{
    if (!c->left)
        return;
    if (c->is_open && !c->failure) {
        begin_call(c, "kinds_left");
        end_call(c, "kinds_left",
                 c->ops->kinds_left(c->state, (const char *const *)c->left->pdata));
    }
    g_clear_pointer(&c->left, g_ptr_array_unref);
}

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
    c->end = NULL;
    g_clear_pointer(&c->left, g_ptr_array_unref);
    g_clear_pointer(&c->fact_texts, g_hash_table_unref);
    g_clear_pointer(&c->spool, strobe_spool_free);
}
