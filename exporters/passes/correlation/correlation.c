/* SPDX-License-Identifier: Apache-2.0 */
/* Computes correlation and device_clock from cpu_op, api_call, device_task, comm_op, task_queue,
 * marker and marker_instant: counts the linked and unlinked records, and the effects that begin
 * before their cause. */
#include "correlation.h"

#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "host-spans.h"
#include "link-table.h"

typedef enum LinkType {
    API_TO_TASK,
    OPERATOR_TO_API,
    ENQUEUE_TO_DEQUEUE,
    HOST_TO_DEVICE_MARKER,
    FORWARD_TO_BACKWARD,
    N_LINK_TYPES
} LinkType;

static const char *const link_type_names[N_LINK_TYPES] = {
    [API_TO_TASK] = "api_to_task",
    [OPERATOR_TO_API] = "operator_to_api",
    [ENQUEUE_TO_DEQUEUE] = "enqueue_to_dequeue",
    [HOST_TO_DEVICE_MARKER] = "host_to_device_marker",
    [FORWARD_TO_BACKWARD] = "forward_to_backward",
};

enum { CONNECTION, N_CONNECTED };
enum { CORRELATION, IS_DEQUEUE, N_QUEUE };
enum { MARK, MARK_ID, N_MARKER };
enum { SEQUENCE, FORWARD_THREAD, N_OPERATOR };

static const StrobeWantedField connected_wanted[N_CONNECTED] = {
    [CONNECTION] = {"connection", STROBE_FIELD_LINK},
};
static const StrobeWantedField queue_wanted[N_QUEUE] = {
    [CORRELATION] = {"correlation", STROBE_FIELD_LINK},
    [IS_DEQUEUE] = {"is_dequeue", STROBE_FIELD_BOOL},
};
static const StrobeWantedField marker_wanted[N_MARKER] = {
    [MARK] = {"marker.connection", STROBE_FIELD_LINK},
    [MARK_ID] = {"marker.connection", STROBE_FIELD_U64},
};
static const StrobeWantedField operator_wanted[N_OPERATOR] = {
    [SEQUENCE] = {"sequence", STROBE_FIELD_I64},
    [FORWARD_THREAD] = {"forward_thread", STROBE_FIELD_U64},
};

/* The counts of the links of one type from one source. */
typedef struct Tally {
    LinkType link_type;
    guint32 source;
    struct strobe_correlation sum;
} Tally;

enum { CPU_OP, API_CALL, TASK_QUEUE, DEVICE_TASK, COMM_OP, N_KINDS };

static const char *const kind_names[N_KINDS] = {
    [CPU_OP] = "cpu_op",           [API_CALL] = "api_call", [TASK_QUEUE] = "task_queue",
    [DEVICE_TASK] = "device_task", [COMM_OP] = "comm_op",
};

typedef struct Pass {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeKindNames kinds;
    StrobeBinder connected, queues, markers, operators;
    /* NULL for OPERATOR_TO_API, which is derived from the other types */
    LinkTable *links[N_LINK_TYPES];
    HostSpans *ops, *dequeues;
    GHashTable *track_sources; /* track -> 1 + source of the last id on the track */
    GArray *tallies;           /* elements of type Tally */
    gboolean is_import;        /* the capture was imported: all ids have the same source */
} Pass;

/* ---- counting ---- */

static guint32 source_of(const Pass *pass, guint64 id)
{
    return pass->is_import ? 0 : STROBE_LINK_SOURCE(id);
}

static Tally *tally_of(Pass *pass, LinkType link_type, guint32 source)
{
    for (guint i = 0; i < pass->tallies->len; i++) {
        Tally *tally = &g_array_index(pass->tallies, Tally, i);
        if (tally->link_type == link_type && tally->source == source)
            return tally;
    }
    Tally tally = {.link_type = link_type, .source = source};
    tally.sum.worst = STROBE_ABSENT_I64;
    g_array_append_val(pass->tallies, tally);
    return &g_array_index(pass->tallies, Tally, pass->tallies->len - 1);
}

