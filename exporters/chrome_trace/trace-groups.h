/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part of the file that is held back by a number: events of one number stay together in the order
 * in which they come, and come out in the order of the numbers.
 *
 * Low numbers, of which there are few, are parts of their own; those of all others are sorted.
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

/* An event that was composed when it came; and one that is composed when its part has its turn. */
void trace_groups_add(TraceGroups *groups, guint number, const TraceOut *event);
void trace_groups_add_record(TraceGroups *groups, guint number, guint32 kind, guint32 row,
                             const StrobeView *record);

gboolean trace_groups_has_events(const TraceGroups *groups);
int trace_groups_error(const TraceGroups *groups); /* errno of a failure */

#endif
