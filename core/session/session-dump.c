/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include "api-error.h"
#include "attach.h"
#include "capture-format.h"
#include "error.h"
#include "recorder.h"
#include "session-log.h"
#include "signal-guard.h"

/* The directory of a dump, its capture's descriptor and facts; the capture gets its name when it is
 * whole, for nobody could finish it. Collectors go on: what they hold
 * back until they have stopped is not in it. */
static StrobeResultDirectory *prepare_dump(StrobeSession *session, const char *reason, int *fd,
                                           char **path, char **facts, GError **error)
{
    g_rec_mutex_lock(&session->lock);
    StrobeResultDirectory *directory = strobe_result_directory_new(session->config, error);
    *fd =
        directory ? strobe_result_directory_capture(directory, STROBE_PIECE_NEW, path, error) : -1;
    if (*fd >= 0)
        *facts = strobe_result_directory_facts(directory, session->config, reason);
    g_rec_mutex_unlock(&session->lock);
    if (directory && *fd < 0)
        strobe_result_directory_discard(directory);
    return *fd >= 0 ? directory : NULL;
}

static gboolean finish_dump(StrobeSession *session, StrobeResultDirectory *directory,
                            GError **error)
{
    g_autofree char *text = strobe_session_log_text(FALSE);

    g_rec_mutex_lock(&session->lock);
    gboolean ok = strobe_result_directory_place(
                      directory, session->config->buffer.sync != STROBE_SYNC_NONE, error) &&
                  strobe_result_directory_finish(directory, session->config, error) &&
                  strobe_result_directory_log(directory, text, error);
    strobe_result_directory_report(directory, session->config);
    g_rec_mutex_unlock(&session->lock);
    return ok;
}

/* Without the lock: it takes a while, and steps go on. */
void strobe_session_tell_dump(gpointer user, const char *path)
{
    StrobeSession *session = user;

    g_rec_mutex_lock(&session->lock);
    StrobeTraceReady function = session->on_trace_ready;
    gpointer function_user = session->trace_ready_user;
    g_rec_mutex_unlock(&session->lock);
    if (function)
        function(function_user, path);
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

static char *make_dump(StrobeSession *session, const char *reason, GError **error)
{
    g_autofree char *facts = NULL, *capture = NULL;
    int fd;
    StrobeResultDirectory *directory = prepare_dump(session, reason, &fd, &capture, &facts, error);

    if (!directory)
        return NULL;
    int failed = strobe_recorder_dump(fd, capture, facts);
    if (failed) {
        set_dump_error(directory->path, failed, error);
        strobe_result_directory_discard(directory);
        return NULL;
    }
    char *path = finish_dump(session, directory, error) ? g_strdup(directory->path) : NULL;
    strobe_result_directory_free(directory);
    return path;
}

char *strobe_session_write_dump(gpointer user, const char *reason, GError **error)
{
    StrobeSignalGuard guard;

    strobe_signal_guard_hold(&guard);
    char *path = make_dump(user, reason, error);
    strobe_signal_guard_release(&guard);
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
    if (g_atomic_pointer_get(&session->caller) == g_thread_self()) /* it holds the lock */
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_STATE,
                    "A dump was asked for by a function that the session calls");
    else if (session->flight)
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
