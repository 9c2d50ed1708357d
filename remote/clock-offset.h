/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how far a board's monotonic clock is ahead of this machine's. Each round trip gives a
 * lower and an upper bound; the bounds of all round trips together are narrower. */
#ifndef STROBE_REMOTE_CLOCK_OFFSET_H
#define STROBE_REMOTE_CLOCK_OFFSET_H

#include <glib.h>

typedef struct StrobeClockOffset {
    guint n; /* round trips */
    gint64 low_ns, high_ns;
} StrobeClockOffset;

/* Adds a round trip: the board's clock was `board_ns`, rounded down to a multiple of `step_ns`, at
 * a moment between `sent_ns` and `received_ns` of this machine's clock. Bounds that contradict the
 * earlier ones replace them, because the clocks drift. */
void strobe_clock_offset_add(StrobeClockOffset *offset, gint64 sent_ns, gint64 received_ns,
                             gint64 board_ns, gint64 step_ns);
gint64 strobe_clock_offset_ns(const StrobeClockOffset *offset);
/* The largest error of the offset. */
gint64 strobe_clock_offset_error_ns(const StrobeClockOffset *offset);

#endif
