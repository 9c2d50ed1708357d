/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that is held back by a number: events of one number stay together in the order
 * in which they come, and come out in the order of the numbers.
 *
 * Low numbers, of which there are few, have a buffer each that events are composed in; all others
 * are sorted.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_GROUPS_H
#define STROBE_CHROME_TRACE_TRACE_GROUPS_H

#include "trace-out.h"
#include "trace-sorter.h"

#define TRACE_GROUPS_MAX 16u

typedef struct TraceGroups {
    TraceOut outs[TRACE_GROUPS_MAX];
    TraceSorter others;
    int directory;
    gsize memory_bytes; /* of one group */
} TraceGroups;

void trace_groups_init(TraceGroups *groups, const StrobeFacts *facts);
/* All in memory, and low numbers only. */
void trace_groups_init_memory(TraceGroups *groups);
void trace_groups_clear(TraceGroups *groups);

/* Where an event of this number is composed: the group's own buffer, or `event`, emptied. What is
 * begun is ended. */
TraceOut *trace_groups_begin(TraceGroups *groups, guint number, TraceOut *event);
void trace_groups_end(TraceGroups *groups, guint number, TraceOut *out);
/* An event that was composed elsewhere, as one that may not come about is. */
void trace_groups_add(TraceGroups *groups, guint number, TraceOut *event);

gboolean trace_groups_has_events(const TraceGroups *groups);
/* Appends to each what lies in the memory of `from`, which is empty then. */
void trace_groups_take(TraceGroups *groups, TraceGroups *from);
gsize trace_groups_bytes(const TraceGroups *groups); /* that lie in memory */
int trace_groups_error(const TraceGroups *groups);   /* errno of a failure */
void trace_groups_append(TraceGroups *groups, TraceOut *out);

#endif
