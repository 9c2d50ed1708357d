/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a window: flushes the collectors, seals the capture, writes the log. The writer may still
 * write after the call has returned. */
#include "session.h"

#include <errno.h>
#include "attach.h"
#include "diagnostic.h"
#include "error.h"
#include "log.h"
#include "recorder.h"
#include "recover.h"
#include "session-log.h"
#include "signal-guard.h"

/* Maximum wait of stop() for the disk. */
#define STOP_PATIENCE_NS 20000000
/* Maximum time for which the exit waits for another thread that is in a call of the session. */
#define EXIT_PATIENCE_MS 5000

void strobe_session_set_write_error(const char *directory, int failed, GError **error)
{
    if (failed == EOWNERDEAD)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "The process that wrote %s (strobe-writer) has ended: strobe analyse recovers "
                    "the records that it had not written",
                    directory);
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot write the capture in %s: %s: records are missing", directory,
                    g_strerror(failed));
}

void strobe_session_ending_free(gpointer data)
{
    StrobeEnding *ending = data;

    g_clear_pointer(&ending->directory, strobe_result_directory_free);
    g_clear_error(&ending->failure);
    g_free(ending->path);
    g_free(ending);
}

/* ---- collectors that recorded nothing ---- */

static void add_diagnostic(StrobeSession *session, const char *component, const char *text)
{
    g_ptr_array_add(session->diagnostics, g_strdup(text));
    strobe_diagnostic_record(component, text);
}

/* Has the collector failed in the writer process, which has already recorded the reason? */
static gboolean has_failed_outside(const StrobeCollector *c)
{
    return c->failure && g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_OUTSIDE;
}

/* Describes why an opened or pending collector has recorded nothing; NULL: there is no reason to
 * report. Probes a collector only if the answer matters: a probe may wait for a thread that loads a
 * library, and this is called at each window's begin. */
static char *describe_waiting(StrobeCollector *c)
{
    gboolean is_pending = g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_PENDING;
    g_autofree char *causes = is_pending ? strobe_instance_causes(&c->instance) : NULL;
    const char *reason = causes;

    if (!causes && !c->is_default && (is_pending || strobe_run_is_for_now())) {
        int available = strobe_collector_probe(c, &reason);
        if (is_pending && (available != 0 || !reason))
            reason = "the library that it needs was not loaded into the process";
    }
    return reason ? g_strdup_printf("collector %s: %s", c->component->name, reason) : NULL;
}

static char *describe_missing(StrobeCollector *c)
{
    if (c->failure)
        return g_strdup(c->failure->message);
    if (c->has_more)
        return g_strdup_printf("collector %s: it had more records of the window when the time "
                               "for late records (%d s) was over",
                               c->component->name, STROBE_FLUSH_DEADLINE_S);
    return describe_waiting(c);
}

static char *describe_lacking(const StrobeCollector *c)
{
    return c->instance.lacking->len
               ? g_strdup_printf("collector %s: it does not support these settings: %s",
                                 c->component->name, c->instance.lacking->str)
               : NULL;
}

static void diagnose_collector(StrobeSession *session, StrobeCollector *c)
{
    g_autofree char *missing = describe_missing(c), *lacking = describe_lacking(c);

    if (has_failed_outside(c))
        g_ptr_array_add(session->diagnostics, g_steal_pointer(&missing));
    else if (missing)
        add_diagnostic(session, c->component->name, missing);
    if (lacking)
        add_diagnostic(session, c->component->name, lacking);
}

void strobe_session_note_missing(StrobeCollector *c)
{
    g_autofree char *missing = describe_missing(c), *lacking = describe_lacking(c);

    strobe_recorder_note(2 * (c->number - 1), c->component->name,
                         has_failed_outside(c) ? NULL : missing);
    strobe_recorder_note(2 * (c->number - 1) + 1, c->component->name, lacking);
}

static void diagnose_session(StrobeSession *session)
{
    g_ptr_array_set_size(session->diagnostics, 0);
    for (guint i = 0; i < session->collectors->len; i++)
        diagnose_collector(session, g_ptr_array_index(session->collectors, i));
    guint32 trackless = strobe_recorder_take_trackless();
    if (trackless) {
        g_autofree char *text = strobe_trackless_text(trackless);
        add_diagnostic(session, "recorder", text);
    }
}

/* ---- the end of a window ---- */

