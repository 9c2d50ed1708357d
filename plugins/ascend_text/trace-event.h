/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the events of a trace_view.json one by one. */
#ifndef STROBE_ASCEND_TEXT_TRACE_EVENT_H
#define STROBE_ASCEND_TEXT_TRACE_EVENT_H

#include <glib.h>
#include <strobe/helpers/json-scanner.h>
#include <strobe/helpers/json-writer.h>

/* maximum number of arguments of an event; further arguments are ignored */
#define TRACE_ARGS_MAX 256u

typedef struct TraceArg {
    const char *key, *text; /* NUL-terminated; `text` of a nested value is JSON */
    gsize length;           /* length of the text */
    /* type of the value: STROBE_JSON_STRING, STROBE_JSON_NUMBER ...; STROBE_JSON_OBJECT: any nested
     * value */
    int token;
} TraceArg;

/* An event. Its texts are valid until the next event. The text of a missing member is "". */
typedef struct TraceEvent {
    const char *phase, *name, *category, *ts, *dur, *id;
    gint64 pid, tid;
    gboolean has_pid, has_dur, has_category;
    const TraceArg *args;
    guint n_args;
    guint64 offset; /* offset of the event's end in the file */
} TraceEvent;

typedef struct TraceReader TraceReader;

/* Reads the file from its current position. The caller closes `descriptor`. */
TraceReader *trace_reader_new(int descriptor);
void trace_reader_free(TraceReader *reader);

/* Reads the next event. Returns 1, or 0 at the end. Returns -1 for damage and sets `error`; the
 * next call continues after the damage. */
int trace_reader_next(TraceReader *reader, TraceEvent *event, const char **error);

/* Appends the arguments as a JSON object; with `only` (may be NULL) only the arguments with index i
 * for which only[i] is not 0. */
void trace_event_write_args(const TraceEvent *event, const guint8 *only, StrobeJsonWriter *json,
                            GString *out);

/* Appends the value that begins with the scanner's last token, `token`, as JSON with Python's
 * separators. Numbers are copied digit by digit. Returns the value's last token, or an error. */
int json_copy_value(StrobeJsonScanner *scanner, int token, const char *text, gsize length,
                    StrobeJsonWriter *json, GString *out);

/* Returns an argument by its key; NULL if there is none. */
const TraceArg *trace_event_arg(const TraceEvent *event, const char *key);

#endif
