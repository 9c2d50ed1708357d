/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a capture that is being written: its pairs, and those that no block came for. */
#include <string.h>
#include "capture-writer.h"

void strobe_capture_writer_begin(StrobeCaptureWriter *writer, int fd, uint32_t window)
{
    /* What a window before this one found out about the counter still holds. */
    double known = writer->trend.ns_per_tick;
    StrobeClockPair pair = strobe_clock_pair();
    StrobeClockTrend trend;

    strobe_clock_trend_begin(&trend, known > 0 ? known : strobe_clock_ns_per_tick());
    strobe_capture_writer_resume(writer, fd, window, &trend, &pair);
}

void strobe_capture_begin_clock(StrobeCaptureWriter *writer, const StrobeClockTrend *trend,
                                const StrobeClockPair *pair)
{
    writer->trend = *trend;
    writer->n_idle = 0;
    writer->is_pair_written = 1; /* one of a capture before */
    strobe_capture_writer_set_pair(writer, pair);
    writer->first_pair = writer->pair;
}

/* Where there is no room for more, half as many will do for the older half. */
static void keep_idle(StrobeCaptureWriter *writer, const StrobeClockPair *pair)
{
    StrobeClockPair *idle = writer->idle;
    uint32_t half = STROBE_WRITER_PAIRS / 2;

    if (writer->n_idle == STROBE_WRITER_PAIRS) {
        for (uint32_t i = 0; i < half / 2; i++)
            idle[i] = idle[2 * i];
        memmove(idle + half / 2, idle + half, half * sizeof *idle);
        writer->n_idle -= half / 2;
    }
    idle[writer->n_idle++] = *pair;
}

/* The present pair is followed by another; one that is in no block must not be lost. */
static void keep_present(StrobeCaptureWriter *writer)
{
    const StrobeClockPair *last = writer->n_idle ? &writer->idle[writer->n_idle - 1] : NULL;

    if (!writer->is_pair_written && writer->pair.gap != STROBE_CLOCK_COMPUTED &&
        (!last || writer->pair.monotonic_ns - last->monotonic_ns >= STROBE_CLOCK_KNOT_NS))
        keep_idle(writer, &writer->pair);
}

void strobe_capture_writer_set_pair(StrobeCaptureWriter *writer, const StrobeClockPair *pair)
{
    keep_present(writer);
    writer->pair = *pair;
    writer->is_pair_written = 0;
    strobe_clock_trend_add(&writer->trend, pair);
    if (writer->pair.ns_per_tick <= 0)
        writer->pair.ns_per_tick = writer->trend.ns_per_tick;
}

void strobe_capture_writer_take_pair(StrobeCaptureWriter *writer)
{
    StrobeClockPair pair = strobe_clock_pair();
    strobe_capture_writer_set_pair(writer, &pair);
}

void strobe_capture_writer_begin_copy(StrobeCaptureWriter *writer, int fd,
                                      const StrobeCaptureWriter *other)
{
    StrobeClockPair pair = strobe_clock_pair();

    strobe_capture_writer_resume(writer, fd, other->window, &other->trend, &pair);
    writer->first_pair = other->first_pair;
    keep_idle(writer, &other->first_pair);
    for (uint32_t i = 0; i < other->n_idle; i++)
        keep_idle(writer, &other->idle[i]);
    if (!other->is_pair_written)
        keep_idle(writer, &other->pair);
}

void strobe_capture_write_idle_pairs(StrobeCaptureWriter *writer)
{
    uint32_t n = writer->n_idle;

    /* The reserve has room for losses and seal only. */
    if (n == 0 || writer->reserve_end)
        return;
    writer->n_idle = 0;
    if (strobe_capture_write_block(writer, STROBE_BLOCK_CLOCK, writer->idle,
                                   n * (uint32_t)sizeof *writer->idle))
        writer->n_idle = n;
}
