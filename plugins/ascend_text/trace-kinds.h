/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of a trace's spans, and the field for each argument of an event. */
#ifndef STROBE_ASCEND_TEXT_TRACE_KINDS_H
#define STROBE_ASCEND_TEXT_TRACE_KINDS_H

#include <ascend-trace.h>

#include "ascend-text-import.h"
#include "trace-event.h"

/* An unknown event, kept unchanged. */
struct ascend_text_event {
    StrobeStringId phase, category, id, arguments; /* arguments: as JSON */
    double duration;                               /* us; STROBE_ABSENT_F64: none */
};
extern const StrobeKind ascend_text_event_kind;

/* The field for arguments without another field, as JSON. */
#define ASCEND_TEXT_ARGUMENTS "ascend_text.arguments"

/* An argument and the field for its value. */
typedef struct TraceSlot {
    const AscendArg *arg;
    /* type 0: not stored, because the value can be computed from other fields */
    guint32 offset, type;
    gboolean is_used; /* some event has this argument */
} TraceSlot;

/* Events of one row of ascend_events. */
typedef struct TraceKind {
    const AscendEvents *events;
    const StrobeKind *kind; /* the standard kind */
    TraceSlot *slots;       /* n_args */
    gint exact;             /* offset of exact_us; -1: the kind has none */
    gboolean has_unknown;   /* some event has arguments without a field */
    guint32 unknown;        /* offset of the field for such arguments; 0: the kind has none */
} TraceKind;

typedef struct TraceKinds {
    Import *import;
    TraceKind *kinds;      /* indexed like ascend_events */
    StrobeJsonWriter json; /* for arguments that are kept unchanged */
    GString *text;
    GHashTable *stacks; /* from the text of a stack to its StrobeStackId */
} TraceKinds;

void trace_kinds_init(TraceKinds *kinds, Import *import);
void trace_kinds_clear(TraceKinds *kinds);

/* Returns the kind for events of this layer and category, or NULL. */
TraceKind *trace_kind_of(const TraceKinds *kinds, gint32 layer, const char *category);

/* Takes the arguments of an event in the first pass, to find the fields that the kind needs besides
 * the standard fields. */
void trace_kind_index_pass(TraceKind *kind, const char *const *keys, guint n);
/* Extends the kinds, after the first pass. */
void trace_kinds_finish(TraceKinds *kinds);

/* Stores the arguments in the record's fields. Reports unknown arguments and values that do not
 * fit. */
void trace_kind_fill(TraceKinds *kinds, const TraceKind *kind, const TraceEvent *event,
                     void *fields);

/* Returns the event's arguments as JSON; with `only` (may be NULL) only the arguments with index i
 * for which only[i] is not 0. */
StrobeStringId trace_kinds_args(TraceKinds *kinds, const TraceEvent *event, const guint8 *only);

#endif
