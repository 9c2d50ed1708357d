/* SPDX-License-Identifier: Apache-2.0 */
#include "outside.h"

#include <pthread.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include "clock.h"
#include "session-collector.h"
#include "diagnostic.h"
#include "log.h"
#include "pool-bell.h"
#include "recorder.h"
#include "sampler.h"
#include "timed-wait.h"

/* Maximum time for which the end of a window waits for the collectors. */
#define END_PATIENCE_NS 5000000000

struct StrobeOutside {
    struct pool_header *pool;
    StrobeRegistry *registry;
    GPtrArray *collectors; /* of StrobeCollector */
    StrobeSampler *sampler;
    pthread_t thread;
    gboolean has_thread;
    pthread_mutex_t lock;    /* protects the members below */
    pthread_cond_t wake;     /* CLOCK_MONOTONIC */
    guint32 wanted, present; /* numbers of the requested and of the current window; 0: none */
    guint64 end;             /* end of the previously requested window, ticks */
    guint64 paused;          /* last known value of control.paused in the pool */
    guint n_stuck;
    gboolean is_stopping;
    char *directory; /* result directory of the requested window */
};

gboolean strobe_component_is_outside(const StrobeComponent *component)
{
    const StrobeCollectorOps *ops = component->ops;

    return ops->sample && ops->sample_interval && !(component->flags & STROBE_COMPONENT_INSIDE);
}

/* ---- messages to the program ---- */

static void send_line(gint32 level, const char *text)
{
    strobe_recorder_say(text, (guint32)level, 0);
}

/* Sends the collector's failure, which is already in the writer's log, to the program. */
static void send_failure(StrobeCollector *c)
{
    if (!c->failure || c->is_failure_reported)
        return;
    c->is_failure_reported = TRUE;
    strobe_recorder_say(c->failure->message, STROBE_LOG_WARNING, c->number);
    strobe_diagnostic_record(c->component->name, c->failure->message);
}

static void for_collectors(const StrobeOutside *o, void (*call)(StrobeCollector *))
{
    for (guint i = 0; i < o->collectors->len; i++)
        call(g_ptr_array_index(o->collectors, i));
}

/* ---- a window, in the thread ---- */

static void set_directory(const StrobeOutside *o, const char *directory)
{
    for (guint i = 0; i < o->collectors->len; i++)
        ((StrobeCollector *)g_ptr_array_index(o->collectors, i))->directory = directory;
}

static void begin_window(StrobeOutside *o, guint32 window)
{
    struct pool_control *control = &o->pool->control;

    for_collectors(o, strobe_collector_open);
    for_collectors(o, strobe_collector_warm);
    strobe_recorder_join_window(window);
    set_directory(o, o->directory);
    for_collectors(o, strobe_collector_tell_calls);
    for_collectors(o, strobe_collector_start);
    for_collectors(o, send_failure);
    o->sampler = strobe_sampler_start(o->collectors);
    atomic_store(&control->paused_now, 0);
    atomic_store(&control->sampled_window, window);
    strobe_bell_ring(&control->answer);
}

static guint end_window(StrobeOutside *o, guint64 end)
{
    strobe_sampler_stop(g_steal_pointer(&o->sampler));
    for_collectors(o, strobe_collector_stop);
    strobe_collectors_begin_flush(o->collectors);
    strobe_collectors_flush(o->collectors);
    for_collectors(o, send_failure);
    set_directory(o, NULL);
    return strobe_recorder_leave_window(end);
}

static void pause_some(StrobeOutside *o, guint64 paused)
{
    strobe_sampler_stop(g_steal_pointer(&o->sampler));
    for (guint i = 0; i < o->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(o->collectors, i);
        if (paused >> (c->number - 1) & 1)
            strobe_collector_pause(c);
        else
            strobe_collector_resume(c);
    }
    o->sampler = strobe_sampler_start(o->collectors);
    atomic_store(&o->pool->control.paused_now, paused);
    strobe_bell_ring(&o->pool->control.answer);
}

/* ---- the thread ---- */

static void change_window(StrobeOutside *o)
{
    const guint32 from = o->present, to = o->wanted;
    const guint64 end = o->end;
    guint n_stuck = 0;

    pthread_mutex_unlock(&o->lock);
    if (from)
        n_stuck = end_window(o, end);
    if (to)
        begin_window(o, to);
    pthread_mutex_lock(&o->lock);
    o->n_stuck = n_stuck;
    o->present = to;
    o->paused = 0;
    pthread_cond_broadcast(&o->wake);
}

static void apply_pause(StrobeOutside *o, guint64 paused)
{
    o->paused = paused;
    pthread_mutex_unlock(&o->lock);
    pause_some(o, paused);
    pthread_mutex_lock(&o->lock);
}

