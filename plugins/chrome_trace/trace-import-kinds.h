/* SPDX-License-Identifier: Apache-2.0 */
/* The types of events, with the kind that each becomes and the field of each argument. */
#ifndef STROBE_CHROME_TRACE_KINDS_H
#define STROBE_CHROME_TRACE_KINDS_H

#include <kineto.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

#include "event-reader.h"

enum {
    RECORD_OPERATOR,
    RECORD_STEP,
    RECORD_MARKER,
    RECORD_PYTHON,
    RECORD_CALL,
    RECORD_TASK,
    RECORD_COMMUNICATION,
    RECORD_MEMORY,
    RECORD_COUNTER,
    RECORD_FLOW,
    RECORD_SPAN,  /* a span of an unknown category */
    RECORD_EVENT, /* an event that is neither span, counter nor flow */
    RECORD_STACK, /* the stack of an event whose kind has no field for it */
    RECORD_METADATA,
    RECORD_DEVICE,
    N_RECORD_TYPES
};

typedef struct SortRow {
    const StrobeKind *standard; /* the standard kind, which `fields` extends */
    const StrobeField *fields;  /* additional fields of this importer */
    guint32 n_fields;
} SortRow;

extern const SortRow sort_rows[N_RECORD_TYPES];
/* The importer's own kinds. */
extern const StrobeKind chrome_trace_span_kind, chrome_trace_event_kind, chrome_trace_flow_kind;
extern const StrobeKind chrome_trace_stack_kind;

/* Fields of chrome_trace.span. */
struct chrome_trace_span {
    StrobeStringId category, id, arguments, phase;
    StrobeStackId stack;
    guint8 unfinished;
};
/* Fields of chrome_trace.flow. */
struct chrome_trace_flow {
    StrobeStringId category;
    guint64 number;
    StrobeStringId id;
    guint8 phase, is_enclosing; /* phase: 0 for s, 1 for t, 2 for f */
};
/* All kinds that the importer emits. */
extern const StrobeKind *const chrome_trace_kinds[N_RECORD_TYPES];

/* Returns the record type of a category's spans; upper and lower case are equal. Returns
 * RECORD_SPAN for an unknown category. */
guint type_of_category(const char *text, gsize length);
/* Returns the fields of a record, each with its absent value, as the host makes them. The caller
 * frees the result. */
void *kind_absent_fields(const StrobeKind *kind);
/* Returns whether records of the type belong to a device, so that pid and tid are device and
 * stream. */
static inline gboolean sort_is_of_device(guint record_type)
{
    return record_type == RECORD_TASK || record_type == RECORD_COMMUNICATION;
}

#endif
