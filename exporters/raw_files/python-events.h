/* SPDX-License-Identifier: Apache-2.0 */
/* Converts Python calls to the events of a tracer: the calls and returns of each thread, in the
 * order in which they happened, even if several have the same time. */
#ifndef STROBE_EXPORTERS_PYTHON_EVENTS_H
#define STROBE_EXPORTERS_PYTHON_EVENTS_H

#include <glib.h>
#include <strobe/helpers/external-sorter.h>

typedef struct PythonEvents PythonEvents;

/* A Python call. `key` identifies the function, `id` identifies the call in its thread, and
 * `parent` is the id of the call that encloses it (0: unknown). */
typedef struct PythonCall {
    gint64 begin_ns, end_ns;
    guint64 thread, pid, key, id, parent;
} PythonCall;

typedef struct PythonEvent {
    gint64 at_ns;
    const PythonCall *call; /* valid until the next call of one of these functions */
    gboolean is_return;
} PythonEvent;

PythonEvents *python_events_new(StrobeStorage *storage);
void python_events_free(PythonEvents *events);

void python_events_add(PythonEvents *events, const PythonCall *call);
/* Sets `event` to the next event. Returns FALSE if there are no more events, or an error occurred.
 * After the first call of this function no calls may be added. */
gboolean python_events_next(PythonEvents *events, PythonEvent *event);
int python_events_error(const PythonEvents *events); /* 0 or an errno value */

/* Returns the text that names a function. For example, "nn.Module: Linear_3" becomes
 * `Linear######KEY`. In files of torch_npu KEY is an address; parsers number the modules by KEY
 * alone, so different modules must have different keys. The caller frees the text. */
char *python_events_text(const char *name, guint64 key);

#endif
