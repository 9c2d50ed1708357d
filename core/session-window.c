/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>
#include "error.h"
#include "signal-guard.h"
#include "kind-table.h"
#include "lane.h"
#include "log.h"
#include "recorder.h"
#include "session-log.h"

/* How long late records of a window are waited for when it ends. */
#define FLUSH_DEADLINE_NS 2000000000
/* How long stop() waits for the disk at most. */
#define STOP_PATIENCE_NS 20000000

/* ---- the rest of a window ---- */

void strobe_session_set_write_error(const char *directory, int failed, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                "Cannot write the capture in %s: %s: records are missing", directory,
                g_strerror(failed));
}

void strobe_session_ending_free(gpointer data)
{
    StrobeEnding *ending = data;

    g_free(ending->directory);
    g_free(ending);
}

static void add_ending(StrobeSession *session)
{
    StrobeEnding *ending = g_new0(StrobeEnding, 1);

    ending->directory = g_strdup(session->directory->path);
    ending->window = session->window;
    g_ptr_array_add(session->endings, ending);
}

gboolean strobe_session_await_endings(StrobeSession *session, guint n_left, GError **error)
{
    gboolean ok = TRUE;

    while (session->endings->len > n_left) {
        const StrobeEnding *ending = g_ptr_array_index(session->endings, 0);
        int failed = strobe_recorder_wait(ending->window);
        if (failed && error && ok)
            strobe_session_set_write_error(ending->directory, failed, error);
        else if (failed)
            strobe_log(STROBE_LOG_WARNING,
                       "Cannot write the capture in %s: %s: records are missing", ending->directory,
                       g_strerror(failed));
        ok = ok && failed == 0;
        g_ptr_array_remove_index(session->endings, 0);
    }
    return ok;
}

/* ---- a window ---- */

static void add_diagnostic(StrobeSession *session, const char *component, const char *text)
{
    StrobeWriter *writer = strobe_lane_writer();

    g_ptr_array_add(session->diagnostics, g_strdup(text));
    if (!writer)
        return;
    StrobeStringId name = strobe_lane_intern(writer, component, strlen(component), 0);
    StrobeStringId id = strobe_lane_intern(writer, text, strlen(text), 0);
    struct strobe_diagnostic *fields =
        strobe_lane_reserve(writer, strobe_kind_id(&strobe_kind_diagnostic), strobe_core_track(),
                            name, strobe_clock_now(), 0);
    if (!fields)
        return;
    fields->text = id;
    fields->level = STROBE_LOG_WARNING;
    strobe_lane_commit(writer);
}

/* What is missing in the window that ends. */
static void diagnose(StrobeSession *session)
{
    g_ptr_array_set_size(session->diagnostics, 0);
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        g_autofree char *text = NULL;
        if (c->failure)
            text = g_strdup(c->failure->message);
        else if (c->phase == STROBE_COLLECTOR_PENDING)
            text = g_strdup_printf("collector %s: what it collects from was not loaded into the "
                                   "process",
                                   c->component->name);
        else if (c->has_more)
            text = g_strdup_printf("collector %s: it had more records of the window when the time "
                                   "for late ones (%d s) was over",
                                   c->component->name, (int)(FLUSH_DEADLINE_NS / 1000000000));
        if (text)
            add_diagnostic(session, c->component->name, text);
        if (c->instance.lacking->len) {
            g_autofree char *lacks =
                g_strdup_printf("collector %s: it cannot do what was asked for: %s",
                                c->component->name, c->instance.lacking->str);
            add_diagnostic(session, c->component->name, lacks);
        }
    }
    guint32 trackless = strobe_recorder_take_trackless();
    if (trackless) {
        g_autofree char *text =
            g_strdup_printf("%u threads found no room in the track table: their records are shown "
                            "without a thread",
                            trackless);
        add_diagnostic(session, "recorder", text);
    }
}

static gboolean check_required(StrobeSession *session, GError **error)
{
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (c->required && c->failure) {
            g_propagate_prefixed_error(error, g_error_copy(c->failure), "A required collector: ");
            return FALSE;
        }
    }
    return TRUE;
}

void strobe_session_for_collectors(StrobeSession *session, void (*call)(StrobeCollector *))
{
    for (guint i = 0; i < session->collectors->len; i++)
        call(g_ptr_array_index(session->collectors, i));
}

