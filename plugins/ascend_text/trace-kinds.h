/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of a trace and where each argument of an event goes. */
#ifndef STROBE_ASCEND_TEXT_TRACE_KINDS_H
#define STROBE_ASCEND_TEXT_TRACE_KINDS_H

#include <ascend-trace.h>
#include <glib.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

#include "trace-event.h"

/* What nobody knows, kept as it was. */
struct ascend_text_event {
    StrobeStringId phase, category, id, arguments; /* arguments: as JSON */
    double duration;                               /* us; absent: none */
};
extern const StrobeKind ascend_text_event_kind;

/* All kinds that the importer emits. */
#define ASCEND_TEXT_KINDS 31
extern const StrobeKind *const ascend_text_kinds[ASCEND_TEXT_KINDS];

/* Where an argument goes: a field of the kind. */
typedef struct TraceSlot {
    const AscendArg *arg;
    guint32 offset, type; /* type 0: nowhere, it follows from others */
} TraceSlot;

/* Events of one row of ascend_events, declared. */
typedef struct TraceKind {
    const AscendEvents *events;
    const StrobeKind *kind;
    StrobeKindId id;
    TraceSlot *slots; /* n_args */
    gint exact;       /* offset of exact_us, -1: the kind has none */
} TraceKind;

typedef struct TraceKinds {
    TraceKind *kinds;          /* by index of ascend_events */
    StrobeKindId counters[80]; /* by index of ascend_counters */
    StrobeKindId event, flow, pmu;
} TraceKinds;

StrobeStatus trace_kinds_init(TraceKinds *kinds, const StrobeImporterHost *host,
                              StrobeInstance *self);
void trace_kinds_clear(TraceKinds *kinds);

const TraceKind *trace_kind_of(const TraceKinds *kinds, guint32 layer, const char *category);

/* Puts the arguments into the record's fields. Tells what is not known and what does not fit. */
void trace_kind_fill(const TraceKind *kind, const StrobeImporterHost *host, StrobeInstance *self,
                     const TraceEvent *event, void *fields);

#endif
