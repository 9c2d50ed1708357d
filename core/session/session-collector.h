/* SPDX-License-Identifier: Apache-2.0 */
/* One collector of a session: calls it in each phase, measures each call and keeps each failure. */
#ifndef STROBE_CORE_COLLECTOR_H
#define STROBE_CORE_COLLECTOR_H

#include "instance.h"
#include "registry.h"

typedef enum StrobeCollectorPhase {
    STROBE_COLLECTOR_PENDING, /* not opened: its library is not in the process yet */
    STROBE_COLLECTOR_OPEN,
    STROBE_COLLECTOR_FAILED,
    STROBE_COLLECTOR_OUTSIDE /* the collector runs in the writer process; this process knows only
                                its name */
} StrobeCollectorPhase;

typedef struct StrobeCollector {
    StrobeInstance instance;
    StrobeRegistry *registry;
    const StrobeComponent *component;
    const StrobeCollectorOps *ops;
    void *state;
    gint phase;   /* StrobeCollectorPhase; atomic */
    guint number; /* number in its session, from 1; link ids contain it */
    /* result directory of the recording window; NULL while no window records */
    const char *directory;
    const GPtrArray *peers; /* the session's collectors; owned by the session */
    gboolean required;
    gboolean is_default; /* TRUE: no diagnostic if the collector finds nothing to collect */
    gboolean is_warm, is_started;
    gboolean is_paused;           /* the program has paused the started collector */
    gboolean is_draining;         /* the collector has stopped, and its flush is not finished */
    gboolean is_outside;          /* this process is the writer, not the program */
    gboolean is_failure_reported; /* if is_outside: the failure was reported to the program */
    gboolean has_more; /* the last call of flush returned STROBE_AGAIN, so there may be more late
                          records */
    guint64 flush_begin, flush_deadline; /* ticks */
    gint64 flush_until_us;               /* flush_deadline in us of g_get_monotonic_time() */
    GError *failure;                     /* the first failure, kept until the session ends */
    GArray *calls; /* of struct collector_call_cost: calls made while no window recorded */
} StrobeCollector;

/* Does the component emit records of this kind? */
gboolean strobe_component_emits(const StrobeComponent *component, const char *kind);

/* Makes a collector that is not open yet. `wanted` names the component and its options. */
StrobeCollector *strobe_collector_new(StrobeRegistry *registry, const StrobeConfigComponent *wanted,
                                      GError **error);
/* Closes the collector if it is open, and frees it. */
void strobe_collector_free(gpointer collector);

/* Each function calls the collector's operation of the same name, if the collector is in the right
 * phase for it. A failure is kept in `failure`. */
void strobe_collector_open(StrobeCollector *collector);
void strobe_collector_warm(StrobeCollector *collector);
void strobe_collector_start(StrobeCollector *collector);
void strobe_collector_stop(StrobeCollector *collector);
/* To be called within a window: pause stops the collector and waits for its late records; resume
 * starts it again. */
void strobe_collector_pause(StrobeCollector *collector);
void strobe_collector_resume(StrobeCollector *collector);
/* Call these after stop: they begin to wait for late records of one collector, or of all, for
 * STROBE_FLUSH_DEADLINE_S at most. They return whether any collector may have late records: then
 * call strobe_collectors_flush() in the thread that is to record them. */
#define STROBE_FLUSH_DEADLINE_S 2
gboolean strobe_collector_begin_flush(StrobeCollector *collector);
gboolean strobe_collectors_begin_flush(const GPtrArray *collectors);
void strobe_collectors_flush(const GPtrArray *collectors);
/* Must the collector be stopped and flushed before the program ends? Yes if it still has records to
 * deliver, or if its stop creates records. */
gboolean strobe_collector_needs_end(const StrobeCollector *collector);
void strobe_collector_cool(StrobeCollector *collector);

/* Returns the collector's answer to STROBE_PROBE_PROCESS. *reason receives the reason for the
 * answer, NULL if there is none. */
int strobe_collector_probe(const StrobeCollector *collector, const char **reason);

/* Records the calls that were made before the window began. */
void strobe_collector_tell_calls(StrobeCollector *collector);

#endif
