/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of a trace's spans and where each argument of an event goes. */
#ifndef STROBE_ASCEND_TEXT_TRACE_KINDS_H
#define STROBE_ASCEND_TEXT_TRACE_KINDS_H

#include <ascend-trace.h>

#include "ascend-text-import.h"
#include "trace-event.h"

/* An unknown event, kept unchanged. */
struct ascend_text_event {
    StrobeStringId phase, category, id, arguments; /* arguments: as JSON */
    double duration;                               /* us; absent: none */
};
extern const StrobeKind ascend_text_event_kind;

/* Field of arguments that no other field has, as JSON. */
#define ASCEND_TEXT_ARGUMENTS "ascend_text.arguments"

/* The field of the kind for an argument. */
typedef struct TraceSlot {
    const AscendArg *arg;
    guint32 offset, type; /* type 0: nowhere, it follows from others */
    gboolean is_used;     /* some event has it */
} TraceSlot;

/* Events of one row of ascend_events. */
typedef struct TraceKind {
    const AscendEvents *events;
    const StrobeKind *kind; /* the standard one */
    TraceSlot *slots;       /* n_args */
    gint exact;             /* offset of exact_us, -1: the kind has none */
    gboolean has_unknown;   /* some event has arguments without a field */
    guint32 unknown;        /* offset of the field for them, 0: the kind has none */
} TraceKind;

typedef struct TraceKinds {
    Import *import;
    TraceKind *kinds;      /* by index of ascend_events */
    StrobeJsonWriter json; /* of what is kept as it is */
    GString *text;
    GHashTable *stacks; /* StrobeStackId by the text of a stack */
} TraceKinds;

void trace_kinds_init(TraceKinds *kinds, Import *import);
void trace_kinds_clear(TraceKinds *kinds);

/* NULL: nothing of the layer has this category. */
TraceKind *trace_kind_of(const TraceKinds *kinds, gint32 layer, const char *category);

/* Which arguments there are: which fields the kind needs beside the standard ones. */
void trace_kind_index_pass(TraceKind *kind, const char *const *keys, guint n);
/* Then: extends the kinds. */
void trace_kinds_finish(TraceKinds *kinds);

/* Puts the arguments into the record's fields. Tells what is not known and what does not fit. */
void trace_kind_fill(TraceKinds *kinds, const TraceKind *kind, const TraceEvent *event,
                     void *fields);

/* The event, or its arguments without a place, as JSON. */
StrobeStringId trace_kinds_args(TraceKinds *kinds, const TraceEvent *event, const guint8 *only);

#endif
