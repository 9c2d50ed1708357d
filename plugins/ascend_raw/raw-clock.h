/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the clock of the raw files, a counter or CLOCK_MONOTONIC_RAW, to ns since the epoch. */
#ifndef STROBE_ASCEND_RAW_RAW_CLOCK_H
#define STROBE_ASCEND_RAW_RAW_CLOCK_H

#include <glib.h>

/* up to this count, a double represents the ns exactly */
#define RAW_CLOCK_EXACT ((gint64)1 << 43)

typedef struct RawClock {
    gboolean is_counter;
    gint64 start_count; /* the counter's value at its start */
    gint64 start_ns;    /* CLOCK_MONOTONIC_RAW at start_count */
    double mhz;
    gint64 whole_ns; /* ns per count, if that is a whole number; otherwise 0 */
    gint64 offset;   /* time since the epoch minus CLOCK_MONOTONIC_RAW */
} RawClock;

void raw_clock_set_frequency(RawClock *clock, double mhz);

/* Converts a count of the counter to CLOCK_MONOTONIC_RAW as torch_npu does: the quotient is a
 * double, which is truncated to ns. Values out of range are clamped. */
gint64 raw_clock_count_ns(const RawClock *clock, gint64 raw);

static inline gint64 raw_clock_ns(const RawClock *clock, gint64 raw)
{
    gint64 ns = raw, counts;

    if (clock->is_counter) {
        if (clock->whole_ns && !__builtin_sub_overflow(raw, clock->start_count, &counts) &&
            counts > -RAW_CLOCK_EXACT && counts < RAW_CLOCK_EXACT)
            ns = counts * clock->whole_ns + clock->start_ns;
        else
            ns = raw_clock_count_ns(clock, raw);
    }
    if (__builtin_add_overflow(ns, clock->offset, &ns))
        return clock->offset > 0 ? G_MAXINT64 : G_MININT64;
    return ns;
}

/* Does the same as raw_clock_ns, for a time that is stored as an unsigned number. */
static inline gint64 raw_clock_ns_unsigned(const RawClock *clock, guint64 raw)
{
    return raw_clock_ns(clock, (gint64)MIN(raw, (guint64)G_MAXINT64));
}

#endif
