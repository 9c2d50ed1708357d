/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one event of a trace_view.json after the other. */
#ifndef STROBE_ASCEND_TEXT_TRACE_EVENT_H
#define STROBE_ASCEND_TEXT_TRACE_EVENT_H

#include <glib.h>
#include <strobe/helpers/json-scanner.h>
#include <strobe/helpers/json-writer.h>

#define TRACE_ARGS_MAX 256u /* further arguments of an event are left out */

typedef struct TraceArg {
    const char *key, *text; /* NUL-terminated; a nested value as JSON */
    gsize length;           /* of the text */
    int token;              /* STROBE_JSON_STRING, _NUMBER ..., _OBJECT for a nested value */
} TraceArg;

/* Texts are valid until the next event, and "" if a member is missing. */
typedef struct TraceEvent {
    const char *phase, *name, *category, *ts, *dur, *id;
    gint64 pid, tid;
    gboolean has_pid, has_dur, has_category;
    const TraceArg *args;
    guint n_args;
    guint64 offset; /* of its end in the file */
} TraceEvent;

typedef struct TraceReader TraceReader;

/* Reads the file from its current position. The caller closes `descriptor`. */
TraceReader *trace_reader_new(int descriptor);
void trace_reader_free(TraceReader *reader);

/* Reads the next event. Returns 1; 0 at the end; -1 for damage, with `error` set; reading continues
 * after the damage. */
int trace_reader_next(TraceReader *reader, TraceEvent *event, const char **error);

/* Appends the arguments as a JSON object; with `only` (may be NULL) only the arguments that it
 * selects by position. */
void trace_event_write_args(const TraceEvent *event, const guint8 *only, StrobeJsonWriter *json,
                            GString *out);

/* Appends the value that begins with the scanner's last token, `token`, as JSON with Python's
 * separators; numbers keep their digits. Returns the value's last token, or an error. */
int json_copy_value(StrobeJsonScanner *scanner, int token, const char *text, gsize length,
                    StrobeJsonWriter *json, GString *out);

/* Returns an argument by its key; NULL if there is none. */
const TraceArg *trace_event_arg(const TraceEvent *event, const char *key);

#endif
