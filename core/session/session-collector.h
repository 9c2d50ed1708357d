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
    STROBE_COLLECTOR_OUTSIDE /* it runs in the writer process; this process knows only its name */
} StrobeCollectorPhase;

typedef struct StrobeCollector {
    StrobeInstance instance;
    StrobeRegistry *registry;
    const StrobeComponent *component;
    const StrobeCollectorOps *ops;
    void *state;
    gint phase;             /* StrobeCollectorPhase; atomic */
    guint number;           /* number in its session, from 1; link ids contain it */
    const char *directory;  /* result directory of the recording window; NULL: none records */
    const GPtrArray *peers; /* the session's collectors; owned by the session */
    gboolean required;
    gboolean is_default; /* no diagnostic if it finds nothing to collect */
    gboolean is_warm, is_started;
    gboolean is_paused;           /* started, but temporarily not recording */
    gboolean is_draining;         /* it has stopped, and flush is not finished */
    gboolean is_outside;          /* this process is the writer, not the program */
    gboolean is_failure_reported; /* if is_outside: the failure was reported to the program */
    gboolean has_more;            /* flush had not finished at its deadline */
    guint64 flush_begin, flush_deadline; /* ticks */
    gint64 flush_until_us;               /* the same, on a clock that needs no rate */
    GError *failure;                     /* the first failure, kept until the session ends */
    GArray *calls; /* of struct collector_call_cost: calls made while no window recorded */
} StrobeCollector;

/* Does it emit records of this kind? */
gboolean strobe_component_emits(const StrobeComponent *component, const char *kind);

/* `wanted` names the component and its options. */
StrobeCollector *strobe_collector_new(StrobeRegistry *registry, const StrobeConfigComponent *wanted,
                                      GError **error);
/* Closes it if it is open. */
void strobe_collector_free(gpointer collector);

/* Each call does nothing unless the collector is in the right phase. A failure is kept in
 * `failure`. */
void strobe_collector_open(StrobeCollector *collector);
void strobe_collector_warm(StrobeCollector *collector);
void strobe_collector_start(StrobeCollector *collector);
void strobe_collector_stop(StrobeCollector *collector);
/* Within a window: stops it and waits for its late records, or starts it again. */
void strobe_collector_pause(StrobeCollector *collector);
void strobe_collector_resume(StrobeCollector *collector);
/* After stop: begins to wait for late records, for STROBE_FLUSH_DEADLINE_S at most, of one
 * collector or of all. Returns whether any collector has some: then call strobe_collectors_flush()
 * in the thread that records them. */
#define STROBE_FLUSH_DEADLINE_S 2
gboolean strobe_collector_begin_flush(StrobeCollector *collector);
gboolean strobe_collectors_begin_flush(const GPtrArray *collectors);
void strobe_collectors_flush(const GPtrArray *collectors);
/* Must the collector be stopped and flushed before the program ends? Yes if it holds records, or if
 * its stop creates some. */
gboolean strobe_collector_needs_end(const StrobeCollector *collector);
void strobe_collector_cool(StrobeCollector *collector);

/* The answer to STROBE_PROBE_PROCESS, and its reason, NULL if there is none. */
int strobe_collector_probe(const StrobeCollector *collector, const char **reason);

/* Records the calls that were made before the window began. */
void strobe_collector_tell_calls(StrobeCollector *collector);

#endif
