/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>
#include "attach.h"
#include "capture-format.h"
#include "diagnostic.h"
#include "error.h"
#include "signal-guard.h"
#include "kind-table.h"
#include "thread-buffer.h"
#include "log.h"
#include "process.h"
#include "recorder.h"
#include "schedule.h"
#include "session-log.h"

/* ---- the begin and end of a window ---- */

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

void strobe_session_prepare(StrobeSession *session, int wanted)
{
    if (wanted & STROBE_CALL_COOL)
        strobe_session_for_collectors(session, strobe_collector_cool);
    if (wanted & STROBE_CALL_WARM) {
        strobe_session_for_collectors(session, strobe_collector_open);
        strobe_session_for_collectors(session, strobe_collector_warm);
    }
}

static gboolean begin_capture(StrobeSession *session, GError **error)
{
    g_autofree char *unnamed = NULL;
    int failed, fd;

    strobe_session_await_endings(session, 1, NULL);
    session->directory = strobe_result_directory_new(
        session->config, session->target ? session->target : session->pid, error);
    if (!session->directory)
        return FALSE;
    fd = strobe_result_directory_capture(session->directory, STROBE_SEGMENT_NEW, &unnamed, error);
    if (fd < 0)
        return FALSE;
    g_autofree char *path = g_strndup(unnamed, strlen(unnamed) - strlen(STROBE_CAPTURE_UNNAMED));
    g_autofree char *metadata =
        strobe_result_directory_metadata(session->directory, session->config);
    failed = strobe_recorder_begin_window(fd, path, metadata);
    if (failed) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", path,
                    g_strerror(failed));
        return FALSE;
    }
    session->window = strobe_recorder_window();
    g_free(session->last_directory);
    session->last_directory = g_strdup(session->directory->path);
    strobe_result_directory_begin(session->directory, session->config);
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

void strobe_session_tell_directory(StrobeSession *session, const char *directory)
{
    for (guint i = 0; i < session->collectors->len; i++)
        ((StrobeCollector *)g_ptr_array_index(session->collectors, i))->directory = directory;
}

/* Starts the collectors in the writer process. Waits for them, so that a required collector has
 * begun, and so that even a short window has a first sample. */
static void start_outside(StrobeSession *session)
{
    gboolean any = FALSE;

    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        any |= g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_OUTSIDE;
    }
    if (!any)
        return;
    strobe_recorder_begin_sampling();
    strobe_session_end_stand_ins(session);
    strobe_session_take_messages(session);
}

gboolean strobe_session_start_window(StrobeSession *session, GError **error)
{
    strobe_session_prepare(session, STROBE_CALL_WARM);
    if (!check_required(session, error))
        return FALSE;
    if (!open_window(session, error))
        return FALSE;
    strobe_session_tell_directory(session, session->directory->path);
    strobe_session_for_collectors(session, strobe_collector_tell_calls);
    strobe_session_for_collectors(session, strobe_collector_start);
    session->sampler = strobe_sampler_start(session->collectors);
    start_outside(session);
    strobe_recorder_clear_notes(strobe_core_track());
    strobe_session_for_collectors(session, strobe_session_note_missing);
    strobe_session_log_note();
    strobe_run_watch_exit(session);
    return check_required(session, error);
}

static void record_entry(StrobeWriter *writer, const char *name, JsonNode *value)
{
    static const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_PROCESS, .device = -1};
    g_autofree char *text = json_to_string(value, FALSE);
    StrobeStringId name_id = strobe_thread_buffer_intern(writer, name, strlen(name), 0);
    StrobeStringId value_id = strobe_thread_buffer_intern(writer, text, strlen(text), 0);
    struct strobe_metadata *fields =
        strobe_thread_buffer_reserve(writer, strobe_kind_id(&strobe_kind_metadata),
                                     strobe_recorder_track(&track), name_id, strobe_clock_now(), 0);

    if (!fields)
        return;
    fields->value = value_id;
    fields->is_json = 1;
    strobe_thread_buffer_commit(writer);
}

/* Records the metadata that the user has added, for exporters that write it. */
static void record_metadata(StrobeSession *session)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();
    g_autoptr(GList) keys = json_object_get_members(session->config->metadata);

    for (GList *k = keys; writer && k; k = k->next)
        if (strcmp(k->data, "trace_id")) /* the capture's own metadata contains it already */
            record_entry(writer, k->data,
                         json_object_get_member(session->config->metadata, k->data));
}

void strobe_session_stop_window(StrobeSession *session, GError **error)
{
    if (!session->directory)
        return;
    record_metadata(session);
    strobe_recorder_mark_end();
    strobe_sampler_stop(session->sampler);
    session->sampler = NULL;
    strobe_session_for_collectors(session, strobe_collector_stop);
    strobe_session_end_window(session, error);
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
    StrobeWriter *writer = strobe_thread_buffer_writer();
    char name[48];

    if (!writer || !session->directory)
        return;
    g_snprintf(name, sizeof name, "ProfilerStep#%" G_GINT64_FORMAT, session->step);
    StrobeStringId id = strobe_thread_buffer_intern(writer, name, strlen(name), 0);
    struct strobe_step *fields = strobe_thread_buffer_reserve(
        writer, strobe_kind_id(&strobe_kind_step), strobe_recorder_track(&track), id,
        session->step_begin, strobe_clock_now());
    if (!fields)
        return;
    fields->number = session->step;
    fields->thread = (guint64)strobe_thread_id();
    strobe_thread_buffer_commit(writer);
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
