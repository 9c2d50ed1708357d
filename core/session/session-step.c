/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a session: the schedule's action for each step, and the transition from one action to
 * the next. */
#include "session.h"

#include "api-error.h"
#include "error.h"
#include "loaded-objects.h"
#include "log.h"
#include "schedule.h"

/* ---- functions of the user ---- */

/* The session whose function of the user (on_trace_ready, a schedule) this thread is calling. That
 * function may only stop the session. If a transition called it, the transition handles the stop;
 * if a dump called it, the session stops when the function has returned. */
static _Thread_local struct {
    /* the session whose function is being called; NULL: none is */
    const StrobeSession *session;
    gboolean is_of_dump;
} called;

void strobe_session_begin_function(StrobeSession *session, gboolean is_of_dump)
{
    called.session = session;
    called.is_of_dump = is_of_dump;
}

void strobe_session_end_function(void)
{
    called.session = NULL;
}

gboolean strobe_session_is_calling(const StrobeSession *session)
{
    return called.session == session;
}

static gboolean is_free_to_go_on(StrobeSession *session, GError **error)
{
    if (!strobe_session_is_calling(session))
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_STATE,
                "A function that the session calls has called the session; it may only stop it");
    return FALSE;
}

/* ---- transitions ---- */

static int ask_schedule(StrobeSession *session, gint64 step)
{
    strobe_session_begin_function(session, FALSE);
    int action = (int)session->schedule(session->schedule_user, step);
    strobe_session_end_function();
    return session->is_running ? CLAMP(action, STROBE_ACTION_NONE, STROBE_ACTION_RECORD_AND_SAVE)
                               : STROBE_ACTION_EXIT;
}

static int action_of(StrobeSession *session, gint64 step)
{
    if (!strobe_config_records_rank(session->config, strobe_rank()))
        return STROBE_ACTION_NONE;
    if (session->schedule)
        return ask_schedule(session, step);
    if (!session->config->has_schedule)
        return STROBE_ACTION_RECORD;
    return (int)strobe_schedule_action(&session->config->schedule, step);
}

static gboolean has_schedule(const StrobeSession *session)
{
    return session->schedule || session->config->has_schedule;
}

static void tell_window(StrobeSession *session)
{
    strobe_session_begin_function(session, FALSE);
    if (session->on_window_end)
        session->on_window_end(session->window_end_user, session->last_directory);
    if (session->on_trace_ready)
        session->on_trace_ready(session->trace_ready_user, session->last_directory);
    strobe_session_end_function();
}

static void make_transition(StrobeSession *session, int next, GError **error)
{
    const int before = session->action;
    const StrobeTransition *transition = strobe_schedule_transition(before, next);
    g_autoptr(GError) failure = NULL;

    session->action = next == STROBE_ACTION_EXIT ? STROBE_ACTION_NONE : next;
    /* A front end with its own configuration has already warned its user. */
    if ((transition->calls & STROBE_CALL_WARN) && has_schedule(session))
        strobe_log(session->config->front_end ? STROBE_LOG_INFO : STROBE_LOG_WARNING, "%s",
                   transition->warning);
    if (transition->calls & STROBE_CALL_STOP) {
        gboolean was_open = session->directory != NULL;
        strobe_session_stop_window(session, &failure);
        if (was_open && (transition->calls & STROBE_CALL_HANDLER))
            tell_window(session);
        if (!session->is_running) { /* the callback has stopped the session: no further window */
            session->action = STROBE_ACTION_NONE;
            transition = strobe_schedule_transition(before, STROBE_ACTION_EXIT);
        }
    }
    int prepare = (int)transition->calls & (STROBE_CALL_COOL | STROBE_CALL_WARM);
    strobe_session_prepare(session, prepare);
    if ((transition->calls & STROBE_CALL_START) && !failure)
        strobe_session_start_window(session, &failure);
    if (failure)
        g_propagate_error(error, g_steal_pointer(&failure));
}

static void change_action(StrobeSession *session, int next, GError **error)
{
    session->is_changing = TRUE;
    make_transition(session, next, error);
    session->is_changing = FALSE;
}

/* ---- start, step and stop ---- */

StrobeStatus strobe_session_start(StrobeSession *session, StrobeError **error)
{
    GError *failure = NULL;

    if (!strobe_session_is_own(session, &failure))
        return strobe_api_result(failure, error);
    g_rec_mutex_lock(&session->lock);
    if (!session->is_running && is_free_to_go_on(session, &failure)) {
        session->is_running = TRUE;
        if (session->config->buffer.policy == STROBE_POLICY_RING && !session->flight)
            g_atomic_pointer_set(&session->flight, strobe_flight_start(&session->config->dump));
        session->action = STROBE_ACTION_NONE;
        session->n_loaded = strobe_loaded_objects();
        strobe_session_follow_loader(session);
        change_action(session, action_of(session, session->step), &failure);
        strobe_session_follow_loader(session);
        strobe_session_begin_step(session);
    }
    g_rec_mutex_unlock(&session->lock);
    return strobe_api_result(failure, error);
}

/* Reports dumps, which may call functions of the user. Then sets the step's begin anew, because the
 * time of these functions belongs to no step. */
static void report_dumps_of_step(StrobeSession *session)
{
    if (!strobe_session_report_dumps(session))
        return;
    g_rec_mutex_lock(&session->lock);
    strobe_session_begin_step(session);
    g_rec_mutex_unlock(&session->lock);
}

StrobeStatus strobe_session_step(StrobeSession *session, StrobeError **error)
{
    GError *failure = NULL;

    if (!strobe_session_is_own(session, &failure))
        return strobe_api_result(failure, error);
    g_rec_mutex_lock(&session->lock);
    if (!session->is_running) {
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_STATE,
                    "Profiler is stopped, step takes no effect!");
    } else if (is_free_to_go_on(session, &failure)) {
        strobe_session_after_step(session);
        session->step++;
        change_action(session, action_of(session, session->step), &failure);
        strobe_session_open_loaded(session);
        strobe_session_begin_step(session);
    }
    g_rec_mutex_unlock(&session->lock);
    if (!failure)
        report_dumps_of_step(session);
    return strobe_api_result(failure, error);
}

StrobeStatus strobe_session_stop(StrobeSession *session, StrobeError **error)
{
    GError *failure = NULL;
    gboolean has_ended = FALSE;

    if (!strobe_session_is_own(session, &failure))
        return strobe_api_result(failure, error);
    g_rec_mutex_lock(&session->lock);
    if (strobe_session_is_calling(session) && called.is_of_dump) {
        g_atomic_int_set(&session->is_stop_wanted, TRUE);
    } else if (strobe_session_is_calling(session)) {
        session->is_running = FALSE;
    } else if (session->is_running) {
        /* without a schedule, the time after the last call of step is no step */
        if (has_schedule(session))
            strobe_session_record_step(session);
        session->is_running = FALSE;
        change_action(session, STROBE_ACTION_EXIT, &failure);
        strobe_session_follow_loader(session);
        has_ended = TRUE;
    }
    g_rec_mutex_unlock(&session->lock);
    if (has_ended)
        strobe_session_report_dumps(session);
    return strobe_api_result(failure, error);
}

void strobe_step(void)
{
    StrobeSession *session = strobe_session_hold();

    if (!session)
        return;
    strobe_session_step(session, NULL);
    strobe_session_let_go(session);
}