/* Returns EINPROGRESS if the capture is still being written. */
static int seal_window(StrobeSession *session, StrobeEnding *ending)
{
    gint64 patience_ns = session->on_trace_ready ? -1 : STOP_PATIENCE_NS;
    StrobeSignalGuard guard;

    strobe_session_tell_directory(session, NULL);
    diagnose_session(session);
    strobe_recorder_clear_notes(0);
    strobe_signal_guard_hold(&guard);
    int failed = strobe_recorder_end_window(patience_ns);
    strobe_session_take_messages(session);
    g_autofree char *text = strobe_session_log_take();
    strobe_result_directory_log(ending->directory, text, ending->failure ? NULL : &ending->failure);
    strobe_signal_guard_release(&guard);
    return failed;
}

/* Begins the phase in which only this thread records. FALSE: there are no late records. */
static gboolean begin_late(const StrobeSession *session)
{
    if (!strobe_collectors_begin_flush(session->collectors))
        return FALSE;
    strobe_recorder_shut_window();
    strobe_recorder_record_late();
    return TRUE;
}

void strobe_session_end_window(StrobeSession *session, GError **error)
{
    StrobeEnding *ending = g_new0(StrobeEnding, 1);
    StrobeSignalGuard guard;

    ending->directory = g_steal_pointer(&session->directory);
    ending->path = g_strdup(ending->directory->path);
    ending->window = session->window;
    gboolean has_late = begin_late(session);
    strobe_signal_guard_hold(&guard);
    strobe_result_directory_finish(ending->directory, session->config, NULL, &ending->failure);
    strobe_signal_guard_release(&guard);
    if (has_late)
        strobe_collectors_flush(session->collectors);
    int failed = seal_window(session, ending);
    if (failed == EINPROGRESS) {
        g_ptr_array_add(session->endings, ending);
        return;
    }
    if (failed)
        strobe_session_set_write_error(ending->path, failed, error);
    else if (ending->failure)
        g_propagate_error(error, g_steal_pointer(&ending->failure));
    strobe_session_ending_free(ending);
}

/* ---- the end of the program ---- */

gboolean strobe_session_needs_end(const StrobeSession *session)
{
    for (guint i = 0; i < session->collectors->len; i++)
        if (strobe_collector_needs_end(g_ptr_array_index(session->collectors, i)))
            return TRUE;
    return session->flight != NULL;
}

static void end_collectors(StrobeSession *session)
{
    strobe_sampler_stop(session->sampler);
    session->sampler = NULL;
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (!strobe_collector_needs_end(c))
            continue;
        strobe_collector_stop(c);
        strobe_collector_begin_flush(c);
    }
    strobe_collectors_flush(session->collectors);
    strobe_session_for_collectors(session, strobe_session_note_missing);
}

/* Waits for the session's lock only for a limited time: another thread may be in a call of the
 * session, and wait for something that the exit has stopped. */
void strobe_session_end_at_exit(StrobeSession *session)
{
    guint patience = EXIT_PATIENCE_MS;

    strobe_flight_stop(g_atomic_pointer_exchange(&session->flight, NULL));
    while (patience && !g_rec_mutex_trylock(&session->lock)) {
        g_usleep(1000);
        patience--;
    }
    if (!patience)
        return;
    if (session->directory)
        end_collectors(session);
    g_rec_mutex_unlock(&session->lock);
}

/* ---- waiting until windows are written ---- */

static void tell_failure(const StrobeEnding *ending, int failed, GError **error)
{
    g_autoptr(GError) failure = NULL;

    if (failed)
        strobe_session_set_write_error(ending->path, failed, &failure);
    else
        failure = g_error_copy(ending->failure);
    if (error && !*error)
        *error = g_steal_pointer(&failure);
    else
        strobe_log(STROBE_LOG_WARNING, "%s", failure->message);
}

int strobe_session_is_written(StrobeSession *session)
{
    int is_written = TRUE;

    if (!strobe_session_is_own(session, NULL))
        return TRUE;
    g_rec_mutex_lock(&session->lock);
    for (guint i = 0; is_written && i < session->endings->len; i++) {
        const StrobeEnding *ending = g_ptr_array_index(session->endings, i);
        is_written = strobe_recorder_is_written(ending->window);
    }
    g_rec_mutex_unlock(&session->lock);
    return is_written;
}

gboolean strobe_session_await_endings(StrobeSession *session, guint n_left, GError **error)
{
    gboolean ok = TRUE;

    while (session->endings->len > n_left) {
        const StrobeEnding *ending = g_ptr_array_index(session->endings, 0);
        int failed = strobe_recorder_wait(ending->window);
        if (failed || ending->failure) {
            tell_failure(ending, failed, error);
            ok = FALSE;
        }
        g_ptr_array_remove_index(session->endings, 0);
    }
    return ok;
}
