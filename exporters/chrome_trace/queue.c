/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <strobe/helpers/fields.h>

/* Maximum number of enqueues that wait for their dequeue. In the newest files an enqueue has the
 * name of its dequeue, which ends later. If another enqueue needs the slot first, the enqueue gets
 * the name "Enqueue". */
#define WAITING_MAX (1u << 14)

enum { CORRELATION, IS_DEQUEUE }; /* indexes in TraceKind.known */

#define ENQUEUE "Enqueue"
#define DEQUEUE "Dequeue"

/* Forms of an event's name. */
enum {
    NAME_OWN,
    NAME_PLAIN, /* the name "Enqueue": in older files, or if no dequeue came */
    /* the name of the dequeue, for an enqueue; the dequeue is for example "Dequeue@aclnnMm" */
    NAME_OTHER
};

/* Data of an event that waits until the queue is written. The flags of its record are not 0 if it
 * is a dequeue. */
typedef struct Queued {
    guint64 correlation;
    guint32 naming; /* NAME_* */
    guint32 padding;
} Queued;

typedef struct Waiting {
    const TraceRow *row; /* NULL: the slot is empty */
    guint64 correlation;
    gint64 begin_ns, end_ns;
} Waiting;

struct TraceQueue {
    TracePart in, out;
    const TraceKind *kind; /* kind of the waiting events */
    Waiting *waiting;      /* a hash table of enqueues by correlation; NULL: none yet */
};

static char *put_queued_name(ChromeTrace *trace, TraceOut *out, char *at, guint32 naming,
                             gboolean is_dequeue, StrobeStringId id)
{
    const CachedText *name;
    const char *mark;

    if (naming == NAME_PLAIN || (!id && !is_dequeue))
        return PUT_LITERAL(at, "\"" ENQUEUE "\"");
    if (!id)
        return PUT_LITERAL(at, "\"" DEQUEUE "\"");
    if (naming == NAME_OWN)
        return put_text(trace, out, at, TEXT_CACHE_PLAIN, id);
    PUT_LITERAL(at, "\"" ENQUEUE);
    name = text_cache_get(trace->texts, TEXT_CACHE_PLAIN, id);
    mark = memchr(name->bytes, '@', name->length);
    return trace_out_text(out, at, mark, (gsize)(name->bytes + name->length - mark));
}