static void count_linked(Tally *tally, const LinkEntry *entry)
{
    struct strobe_correlation *sum = &tally->sum;

    sum->linked += entry->n_effects;
    sum->violations += entry->n_violations;
    sum->unchecked += entry->n_unchecked;
    if (entry->n_violations)
        sum->worst = MAX(sum->worst, entry->worst_ns);
    sum->error = MAX(sum->error, entry->error_ns);
}

static void count_entry(Pass *pass, LinkType link_type, const LinkEntry *entry, gboolean is_early)
{
    /* Sequence numbers come from the framework, not from a collector. */
    guint32 source = link_type == FORWARD_TO_BACKWARD ? 0 : source_of(pass, entry->id);
    Tally *tally = tally_of(pass, link_type, source);

    if (!entry->has_cause)
        tally->sum.orphan_effect += entry->n_effects;
    else if (entry->n_effects == 0)
        tally->sum.orphan_cause++;
    else if (entry->is_ambiguous)
        tally->sum.ambiguous += entry->n_effects;
    else
        count_linked(tally, entry);
    if (is_early && (!entry->has_cause || entry->n_effects == 0))
        tally->sum.forgotten += MAX(entry->n_effects, 1);
}

/* Returns whether the call has an operator: one that encloses the call on its thread, or one that
 * encloses the enqueue of the dequeue that encloses the call. */
static gboolean has_operator(const Pass *pass, guint64 thread, gint64 at_ns)
{
    guint64 id;

    if (host_spans_find(pass->ops, thread, at_ns, &id))
        return TRUE;
    if (!host_spans_find(pass->dequeues, thread, at_ns, &id))
        return FALSE;
    const LinkEntry *queued = link_table_find(pass->links[ENQUEUE_TO_DEQUEUE], id);
    return queued && queued->has_cause &&
           host_spans_find(pass->ops, queued->cause_thread, queued->cause_ns, &id);
}

static void on_call_done(void *user, const LinkEntry *entry, gboolean is_early)
{
    Pass *pass = user;

    count_entry(pass, API_TO_TASK, entry, is_early);
    if (!entry->has_cause || entry->n_effects == 0 || host_spans_is_empty(pass->ops))
        return;
    Tally *tally = tally_of(pass, OPERATOR_TO_API, source_of(pass, entry->id));
    if (entry->is_ambiguous)
        tally->sum.ambiguous++;
    else if (has_operator(pass, entry->cause_thread, entry->cause_ns))
        tally->sum.linked++;
    else
        tally->sum.orphan_effect++;
}

static void on_queued_done(void *user, const LinkEntry *entry, gboolean is_early)
{
    count_entry(user, ENQUEUE_TO_DEQUEUE, entry, is_early);
}

static void on_mark_done(void *user, const LinkEntry *entry, gboolean is_early)
{
    count_entry(user, HOST_TO_DEVICE_MARKER, entry, is_early);
}

/* Counts the operators of a sequence number only if there is a backward operator, because most
 * operators have none. */
static void on_sequence_done(void *user, const LinkEntry *entry, gboolean is_early)
{
    if (entry->n_effects)
        count_entry(user, FORWARD_TO_BACKWARD, entry, is_early);
}

/* ---- reading records ---- */

static gboolean is_id(guint64 id)
{
    return id != STROBE_ABSENT_U64 && id != 0 && id != STROBE_ABSENT_U32;
}

/* Returns a number that identifies the track's thread. A thread may have several tracks, in
 * separate layers. */
static guint64 thread_of(const Pass *pass, StrobeTrackId id)
{
    const StrobeTrackView *track = pass->host->track(pass->self, id);

    if (!track || track->type != STROBE_TRACK_THREAD)
        return (guint64)1 << 63 | id;
    return track->pid << 32 ^ track->number;
}

/* Returns the record as an effect, with the possible error of its clock relative to the host's
 * clock. */
