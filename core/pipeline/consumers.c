/* SPDX-License-Identifier: Apache-2.0 */
#include "consumers.h"

#include <pthread.h>
#include <strobe/helpers/thread.h>

#include "batch-line.h"
#include "crew.h"
#include "memory-limit.h"
#include "turns.h"

#define FEW 64                            /* records that are not worth waking a thread for */
#define CREW_MAX 7                        /* threads besides the caller's */
#define THREAD_MEMORY ((guint64)64 << 20) /* of --max-mem, the caller's thread too */

struct StrobeConsumers {
    GPtrArray *own;        /* called by the caller's thread, in this order */
    GPtrArray *exporters;  /* by any thread, none by two at once */
    GPtrArray *passes;     /* the same, each begun behind the one before it */
    StrobeTurns *turns;    /* of the passes */
    guint64 turn;          /* of the first pass, in what they are called for next */
    StrobeCrew *crew;      /* NULL: the caller's thread does all */
    StrobeBatchLine *line; /* taken by exporters and passes, in this order */
};

/* What all of them are called for. */
struct call {
    const StrobeConsumers *consumers;
    void (*step)(StrobeConsumer *);
    guint64 first_turn;
};

/* ---- records ---- */

static StrobeConsumer *taker_at(const StrobeConsumers *consumers, guint taker)
{
    const guint n = consumers->exporters->len;

    return taker < n ? g_ptr_array_index(consumers->exporters, taker)
                     : g_ptr_array_index(consumers->passes, taker - n);
}

static void feed_pass(const StrobeConsumers *consumers, StrobeConsumer *pass, guint index,
                      const StrobeBatch *batch)
{
    if (!pass->end) {
        pass->turns = consumers->turns;
        pass->turn = batch->first_turn + index;
        strobe_consumer_feed(pass, &batch->runs);
        pass->turns = NULL;
    }
    strobe_turns_end(consumers->turns, batch->first_turn + index);
}

static gint take_batch(gpointer user)
{
    StrobeConsumers *consumers = user;

    return strobe_batch_line_take(consumers->line);
}

static void feed_taker(gpointer user, guint taker)
{
    const StrobeConsumers *consumers = user;
    const guint n_exporters = consumers->exporters->len;
    const StrobeBatch *batch = strobe_batch_line_given(consumers->line, taker);
    StrobeConsumer *consumer = taker_at(consumers, taker);

    if (taker < n_exporters)
        strobe_consumer_feed(consumer, &batch->runs);
    else
        feed_pass(consumers, consumer, taker - n_exporters, batch);
}

static void batch_taken(gpointer user, guint taker)
{
    StrobeConsumers *consumers = user;

    strobe_batch_line_done(consumers->line, taker);
}

static const StrobeCrewFlow flow = {take_batch, feed_taker, batch_taken};

static gboolean has_room(gpointer user)
{
    return strobe_batch_line_has_room(((StrobeConsumers *)user)->line);
}

static gboolean is_settled(gpointer user)
{
    return strobe_batch_line_is_empty(((StrobeConsumers *)user)->line);
}

static void put_batch(gpointer user)
{
    strobe_batch_line_put(((StrobeConsumers *)user)->line);
}

StrobeView *strobe_consumers_room(StrobeConsumers *consumers)
{
    if (consumers->crew)
        strobe_crew_flow_until(consumers->crew, has_room);
    return strobe_batch_line_next(consumers->line)->views;
}

/* All by the caller's thread: records that are not worth waking another one for. */
static void feed_alone(StrobeConsumers *consumers)
{
    gint taker;

    put_batch(consumers);
    while ((taker = take_batch(consumers)) >= 0) {
        feed_taker(consumers, (guint)taker);
        batch_taken(consumers, (guint)taker);
    }
}

static void settle(gpointer user)
{
    strobe_consumers_settle(user);
}

/* Before others have the batch. Who interns waits until they have all before it behind them, and
 * takes part in that: the crew may be asleep, or wait for a pass that nobody is at. */
static void feed_own(StrobeConsumers *consumers, const StrobeBatch *batch)
{
    for (guint i = 0; i < consumers->own->len; i++) {
        StrobeConsumer *own = g_ptr_array_index(consumers->own, i);

        own->settle = settle;
        own->settle_user = consumers;
        strobe_consumer_feed(own, &batch->runs);
        own->settle = NULL;
    }
}

void strobe_consumers_feed(StrobeConsumers *consumers, gsize n)
{
    StrobeBatch *batch = strobe_batch_line_next(consumers->line);

    strobe_view_runs_find(&batch->runs, batch->views, (guint)n);
    batch->first_turn = consumers->turn;
    consumers->turn += consumers->passes->len;
    feed_own(consumers, batch);
    if (consumers->crew)
        strobe_crew_flow_change(consumers->crew, put_batch, n > FEW);
    else
        feed_alone(consumers);
}

void strobe_consumers_settle(StrobeConsumers *consumers)
{
    if (consumers->crew)
        strobe_crew_flow_until(consumers->crew, is_settled);
}

/* ---- steps ---- */

