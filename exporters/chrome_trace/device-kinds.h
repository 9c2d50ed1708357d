/* SPDX-License-Identifier: Apache-2.0 */
/* Maps the fields of a kind to the arguments of an event, by the rows of formats/ascend-trace. */
#ifndef STROBE_CHROME_TRACE_DEVICE_KINDS_H
#define STROBE_CHROME_TRACE_DEVICE_KINDS_H

#include <math.h>

#include "trace-state.h"

/* Source of an argument. */
enum {
    TRACE_ARGUMENT_FIELD = 0,
    TRACE_ARGUMENT_ROW,      /* the number of the row */
    TRACE_ARGUMENT_NAME,     /* the record's name */
    TRACE_ARGUMENT_LEVEL,    /* the level of an interface; newer files call the collectives' level
                                differently */
    TRACE_ARGUMENT_FUNCTION, /* the record's name for calls of the upper level, else "0" */
    TRACE_ARGUMENT_TASK_TYPE /* the type of the task; the newest files prefer the type of its core
                              */
};

/* Forms of the usual arguments. */
enum {
    TRACE_PUT_ANY = 0,
    TRACE_PUT_U32,
    TRACE_PUT_I32,
    TRACE_PUT_U64,
    TRACE_PUT_I64,
    TRACE_PUT_TEXT,
    TRACE_PUT_ROW
};

typedef struct TraceArgument {
    const char *absent; /* replacement of an absent value; NULL: the argument is omitted */
    char *key;          /* text before the value: , "name": */
    guint key_length;
    guint32 type, offset;
    guint32 other_type, other_offset; /* field that is used if the first is absent; type 0: none */
    guint8 form;                      /* ASCEND_ARG_* */
    guint8 source;                    /* TRACE_ARGUMENT_* */
    guint8 put;                       /* TRACE_PUT_* */
} TraceArgument;

struct TraceEvents {
    guint32 layer; /* ASCEND_LAYER_* */
    TraceArgument *arguments;
    guint n_arguments;
    guint32 exact;        /* offset of exact_us, STROBE_FIELD_MISSING: none */
    guint32 level;        /* offset of an interface's level, STROBE_FIELD_MISSING: none */
    gboolean is_transfer; /* the span is a transfer of a communication operation */
    /* Offsets of the fields from which ids of flow events are made. */
    guint32 connection, is_kernel, task_id, batch, context, stream;
};

/* Binds a kind of spans of a device to its arguments. FALSE: the kind is not such a kind. */
gboolean trace_events_bind(ChromeTrace *trace, TraceKind *kind);
/* Whether a plugin added the field, and no argument of the event shows it. */
gboolean trace_events_is_extra(const TraceEvents *events, const StrobeFieldView *field);
void trace_events_free(TraceEvents *events);

/* Writes a number in the form that formats/ascend-trace gives (`form`); writes nothing if the
 * number is absent. */
char *put_form(char *at, guint8 form, guint32 type, const StrobeView *record, guint32 offset);
static inline gboolean is_field_absent(guint32 type, const StrobeView *record, guint32 offset)
{
    switch (type) {
    case STROBE_FIELD_U8:
    case STROBE_FIELD_BOOL:
        return FALSE;
    case STROBE_FIELD_U32:
        return strobe_view_u32(record, offset) == STROBE_ABSENT_U32;
    case STROBE_FIELD_I32:
        return (gint32)strobe_view_u32(record, offset) == STROBE_ABSENT_I32;
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        return strobe_view_u64(record, offset) == STROBE_ABSENT_U64;
    case STROBE_FIELD_I64:
        return strobe_view_i64(record, offset) == STROBE_ABSENT_I64;
    case STROBE_FIELD_F64:
        return !isfinite(strobe_view_f64(record, offset));
    case STROBE_FIELD_STRING:
    case STROBE_FIELD_STACK:
    case STROBE_FIELD_TRACK:
        return strobe_view_u32(record, offset) == 0;
    default:
        return TRUE;
    }
}

/* Counters of the host's kinds. They are searched after the counters of formats/ascend-trace. */
extern const AscendCounter trace_host_counters[];
extern const guint32 n_trace_host_counters;

#endif
