/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internal declarations of the session, shared by session.c (making, transitions, calls),
 * session-window.c (windows and steps) and session-dump.c (a flight recorder's dumps). The
 * caller holds the session's lock unless documented otherwise.
 */
#ifndef STROBE_CORE_SESSION_H
#define STROBE_CORE_SESSION_H

#include <pthread.h>
#include <strobe/strobe.h>
#include "session-collector.h"
#include "dump-maker.h"
#include "flight.h"
#include "result-directory.h"
#include "sampler.h"

/* A window that has ended and is still being written. */
typedef struct StrobeEnding {
    StrobeResultDirectory *directory;
    char *path;
    guint32 window;
    GError *failure; /* why a file other than the capture could not be written; NULL: no failure */
} StrobeEnding;

struct StrobeSession {
    GRecMutex lock; /* recursive, because a handler may call the session */
    gint n_users;   /* number of holders, see strobe_session_hold */
    pid_t pid;      /* a forked child must not touch its parent's session */
    pid_t target;   /* id of the recorded process if it is not this process; 0: this process */
    StrobeConfig *config;
    StrobeRegistry *registry;
    GPtrArray *collectors; /* of StrobeCollector */
    StrobeSampler *sampler;
    gboolean is_attached; /* session of `strobe run` in a native process: it is ended when the
                           * program makes its own session */
    gboolean is_running;
    gboolean is_changing;    /* collectors are being called */
    gboolean follows_loader; /* collectors are opened in calls of the loader */
    guint64 n_loaded;        /* number of loaded objects when waiting collectors were last opened */
    gint64 step;
    int action;
    guint64 step_begin;
    gint64 step_begin_ns;
    StrobeTrackId step_track;
    gint64 thread; /* kernel id of the stepping thread */
    StrobeTraceReady on_trace_ready, on_window_end;
    gpointer trace_ready_user, window_end_user;
    gint is_stop_wanted; /* the function that a dump called has stopped the session; atomic */
    StrobeScheduleFunction schedule;
    gpointer schedule_user;
    StrobeResultDirectory *directory; /* result directory of the recording window */
    guint32 window;                   /* number of the recording window */
    GPtrArray *endings;               /* of StrobeEnding, oldest first */
    StrobeFlight *flight;             /* used with the policy ring */
    /* numbers of dumps and of refused dumps that were already reported */
    guint32 n_dumps, n_refused_dumps;
    StrobeDumpMaker dump_maker; /* used if a thread of this process is the writer */
    char *last_dump;
    char *last_directory;
    GPtrArray *diagnostics; /* texts about the whole session */
    char *diagnostics_text;
};

/* Returns the session that was attached or made in this process, NULL if none. */
StrobeSession *strobe_session_current(void);
/* Returns the session whose window records in this process, NULL in a forked child. No system
 * call. */
StrobeSession *strobe_session_recording(void);

void strobe_session_for_collectors(StrobeSession *session, void (*call)(StrobeCollector *));

/* Like strobe_session_new(). `is_from_run`: the session is of `strobe run`, which has already
 * checked the exporters, so they are not loaded here. `target` is a process to record from outside;
 * 0: this process is recorded. */
StrobeStatus strobe_session_make(const char *config, const char *origin, gboolean is_from_run,
                                 pid_t target, StrobeSession **session, StrobeError **error);

/* Does the session belong to this process? FALSE with an error for NULL, and in a forked child,
 * where the session belongs to the parent. Any thread, no lock. */
gboolean strobe_session_is_own(StrobeSession *session, GError **error);

/* ---- functions of the user, session.c ---- */

/* Call these before and after this thread calls a function of the user. No lock. */
void strobe_session_begin_function(StrobeSession *session, gboolean is_of_dump);
void strobe_session_end_function(void);
/* Is the calling thread in a function of the user that this session called? */
gboolean strobe_session_is_calling(const StrobeSession *session);

/* ---- windows, session-window.c ---- */

gboolean strobe_session_start_window(StrobeSession *session, GError **error);
void strobe_session_stop_window(StrobeSession *session, GError **error);
/* Makes the schedule's calls of collectors: STROBE_CALL_COOL, STROBE_CALL_WARM. */
void strobe_session_prepare(StrobeSession *session, int wanted);

void strobe_session_begin_step(StrobeSession *session);
void strobe_session_record_step(StrobeSession *session);
/* Call it when a step has ended: records the step, and does the work that depends on the number of
 * steps. */
void strobe_session_after_step(StrobeSession *session);

/* Returns the current session, which is not freed before strobe_session_let_go() is called; NULL:
 * none. */
StrobeSession *strobe_session_hold(void);
void strobe_session_let_go(StrobeSession *session);

/* ---- libraries that are loaded late, late-collectors.c ---- */

/* Opens the collectors that wait for a library, and starts them if a window records. Does nothing
 * while collectors are being called. */
void strobe_session_open_late(StrobeSession *session);
/* Like strobe_session_open_late, but only if a library was loaded since the last attempt. */
void strobe_session_open_loaded(StrobeSession *session);
/* Under `strobe run`, makes the program's calls of the loader open waiting collectors, as long as
 * the session runs and a collector waits; otherwise ends this. */
void strobe_session_follow_loader(StrobeSession *session);

/* ---- collectors in the writer process, session-outside.c ---- */

/* Returns the numbers, from 1, of the collectors that are to run in a writer process (unref it).
 * Adds the kinds of these collectors to `kinds`. */
GArray *strobe_session_find_outside(const StrobeSession *session, GPtrArray *kinds);
/* Marks the collectors with the numbers `outside` as running in the writer process. Call it only if
 * there is one. */
void strobe_session_place_outside(StrobeSession *session, const GArray *outside);
/* If a collector records operators in this window, stops default collectors with
 * STROBE_COMPONENT_STAND_IN. */
void strobe_session_end_stand_ins(StrobeSession *session);
/* Puts the messages of the writer process into the log, and assigns failures to their
 * collectors. */
void strobe_session_take_messages(StrobeSession *session);

/* ---- the end of a window, session-ending.c ---- */

/* Ends the window, whose collectors must have stopped. Flushes their late records in this thread,
 * for at most 2 s. Then waits for the writer: without limit if on_trace_ready is set, otherwise for
 * at most 20 ms. */
void strobe_session_end_window(StrobeSession *session, GError **error);
/* Writes the collector's diagnostics to the pool, in case the program ends within the window. */
void strobe_session_note_missing(StrobeCollector *collector);
/* strobe_session_end_at_exit is for a program that exits within a window: it stops and flushes the
 * collectors that still have records to deliver, and the writer then ends the window.
 * strobe_session_needs_end: is there such a collector, or a flight recorder? */
void strobe_session_end_at_exit(StrobeSession *session);
gboolean strobe_session_needs_end(const StrobeSession *session);
/* Sets the result directory that the collectors see; NULL: no window records any more. */
void strobe_session_tell_directory(StrobeSession *session, const char *directory);

/* Waits until ended windows are written, except the last `n_left` windows. Reports the first
 * failure: in *error, or in the log if `error` is NULL. */
gboolean strobe_session_await_endings(StrobeSession *session, guint n_left, GError **error);
void strobe_session_ending_free(gpointer ending);
void strobe_session_set_write_error(const char *directory, int failed, GError **error);

/* ---- dumps, session-dump.c ---- */

/* Reports the dumps for which no call waits: in the log, and to on_trace_ready. Call it without the
 * lock: the on_trace_ready function may take long, and wait for a thread that steps. Returns
 * whether there was such a dump. */
gboolean strobe_session_report_dumps(StrobeSession *session);

#endif
