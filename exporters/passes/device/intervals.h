/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of times as sorted, disjoint intervals. */
#ifndef STROBE_PASSES_INTERVALS_H
#define STROBE_PASSES_INTERVALS_H

#include <glib.h>

typedef struct Interval {
    gint64 begin_ns, end_ns;
} Interval;

GArray *intervals_new(void); /* of Interval */
void intervals_add(GArray *set, gint64 begin_ns, gint64 end_ns);
/* Sorts and merges overlapping or touching intervals. */
void intervals_merge(GArray *set);
/* The times in `a` and not in `b`; both must be merged. (transfer full) */
GArray *intervals_minus(const GArray *a, const GArray *b);
/* The times in either; both must be merged. (transfer full) */
GArray *intervals_union(const GArray *a, const GArray *b);

#endif
