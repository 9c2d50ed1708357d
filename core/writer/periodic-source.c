/* SPDX-License-Identifier: Apache-2.0 */
#include "periodic-source.h"

#include <string.h>
#include <strobe/kinds.h>
#include "clock.h"
#include "diagnostic.h"
#include "kind-table.h"
#include "thread-buffer.h"

static struct strobe_sampling *reserve_sampling(StrobeWriter *writer,
                                                const StrobePeriodicSource *source, uint64_t begin,
                                                uint64_t end)
{
    const StrobeStringId name =
        strobe_thread_buffer_intern(writer, source->component, strlen(source->component), 0);

    return strobe_thread_buffer_reserve(writer, strobe_kind_id(&strobe_kind_sampling),
                                        strobe_core_track(), name, begin, end);
}

/* Records that no samples were taken between the last sample and `end`, and that `missed` samples
 * are missing. */
static void record_gap(const StrobePeriodicSource *source, uint64_t end, uint64_t missed)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();
    struct strobe_sampling *fields =
        writer ? reserve_sampling(writer, source, source->end, end) : NULL;

    if (!fields)
        return;
    *fields = (struct strobe_sampling){
        .interval = (uint64_t)source->interval,
        .missed = missed,
        .late_mean = (double)(missed * (uint64_t)source->interval),
        .late_max = missed * (uint64_t)source->interval,
        .took_mean = STROBE_ABSENT_F64,
        .took_max = STROBE_ABSENT_U64,
    };
    strobe_thread_buffer_commit(writer);
}

StrobePeriodicSource strobe_periodic_source(const char *component, const StrobeCollectorOps *ops,
                                            void *state, int64_t interval, int64_t now)
{
    return (StrobePeriodicSource){.component = component,
                                  .sample = ops->sample,
                                  .state = state,
                                  .interval = interval > STROBE_SAMPLE_INTERVAL_MIN_NS
                                                  ? interval
                                                  : STROBE_SAMPLE_INTERVAL_MIN_NS,
                                  .next = now};
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

int64_t strobe_periodic_source_sample(StrobePeriodicSource *source, int64_t now)
{
    const uint64_t begin = strobe_clock_now();
    const int64_t late = now - source->next, missed = late / source->interval;

    if (missed > 0 && source->n > 0)
        record_gap(source, begin, (uint64_t)missed);
    source->sample(source->state);
    const int64_t took = strobe_clock_ns(CLOCK_MONOTONIC) - now;
    if (source->n++ == 0)
        source->begin = begin;
    source->end = strobe_clock_now();
    source->missed += (uint64_t)missed;
    source->late_sum += (uint64_t)late;
    source->late_max = larger_of(source->late_max, (uint64_t)late);
    source->took_sum += (uint64_t)took;
    source->took_max = larger_of(source->took_max, (uint64_t)took);
    source->next += (1 + missed) * source->interval;
    return took;
}

void strobe_periodic_source_finish(const StrobePeriodicSource *source)
{
    StrobeWriter *writer = source->n ? strobe_thread_buffer_writer() : NULL;
    struct strobe_sampling *fields =
        writer ? reserve_sampling(writer, source, source->begin, source->end) : NULL;

    if (!fields)
        return;
    *fields = (struct strobe_sampling){
        .interval = (uint64_t)source->interval,
        .ticks = source->n,
        .missed = source->missed,
        .late_mean = (double)source->late_sum / (double)source->n,
        .late_max = source->late_max,
        .took_mean = (double)source->took_sum / (double)source->n,
        .took_max = source->took_max,
    };
    strobe_thread_buffer_commit(writer);
}
