/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's own parts: what session.c (making, transitions, calls), session-window.c (windows
 * and steps) and session-dump.c (a flight recorder's dumps) share. The session's lock is held
 * unless said otherwise.
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

/* A window that has ended, and is still being written. */
typedef struct StrobeEnding {
    StrobeResultDirectory *directory;
    char *path;
    guint32 window;
    GError *failure; /* of writing what is beside the capture */
} StrobeEnding;

struct StrobeSession {
    GRecMutex lock; /* a handler may call back */
    gint n_users;   /* who hold it */
    pid_t pid;      /* a forked child must not touch its parent's session */
    pid_t target;   /* the process that is recorded where it is another one; 0: this one */
    StrobeConfig *config;
    StrobeRegistry *registry;
    GPtrArray *collectors; /* of StrobeCollector */
    StrobeSampler *sampler;
    gboolean is_attached; /* of `strobe run` in a native process: gives way to one of the program */
    gboolean is_running;
    gboolean is_changing;    /* collectors are being called */
    gboolean follows_loader; /* opens collectors in calls of the loader */
    guint64 n_loaded;        /* objects, when collectors that wait were opened last */
    gint64 step;
    int action;
    guint64 step_begin;
    gint64 step_begin_ns;
    StrobeTrackId step_track;
    gint64 thread; /* kernel id of the one that steps */
    StrobeTraceReady on_trace_ready, on_window_end;
    gpointer trace_ready_user, window_end_user;
    GThread *caller; /* the thread that calls a function of the user's; atomic */
    StrobeScheduleFunction schedule;
    gpointer schedule_user;
    StrobeResultDirectory *directory; /* of the window that records */
    guint32 window;                   /* its number */
    GPtrArray *endings;               /* of StrobeEnding, oldest first */
    StrobeFlight *flight;             /* of the policy ring */
    guint32 n_dumps, n_refused_dumps; /* that were reported */
    StrobeDumpMaker dump_maker;       /* for a writer that is a thread */
    char *last_dump;
    char *last_directory;
    GPtrArray *diagnostics; /* texts of the session */
    char *diagnostics_text;
};

/* The session that was attached or made in this process, NULL if none. */
StrobeSession *strobe_session_current(void);
/* The one whose window records in this process, NULL in a forked child. No system call. */
StrobeSession *strobe_session_recording(void);

void strobe_session_for_collectors(StrobeSession *session, void (*call)(StrobeCollector *));

/* strobe_session_new(); `is_checked`: strobe run has looked at the exporters, which are then not
 * loaded. `target`: a process that is recorded from outside instead of this one; 0: this one. */
StrobeStatus strobe_session_make(const char *config, const char *origin, gboolean is_checked,
                                 pid_t target, StrobeSession **session, StrobeError **error);

/* FALSE with an error where there is none (NULL), and in a forked child: it is its parent's. Any
 * thread, no lock. */
gboolean strobe_session_is_own(StrobeSession *session, GError **error);

/* ---- windows, session-window.c ---- */

gboolean strobe_session_start_window(StrobeSession *session, GError **error);
void strobe_session_stop_window(StrobeSession *session, GError **error);
/* What the schedule asks of collectors: STROBE_CALL_COOL, STROBE_CALL_WARM. */
void strobe_session_prepare(StrobeSession *session, int wanted);

void strobe_session_begin_step(StrobeSession *session);
void strobe_session_record_step(StrobeSession *session);
/* A step has ended: records it, and does what steps are counted for. */
void strobe_session_after_step(StrobeSession *session);

/* The current session, which is not freed before it is let go; NULL: there is none. */
StrobeSession *strobe_session_hold(void);
void strobe_session_let_go(StrobeSession *session);

/* ---- libraries that are loaded late, late-collectors.c ---- */

/* Opens the collectors that wait for a library; those that open take part in what the session does.
 * Does nothing while collectors are being called. */
void strobe_session_open_late(StrobeSession *session);
/* The same if a library was loaded since they were opened last. */
void strobe_session_open_loaded(StrobeSession *session);
/* The same in calls of the loader under `strobe run`, from now on and as long as a collector waits
 * and the session runs. */
void strobe_session_follow_loader(StrobeSession *session);

/* ---- collectors in the writer process, session-outside.c ---- */

/* Numbers, from 1, of the collectors that run there if there is one (unref it); adds their kinds.
 */
GArray *strobe_session_find_outside(const StrobeSession *session, GPtrArray *kinds);
/* There is one: these collectors run there. */
void strobe_session_place_outside(StrobeSession *session, const GArray *outside);
/* Ends default collectors that stand in for operators in this window, if these are recorded. */
void strobe_session_end_stand_ins(StrobeSession *session);
/* Puts what the writer process has said into the log, and failures to their collectors. */
void strobe_session_take_messages(StrobeSession *session);

/* ---- the rest of a window, session-ending.c ---- */

/* The collectors have stopped. Their late records are flushed in this thread, for 2 s at most; the
 * writer is waited for if on_trace_ready is set, else for 20 ms. */
void strobe_session_end_window(StrobeSession *session, GError **error);
/* Notes in the pool what is missing of the collector, for a program that ends within the window. */
void strobe_session_note_missing(StrobeCollector *collector);
/* The program exits within a window: stops and flushes the collectors that hold records. The writer
 * ends the window. The second: is there anything to do? */
void strobe_session_end_at_exit(StrobeSession *session);
gboolean strobe_session_needs_end(const StrobeSession *session);
/* Tells the collectors the result directory of the window that records; NULL: none does any more.
 */
void strobe_session_tell_directory(StrobeSession *session, const char *directory);

/* Waits until windows that ended are written, but for the `n_left` last ones; tells the first thing
 * that failed, by the log if `error` is NULL. */
gboolean strobe_session_await_endings(StrobeSession *session, guint n_left, GError **error);
void strobe_session_ending_free(gpointer ending);
void strobe_session_set_write_error(const char *directory, int failed, GError **error);

/* ---- dumps, session-dump.c ---- */

/* Reports the dumps that no call waits for: in the log, and to on_trace_ready. */
void strobe_session_report_dumps(StrobeSession *session);

#endif
