/* SPDX-License-Identifier: Apache-2.0 */
#include "epochs.h"

#include <string.h>

#include "walk.h"

#define EARLY_NS 1000000 /* tolerance when two times are compared */
/* maximum time from a call's end to its record, for which the thread may have to wait */
#define HOST_LAG_NS 100000000
/* maximum time from a task's end to its record; a device reports within 1 s */
#define DEVICE_LAG_NS 2000000000
/* a little longer than the 7 s after which MSPTI reads the clock again */
#define RENEWAL_NS 8000000000
#define NEAR_NS 1000000u /* epochs whose times differ by at most this count as the same */

/* Offsets of the times and of the device number in the records of one kind. */
typedef struct Place {
    uint8_t begin, end; /* 0: the kind has no times */
    /* offset of the device number; 0: a record of the host, or a mark (see source_of) */
    uint8_t device;
} Place;

#define AT(type_, field_) (uint8_t)offsetof(type_, field_)

static const Place places[MSPTI_KINDS] = {
    [MSPTI_KIND_MARKER] = {AT(MsptiMarker, timestamp), AT(MsptiMarker, timestamp), 0},
    [MSPTI_KIND_KERNEL] = {AT(MsptiKernel, start), AT(MsptiKernel, end), AT(MsptiKernel, device)},
    [MSPTI_KIND_API] = {AT(MsptiApi, start), AT(MsptiApi, end), 0},
    [MSPTI_KIND_HCCL] = {AT(MsptiHccl, start), AT(MsptiHccl, end), AT(MsptiHccl, device)},
    [MSPTI_KIND_MEMORY] = {AT(MsptiMemory, start), AT(MsptiMemory, end), 0},
    [MSPTI_KIND_MEMSET] = {AT(MsptiMemset, start), AT(MsptiMemset, end), 0},
    [MSPTI_KIND_MEMCPY] = {AT(MsptiMemcpy, start), AT(MsptiMemcpy, end), 0},
    [MSPTI_KIND_COMMUNICATION] = {AT(MsptiCommunication, start), AT(MsptiCommunication, end),
                                  AT(MsptiCommunication, device)},
    [MSPTI_KIND_ACL_API] = {AT(MsptiApi, start), AT(MsptiApi, end), 0},
    [MSPTI_KIND_NODE_API] = {AT(MsptiApi, start), AT(MsptiApi, end), 0},
    [MSPTI_KIND_RUNTIME_API] = {AT(MsptiApi, start), AT(MsptiApi, end), 0},
};

static uint64_t time_at(const uint8_t *record, uint8_t at)
{
    uint64_t ns;

    memcpy(&ns, record + at, sizeof ns);
    return ns;
}

static void move_time(uint8_t *record, uint8_t at, int64_t by)
{
    uint64_t ns = time_at(record, at) + (uint64_t)by;

    memcpy(record + at, &ns, sizeof ns);
}

/* Returns the source whose clock gave the record's times. For a mark, its field `source` says
 * whether this is the host or a device. */
static uint32_t source_of(const uint8_t *record, int32_t kind)
{
    uint32_t device, mark_source;
    uint8_t at = places[kind].device;

    if (kind == MSPTI_KIND_MARKER) {
        memcpy(&mark_source, record + offsetof(MsptiMarker, source), sizeof mark_source);
        at = mark_source == MSPTI_SOURCE_DEVICE ? AT(MsptiMarker, object) : 0;
    }
    if (at == 0)
        return 0;
    memcpy(&device, record + at, sizeof device);
    return 1 + device % (NPU_SOURCES - 1);
}

/* ---- one record ---- */

typedef struct Choice {
    const NpuClock *clock;
    const NpuFilled *buffer;
    int64_t lag_ns;
    int is_host;
} Choice;

static int64_t compute_monotonic(const NpuClock *clock, uint32_t epoch, uint64_t reported_ns)
{
    return (int64_t)reported_ns - npu_clock_epoch(clock, epoch)->distance_ns;
}

/* Returns whether a record with this end can have ended in this epoch; with `is_prompt`, whether
 * the record can also have been delivered within the usual time. */
static int is_possible_end(const Choice *choice, uint32_t epoch, uint64_t end_ns, int is_prompt)
{
    const NpuClock *clock = choice->clock;
    int64_t ns = compute_monotonic(clock, epoch, end_ns);
    /* a device converts times that it took before a step with the clock after the step */
    int64_t lag_ns = choice->is_host ? EARLY_NS : DEVICE_LAG_NS;

    return ns <= choice->buffer->handed_ns + EARLY_NS &&
           (epoch == 0 || (ns >= npu_clock_epoch(clock, epoch)->from_ns - lag_ns &&
                           choice->buffer->handed_ns >= npu_clock_epoch(clock, epoch)->from_ns)) &&
           (epoch + 1 == clock->n_epochs ||
            ns <= npu_clock_epoch(clock, epoch + 1)->seen_ns + RENEWAL_NS) &&
           (!is_prompt || ns >= choice->buffer->asked_ns - choice->lag_ns);
}

static uint64_t measure_distance(const NpuClock *clock, uint32_t a, uint32_t b)
{
    int64_t by = npu_clock_epoch(clock, a)->distance_ns - npu_clock_epoch(clock, b)->distance_ns;

    return by < 0 ? (uint64_t)-by : (uint64_t)by;
}

static uint32_t find_oldest(const NpuClock *clock)
{
    return clock->n_epochs < NPU_EPOCHS ? 0 : clock->n_epochs - NPU_EPOCHS;
}

