/* SPDX-License-Identifier: Apache-2.0 */
#include "consumers.h"

#include "crew.h"

#define FEW 64     /* records that are not worth waking a thread for */
#define CREW_MAX 7 /* threads besides the caller's */

struct StrobeConsumers {
    GPtrArray *own;       /* called by the caller's thread, in this order */
    GPtrArray *exporters; /* by any thread, none by two at once */
    StrobeCrew *crew;     /* NULL: the caller's thread does all */
};

/* What all of them are called for. */
struct call {
    const StrobeConsumers *consumers;
    void (*step)(StrobeConsumer *); /* NULL: records */
    const StrobeView *views;
    gsize n;
};

StrobeConsumers *strobe_consumers_new(const GPtrArray *passes, const GPtrArray *others)
{
    StrobeConsumers *consumers = g_new0(StrobeConsumers, 1);

    consumers->own = g_ptr_array_new();
    consumers->exporters = g_ptr_array_new();
    for (guint i = 0; i < passes->len; i++)
        g_ptr_array_add(consumers->own, g_ptr_array_index(passes, i));
    for (guint i = 0; i < others->len; i++) {
        StrobeConsumer *consumer = g_ptr_array_index(others, i);

        g_ptr_array_add(consumer->is_of_caller ? consumers->own : consumers->exporters, consumer);
    }
    consumers->crew = strobe_crew_new(MIN(consumers->exporters->len, CREW_MAX));
    return consumers;
}

void strobe_consumers_free(StrobeConsumers *consumers)
{
    strobe_crew_free(consumers->crew);
    g_ptr_array_unref(consumers->own);
    g_ptr_array_unref(consumers->exporters);
    g_free(consumers);
}

static void call_one(const struct call *call, StrobeConsumer *consumer)
{
    if (call->step)
        call->step(consumer);
    else
        strobe_consumer_feed(consumer, call->views, call->n);
}

/* The caller's own are one part, each exporter is another one. */
static void call_part(gpointer user, guint index)
{
    const struct call *call = user;
    const StrobeConsumers *consumers = call->consumers;

    if (index) {
        call_one(call, g_ptr_array_index(consumers->exporters, index - 1));
        return;
    }
    for (guint i = 0; i < consumers->own->len; i++)
        call_one(call, g_ptr_array_index(consumers->own, i));
}

void strobe_consumers_call(StrobeConsumers *consumers, void (*step)(StrobeConsumer *))
{
    struct call call = {.consumers = consumers, .step = step};

    strobe_crew_run(consumers->crew, call_part, &call, consumers->exporters->len + 1);
}

void strobe_consumers_feed(StrobeConsumers *consumers, const StrobeView *views, gsize n)
{
    struct call call = {.consumers = consumers, .views = views, .n = n};

    strobe_crew_run(n > FEW ? consumers->crew : NULL, call_part, &call,
                    consumers->exporters->len + 1);
}
