/* SPDX-License-Identifier: Apache-2.0 */
/* Counts how often each duration occurs. All counts are in one table, because there may be many
 * different durations. */
#ifndef STROBE_PASSES_DURATION_COUNTS_H
#define STROBE_PASSES_DURATION_COUNTS_H

#include <glib.h>

typedef struct DurationCount {
    gint64 ns;
    guint64 count; /* 0: the slot is free */
} DurationCount;

/* A hash table of the counts. Initialise it with zeros. */
typedef struct DurationCounts {
    DurationCount *slots;
    guint n, n_slots; /* n_slots is a power of two */
} DurationCounts;

void duration_counts_clear(DurationCounts *counts);
/* Counts a duration. Returns TRUE if the duration occurs for the first time. */
gboolean duration_counts_add(DurationCounts *counts, gint64 ns);
/* Returns the number of slots with other durations that are passed if each duration is looked up
 * once. */
guint64 duration_counts_steps(const DurationCounts *counts);
/* Sorts the `n` counts by duration, in place, and returns them. Must be called only once, at the
 * end. */
const DurationCount *duration_counts_sort(DurationCounts *counts);

#endif
