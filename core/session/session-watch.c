/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that opens collectors whose library the program loads after the session's start. The
 * program need not tell: the loader counts what it adds. Nobody waits for this thread while it
 * opens one, which may wait for constructors that still run, or for another process. */
#include "session.h"

#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include "abandoned.h"
#include "clock.h"
#include "loaded-objects.h"
#include "log.h"
#include "timed-wait.h"

#define LOOK_INTERVAL_NS 20000000
#define REST_PATIENCE_NS 5000000000

/* The program's threads alone may ask it, or it needs no more asking. */
static gboolean is_awaited(StrobeCollector *c)
{
    return g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_PENDING &&
           !(c->component->flags & STROBE_COMPONENT_ASK_CALLER);
}

static gboolean has_awaited(const StrobeSession *session)
{
    gboolean found = FALSE;

    for (guint i = 0; i < session->collectors->len; i++)
        found |= is_awaited(g_ptr_array_index(session->collectors, i));
    return found;
}

static gboolean records_or_warms(const StrobeSession *session)
{
    return session->is_running && session->action != STROBE_ACTION_NONE;
}

/* FALSE: not now. Whoever is in a call of the session is not waited for. */
static gboolean may_ask(StrobeSession *session)
{
    if (!g_rec_mutex_trylock(&session->lock))
        return FALSE;
    gboolean may = records_or_warms(session);
    g_rec_mutex_unlock(&session->lock);
    return may;
}

void strobe_session_join(StrobeSession *session, StrobeCollector *c)
{
    if (records_or_warms(session))
        strobe_collector_warm(c);
    else
        strobe_collector_cool(c);
    if (!session->directory || !records_or_warms(session))
        return;
    strobe_collector_start(c);
    strobe_sampler_add(&session->sampler, c);
}

/* It may have taken long: the session has gone on. The lock is held while the collector is warmed
 * and started, as it is by who begins a window: the window and its directory must not end under it.
 */
static void settle(StrobeSession *session, StrobeCollector *c)
{
    g_rec_mutex_lock(&session->lock);
    strobe_collector_settle(c);
    strobe_session_join(session, c);
    g_rec_mutex_unlock(&session->lock);
}

static void ask_all(StrobeSession *session)
{
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (is_awaited(c) && strobe_collector_ask(c, TRUE))
            settle(session, c);
    }
}

static gboolean is_over(StrobeWatch *watch)
{
    pthread_mutex_lock(&watch->lock);
    if (!watch->is_stopping)
        strobe_cond_wait_until(&watch->wake, &watch->lock,
                               strobe_clock_ns(CLOCK_MONOTONIC) + LOOK_INTERVAL_NS);
    gboolean over = watch->is_stopping;
    pthread_mutex_unlock(&watch->lock);
    return over;
}

static void set_at_work(StrobeWatch *watch, gboolean is_at_work)
{
    pthread_mutex_lock(&watch->lock);
    watch->is_at_work = is_at_work;
    pthread_cond_broadcast(&watch->wake);
    pthread_mutex_unlock(&watch->lock);
}

static void *watch_main(void *user)
{
    StrobeSession *session = user;
    StrobeWatch *watch = &session->watch;

    prctl(PR_SET_NAME, "strobe-watch");
    while (!is_over(watch) && has_awaited(session)) {
        guint64 n_loaded = strobe_loaded_objects();
        strobe_look_for_program();
        if (n_loaded == 0 || n_loaded == watch->n_loaded || !may_ask(session))
            continue;
        watch->n_loaded = n_loaded;
        ask_all(session);
    }
    set_at_work(watch, FALSE);
    strobe_session_let_go(session);
    return NULL;
}

void strobe_session_watch_init(StrobeSession *session)
{
    pthread_mutex_init(&session->watch.lock, NULL);
    strobe_cond_init(&session->watch.wake);
}

void strobe_session_watch_from_now(StrobeSession *session)
{
    if (!session->watch.has_thread)
        session->watch.n_loaded = strobe_loaded_objects();
}

void strobe_session_watch(StrobeSession *session)
{
    StrobeWatch *watch = &session->watch;

    if (watch->has_thread || !has_awaited(session))
        return;
    g_atomic_int_inc(&session->n_users);
    set_at_work(watch, TRUE);
    /* not through GLib: whoever watches the program's calls knows Strobe's own by their caller */
    watch->has_thread = strobe_thread_start(&watch->thread, watch_main, session) == 0;
    if (watch->has_thread)
        return;
    set_at_work(watch, FALSE);
    strobe_session_let_go(session);
    strobe_log(STROBE_LOG_WARNING, "Cannot start a thread: collectors whose library is loaded late "
                                   "are not asked again before the next window");
}

void strobe_session_watch_end(StrobeSession *session)
{
    pthread_mutex_lock(&session->watch.lock);
    session->watch.is_stopping = TRUE;
    pthread_cond_broadcast(&session->watch.wake);
    pthread_mutex_unlock(&session->watch.lock);
}

void strobe_session_watch_rest(StrobeSession *session)
{
    StrobeWatch *watch = &session->watch;
    gint64 until = strobe_clock_ns(CLOCK_MONOTONIC) + REST_PATIENCE_NS;

    strobe_session_watch_end(session);
    pthread_mutex_lock(&watch->lock);
    while (watch->is_at_work && strobe_clock_ns(CLOCK_MONOTONIC) < until)
        strobe_cond_wait_until(&watch->wake, &watch->lock, until);
    pthread_mutex_unlock(&watch->lock);
}

void strobe_session_watch_clear(StrobeSession *session)
{
    if (session->watch.has_thread)
        pthread_join(session->watch.thread, NULL);
    pthread_mutex_destroy(&session->watch.lock);
    pthread_cond_destroy(&session->watch.wake);
}
