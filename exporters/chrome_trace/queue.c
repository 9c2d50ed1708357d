/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <strobe/helpers/fields.h>

#include "chrome-trace.h"

/* The newest files name what was put in by what was taken out, which comes later. So many may be on
 * their way; one that is overtaken keeps its plain name. */
#define WAITING_MAX (1u << 14)

enum { CORRELATION, IS_DEQUEUE }; /* in TraceKind.known */

#define ENQUEUE "Enqueue"
#define DEQUEUE "Dequeue"

typedef struct Waiting {
    const TraceRow *row; /* NULL: none waits here */
    guint64 correlation;
    gint64 begin_ns, end_ns;
} Waiting;

struct TraceQueue {
    TraceOut in, out;
    FlowGate *gate;   /* NULL: all arrows are drawn */
    Waiting *waiting; /* by correlation, in slots; NULL: none yet */
};

TraceQueue *trace_queue_new(int directory, FlowGate *gate)
{
    TraceQueue *queue = g_new0(TraceQueue, 1);

    queue->gate = gate;
    trace_out_init_held(&queue->in, directory, TRACE_OUT_HELD_BYTES);
    trace_out_init_held(&queue->out, directory, TRACE_OUT_HELD_BYTES);
    return queue;
}

void trace_queue_free(TraceQueue *queue)
{
    trace_out_clear(&queue->in);
    trace_out_clear(&queue->out);
    g_free(queue->waiting);
    g_free(queue);
}

gboolean trace_queue_has_events(const TraceQueue *queue)
{
    return queue->in.has_events || queue->out.has_events || queue->waiting;
}

int trace_queue_error(const TraceQueue *queue)
{
    return queue->in.error ? queue->in.error : queue->out.error;
}

static void put_arrow(TraceQueue *queue, gboolean is_dequeue, const Waiting *item)
{
    static const char category[] = "async_task_queue";
    TraceOut *out = is_dequeue ? &queue->out : &queue->in;
    TraceOut *event = queue->gate ? flow_gate_event(queue->gate) : out;
    char id[STROBE_NUMBER_MAX];

    trace_flow_framework(event, category, "enqueue_to_dequeue", is_dequeue, item->correlation,
                         item->row, item->begin_ns);
    if (queue->gate)
        flow_gate_take(queue->gate, category, id, strobe_format_uint(id, item->correlation),
                       is_dequeue ? FLOW_END : FLOW_BEGIN, out);
}

static void put_event(TraceQueue *queue, gboolean is_dequeue, const char *name, gsize length,
                      const Waiting *item)
{
    TraceOut *out = is_dequeue ? &queue->out : &queue->in;
    char *at = trace_out_event(out);
    gint64 duration = item->end_ns - item->begin_ns;

    PUT_LITERAL(at, "{\"ph\": \"X\", \"name\": ");
    at = trace_out_text(out, at, name, length);
    PUT_LITERAL(at, ", ");
    at = put_place(at, item->row, item->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_repr(at, MAX(duration, 0));
    if (is_dequeue)
        PUT_LITERAL(at, ", \"cat\": \"dequeue\", \"args\": {\"correlation_id\": ");
    else
        PUT_LITERAL(at, ", \"cat\": \"enqueue\", \"args\": {\"correlation_id\": ");
    at = put_uint(at, item->correlation);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
    put_arrow(queue, is_dequeue, item);
}

static void put_waiting(TraceQueue *queue, Waiting *item)
{
    static const char name[] = "\"" ENQUEUE "\"";

    put_event(queue, FALSE, name, strlen(name), item);
    item->row = NULL;
}

/* The name of what is taken out, "Dequeue@aclnnMm" in quotes, names what was put in. */
static void name_waiting(TraceQueue *queue, const Waiting *taken, const CachedText *name)
{
    Waiting *item = queue->waiting ? &queue->waiting[taken->correlation & (WAITING_MAX - 1)] : NULL;
    g_autofree char *made = NULL;
    const char *at;

    if (!item || !item->row || item->correlation != taken->correlation)
        return;
    at = memchr(name->bytes, '@', name->length);
    if (!at) {
        put_waiting(queue, item);
        return;
    }
    made = g_strdup_printf("\"" ENQUEUE "%.*s", (int)(name->bytes + name->length - at), at);
    put_event(queue, FALSE, made, strlen(made), item);
    item->row = NULL;
}

static void let_wait(TraceQueue *queue, const Waiting *item)
{
    Waiting *slot;

    if (!queue->waiting)
        queue->waiting = g_new0(Waiting, WAITING_MAX);
    slot = &queue->waiting[item->correlation & (WAITING_MAX - 1)];
    if (slot->row)
        put_waiting(queue, slot);
    *slot = *item;
}

/* Older files do not say what was put in. */
static void put_in(ChromeTrace *trace, const Waiting *item, const CachedText *name)
{
    static const char plain[] = "\"" ENQUEUE "\"";
    gboolean is_plain = name->length == strlen(plain) && !memcmp(name->bytes, plain, name->length);
    gboolean is_named = name->length > strlen(plain) &&
                        !memcmp(name->bytes, "\"" ENQUEUE "@", strlen("\"" ENQUEUE "@"));

    if (trace->is_old && is_named)
        put_event(trace->queue, FALSE, plain, strlen(plain), item);
    else if (trace->is_old || !is_plain)
        put_event(trace->queue, FALSE, name->bytes, name->length, item);
    else
        let_wait(trace->queue, item);
}

void write_task_queue(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    gboolean is_dequeue = strobe_field_u8(record, kind->known[IS_DEQUEUE], 0) != 0;
    TraceRow *row = trace_rows_of_track(trace->rows, record->track);
    const Waiting item = {row, strobe_field_u64(record, kind->known[CORRELATION], 0),
                          record->begin_ns, record->end_ns};
    const CachedText *name =
        record->name ? text_cache_get(trace->texts, TEXT_CACHE_PLAIN, record->name)
        : is_dequeue ? text_cache_escape(trace->texts, DEQUEUE, strlen(DEQUEUE))
                     : text_cache_escape(trace->texts, ENQUEUE, strlen(ENQUEUE));

    trace_row_begins(row, TRACE_ROW_QUEUE);
    row->has_dequeues |= is_dequeue;
    if (!is_dequeue) {
        put_in(trace, &item, name);
        return;
    }
    put_event(trace->queue, TRUE, name->bytes, name->length, &item);
    name_waiting(trace->queue, &item, name);
}

void trace_queue_append(TraceQueue *queue, gboolean is_old, TraceOut *out)
{
    for (guint i = 0; queue->waiting && i < WAITING_MAX; i++)
        if (queue->waiting[i].row)
            put_waiting(queue, &queue->waiting[i]);
    trace_out_append(out, is_old ? &queue->in : &queue->out);
    trace_out_append(out, is_old ? &queue->out : &queue->in);
}
