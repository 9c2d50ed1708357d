/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include "api-error.h"
#include "attach.h"
#include "error.h"
#include "signal-guard.h"
#include "recorder.h"
#include "session-log.h"

/* How long late records are waited for, while steps wait. */
#define DUMP_DEADLINE_NS 100000000

static gboolean write_dump(StrobeSession *session, StrobeResultDirectory *directory,
                           const char *reason, GError **error)
{
    g_autofree char *path = NULL;
    int fd = strobe_result_directory_capture(directory, &path, error), failed;

    if (fd < 0)
        return FALSE;
    g_rec_mutex_lock(&session->lock);
    for (guint i = 0; i < session->collectors->len; i++)
        strobe_collector_flush(g_ptr_array_index(session->collectors, i), DUMP_DEADLINE_NS);
    g_autofree char *facts =
        strobe_result_directory_facts(directory, session->config, reason);
    g_rec_mutex_unlock(&session->lock);
    failed = strobe_recorder_dump(fd, facts);
    if (failed == EINVAL)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_STATE,
                    "No flight recorder records (\"buffer.policy\": \"ring\" and a session that is "
                    "started)");
    else if (failed)
        strobe_session_set_write_error(directory->path, failed, error);
    return failed == 0;
}

static char *make_dump(StrobeSession *session, const char *reason, GError **error)
{
    StrobeResultDirectory *directory = strobe_result_directory_new(session->config, error);

    if (!directory)
        return NULL;
    if (!write_dump(session, directory, reason, error)) {
        strobe_result_directory_discard(directory);
        return NULL;
    }
    g_autofree char *text = strobe_session_log_text(FALSE);
    g_rec_mutex_lock(&session->lock);
    gboolean ok = strobe_result_directory_finish(directory, session->config, text, error);
    strobe_result_directory_report(directory, session->config);
    g_rec_mutex_unlock(&session->lock);
    char *path = ok ? g_strdup(directory->path) : NULL;
    strobe_result_directory_free(directory);
    return path;
}

char *strobe_session_write_dump(gpointer user, const char *reason, GError **error)
{
    StrobeSession *session = user;
    StrobeSignalGuard guard;

    strobe_signal_guard_hold(&guard);
    char *path = make_dump(session, reason, error);
    strobe_signal_guard_release(&guard);
    if (path && session->on_trace_ready)
        session->on_trace_ready(session->trace_ready_user, path);
    return path;
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
    if (session->flight)
        path = strobe_flight_dump(session->flight, reason ? reason : "call", &failure);
    else
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_STATE,
                    "The session is no flight recorder (\"buffer.policy\": \"ring\")");
    if (path) {
        g_rec_mutex_lock(&session->lock);
        g_free(session->last_dump);
        session->last_dump = path;
        g_rec_mutex_unlock(&session->lock);
    }
    if (path && directory)
        *directory = path;
    return strobe_api_result(failure, error);
}

StrobeStatus strobe_dump(void)
{
    return strobe_session_current() && strobe_flight_request() ? STROBE_OK : STROBE_UNAVAILABLE;
}