static gboolean begin_capture(StrobeSession *session, GError **error)
{
    g_autofree char *path = NULL;
    int failed, fd;

    strobe_session_await_endings(session, 1, NULL);
    session->directory = strobe_result_directory_new(session->config, error);
    if (!session->directory)
        return FALSE;
    fd = strobe_result_directory_capture(session->directory, STROBE_CAPTURE_NAME, &path, error);
    if (fd < 0)
        return FALSE;
    g_autofree char *facts =
        strobe_result_directory_facts(session->directory, session->config, NULL);
    failed = strobe_recorder_begin_window(fd, path, facts);
    if (failed) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", path,
                    g_strerror(failed));
        return FALSE;
    }
    session->window = strobe_recorder_window();
    g_free(session->last_directory);
    session->last_directory = g_strdup(session->directory->path);
    strobe_result_directory_report(session->directory, session->config);
    return TRUE;
}

static gboolean open_window(StrobeSession *session, GError **error)
{
    StrobeSignalGuard guard;

    strobe_signal_guard_hold(&guard);
    gboolean ok = begin_capture(session, error);
    if (!ok && session->directory) {
        strobe_result_directory_discard(session->directory);
        session->directory = NULL;
    }
    strobe_signal_guard_release(&guard);
    return ok;
}

/* NULL: no window records any more. */
static void tell_directory(StrobeSession *session, const char *directory)
{
    for (guint i = 0; i < session->collectors->len; i++)
        ((StrobeCollector *)g_ptr_array_index(session->collectors, i))->directory = directory;
}

gboolean strobe_session_start_window(StrobeSession *session, GError **error)
{
    strobe_session_for_collectors(session, strobe_collector_open);
    strobe_session_for_collectors(session, strobe_collector_warm);
    if (!check_required(session, error))
        return FALSE;
    if (!open_window(session, error))
        return FALSE;
    tell_directory(session, session->directory->path);
    strobe_session_for_collectors(session, strobe_collector_tell_calls);
    strobe_session_for_collectors(session, strobe_collector_start);
    session->sampler = strobe_sampler_start(session->collectors);
    return check_required(session, error);
}

static void flush_one(StrobeCollector *c)
{
    strobe_collector_flush(c, FLUSH_DEADLINE_NS);
}

void strobe_session_stop_window(StrobeSession *session, GError **error)
{
    /* Whoever is told that it is ready reads it; nobody else waits for the disk. */
    gint64 patience = session->on_trace_ready ? -1 : STOP_PATIENCE_NS;
    StrobeSignalGuard guard;
    int failed;

    if (!session->directory)
        return;
    strobe_recorder_mark_end();
    strobe_sampler_stop(session->sampler);
    session->sampler = NULL;
    strobe_session_for_collectors(session, strobe_collector_stop);
    strobe_session_for_collectors(session, flush_one);
    tell_directory(session, NULL);
    diagnose(session);
    strobe_signal_guard_hold(&guard);
    failed = strobe_recorder_end_window(patience);
    if (failed == EINPROGRESS)
        add_ending(session);
    else if (failed)
        strobe_session_set_write_error(session->directory->path, failed, error);
    g_autofree char *text = strobe_session_log_text(TRUE);
    strobe_result_directory_finish(session->directory, session->config, text,
                                   error && !*error ? error : NULL);
    strobe_signal_guard_release(&guard);
    g_clear_pointer(&session->directory, strobe_result_directory_free);
}

/* ---- steps ---- */

void strobe_session_begin_step(StrobeSession *session)
{
    session->step_begin = strobe_clock_now();
    session->step_begin_ns = strobe_clock_ns(CLOCK_MONOTONIC);
}

void strobe_session_record_step(StrobeSession *session)
{
    static const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_STEPS, .device = -1, .name = "Steps"};
    StrobeWriter *writer = strobe_lane_writer();
    char name[48];

    if (!writer || !session->directory)
        return;
    g_snprintf(name, sizeof name, "ProfilerStep#%" G_GINT64_FORMAT, session->step);
    StrobeStringId id = strobe_lane_intern(writer, name, strlen(name), 0);
    struct strobe_step *fields = strobe_lane_reserve(writer, strobe_kind_id(&strobe_kind_step),
                                                     strobe_recorder_track(&track), id,
                                                     session->step_begin, strobe_clock_now());
    if (!fields)
        return;
    fields->number = session->step;
    fields->thread = (guint64)gettid();
    strobe_lane_commit(writer);
}

void strobe_session_after_step(StrobeSession *session)
{
    double seconds = (double)(strobe_clock_ns(CLOCK_MONOTONIC) - session->step_begin_ns) / 1e9;
    gint64 every = session->config->rotate.steps;

    strobe_session_record_step(session);
    strobe_flight_step(session->flight, session->step, seconds);
    if (every && session->directory && (session->step + 1) % every == 0)
        strobe_recorder_roll();
}
