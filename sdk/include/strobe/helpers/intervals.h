/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of times as intervals, to compute busy and idle time, overlap, and the part of a step that a
 * set covers. A set whose bytes are all zero is empty and ready for use. Only one thread at a
 * time may use a set. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_INTERVALS_H
#define STROBE_HELPERS_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeInterval {
    int64_t begin_ns, end_ns; /* end_ns itself is outside of the interval */
} StrobeInterval;

typedef struct StrobeIntervals {
    StrobeInterval *items;
    size_t n, room;
    int is_short; /* memory ran out: intervals are missing */
} StrobeIntervals;

/* Frees the intervals. The set is then empty and can be used again. */
void strobe_intervals_clear(StrobeIntervals *set);

/* Adds an interval. An end before the begin counts as the begin. */
void strobe_intervals_add(StrobeIntervals *set, int64_t begin_ns, int64_t end_ns);
/* Adds the intervals of another set. */
void strobe_intervals_append(StrobeIntervals *set, const StrobeIntervals *other);

/* Sorts the intervals and merges those that overlap or touch. Call it, or one of the next two
 * functions, for a set before you pass the set to strobe_intervals_subtract,
 * strobe_intervals_length or strobe_intervals_covered. */
void strobe_intervals_merge(StrobeIntervals *set);
/* Like strobe_intervals_merge, but also merges intervals whose gap is at most `gap_ns`. */
void strobe_intervals_merge_near(StrobeIntervals *set, int64_t gap_ns);

/* Merges like strobe_intervals_merge_near, first with `gap_ns`, then with larger and larger gaps,
 * until at most `n` intervals remain; `n` must not be 0. Returns the gap of the
 * last merge: pass it as `gap_ns` to the next call for the same set. */
int64_t strobe_intervals_coarsen(StrobeIntervals *set, size_t n, int64_t gap_ns);

/* Sets `out`, an empty set, to the times in `a` and not in `b`. */
void strobe_intervals_subtract(const StrobeIntervals *a, const StrobeIntervals *b,
                               StrobeIntervals *out);
/* Sets `out`, an empty set, to the times in `a` or `b`. */
void strobe_intervals_unite(const StrobeIntervals *a, const StrobeIntervals *b,
                            StrobeIntervals *out);

/* Returns the sum of all lengths in ns. */
int64_t strobe_intervals_length(const StrobeIntervals *set);
/* Returns how many ns of [begin_ns, end_ns) the set covers. */
int64_t strobe_intervals_covered(const StrobeIntervals *set, int64_t begin_ns, int64_t end_ns);

#if defined(__cplusplus)
}
#endif

#endif
