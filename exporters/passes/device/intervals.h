/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of times as sorted, disjoint stretches. */
#ifndef STROBE_PASSES_INTERVALS_H
#define STROBE_PASSES_INTERVALS_H

#include <glib.h>

typedef struct Interval {
    gint64 begin_ns, end_ns;
} Interval;

GArray *intervals_new(void); /* of Interval */
void intervals_add(GArray *set, gint64 begin_ns, gint64 end_ns);
/* Sorts and joins what overlaps or touches. */
void intervals_merge(GArray *set);
/* What is in `a` and not in `b`; both merged. (transfer full) */
GArray *intervals_minus(const GArray *a, const GArray *b);
/* What is in one of them; both merged. (transfer full) */
GArray *intervals_union(const GArray *a, const GArray *b);

#endif