static LinkEffect effect_of(const Pass *pass, const StrobeView *record)
{
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    const StrobeClockView *clock = track ? track->clock : NULL;
    LinkEffect effect = {record->begin_ns, 0};

    if (clock &&
        (clock->error_ns == STROBE_ABSENT_U64 || (record->flags & STROBE_VIEW_CLOCK_UNSURE)))
        effect.error_ns = LINK_NOT_CHECKED;
    else if (clock)
        effect.error_ns = clock->error_ns +
                          (clock->host_error_ns == STROBE_ABSENT_U64 ? 0 : clock->host_error_ns);
    return effect;
}

/* Counts an effect, or links it to its cause. An effect without an id counts for the source of the
 * last id on its track. */
static void take_effect(Pass *pass, LinkType link_type, const StrobeView *record, guint64 id)
{
    gpointer track = GUINT_TO_POINTER(record->track);

    if (!is_id(id)) {
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(pass->track_sources, track));
        tally_of(pass, link_type, known ? known - 1 : 0)->sum.orphan_effect++;
        return;
    }
    LinkEffect effect = effect_of(pass, record);
    g_hash_table_insert(pass->track_sources, track, GUINT_TO_POINTER(source_of(pass, id) + 1));
    link_table_effect(pass->links[link_type], id, &effect);
}

static guint64 connection_of(Pass *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->connected, record->kind);
    return strobe_field_u64(record, at[CONNECTION], STROBE_ABSENT_U64);
}

static void take_call(Pass *pass, const StrobeView *record)
{
    guint64 id = connection_of(pass, record);

    if (is_id(id))
        link_table_cause(pass->links[API_TO_TASK], id, thread_of(pass, record->track),
                         record->begin_ns);
}

static void take_queue(Pass *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->queues, record->kind);
    guint64 id = strobe_field_u64(record, at[CORRELATION], STROBE_ABSENT_U64);
    gboolean is_dequeue = strobe_field_u8(record, at[IS_DEQUEUE], 0) != 0;

    if (is_dequeue) {
        take_effect(pass, ENQUEUE_TO_DEQUEUE, record, id);
        host_spans_add(pass->dequeues, thread_of(pass, record->track), record->begin_ns,
                       record->end_ns, id);
    } else if (is_id(id)) {
        link_table_cause(pass->links[ENQUEUE_TO_DEQUEUE], id, thread_of(pass, record->track),
                         record->begin_ns);
    }
}

static void take_marker(Pass *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->markers, record->kind);
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    guint64 id = strobe_field_u64(record, at[MARK],
                                  strobe_field_u64(record, at[MARK_ID], STROBE_ABSENT_U64));

    if (track && track->type == STROBE_TRACK_STREAM)
        take_effect(pass, HOST_TO_DEVICE_MARKER, record, id);
    else if (is_id(id))
        link_table_cause(pass->links[HOST_TO_DEVICE_MARKER], id, thread_of(pass, record->track),
                         record->begin_ns);
}

static void take_operator(Pass *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->operators, record->kind);
    gint64 sequence = strobe_field_i64(record, at[SEQUENCE], -1);
    const LinkEffect effect = {record->begin_ns, 0};
    LinkTable *table = pass->links[FORWARD_TO_BACKWARD];
    guint64 thread = thread_of(pass, record->track);

    host_spans_add(pass->ops, thread, record->begin_ns, record->end_ns, 0);
    if (sequence < 0)
        return;
    if (strobe_field_u64(record, at[FORWARD_THREAD], 0))
        link_table_effect(table, (guint64)sequence, &effect);
    else
        link_table_latest_cause(table, (guint64)sequence, thread, record->begin_ns);
}

/* Returns whether the record is communication of a process group on the host, which no call
 * launches. */
static gboolean is_on_host(const Pass *pass, const StrobeView *record)
{
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);

    return !pass->is_import && track && track->device < 0;
}

static void take_record(Pass *pass, const StrobeView *record)
{
    const guint32 kind = strobe_kind_place(&pass->kinds, record->kind);

    if (kind == CPU_OP)
        take_operator(pass, record);
    else if (kind == API_CALL)
        take_call(pass, record);
    else if (kind == TASK_QUEUE)
        take_queue(pass, record);
    else if (kind == COMM_OP && is_on_host(pass, record))
        return;
    else if (kind == DEVICE_TASK || kind == COMM_OP)
        take_effect(pass, API_TO_TASK, record, connection_of(pass, record));
    else
        take_marker(pass, record);
}

