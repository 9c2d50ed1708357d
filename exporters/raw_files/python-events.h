/* SPDX-License-Identifier: Apache-2.0 */
/* Converts Python calls to the events of a tracer: calls and returns of each thread in order of
 * time. */
#ifndef STROBE_EXPORTERS_PYTHON_EVENTS_H
#define STROBE_EXPORTERS_PYTHON_EVENTS_H

#include <glib.h>
#include <strobe/helpers/external-sorter.h>

/* One event; `key` names the function. */
typedef struct PythonEvent {
    gint64 at_ns;
    guint64 thread, pid, key;
    gboolean is_return;
} PythonEvent;

/* Adds both events of a call. */
void python_events_add(StrobeExternalSorter *events, gint64 begin_ns, gint64 end_ns, guint64 thread,
                       guint64 pid, guint64 key);

/* The text that names a function: "nn.Module: Linear_3" is `Linear######4`, whose number is an
 * address there. Free it. */
char *python_events_text(const char *name);

#endif
