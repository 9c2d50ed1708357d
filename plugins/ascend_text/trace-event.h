/* SPDX-License-Identifier: Apache-2.0 */
/* One event of a trace_view.json after the other. */
#ifndef STROBE_ASCEND_TEXT_TRACE_EVENT_H
#define STROBE_ASCEND_TEXT_TRACE_EVENT_H

#include <glib.h>
#include <strobe/helpers/json-scanner.h>

typedef struct TraceArg {
    const char *key, *text; /* NUL-terminated; a nested value as JSON */
    gsize length;           /* of the text */
    int token;              /* STROBE_JSON_STRING, _NUMBER ..., _OBJECT for a nested value */
} TraceArg;

/* Texts are valid until the next event; "" where a member is missing. */
typedef struct TraceEvent {
    const char *phase, *name, *category, *ts, *dur, *id;
    gint64 pid, tid;
    gboolean has_pid, has_dur, has_category;
    const TraceArg *args;
    guint n_args;
    guint64 offset; /* of its end in the file */
} TraceEvent;

typedef struct TraceReader TraceReader;

/* Reads the file from where it stands; `descriptor` is lent. */
TraceReader *trace_reader_new(int descriptor);
void trace_reader_free(TraceReader *reader);

/* The next event: 1, 0 at the end, -1 for damage, which `error` tells; reading goes on behind it.
 */
int trace_reader_next(TraceReader *reader, TraceEvent *event, const char **error);

/* An argument by its key, NULL if there is none. */
const TraceArg *trace_event_arg(const TraceEvent *event, const char *key);

#endif