/* Returns the epoch of the source's last record, or the next epoch if `end_ns` is before the end of
 * that record by more than half of the step. In the second case MSPTI has just read the clock
 * again, and all earlier records are certain to be of the old epoch. */
static uint32_t prefer_epoch(const NpuClock *clock, NpuSource *source, uint64_t end_ns)
{
    uint32_t now = source->epoch < find_oldest(clock) ? find_oldest(clock) : source->epoch;

    if (now + 1 < clock->n_epochs && source->last_ns > end_ns &&
        source->last_ns - end_ns > measure_distance(clock, now, now + 1) / 2) {
        now++;
        source->n_unsure = source->off_ns = 0;
    }
    return now;
}

/* Finds an epoch from `least` on in which the record can have ended: `*found` if it is possible,
 * otherwise the newest possible one. Sets `found`, and returns the number of possible epochs. */
static uint32_t find_epoch(const Choice *choice, uint32_t least, int is_prompt, uint64_t end_ns,
                           uint32_t *found)
{
    const uint32_t wish = *found;
    uint32_t n = 0;

    for (uint32_t epoch = least; epoch < choice->clock->n_epochs; epoch++)
        if (is_possible_end(choice, epoch, end_ns, is_prompt)) {
            *found = n && *found == wish ? wish : epoch;
            n++;
        }
    return n;
}

/* Returns the epoch of a record. Epochs before the present epoch of the source are tried only if
 * neither the present nor a later one is possible. Sets `off_ns` to the largest distance to another
 * possible epoch. */
static uint32_t choose_epoch(const Choice *choice, NpuSource *source, uint64_t end_ns,
                             uint64_t *off_ns)
{
    const NpuClock *clock = choice->clock;
    uint32_t wish = prefer_epoch(clock, source, end_ns), least = wish, found = wish;
    int is_prompt = 1;

    *off_ns = 0;
    if (!find_epoch(choice, least, is_prompt, end_ns, &found)) {
        found = wish;
        least = find_oldest(clock);
        is_prompt = find_epoch(choice, least, 1, end_ns, &found) != 0;
        if (!is_prompt && !find_epoch(choice, least, 0, end_ns, &found))
            found = wish;
    }
    for (uint32_t epoch = least; epoch < clock->n_epochs; epoch++)
        if (is_possible_end(choice, epoch, end_ns, is_prompt) &&
            measure_distance(clock, epoch, found) > *off_ns)
            *off_ns = measure_distance(clock, epoch, found);
    return found;
}

/* Returns the epoch of a record's begin, which is an earlier one if a call lasted across a step of
 * the clock. */
static uint32_t epoch_of_begin(const Choice *choice, uint32_t epoch, uint64_t begin_ns,
                               uint64_t end_ns)
{
    const NpuEpoch *own = npu_clock_epoch(choice->clock, epoch);

    if (!choice->is_host || epoch == 0 || choice->clock->n_epochs - epoch >= NPU_EPOCHS)
        return epoch;
    int is_torn = end_ns < begin_ns || (int64_t)begin_ns - own->distance_ns < own->from_ns;
    int64_t begin = compute_monotonic(choice->clock, epoch - 1, begin_ns);
    return is_torn && begin <= (int64_t)end_ns - own->distance_ns ? epoch - 1 : epoch;
}

static void resolve_record(NpuClock *clock, const NpuFilled *buffer, uint8_t *record, int32_t kind)
{
    const Place *place = &places[kind];
    uint32_t whose = source_of(record, kind);
    const Choice choice = {clock, buffer, whose ? DEVICE_LAG_NS : HOST_LAG_NS, whose == 0};
    NpuSource *source = &clock->sources[whose];
    uint64_t begin_ns = time_at(record, place->begin), end_ns = time_at(record, place->end), off_ns;

    uint32_t epoch = choose_epoch(&choice, source, end_ns, &off_ns);
    uint32_t first = epoch_of_begin(&choice, epoch, begin_ns, end_ns);
    if (epoch >= source->epoch) {
        source->epoch = epoch;
        source->last_ns = end_ns;
    }
    if (off_ns > NEAR_NS) {
        source->n_unsure++;
        source->off_ns = off_ns > source->off_ns ? off_ns : source->off_ns;
    }
    move_time(record, place->end, clock->base_ns - npu_clock_epoch(clock, epoch)->distance_ns);
    if (place->begin != place->end)
        move_time(record, place->begin,
                  clock->base_ns - npu_clock_epoch(clock, first)->distance_ns);
}

void npu_epochs_resolve(NpuClock *clock, const NpuFilled *buffer, MsptiStructSize *size_of)
{
    MsptiWalk walk = {buffer->bytes, buffer->valid, 0, size_of};
    int32_t kind;

    if (clock->n_epochs < 2)
        return;
    while (mspti_walk_next(&walk, &kind))
        if (kind < MSPTI_KINDS && places[kind].end)
            resolve_record(clock, buffer, buffer->bytes + (walk.at - mspti_record_bytes[kind]),
                           kind);
}

uint64_t npu_epochs_take_unsure(NpuClock *clock, uint64_t *off_ns)
{
    uint64_t n = 0;

    *off_ns = 0;
    for (uint32_t i = 0; i < NPU_SOURCES; i++) {
        NpuSource *source = &clock->sources[i];
        n += source->n_unsure;
        *off_ns = source->off_ns > *off_ns ? source->off_ns : *off_ns;
        source->n_unsure = source->off_ns = 0;
    }
    return n;
}