static StrobeStatus correlation_batch(void *state, const StrobeView *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        take_record(state, &records[i]);
    return STROBE_OK;
}

/* ---- emitting records ---- */

/* Returns the name of the importer, from the metadata "source" or, in a recording that imported
 * data, from the JSON in the metadata "external". */
static StrobeStringId importer_name(const Pass *pass)
{
    static const char key[] = "\"importer\":\"";
    const char *source =
        pass->host->metadata_value(pass->self, pass->is_import ? "source" : "external");
    const char *name = strstr(source, key);

    name = name ? name + strlen(key) : source;
    return pass->host->intern(pass->self, name, strcspn(name, "\""));
}

/* Returns the name of the tally's source; 0: unknown. */
static StrobeStringId source_name(const Pass *pass, const Tally *tally)
{
    const char *names = pass->host->metadata_value(pass->self, "link_sources");

    if (tally->link_type == FORWARD_TO_BACKWARD)
        return 0;
    if (pass->is_import ||
        (tally->source == 0 && *pass->host->metadata_value(pass->self, "external")))
        return importer_name(pass);
    for (guint32 i = 1; i < tally->source && names; i++) {
        names = strchr(names, '+');
        names = names ? names + 1 : NULL;
    }
    if (tally->source == 0 || !names || !*names)
        return 0;
    return pass->host->intern(pass->self, names, strcspn(names, "+"));
}

static gboolean is_empty(const struct strobe_correlation *sum)
{
    return !sum->linked && !sum->orphan_cause && !sum->orphan_effect && !sum->ambiguous;
}

static gboolean emit_tally(Pass *pass, const Tally *tally, gint64 begin_ns)
{
    const char *name = link_type_names[tally->link_type];
    StrobeStringId source = source_name(pass, tally);
    StrobeStringId id = pass->host->intern(pass->self, name, strlen(name));
    struct strobe_correlation *fields =
        pass->host->emit(pass->self, CORRELATION_LINKS, 0, id, begin_ns, begin_ns);

    if (!fields)
        return FALSE;
    *fields = tally->sum;
    fields->source = source;
    if (fields->error == 0) /* no effect had a known clock error */
        fields->error = STROBE_ABSENT_U64;
    if (pass->host->touches_gap(pass->self, 0, INT64_MIN, INT64_MAX))
        pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    return TRUE;
}

/* Warns if work of a device began before its launch, because then the device's clock was converted
 * wrongly. */
static void warn_violations(const Pass *pass, const Tally *tally)
{
    StrobeText source = pass->host->string(pass->self, source_name(pass, tally));
    gboolean is_device =
        tally->link_type == API_TO_TASK || tally->link_type == HOST_TO_DEVICE_MARKER;

    if (!is_device || !tally->sum.violations)
        return;
    g_autofree char *allowed = tally->sum.error
                                   ? g_strdup_printf("%" G_GUINT64_FORMAT " ns", tally->sum.error)
                                   : g_strdup("which is not known");
    pass->host->log(pass->self, STROBE_LOG_WARNING,
                    "clock trouble: %s%s%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                    " effects begin before their cause, by up to %" G_GINT64_FORMAT
                    " ns; error of the clocks: %s",
                    source.bytes, source.length ? ", " : "", link_type_names[tally->link_type],
                    tally->sum.violations, tally->sum.linked, tally->sum.worst, allowed);
}

static gboolean emit_clock(Pass *pass, const StrobeTrackView *track, gint64 begin_ns)
{
    const StrobeClockView *clock = track->clock;
    StrobeStringId name = pass->host->intern(pass->self, track->name, strlen(track->name));
    struct strobe_device_clock *fields =
        pass->host->emit(pass->self, CORRELATION_CLOCK, track->id, name, begin_ns, begin_ns);

    if (!fields)
        return FALSE;
    *fields = (struct strobe_device_clock){.pairs = clock->n_pairs,
                                           .knots = clock->n_knots,
                                           .error = clock->error_ns,
                                           .host_error = clock->host_error_ns,
                                           .width = clock->width_ns,
                                           .residual = clock->residual_ns,
                                           .broken = clock->broken_ns,
                                           .jumps = clock->n_jumps,
                                           .drift = clock->drift};
    if (clock->n_pairs == 0)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "the clock of \"%s\" is unknown: nothing pairs it with the host's, so its "
                        "times are its own and are no times of the host",
                        track->name);
    return TRUE;
}

