/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that is held back by a number: events of one number stay together in the order
 * in which they come, and come out in the order of the numbers.
 *
 * Low numbers, of which there are few, are parts of their own; events of all others are composed
 * when they come, and sorted.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_GROUPS_H
#define STROBE_CHROME_TRACE_TRACE_GROUPS_H

#include "trace-held.h"
#include "trace-sorter.h"

#define TRACE_GROUPS_MAX 16u

typedef struct TraceGroups {
    TraceHeld all[TRACE_GROUPS_MAX];
    TraceSorter others;
} TraceGroups;

void trace_groups_init(TraceGroups *groups, const StrobeFacts *facts, HeldStore *store);
void trace_groups_clear(TraceGroups *groups);

/* Where an event of this number is composed: the group's own buffer, or `event`, emptied. What is
 * begun is ended. */
TraceOut *trace_groups_begin(TraceGroups *groups, guint number, TraceOut *event);
void trace_groups_end(TraceGroups *groups, guint number, TraceOut *out);
/* An event that was composed elsewhere, as one that may not come about is. */
void trace_groups_add(TraceGroups *groups, guint number, TraceOut *event);

gboolean trace_groups_has_events(const TraceGroups *groups);
int trace_groups_error(const TraceGroups *groups); /* errno of a failure */

#endif
