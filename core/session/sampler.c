/* SPDX-License-Identifier: Apache-2.0 */
#include "sampler.h"

#include <pthread.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include "abandoned.h"
#include "clock.h"
#include "log.h"
#include "periodic-source.h"
#include "timed-wait.h"

struct StrobeSampler {
    /* not a lock of GLib: ThreadSanitizer does not see the ordering of GLib's locks */
    pthread_mutex_t lock;
    pthread_cond_t wake; /* CLOCK_MONOTONIC */
    gboolean stopping;
    GPtrArray *threads; /* of struct worker; [0] samples all sources that have no separate thread */
    GArray *added; /* of StrobePeriodicSource: new sources that threads[0] has not taken over yet */
};

struct worker {
    StrobeSampler *sampler;
    GArray *sources;
    pthread_t thread;
    gboolean has_thread;
};

static void add_worker(StrobeSampler *sampler, GArray *sources);

/* Moves a source whose sample took longer than its interval to a separate thread, so that it does
 * not delay the other sources again. */
static void move_source(struct worker *worker, guint i, gint64 took)
{
    const StrobePeriodicSource *s = &g_array_index(worker->sources, StrobePeriodicSource, i);
    GArray *own = g_array_new(FALSE, FALSE, sizeof(StrobePeriodicSource));

    strobe_log(STROBE_LOG_WARNING,
               "%s: a sample took %.1f ms, longer than its interval of %.1f ms: a separate thread "
               "samples it now",
               s->component, (double)took / 1e6, (double)s->interval / 1e6);
    g_array_append_val(own, *s);
    pthread_mutex_lock(&worker->sampler->lock);
    if (!worker->sampler->stopping) {
        g_array_remove_index(worker->sources, i);
        add_worker(worker->sampler, own);
    } else {
        g_array_unref(own);
    }
    pthread_mutex_unlock(&worker->sampler->lock);
}

/* Samples the due sources of a worker; returns the time at which the next source is due. */
static gint64 sample_due(struct worker *worker)
{
    gint64 soonest = G_MAXINT64;

    for (guint i = 0; i < worker->sources->len; i++) {
        StrobePeriodicSource *s = &g_array_index(worker->sources, StrobePeriodicSource, i);
        gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);
        gint64 took = now >= s->next ? strobe_periodic_source_sample(s, now) : 0;
        guint n = worker->sources->len;
        if (took > s->interval && n > 1)
            move_source(worker, i, took);
        if (worker->sources->len < n)
            i--;
        else
            soonest = MIN(soonest, s->next);
    }
    return soonest;
}

/* Are there new sources for this worker, which only threads[0] takes over? The caller holds the
 * lock. */
static gboolean has_added(const struct worker *worker)
{
    const StrobeSampler *sampler = worker->sampler;

    return sampler->added->len > 0 && worker == g_ptr_array_index(sampler->threads, 0);
}

static void take_added(struct worker *worker)
{
    StrobeSampler *sampler = worker->sampler;

    if (!has_added(worker))
        return;
    g_array_append_vals(worker->sources, sampler->added->data, sampler->added->len);
    g_array_set_size(sampler->added, 0);
}

static void *worker_main(void *data)
{
    struct worker *worker = data;
    StrobeSampler *sampler = worker->sampler;

    prctl(PR_SET_NAME, "strobe-sampler");
    pthread_mutex_lock(&sampler->lock);
    while (!sampler->stopping) {
        take_added(worker);
        pthread_mutex_unlock(&sampler->lock);
        strobe_look_for_program();
        gint64 due = sample_due(worker);
        pthread_mutex_lock(&sampler->lock);
        if (!sampler->stopping && !has_added(worker))
            strobe_cond_wait_until(&sampler->wake, &sampler->lock, due);
    }
    pthread_mutex_unlock(&sampler->lock);
    for (guint i = 0; i < worker->sources->len; i++)
        strobe_periodic_source_finish(&g_array_index(worker->sources, StrobePeriodicSource, i));
    return NULL;
}

