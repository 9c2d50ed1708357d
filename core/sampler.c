/* SPDX-License-Identifier: Apache-2.0 */
#include "sampler.h"

#include <signal.h>
#include "clock.h"
#include "log.h"

#define INTERVAL_MIN_NS 100000

struct source {
    StrobeCollector *collector;
    gint64 interval, next; /* ns, CLOCK_MONOTONIC */
};

struct StrobeSampler {
    GMutex lock;
    GCond wake;
    gboolean stopping;
    GPtrArray *threads; /* of struct worker; [0] is the common one */
};

struct worker {
    StrobeSampler *sampler;
    GArray *sources;
    GThread *thread;
};

static void add_worker(StrobeSampler *sampler, GArray *sources);

/* Sources of a worker due now; returns when the next one is due. A source that overran is moved. */
static gint64 sample_due(struct worker *worker)
{
    gint64 soonest = G_MAXINT64;

    for (guint i = 0; i < worker->sources->len; i++) {
        struct source *s = &g_array_index(worker->sources, struct source, i);
        gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);
        if (now >= s->next) {
            s->collector->ops->sample(s->collector->state);
            gint64 took = strobe_clock_ns(CLOCK_MONOTONIC) - now;
            /* Ticks that were missed are left out, not caught up with. */
            s->next += (1 + MAX(0, (now - s->next) / s->interval)) * s->interval;
            if (took > s->interval && worker->sources->len > 1) {
                GArray *own = g_array_new(FALSE, FALSE, sizeof(struct source));
                strobe_log(STROBE_LOG_WARNING,
                           "%s: a sample took %.1f ms, longer than its interval of %.1f ms: it "
                           "gets a thread of its own",
                           s->collector->component->name, (double)took / 1e6,
                           (double)s->interval / 1e6);
                g_array_append_val(own, *s);
                g_array_remove_index(worker->sources, i--);
                g_mutex_lock(&worker->sampler->lock);
                if (!worker->sampler->stopping)
                    add_worker(worker->sampler, own);
                else
                    g_array_unref(own);
                g_mutex_unlock(&worker->sampler->lock);
                continue;
            }
        }
        soonest = MIN(soonest, s->next);
    }
    return soonest;
}

static gpointer worker_main(gpointer data)
{
    struct worker *worker = data;
    StrobeSampler *sampler = worker->sampler;

    g_mutex_lock(&sampler->lock);
    while (!sampler->stopping) {
        g_mutex_unlock(&sampler->lock);
        gint64 due = sample_due(worker);
        g_mutex_lock(&sampler->lock);
        if (!sampler->stopping)
            g_cond_wait_until(&sampler->wake, &sampler->lock, due / 1000); /* monotonic us */
    }
    g_mutex_unlock(&sampler->lock);
    return NULL;
}

/* Lock held, or nobody else knows the sampler yet. */
static void add_worker(StrobeSampler *sampler, GArray *sources)
{
    struct worker *worker = g_new0(struct worker, 1);
    sigset_t all, old;

    worker->sampler = sampler;
    worker->sources = sources;
    g_ptr_array_add(sampler->threads, worker);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    worker->thread = g_thread_try_new("strobe-sampler", worker_main, worker, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!worker->thread)
        strobe_log(STROBE_LOG_WARNING,
                   "Cannot start a thread: periodic collectors are not sampled");
}

StrobeSampler *strobe_sampler_start(GPtrArray *collectors)
{
    GArray *sources = g_array_new(FALSE, FALSE, sizeof(struct source));
    gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);

    for (guint i = 0; i < collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(collectors, i);
        if (!c->is_started || !c->ops->sample || !c->ops->sample_interval)
            continue;
        gint64 interval = c->ops->sample_interval(c->state);
        if (interval <= 0) /* not this time */
            continue;
        struct source source = {c, MAX(interval, INTERVAL_MIN_NS), now};
        g_array_append_val(sources, source);
    }
    if (sources->len == 0) {
        g_array_unref(sources);
        return NULL;
    }
    StrobeSampler *sampler = g_new0(StrobeSampler, 1);
    g_mutex_init(&sampler->lock);
    g_cond_init(&sampler->wake);
    sampler->threads = g_ptr_array_new();
    add_worker(sampler, sources);
    return sampler;
}

void strobe_sampler_stop(StrobeSampler *sampler)
{
    if (!sampler)
        return;
    g_mutex_lock(&sampler->lock);
    sampler->stopping = TRUE;
    g_cond_broadcast(&sampler->wake);
    g_mutex_unlock(&sampler->lock);
    for (guint i = 0; i < sampler->threads->len; i++) {
        struct worker *worker = g_ptr_array_index(sampler->threads, i);
        if (worker->thread)
            g_thread_join(worker->thread);
        g_array_unref(worker->sources);
        g_free(worker);
    }
    g_ptr_array_unref(sampler->threads);
    g_mutex_clear(&sampler->lock);
    g_cond_clear(&sampler->wake);
    g_free(sampler);
}
