/* SPDX-License-Identifier: Apache-2.0 */
/* Converts Python calls to the events of a tracer: calls and returns of each thread in the order in
 * which they happened, also where several have the same time. */
#ifndef STROBE_EXPORTERS_PYTHON_EVENTS_H
#define STROBE_EXPORTERS_PYTHON_EVENTS_H

#include <glib.h>
#include <strobe/helpers/external-sorter.h>

typedef struct PythonEvents PythonEvents;

/* `key` names the function; `id` is the call's own in its thread and `parent` that of the call
 * around it, 0: unknown. */
typedef struct PythonCall {
    gint64 begin_ns, end_ns;
    guint64 thread, pid, key, id, parent;
} PythonCall;

typedef struct PythonEvent {
    gint64 at_ns;
    const PythonCall *call; /* valid until the next call of a function here */
    gboolean is_return;
} PythonEvent;

PythonEvents *python_events_new(StrobeStorage *storage);
void python_events_free(PythonEvents *events);

void python_events_add(PythonEvents *events, const PythonCall *call);
/* The next event; FALSE: the end, or an error. After the first call nothing may be added. */
gboolean python_events_next(PythonEvents *events, PythonEvent *event);
int python_events_error(const PythonEvents *events); /* 0 or an errno value */

/* The text that names a function: "nn.Module: Linear_3" is `Linear######KEY`. The number is an
 * address in files of torch_npu, whose parsers number the modules by it alone: no two modules, of
 * whatever classes, may share it. Free the text. */
char *python_events_text(const char *name, guint64 key);

#endif
