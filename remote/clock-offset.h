/* SPDX-License-Identifier: Apache-2.0 */
/* How far a board's monotonic clock is ahead of this machine's. Each round trip bounds it; the
 * bounds together are narrower than any of them. */
#ifndef STROBE_REMOTE_CLOCK_OFFSET_H
#define STROBE_REMOTE_CLOCK_OFFSET_H

#include <glib.h>

typedef struct StrobeClockOffset {
    guint n; /* round trips */
    gint64 low_ns, high_ns;
} StrobeClockOffset;

/* The board read `board_ns`, rounded down to `step_ns`, between `sent_ns` and `received_ns` of this
 * machine. Bounds that contradict the earlier ones replace them: the clocks drift. */
void strobe_clock_offset_add(StrobeClockOffset *offset, gint64 sent_ns, gint64 received_ns,
                             gint64 board_ns, gint64 step_ns);
gint64 strobe_clock_offset_ns(const StrobeClockOffset *offset);
/* The offset is right within this. */
gint64 strobe_clock_offset_error_ns(const StrobeClockOffset *offset);

#endif
