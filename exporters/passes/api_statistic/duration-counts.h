/* SPDX-License-Identifier: Apache-2.0 */
/* How often each of many durations was seen: a table without an allocation for each. */
#ifndef STROBE_PASSES_DURATION_COUNTS_H
#define STROBE_PASSES_DURATION_COUNTS_H

#include <glib.h>

typedef struct DurationCount {
    gint64 ns;
    guint64 count; /* 0: the slot is free */
} DurationCount;

/* Zeros: none was seen. */
typedef struct DurationCounts {
    DurationCount *slots;
    guint n, n_slots; /* a power of two */
} DurationCounts;

void duration_counts_clear(DurationCounts *counts);
/* TRUE: it is the first of them. */
gboolean duration_counts_add(DurationCounts *counts, gint64 ns);
/* How much is looked at in vain where each of them is found once. */
guint64 duration_counts_steps(const DurationCounts *counts);
/* The n of them in order, where they lie; once, and nothing is added any more. */
const DurationCount *duration_counts_sort(DurationCounts *counts);

#endif
