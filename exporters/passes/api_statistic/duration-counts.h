/* SPDX-License-Identifier: Apache-2.0 */
/* Counts many different durations, in a table without an allocation for each. */
#ifndef STROBE_PASSES_DURATION_COUNTS_H
#define STROBE_PASSES_DURATION_COUNTS_H

#include <glib.h>

typedef struct DurationCount {
    gint64 ns;
    guint64 count; /* 0: the slot is free */
} DurationCount;

/* Initialise with zeros. */
typedef struct DurationCounts {
    DurationCount *slots;
    guint n, n_slots; /* a power of two */
} DurationCounts;

void duration_counts_clear(DurationCounts *counts);
/* Counts one duration. TRUE if it is the first of this length. */
gboolean duration_counts_add(DurationCounts *counts, gint64 ns);
/* Number of occupied slots that are passed over if each duration is looked up once. */
guint64 duration_counts_steps(const DurationCounts *counts);
/* Sorts the n counts in place; call it once, at the end. */
const DurationCount *duration_counts_sort(DurationCounts *counts);

#endif
