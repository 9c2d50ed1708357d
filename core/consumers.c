/* SPDX-License-Identifier: Apache-2.0 */
#include "consumers.h"

#include "crew.h"
#include "resources.h"
#include "turns.h"

#define FEW 64                            /* records that are not worth waking a thread for */
#define CREW_MAX 7                        /* threads besides the caller's */
#define THREAD_MEMORY ((guint64)64 << 20) /* of --max-mem, the caller's thread too */

struct StrobeConsumers {
    GPtrArray *own;       /* called by the caller's thread, in this order */
    GPtrArray *exporters; /* by any thread, none by two at once */
    GPtrArray *passes;    /* the same, each begun behind the one before it */
    StrobeTurns *turns;   /* of the passes */
    StrobeCrew *crew;     /* NULL: the caller's thread does all */
    StrobeViewRuns runs;  /* of the records that they are called for */
};

/* What all of them are called for. */
struct call {
    const StrobeConsumers *consumers;
    void (*step)(StrobeConsumer *); /* NULL: records */
};

/* Each thread more is one that reads what others of the heap have put into a file, which has to fit
 * into the memory too. */
static guint crew_size(void)
{
    guint64 room = strobe_resources_memory() / THREAD_MEMORY;

    return (guint)MIN(CREW_MAX, MAX(room, 1) - 1);
}

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
    consumers->turns = strobe_turns_new(passes->len);
    for (guint i = 0; i < passes->len; i++) {
        StrobeConsumer *pass = g_ptr_array_index(passes, i);

        pass->turn = i;
        g_ptr_array_add(consumers->passes, pass);
    }
    for (guint i = 0; i < others->len; i++) {
        StrobeConsumer *consumer = g_ptr_array_index(others, i);

        g_ptr_array_add(consumer->is_of_caller ? consumers->own : consumers->exporters, consumer);
    }
    consumers->crew = strobe_crew_new(crew_size());
    give_crew(passes, consumers->crew);
    give_crew(others, consumers->crew);
    return consumers;
}

guint strobe_consumers_n_threads(const StrobeConsumers *consumers)
{
    return strobe_crew_n_threads(consumers->crew);
}

void strobe_consumers_free(StrobeConsumers *consumers)
{
    strobe_crew_free(consumers->crew);
    strobe_turns_free(consumers->turns);
    g_ptr_array_unref(consumers->own);
    g_ptr_array_unref(consumers->exporters);
    g_ptr_array_unref(consumers->passes);
    g_free(consumers);
}

static void call_one(const struct call *call, StrobeConsumer *consumer)
{
    if (call->step)
        call->step(consumer);
    else
        strobe_consumer_feed(consumer, &call->consumers->runs);
}

static void call_pass(const struct call *call, guint index)
{
    StrobeConsumer *pass = g_ptr_array_index(call->consumers->passes, index);

    if (!pass->end) {
        pass->turns = call->consumers->turns;
        call_one(call, pass);
        pass->turns = NULL;
    }
    strobe_turns_end(call->consumers->turns, index);
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
        call_one(call, g_ptr_array_index(consumers->exporters, index - 1));
    else
        for (guint i = 0; i < consumers->own->len; i++)
            call_one(call, g_ptr_array_index(consumers->own, i));
}

static void run(StrobeConsumers *consumers, struct call *call, gboolean is_alone)
{
    strobe_turns_begin(consumers->turns);
    strobe_crew_run(is_alone ? NULL : consumers->crew, call_part, call,
                    1 + consumers->exporters->len + consumers->passes->len);
}

void strobe_consumers_call(StrobeConsumers *consumers, void (*step)(StrobeConsumer *))
{
    struct call call = {.consumers = consumers, .step = step};

    run(consumers, &call, FALSE);
}

void strobe_consumers_feed(StrobeConsumers *consumers, const StrobeView *views, gsize n)
{
    struct call call = {.consumers = consumers};

    strobe_view_runs_find(&consumers->runs, views, (guint)n);
    run(consumers, &call, n <= FEW);
}
