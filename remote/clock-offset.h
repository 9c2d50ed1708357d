/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the offset of a board's monotonic clock from this machine's: the time by which it is
 * ahead. Each round trip gives a lower and an upper bound of the offset; the bounds of several
 * round trips together are narrower. */
#ifndef STROBE_REMOTE_CLOCK_OFFSET_H
#define STROBE_REMOTE_CLOCK_OFFSET_H

#include <glib.h>

typedef struct StrobeClockOffset {
    guint n; /* number of round trips */
    gint64 low_ns, high_ns;
} StrobeClockOffset;

/* Adds a round trip: at a time between `sent_ns` and `received_ns` of this machine's clock, the
 * board's clock was `board_ns`, rounded down to a multiple of `step_ns`. If the new bounds
 * contradict the earlier ones, they replace them, because the clocks drift. */
void strobe_clock_offset_add(StrobeClockOffset *offset, gint64 sent_ns, gint64 received_ns,
                             gint64 board_ns, gint64 step_ns);
gint64 strobe_clock_offset_ns(const StrobeClockOffset *offset);
/* Returns the maximum error of the offset. */
gint64 strobe_clock_offset_error_ns(const StrobeClockOffset *offset);

#endif