static void call_pass(const struct call *call, guint index)
{
    StrobeConsumer *pass = g_ptr_array_index(call->consumers->passes, index);

    if (!pass->end) {
        pass->turns = call->consumers->turns;
        pass->turn = call->first_turn + index;
        call->step(pass);
        pass->turns = NULL;
    }
    strobe_turns_end(call->consumers->turns, call->first_turn + index);
}

/* The caller's own are one part, each exporter is another one, and so is each pass. Exporters take
 * longest: they come first. */
static void call_part(gpointer user, guint index)
{
    const struct call *call = user;
    const StrobeConsumers *consumers = call->consumers;

    if (index > consumers->exporters->len)
        call_pass(call, index - consumers->exporters->len - 1);
    else if (index)
        call->step(g_ptr_array_index(consumers->exporters, index - 1));
    else
        for (guint i = 0; i < consumers->own->len; i++)
            call->step(g_ptr_array_index(consumers->own, i));
}

void strobe_consumers_call(StrobeConsumers *consumers, void (*step)(StrobeConsumer *))
{
    struct call call = {.consumers = consumers, .step = step, .first_turn = consumers->turn};

    strobe_consumers_settle(consumers);
    consumers->turn += consumers->passes->len;
    strobe_crew_run(consumers->crew, call_part, &call,
                    1 + consumers->exporters->len + consumers->passes->len);
}

/* ---- ends ---- */

/* Each thread more is one that reads what others of the heap have put into a file, which has to fit
 * into the memory too. */
static guint threads_besides(void)
{
    guint64 room = strobe_memory_limit() / THREAD_MEMORY;

    return (guint)MIN(CREW_MAX, MAX(room, 1) - 1);
}

typedef struct Ends {
    const GPtrArray *exporters;
    gint next; /* that nobody has begun to end; atomic */
} Ends;

static void end_exporters(Ends *ends)
{
    guint index;

    while ((index = (guint)g_atomic_int_add(&ends->next, 1)) < ends->exporters->len)
        strobe_consumer_end(g_ptr_array_index(ends->exporters, index));
}

static void *serve_ends(void *data)
{
    end_exporters(data);
    return NULL;
}

/* Who ends waits for the disk, too: there is one thread more than work otherwise, if the memory is
 * enough for that. */
void strobe_consumers_end(StrobeConsumers *consumers)
{
    Ends ends = {.exporters = consumers->exporters};
    guint n = MIN(MIN(strobe_crew_n_threads(consumers->crew) + 1, threads_besides()),
                  consumers->exporters->len);
    g_autofree pthread_t *threads = g_new0(pthread_t, n + 1);
    guint n_threads = 0;

    strobe_consumers_settle(consumers);
    while (consumers->crew && n_threads < n &&
           strobe_thread_start(&threads[n_threads], serve_ends, &ends) == 0)
        pthread_setname_np(threads[n_threads++], "strobe-end");
    for (guint i = 0; i < consumers->own->len; i++)
        strobe_consumer_end(g_ptr_array_index(consumers->own, i));
    end_exporters(&ends);
    for (guint i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
}

/* ---- making ---- */

static void give_crew(const GPtrArray *consumers, StrobeCrew *crew)
{
    for (guint i = 0; i < consumers->len; i++)
        ((StrobeConsumer *)g_ptr_array_index(consumers, i))->crew = crew;
}

StrobeConsumers *strobe_consumers_new(const GPtrArray *passes, const GPtrArray *others)
{
    StrobeConsumers *consumers = g_new0(StrobeConsumers, 1);

    consumers->own = g_ptr_array_new();
    consumers->exporters = g_ptr_array_new();
    consumers->passes = g_ptr_array_new();
    consumers->turns = strobe_turns_new(STROBE_BATCHES * passes->len);
    for (guint i = 0; i < passes->len; i++)
        g_ptr_array_add(consumers->passes, g_ptr_array_index(passes, i));
    for (guint i = 0; i < others->len; i++) {
        StrobeConsumer *consumer = g_ptr_array_index(others, i);

        g_ptr_array_add(consumer->is_of_caller ? consumers->own : consumers->exporters, consumer);
    }
    consumers->crew = strobe_crew_new(threads_besides());
    give_crew(passes, consumers->crew);
    give_crew(others, consumers->crew);
    consumers->line = strobe_batch_line_new(consumers->crew ? STROBE_BATCHES : 1,
                                            consumers->exporters->len + passes->len);
    if (consumers->crew)
        strobe_crew_set_flow(consumers->crew, &flow, consumers);
    return consumers;
}

guint strobe_consumers_n_threads(const StrobeConsumers *consumers)
{
    return strobe_crew_n_threads(consumers->crew);
}

guint strobe_consumers_n_batches(const StrobeConsumers *consumers)
{
    return consumers->line->n_batches;
}

void strobe_consumers_free(StrobeConsumers *consumers)
{
    strobe_crew_free(consumers->crew);
    strobe_batch_line_free(consumers->line);
    strobe_turns_free(consumers->turns);
    g_ptr_array_unref(consumers->own);
    g_ptr_array_unref(consumers->exporters);
    g_ptr_array_unref(consumers->passes);
    g_free(consumers);
}