static void put_event(ChromeTrace *trace, TraceOut *out, const Queued *queued, gboolean is_dequeue,
                      const StrobeView *record, const TraceRow *row)
{
    char *at = trace_out_event(out);
    gint64 duration = record->end_ns - record->begin_ns;

    PUT_LITERAL(at, "{\"ph\": \"X\", \"name\": ");
    at = put_queued_name(trace, out, at, queued->naming, is_dequeue, record->name);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_repr(at, MAX(duration, 0));
    if (is_dequeue)
        PUT_LITERAL(at, ", \"cat\": \"dequeue\", \"args\": {\"correlation_id\": ");
    else
        PUT_LITERAL(at, ", \"cat\": \"enqueue\", \"args\": {\"correlation_id\": ");
    at = put_uint(at, queued->correlation);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

static void put_flow_event(ChromeTrace *trace, TraceOut *out, const Queued *queued,
                           gboolean is_dequeue, const StrobeView *record, const TraceRow *row)
{
    static const char category[] = "async_task_queue";
    TraceOut *event = trace->matcher ? flow_matcher_event(trace->matcher) : out;
    char id[STROBE_NUMBER_MAX];

    trace_flow_framework(event, category, "enqueue_to_dequeue", is_dequeue, queued->correlation,
                         row, record->begin_ns);
    if (trace->matcher)
        flow_matcher_take(trace->matcher, category, id, strobe_format_uint(id, queued->correlation),
                          is_dequeue ? FLOW_END : FLOW_BEGIN, out);
}

/* Writes the event, and the end of its flow event. */
static void compose_queued(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                           const TraceRow *row)
{
    const gboolean is_dequeue = record->flags != 0;
    TraceQueue *queue = trace->queue;
    TraceOut *out =
        trace->matcher ? trace_part_text(is_dequeue ? &queue->out : &queue->in) : &trace->main;
    Queued queued;

    (void)kind;
    memcpy(&queued, record->fields, sizeof queued);
    put_event(trace, out, &queued, is_dequeue, record, row);
    put_flow_event(trace, out, &queued, is_dequeue, record, row);
}

TraceQueue *trace_queue_new(ChromeTrace *trace)
{
    StrobeStorage *storage = trace->host->storage(trace->self);
    TraceQueue *queue = g_new0(TraceQueue, 1);

    queue->kind = trace_kind_own(trace, compose_queued);
    trace_part_init(&queue->in, storage, FALSE);
    trace_part_init(&queue->out, storage, FALSE);
    return queue;
}

void trace_queue_free(TraceQueue *queue)
{
    trace_part_clear(&queue->in);
    trace_part_clear(&queue->out);
    g_free(queue->waiting);
    g_free(queue);
}

gboolean trace_queue_has_events(const TraceQueue *queue)
{
    return trace_part_has_events(&queue->in) || trace_part_has_events(&queue->out) ||
           queue->waiting;
}

int trace_queue_error(const TraceQueue *queue)
{
    int error = trace_part_error(&queue->in);

    return error ? error : trace_part_error(&queue->out);
}

/* Keeps the event in its side of the queue. If the trace is only a part of a result, the event is
 * written at once, because the flow matcher needs the text of its flow event. */
static void hold_item(ChromeTrace *trace, gboolean is_dequeue, guint32 naming, StrobeStringId name,
                      const Waiting *item)
{
    TraceQueue *queue = trace->queue;
    const Queued queued = {.correlation = item->correlation, .naming = naming};
    const StrobeView view = {.fields = &queued,
                             .begin_ns = item->begin_ns,
                             .end_ns = item->end_ns,
                             .name = name,
                             .flags = (guint32)is_dequeue};

    if (trace->matcher)
        compose_queued(trace, NULL, &view, item->row);
    else
        trace_part_add_record(is_dequeue ? &queue->out : &queue->in, 0, queue->kind, sizeof queued,
                              item->row, &view);
}

static void hold_waiting(ChromeTrace *trace, Waiting *item)
{
    hold_item(trace, FALSE, NAME_PLAIN, 0, item);
    item->row = NULL;
}

/* Adds the enqueue that has waited for the dequeue `taken`, with the name of the dequeue. */
static void name_waiting(ChromeTrace *trace, const Waiting *taken, StrobeStringId name)
{
    TraceQueue *queue = trace->queue;
    Waiting *item = queue->waiting ? &queue->waiting[taken->correlation & (WAITING_MAX - 1)] : NULL;
    StrobeText text;

    if (!item || !item->row || item->correlation != taken->correlation)
        return;
    text = trace->host->string(trace->self, name);
    if (memchr(text.bytes, '@', text.length))
        hold_item(trace, FALSE, NAME_OTHER, name, item);
    else
        hold_waiting(trace, item);
    item->row = NULL;
}

static void let_wait(ChromeTrace *trace, const Waiting *item)
{
    TraceQueue *queue = trace->queue;
    Waiting *slot;

    if (!queue->waiting)
        queue->waiting = g_new0(Waiting, WAITING_MAX);
    slot = &queue->waiting[item->correlation & (WAITING_MAX - 1)];
    if (slot->row)
        hold_waiting(trace, slot);
    *slot = *item;
}

/* Adds an enqueue, or lets it wait for the name of its dequeue. In older files an enqueue with an
 * operator's name gets the name "Enqueue". */
static void put_in(ChromeTrace *trace, const Waiting *item, StrobeStringId name)
{
    const StrobeText text = trace->host->string(trace->self, name);
    const gsize length = strlen(ENQUEUE);
    const gboolean is_so = text.length >= length && !memcmp(text.bytes, ENQUEUE, length);
    const gboolean is_plain = !name || (is_so && text.length == length);

    if (trace->is_old && is_so && text.length > length && text.bytes[length] == '@')
        hold_item(trace, FALSE, NAME_PLAIN, 0, item);
    else if (trace->is_old || !is_plain)
        hold_item(trace, FALSE, NAME_OWN, name, item);
    else
        let_wait(trace, item);
}

void write_task_queue(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    gboolean is_dequeue = strobe_field_u8(record, kind->known[IS_DEQUEUE], 0) != 0;
    TraceRow *row = trace_rows_of_track(trace->rows, record->track);
    const Waiting item = {row, strobe_field_u64(record, kind->known[CORRELATION], 0),
                          record->begin_ns, record->end_ns};

    trace_row_begins(row, TRACE_ROW_QUEUE);
    row->has_dequeues |= is_dequeue;
    if (!is_dequeue) {
        put_in(trace, &item, record->name);
        return;
    }
    hold_item(trace, TRUE, NAME_OWN, record->name, &item);
    name_waiting(trace, &item, record->name);
}

TracePart *trace_queue_side(ChromeTrace *trace, gboolean is_second)
{
    TraceQueue *queue = trace->queue;

    for (guint i = 0; queue->waiting && i < WAITING_MAX; i++)
        if (queue->waiting[i].row)
            hold_waiting(trace, &queue->waiting[i]);
    return is_second == trace->is_old ? &queue->out : &queue->in;
}