static void *outside_main(void *user)
{
    StrobeOutside *o = user;

    prctl(PR_SET_NAME, "strobe-outside");
    pthread_mutex_lock(&o->lock);
    while (!o->is_stopping) {
        const guint64 paused = atomic_load(&o->pool->control.paused);
        if (o->wanted != o->present)
            change_window(o);
        else if (o->present && paused != o->paused)
            apply_pause(o, paused);
        else
            pthread_cond_wait(&o->wake, &o->lock);
    }
    pthread_mutex_unlock(&o->lock);
    for_collectors(o, strobe_collector_cool);
    return NULL;
}

void strobe_outside_begin(StrobeOutside *o, guint32 window, const char *capture)
{
    g_autofree char *framework = g_path_get_dirname(capture);

    pthread_mutex_lock(&o->lock);
    g_free(o->directory);
    o->directory = g_path_get_dirname(framework);
    o->wanted = window;
    pthread_cond_broadcast(&o->wake);
    pthread_mutex_unlock(&o->lock);
}

/* If a collector's call does not return, the thread stays in the old window, but the program's
 * window still ends. */
guint strobe_outside_end(StrobeOutside *o, guint64 end)
{
    gint64 until = strobe_clock_ns(CLOCK_MONOTONIC) + END_PATIENCE_NS;

    pthread_mutex_lock(&o->lock);
    o->wanted = 0;
    o->end = end;
    o->n_stuck = 0;
    pthread_cond_broadcast(&o->wake);
    while (o->present && strobe_clock_ns(CLOCK_MONOTONIC) < until)
        strobe_cond_wait_until(&o->wake, &o->lock, until);
    guint n_stuck = o->present ? 1 : o->n_stuck;
    pthread_mutex_unlock(&o->lock);
    return n_stuck;
}

void strobe_outside_look(StrobeOutside *o)
{
    pthread_mutex_lock(&o->lock);
    if (atomic_load(&o->pool->control.paused) != o->paused)
        pthread_cond_broadcast(&o->wake);
    pthread_mutex_unlock(&o->lock);
}

/* ---- making and freeing ---- */

static void add_collector(StrobeOutside *o, const StrobeWriterSetup *setup, guint number)
{
    g_autoptr(GError) error = NULL;
    StrobeCollector *c = strobe_collector_new(
        o->registry, g_ptr_array_index(setup->config->collectors, number - 1), &error);

    if (!c) {
        strobe_recorder_say(error->message, STROBE_LOG_WARNING, number);
        return;
    }
    c->number = number;
    c->is_outside = TRUE;
    c->peers = o->collectors;
    g_ptr_array_add(o->collectors, c);
}

static gboolean add_collectors(StrobeOutside *o, pid_t program, const StrobeWriterSetup *setup,
                               GPtrArray *kinds)
{
    for (guint i = 0; i < setup->outside->len; i++) {
        const guint number = g_array_index(setup->outside, guint, i);
        const StrobeConfigComponent *wanted =
            g_ptr_array_index(setup->config->collectors, number - 1);
        const StrobeComponent *component =
            strobe_registry_find(o->registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, NULL);
        for (guint k = 0; component && k < component->n_kinds; k++)
            g_ptr_array_add(kinds, (gpointer)component->kinds[k]);
    }
    if (strobe_recorder_join(o->pool, program, (const StrobeKind *const *)kinds->pdata, kinds->len))
        return FALSE;
    strobe_log_set_sink(send_line);
    for (guint i = 0; i < setup->outside->len; i++)
        add_collector(o, setup, g_array_index(setup->outside, guint, i));
    return TRUE;
}

StrobeOutside *strobe_outside_new(struct pool_header *pool, pid_t program,
                                  const StrobeWriterSetup *setup)
{
    g_autoptr(GPtrArray) kinds = g_ptr_array_new();

    if (setup->outside->len == 0)
        return NULL;
    StrobeOutside *o = g_new0(StrobeOutside, 1);
    o->pool = pool;
    o->registry = strobe_registry_new((const char *const *)setup->plugin_path);
    o->collectors = g_ptr_array_new_with_free_func(strobe_collector_free);
    pthread_mutex_init(&o->lock, NULL);
    strobe_cond_init(&o->wake);
    if (add_collectors(o, program, setup, kinds))
        o->has_thread = strobe_thread_start(&o->thread, outside_main, o) == 0;
    if (o->has_thread)
        return o;
    strobe_outside_free(o);
    return NULL;
}

void strobe_outside_free(StrobeOutside *o)
{
    if (!o)
        return;
    pthread_mutex_lock(&o->lock);
    gboolean is_hung = o->present != 0;
    o->is_stopping = TRUE;
    pthread_cond_broadcast(&o->wake);
    pthread_mutex_unlock(&o->lock);
    if (is_hung) /* the thread hangs in a call and is not joined; it ends with the process */
        return;
    if (o->has_thread)
        pthread_join(o->thread, NULL);
    strobe_log_set_sink(NULL);
    g_ptr_array_unref(o->collectors);
    strobe_registry_free(o->registry);
    pthread_cond_destroy(&o->wake);
    pthread_mutex_destroy(&o->lock);
    g_free(o->directory);
    g_free(o);
}
