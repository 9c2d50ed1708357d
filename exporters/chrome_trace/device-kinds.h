/* SPDX-License-Identifier: Apache-2.0 */
/* Which field of a kind is which argument of an event, by the rows of formats/ascend-trace. */
#ifndef STROBE_CHROME_TRACE_DEVICE_KINDS_H
#define STROBE_CHROME_TRACE_DEVICE_KINDS_H

#include "chrome-trace.h"

/* Where an argument comes from. */
enum {
    TRACE_ARGUMENT_FIELD = 0,
    TRACE_ARGUMENT_ROW,      /* the number of the row */
    TRACE_ARGUMENT_NAME,     /* the record's name */
    TRACE_ARGUMENT_LEVEL,    /* of an interface, which generations name differently */
    TRACE_ARGUMENT_FUNCTION, /* the record's name, if the interface is the upper one */
    TRACE_ARGUMENT_TASK_TYPE /* the newest files prefer the core's */
};

typedef struct TraceArgument {
    const AscendArg *row;
    char *key; /* "name":, with its blank */
    guint key_length;
    guint32 type, offset;
    guint32 other_type,
        other_offset; /* what stands in where the field is absent, type 0: nothing */
    guint8 form;      /* ASCEND_ARG_* */
    guint8 source;    /* TRACE_ARGUMENT_* */
} TraceArgument;

struct TraceEvents {
    guint32 layer; /* ASCEND_LAYER_* */
    TraceArgument *arguments;
    guint n_arguments;
    guint32 exact;        /* offset of exact_us, STROBE_FIELD_MISSING: none */
    guint32 level;        /* offset of an interface's level, STROBE_FIELD_MISSING: none */
    gboolean is_transfer; /* of a communication operation */
    /* What arrows are made from. */
    guint32 connection, is_kernel, task_id, batch, context, stream;
};

/* Binds a span of a device. FALSE: the kind is none. */
gboolean trace_events_bind(ChromeTrace *trace, TraceKind *kind);
/* A field that a plugin added and that no argument has. */
gboolean trace_events_is_extra(const TraceEvents *events, const StrobeFieldView *field);
void trace_events_free(TraceEvents *events);

/* A number in the form of a row; nothing for one that is absent. */
char *put_form(char *at, guint8 form, guint32 type, const StrobeView *record, guint32 offset);
gboolean is_field_absent(guint32 type, const StrobeView *record, guint32 offset);

/* Series of the host's kinds, after those of formats/ascend-trace. */
extern const AscendCounter trace_host_counters[];
extern const guint32 n_trace_host_counters;

#endif
