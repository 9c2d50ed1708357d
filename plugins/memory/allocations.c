/* SPDX-License-Identifier: Apache-2.0 */
#include "allocations.h"

#include <pthread.h>
#include <stdatomic.h>

#include <strobe/kinds.h>

#include <strobe/helpers/block-table.h>

enum { ALLOCATION = 0, RELEASE = 1 };

static struct {
    _Atomic(const StrobeHost *) host; /* NULL: there is no session */
    StrobeInstance *self;
    StrobeKindId kind;
    _Atomic int is_on; /* a window records */
    /* The interned text "PTA": the lower half is its string id, the upper half the session of this
     * id. */
    _Atomic uint64_t component;
    _Atomic uint32_t session;
    /* Sum of the blocks in the table, all of which were allocated during a session. */
    _Alignas(64) _Atomic int64_t allocated;
} state;

static void stop_in_child(void)
{
    atomic_store(&state.is_on, 0);
    atomic_store(&state.host, NULL);
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
}

static const StrobeHost *present_host(void)
{
    return atomic_load_explicit(&state.host, memory_order_acquire);
}

/* Changes `allocated` and returns the new value. */
static int64_t count_change(uint64_t more, uint64_t less)
{
    int64_t change = (int64_t)(more - less);
    return atomic_fetch_add_explicit(&state.allocated, change, memory_order_relaxed) + change;
}

/* Returns the string id of the component. Interns the text only once in each session, because
 * interning it for each record took a fifth of the recording time. */
static StrobeStringId component_of(const StrobeHost *host, StrobeWriter *writer)
{
    uint64_t session = atomic_load_explicit(&state.session, memory_order_acquire);
    uint64_t known = atomic_load_explicit(&state.component, memory_order_relaxed);
    if (known >> 32 == session)
        return (StrobeStringId)known;
    StrobeStringId id = host->intern(writer, "PTA", 3);
    if (strobe_string_is_lasting(id))
        atomic_store_explicit(&state.component, session << 32 | id, memory_order_relaxed);
    return id;
}

static void write_event(const StrobeHost *host, const struct strobe_memory_event *event)
{
    StrobeWriter *writer = host->writer(state.self);
    if (!writer)
        return;
    StrobeStringId component = component_of(host, writer);
    uint64_t now = host->now();
    struct strobe_memory_event *fields = host->reserve(writer, state.kind, 0, 0, now, now);
    if (!fields)
        return;
    *fields = *event;
    fields->total_active = STROBE_ABSENT_I64;
    fields->stream = STROBE_ABSENT_U64;
    fields->component = component;
    fields->block = STROBE_ABSENT_U64;
    host->commit(writer);
}

/* Records an event of the CPU allocator, which has no pool, so total_reserved is absent. */
static void record_own(const StrobeHost *host, uint32_t action, const void *address, int64_t size,
                       int64_t total)
{
    const struct strobe_memory_event event = {.address = (uintptr_t)address,
                                              .size = size,
                                              .total_allocated = total,
                                              .total_reserved = STROBE_ABSENT_I64,
                                              .action = action,
                                              .device = -1};
    write_event(host, &event);
}

static int is_recorded(void)
{
    return atomic_load_explicit(&state.is_on, memory_order_relaxed);
}

static void record_allocation(const void *address, size_t size)
{
    const StrobeHost *host = present_host();
    uint64_t before;
    if (!host)
        return;
    if (!strobe_blocks_add((uintptr_t)address, size, &before)) {
        if (is_recorded())
            host->lost(state.self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return;
    }
    int64_t total = count_change(size, before);
    if (is_recorded())
        record_own(host, ALLOCATION, address, (int64_t)size, total);
}

/* Records a release. Is also called after the session, to remove released blocks from the table. */
static void record_release(const void *address)
{
    uint64_t size;
    if (!strobe_blocks_take((uintptr_t)address, &size))
        return;
    int64_t total = count_change(0, size);
    const StrobeHost *host = present_host();
    if (host && is_recorded())
        record_own(host, RELEASE, address, -(int64_t)size, total);
}

/* Records a report of a device's allocator. */
static void record_report(const void *address, int64_t size, int64_t allocated_now,
                          int64_t reserved_now, int32_t index)
{
    const StrobeHost *host = present_host();
    const struct strobe_memory_event event = {.address = (uintptr_t)address,
                                              .size = size,
                                              .total_allocated = allocated_now,
                                              .total_reserved = reserved_now,
                                              .action = size < 0 ? RELEASE : ALLOCATION,
                                              .device = index};
    if (host && is_recorded())
        write_event(host, &event);
}

const ReportHooks strobe_allocation_reports = {.reported = record_report};

const StrobeTorchMemoryEvents strobe_allocation_events = {
    .struct_size = sizeof(StrobeTorchMemoryEvents),
    .allocated = record_allocation,
    .released = record_release,
};

void strobe_allocations_attach(const StrobeHost *host, StrobeInstance *self, StrobeKindId kind)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_process);
    state.self = self;
    state.kind = kind;
    /* sessions are numbered from 1; 0 means that there is no session */
    atomic_fetch_add(&state.session, 1);
    atomic_store(&state.host, host);
}

void strobe_allocations_record(int on)
{
    atomic_store(&state.is_on, on);
}

void strobe_allocations_detach(void)
{
    strobe_allocations_record(0);
    atomic_store(&state.host, NULL);
}
