/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include "api-error.h"
#include "capture-format.h"
#include "error.h"
#include "log.h"
#include "recorder.h"
#include "session-log.h"

/* ---- reporting dumps ---- */

static void call_trace_ready(StrobeSession *session, const char *path)
{
    if (!session->on_trace_ready)
        return;
    strobe_session_begin_function(session, TRUE);
    session->on_trace_ready(session->trace_ready_user, path);
    strobe_session_end_function();
}

static void stop_if_wanted(StrobeSession *session)
{
    StrobeError *error = NULL;

    if (g_atomic_int_compare_and_exchange(&session->is_stop_wanted, TRUE, FALSE) &&
        strobe_session_stop(session, &error)) {
        strobe_log(STROBE_LOG_WARNING, "%s", strobe_error_message(error));
        strobe_error_free(error);
    }
}

static void set_dump_error(const char *path, int failed, GError **error)
{
    if (failed == EINVAL)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_STATE,
                    "No flight recorder records (\"buffer.policy\": \"ring\" and a session that is "
                    "started)");
    else
        strobe_session_set_write_error(path, failed, error);
}

static void report_dump(StrobeSession *session, struct pool_dump *dump)
{
    g_autoptr(GError) error = NULL;

    dump->path[sizeof dump->path - 1] = dump->reason[sizeof dump->reason - 1] = 0;
    if (dump->error == 0) {
        strobe_log(STROBE_LOG_INFO, "Dumped (%s): %s", dump->reason, dump->path);
        call_trace_ready(session, dump->path);
    } else if (dump->error == EINVAL) {
        strobe_log(STROBE_LOG_INFO,
                   "No dump (%s): recording has ended, all records are in the result",
                   dump->reason);
    } else {
        set_dump_error(dump->path, (int)dump->error, &error);
        strobe_log(STROBE_LOG_WARNING, "Cannot dump (%s): %s", dump->reason, error->message);
    }
}

/* Logs how many new requests for dumps the configuration did not allow. The caller holds the
 * lock. */
static void report_refused(StrobeSession *session)
{
    guint32 before = session->n_refused_dumps;

    session->n_refused_dumps = strobe_recorder_refused_dumps();
    if (session->n_refused_dumps != before)
        strobe_log(STROBE_LOG_INFO,
                   "No dump for %u requests: dump.max or dump.min_interval does not allow one now",
                   session->n_refused_dumps - before);
}

static gboolean take_dump(StrobeSession *session, struct pool_dump *dump)
{
    g_rec_mutex_lock(&session->lock);
    gboolean is_taken = session->flight && strobe_recorder_take_dump(&session->n_dumps, dump);
    if (session->flight && !is_taken)
        report_refused(session);
    g_rec_mutex_unlock(&session->lock);
    return is_taken;
}

gboolean strobe_session_report_dumps(StrobeSession *session)
{
    struct pool_dump dump;
    gboolean has_one = FALSE;

    if (!g_atomic_pointer_get(&session->flight) || strobe_session_is_calling(session))
        return FALSE;
    g_atomic_int_inc(&session->n_users);
    while (take_dump(session, &dump)) {
        report_dump(session, &dump);
        has_one = TRUE;
    }
    stop_if_wanted(session);
    g_atomic_int_add(&session->n_users, -1);
    return has_one;
}

/* ---- calls ---- */

/* Waits for the dump, and then calls the on_trace_ready function, without the session's lock,
 * because steps continue. Returns the dump's directory. */
static char *wait_for_dump(StrobeSession *session, const char *reason, GError **error)
{
    char path[PATH_MAX] = "";

    g_atomic_int_inc(&session->n_users);
    int failed = strobe_recorder_dump(reason ? reason : "call", path);

    path[sizeof path - 1] = 0;
    if (failed) {
        set_dump_error(path, failed, error);
        g_atomic_int_add(&session->n_users, -1);
        return NULL;
    }
    strobe_session_report_dumps(session);
    call_trace_ready(session, path);
    stop_if_wanted(session);
    g_rec_mutex_lock(&session->lock);
    g_free(session->last_dump);
    char *directory = session->last_dump = g_strdup(path);
    g_rec_mutex_unlock(&session->lock);
    g_atomic_int_add(&session->n_users, -1);
    return directory;
}

StrobeStatus strobe_session_dump(StrobeSession *session, const char *reason, const char **directory,
                                 StrobeError **error)
{
    GError *failure = NULL;
    char *path = NULL;

    if (directory)
        *directory = "";
    if (!strobe_session_is_own(session, &failure))
        return strobe_api_result(failure, error);
    if (strobe_session_is_calling(session))
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_STATE,
                    "A function that the session calls requested a dump");
    else if (session->flight)
        path = wait_for_dump(session, reason, &failure);
    else
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_STATE,
                    "The session is no flight recorder (\"buffer.policy\": \"ring\")");
    if (path && directory)
        *directory = path;
    return strobe_api_result(failure, error);
}

StrobeStatus strobe_dump(void)
{
    return strobe_session_current() && strobe_flight_request() ? STROBE_OK : STROBE_UNAVAILABLE;
}