static int compare_tallies(gconstpointer a, gconstpointer b)
{
    const Tally *x = a, *y = b;

    if (x->link_type != y->link_type)
        return x->link_type < y->link_type ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

static StrobeStatus out_of_space(const Pass *pass)
{
    return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                            "Cannot emit correlation: the host has no room for it");
}

static StrobeStatus correlation_end(void *state)
{
    Pass *pass = state;
    gint64 begin_ns = pass->host->metadata(pass->self)->window_begin_ns;

    /* must be finished first, because this searches the other tables */
    link_table_finish(pass->links[API_TO_TASK]);
    for (LinkType link_type = ENQUEUE_TO_DEQUEUE; link_type < N_LINK_TYPES; link_type++)
        link_table_finish(pass->links[link_type]);
    g_array_sort(pass->tallies, compare_tallies);
    for (guint i = 0; i < pass->tallies->len; i++) {
        const Tally *tally = &g_array_index(pass->tallies, Tally, i);
        if (is_empty(&tally->sum))
            continue;
        if (!emit_tally(pass, tally, begin_ns))
            return out_of_space(pass);
        warn_violations(pass, tally);
    }
    for (guint32 id = 1; id <= pass->host->track_count(pass->self); id++) {
        const StrobeTrackView *track = pass->host->track(pass->self, id);
        if (track && track->clock && track->clock->track == id &&
            !emit_clock(pass, track, begin_ns))
            return out_of_space(pass);
    }
    return STROBE_OK;
}

/* ---- opening and closing ---- */

static void bind_fields(StrobeBinder *binder, const StrobeWantedField *wanted, guint32 n)
{
    binder->wanted = wanted;
    binder->n_wanted = n;
}

static StrobeStatus correlation_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                     void **state)
{
    static const LinkDone done[N_LINK_TYPES] = {[API_TO_TASK] = on_call_done,
                                                [ENQUEUE_TO_DEQUEUE] = on_queued_done,
                                                [HOST_TO_DEVICE_MARKER] = on_mark_done,
                                                [FORWARD_TO_BACKWARD] = on_sequence_done};
    Pass *pass = g_new0(Pass, 1);

    pass->host = host;
    pass->self = self;
    pass->kinds = (StrobeKindNames){.names = kind_names, .n_names = N_KINDS};
    pass->is_import = *host->metadata_value(self, "source") != '\0';
    bind_fields(&pass->connected, connected_wanted, N_CONNECTED);
    bind_fields(&pass->queues, queue_wanted, N_QUEUE);
    bind_fields(&pass->markers, marker_wanted, N_MARKER);
    bind_fields(&pass->operators, operator_wanted, N_OPERATOR);
    for (LinkType link_type = 0; link_type < N_LINK_TYPES; link_type++)
        if (done[link_type])
            pass->links[link_type] = link_table_new(done[link_type], pass);
    pass->ops = host_spans_new();
    pass->dequeues = host_spans_new();
    pass->track_sources = g_hash_table_new(NULL, NULL);
    pass->tallies = g_array_new(FALSE, FALSE, sizeof(Tally));
    *state = pass;
    return STROBE_OK;
}

static void correlation_close(void *state)
{
    Pass *pass = state;

    for (LinkType link_type = 0; link_type < N_LINK_TYPES; link_type++)
        link_table_free(pass->links[link_type]);
    host_spans_free(pass->ops);
    host_spans_free(pass->dequeues);
    g_hash_table_unref(pass->track_sources);
    g_array_unref(pass->tallies);
    g_free(pass);
}

const StrobeConsumerOps correlation_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = correlation_open,
    .batch = correlation_batch,
    .end = correlation_end,
    .close = correlation_close,
};
