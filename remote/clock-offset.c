/* SPDX-License-Identifier: Apache-2.0 */
#include "clock-offset.h"

void strobe_clock_offset_add(StrobeClockOffset *offset, gint64 sent_ns, gint64 received_ns,
                             gint64 board_ns, gint64 step_ns)
{
    const gint64 low = board_ns - received_ns, high = board_ns + step_ns - sent_ns;

    if (high < low)
        return;
    if (!offset->n || low > offset->high_ns || high < offset->low_ns) {
        offset->low_ns = low;
        offset->high_ns = high;
    } else {
        offset->low_ns = MAX(offset->low_ns, low);
        offset->high_ns = MIN(offset->high_ns, high);
    }
    offset->n++;
}

gint64 strobe_clock_offset_ns(const StrobeClockOffset *offset)
{
    return offset->low_ns + (offset->high_ns - offset->low_ns) / 2;
}

gint64 strobe_clock_offset_error_ns(const StrobeClockOffset *offset)
{
    return (offset->high_ns - offset->low_ns + 1) / 2;
}
