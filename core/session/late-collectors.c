/* SPDX-License-Identifier: Apache-2.0 */
/* Opens collectors whose library the program loads after the session's start. This happens in calls
 * of the program: calls of the session, and under `strobe run` calls of dlopen and dlsym. */
#include "session.h"

#include <dlfcn.h>
#include "attach.h"
#include "loaded-objects.h"

static gboolean is_waiting(StrobeCollector *c)
{
    return g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_PENDING;
}

/* May the collector be opened in a call of the loader? It may not if its calls take an
 * interpreter's lock (STROBE_COMPONENT_ASK_CALLER): another thread may hold that lock while it
 * waits for the session. */
static gboolean may_open_in_loader(StrobeCollector *c)
{
    return is_waiting(c) && !(c->component->flags & STROBE_COMPONENT_ASK_CALLER);
}

static gboolean has_any(const StrobeSession *session, gboolean (*has)(StrobeCollector *))
{
    gboolean found = FALSE;

    for (guint i = 0; i < session->collectors->len; i++)
        found |= has(g_ptr_array_index(session->collectors, i));
    return found;
}

static gboolean records_or_warms(const StrobeSession *session)
{
    return session->is_running && session->action != STROBE_ACTION_NONE;
}

/* Warms a collector that was opened late, and starts it if a window records. */
static void join_session(StrobeSession *session, StrobeCollector *c)
{
    strobe_collector_warm(c);
    if (!session->directory)
        return;
    strobe_collector_start(c);
    strobe_sampler_add(&session->sampler, c);
}

/* Opens the collectors for which `is_wanted` is true. FALSE: they cannot be opened now, because
 * collectors are being called. */
static gboolean open_late(StrobeSession *session, gboolean (*is_wanted)(StrobeCollector *))
{
    if (session->is_changing)
        return FALSE;
    if (!records_or_warms(session))
        return TRUE;
    session->is_changing = TRUE;
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (!is_wanted(c))
            continue;
        strobe_collector_open(c);
        join_session(session, c);
        strobe_session_note_missing(c);
    }
    strobe_session_end_stand_ins(session);
    strobe_run_watch_exit(session);
    session->is_changing = FALSE;
    strobe_session_follow_loader(session);
    return TRUE;
}

void strobe_session_open_late(StrobeSession *session)
{
    open_late(session, is_waiting);
}

void strobe_session_open_loaded(StrobeSession *session)
{
    if (!has_any(session, is_waiting))
        return;
    guint64 n_loaded = strobe_loaded_objects();
    if (n_loaded && n_loaded != session->n_loaded && open_late(session, is_waiting))
        session->n_loaded = n_loaded;
}

/* ---- calls of the loader ---- */

/* Called in the program's calls of the loader: opens the collectors that may be opened there. Must
 * not wait for the session's lock, because another thread may hold it and wait for the loader. */
static int open_in_loader(void)
{
    StrobeSession *session = strobe_session_hold();
    gboolean is_done = FALSE;

    if (!session)
        return TRUE;
    if (g_rec_mutex_trylock(&session->lock)) {
        is_done = open_late(session, may_open_in_loader);
        g_rec_mutex_unlock(&session->lock);
    }
    strobe_session_let_go(session);
    return is_done;
}

void strobe_session_follow_loader(StrobeSession *session)
{
    StrobeOnLoad *on_load = (StrobeOnLoad *)dlsym(RTLD_DEFAULT, STROBE_ON_LOAD_SYMBOL);
    gboolean is_wanted = session->is_running && has_any(session, may_open_in_loader);

    if (!on_load || is_wanted == session->follows_loader)
        return;
    session->follows_loader = is_wanted;
    on_load(is_wanted ? open_in_loader : NULL);
}
