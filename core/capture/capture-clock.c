/* SPDX-License-Identifier: Apache-2.0 */
/* The clock pairs of a capture that is being written, including pairs that no block of records
 * contains. */
#include <string.h>
#include "capture-writer.h"

void strobe_capture_writer_begin(StrobeCaptureWriter *writer, int fd, uint32_t window)
{
    /* The counter's rate that was measured in earlier windows is still valid. */
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
    writer->is_pair_written = 1; /* the current pair belongs to an earlier capture */
    strobe_capture_writer_set_pair(writer, pair);
    writer->first_pair = writer->pair;
}

/* Returns the index of the pair to drop: the pair whose neighbours are closest together, relative
 * to its age. */
static uint32_t least_missed(const StrobeClockPair *pairs, uint32_t n)
{
    uint32_t found = 1;
    double least = -1;

    for (uint32_t i = 1; i + 1 < n; i++) {
        double hole = (double)(pairs[i + 1].monotonic_ns - pairs[i - 1].monotonic_ns);
        double age = (double)(pairs[n - 1].monotonic_ns - pairs[i].monotonic_ns);
        if (least < 0 || hole < least * age) {
            least = hole / age;
            found = i;
        }
    }
    return found;
}

static void keep_idle(StrobeCaptureWriter *writer, const StrobeClockPair *pair)
{
    StrobeClockPair *idle = writer->idle;

    if (writer->n_idle == STROBE_WRITER_PAIRS) {
        uint32_t at = least_missed(idle, writer->n_idle--);
        memmove(idle + at, idle + at + 1, (writer->n_idle - at) * sizeof *idle);
    }
    idle[writer->n_idle++] = *pair;
}

/* Adds the current pair to the idle pairs if no block contains it, because the next pair replaces
 * the current pair. */
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

    /* While the reserve is in use, there is room only for losses and the seal. */
    if (n == 0 || writer->reserve_end)
        return;
    writer->n_idle = 0;
    if (strobe_capture_write_block(writer, STROBE_BLOCK_CLOCK, writer->idle,
                                   n * (uint32_t)sizeof *writer->idle))
        writer->n_idle = n;
}