/* Starts a worker for these sources. The caller holds the lock, or no other thread knows the
 * sampler yet. */
static void add_worker(StrobeSampler *sampler, GArray *sources)
{
    struct worker *worker = g_new0(struct worker, 1);

    worker->sampler = sampler;
    worker->sources = sources;
    g_ptr_array_add(sampler->threads, worker);
    /* not through GLib: the library that intercepts the program's calls of libc (osrt) recognises
     * Strobe's calls by the caller's address */
    worker->has_thread = strobe_thread_start(&worker->thread, worker_main, worker) == 0;
    if (!worker->has_thread)
        strobe_log(STROBE_LOG_WARNING,
                   "Cannot start a thread: periodic collectors are not sampled");
}

/* Adds the collector if it must be sampled. */
static void add_source(GArray *sources, StrobeCollector *c, gint64 now)
{
    if (!c->is_started || c->is_paused || !c->ops->sample || !c->ops->sample_interval)
        return;
    gint64 interval = c->ops->sample_interval(c->state);
    if (interval <= 0) /* the collector does not sample in this window */
        return;
    StrobePeriodicSource source =
        strobe_periodic_source(c->component->name, c->ops, c->state, interval, now);
    g_array_append_val(sources, source);
}

static StrobeSampler *start_sampler(GArray *sources)
{
    if (sources->len == 0) {
        g_array_unref(sources);
        return NULL;
    }
    StrobeSampler *sampler = g_new0(StrobeSampler, 1);
    pthread_mutex_init(&sampler->lock, NULL);
    strobe_cond_init(&sampler->wake);
    sampler->threads = g_ptr_array_new();
    sampler->added = g_array_new(FALSE, FALSE, sizeof(StrobePeriodicSource));
    /* Under the lock, because the new thread reads the list of threads. */
    pthread_mutex_lock(&sampler->lock);
    add_worker(sampler, sources);
    pthread_mutex_unlock(&sampler->lock);
    return sampler;
}

StrobeSampler *strobe_sampler_start(GPtrArray *collectors)
{
    GArray *sources = g_array_new(FALSE, FALSE, sizeof(StrobePeriodicSource));
    gint64 now = strobe_clock_ns(CLOCK_MONOTONIC);

    for (guint i = 0; i < collectors->len; i++)
        add_source(sources, g_ptr_array_index(collectors, i), now);
    return start_sampler(sources);
}

void strobe_sampler_add(StrobeSampler **sampler, StrobeCollector *collector)
{
    GArray *sources = g_array_new(FALSE, FALSE, sizeof(StrobePeriodicSource));

    add_source(sources, collector, strobe_clock_ns(CLOCK_MONOTONIC));
    if (!*sampler) {
        *sampler = start_sampler(sources);
        return;
    }
    pthread_mutex_lock(&(*sampler)->lock);
    g_array_append_vals((*sampler)->added, sources->data, sources->len);
    pthread_cond_broadcast(&(*sampler)->wake);
    pthread_mutex_unlock(&(*sampler)->lock);
    g_array_unref(sources);
}

void strobe_sampler_stop(StrobeSampler *sampler)
{
    if (!sampler)
        return;
    pthread_mutex_lock(&sampler->lock);
    sampler->stopping = TRUE;
    pthread_cond_broadcast(&sampler->wake);
    pthread_mutex_unlock(&sampler->lock);
    for (guint i = 0; i < sampler->threads->len; i++) {
        struct worker *worker = g_ptr_array_index(sampler->threads, i);
        if (worker->has_thread)
            pthread_join(worker->thread, NULL);
        g_array_unref(worker->sources);
        g_free(worker);
    }
    g_ptr_array_unref(sampler->threads);
    g_array_unref(sampler->added);
    pthread_mutex_destroy(&sampler->lock);
    pthread_cond_destroy(&sampler->wake);
    g_free(sampler);
}
