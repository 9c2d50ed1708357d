/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <strobe/helpers/block-table.h>
#include "code-place.h"
#include "heap-frames.h"
#include "heap-gate.h"
#include "heap-kinds.h"
#include "sampling.h"
#include "startup.h"

#define LATE_MAX 1024 /* maximum number of releases of ending threads that wait to be recorded */

/* A release by a thread that was ending. */
typedef struct Late {
    _Atomic uint64_t address; /* 0: the entry is free; LATE_TAKEN: it is being written or read */
    int64_t size, total;
    uint64_t at;
} Late;
#define LATE_TAKEN UINT64_MAX

/* The state of the collector. There is one for each process, because a process has one allocator. A
 * hook that runs while the session ends may still use the state after the end. */
static struct {
    _Atomic(const StrobeHost *) host; /* NULL: there is no session */
    StrobeInstance *self;
    HeapGate *gate;
    StrobeKindId block, cost;
    uint64_t threshold, interval;
    uint32_t depth; /* maximum number of frames in a call path; 0: no call paths */
    uint64_t room;  /* maximum number of recorded blocks that can be allocated at the same time */
    _Atomic int is_on;
    /* the startup blocks, which are recorded when the first window begins */
    HeapStartupBlock *startup;
    uint32_t n_startup;
    uint64_t begin_ticks; /* begin of the window */
    int64_t begin_ns;
    _Alignas(64) _Atomic int64_t total;
    _Atomic uint64_t n_allocations, n_releases, n_without_room, ticks;
    _Atomic uint32_t n_late;
    Late late[LATE_MAX];
} heap;

static const StrobeHost *present_host(void)
{
    return atomic_load_explicit(&heap.host, memory_order_acquire);
}

static int is_recorded(void)
{
    return atomic_load_explicit(&heap.is_on, memory_order_relaxed);
}

static void write_block(const StrobeHost *host, StrobeWriter *writer, uint64_t at,
                        const struct heap_block *block)
{
    struct heap_block *fields = host->reserve(writer, heap.block, 0, 0, at, at);
    if (fields) {
        *fields = *block;
        host->commit(writer);
    }
    atomic_fetch_add_explicit(block->size < 0 ? &heap.n_releases : &heap.n_allocations, 1,
                              memory_order_relaxed);
}

/* Records the releases of ended threads on the track of the calling thread. */
static __attribute__((noinline)) void write_late(const StrobeHost *host, StrobeWriter *writer)
{
    for (uint32_t i = 0; i < LATE_MAX; i++) {
        Late *late = &heap.late[i];
        uint64_t address = atomic_load_explicit(&late->address, memory_order_acquire);
        if (!address || address == LATE_TAKEN ||
            !atomic_compare_exchange_strong(&late->address, &address, LATE_TAKEN))
            continue;
        const struct heap_block block = {
            .address = address, .size = late->size, .total = late->total, .weight = 1};
        write_block(host, writer, late->at, &block);
        atomic_store_explicit(&late->address, 0, memory_order_release);
        atomic_fetch_sub_explicit(&heap.n_late, 1, memory_order_relaxed);
    }
}

static void record_block(const StrobeHost *host, const void *address, int64_t size, int64_t total,
                         double weight, const void *caller)
{
    uint64_t begin = host->now();
    StrobeWriter *writer = host->writer(heap.self);
    if (!writer)
        return;
    if (atomic_load_explicit(&heap.n_late, memory_order_relaxed))
        write_late(host, writer);
    struct heap_block block = {
        .address = (uintptr_t)address, .size = size, .total = total, .weight = weight};
    if (caller && heap.depth)
        block.stack = heap_frames_take(host, writer, heap.depth, caller);
    write_block(host, writer, begin, &block);
    atomic_fetch_add_explicit(&heap.ticks, host->now() - begin, memory_order_relaxed);
}

/* Stores a release, which another thread records. Returns 0 if there is no room. */
static int keep_late(const StrobeHost *host, const void *address, int64_t size, int64_t total)
{
    uint32_t first = (uint32_t)((uintptr_t)address >> 4);
    for (uint32_t i = 0; i < LATE_MAX; i++) {
        Late *late = &heap.late[(first + i) % LATE_MAX];
        uint64_t there = 0;
        if (!atomic_compare_exchange_strong(&late->address, &there, LATE_TAKEN))
            continue;
        late->size = size;
        late->total = total;
        late->at = host->now();
        atomic_store_explicit(&late->address, (uintptr_t)address, memory_order_release);
        atomic_fetch_add_explicit(&heap.n_late, 1, memory_order_relaxed);
        return 1;
    }
    return 0;
}

/* Counts a lost record. Does nothing in a forked child, which has no writer. */
static void report_loss(const StrobeHost *host, _Atomic uint64_t *counter)
{
    if (!is_recorded() || !host->writer(heap.self))
        return;
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
    host->lost(heap.self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
}

static int64_t add_total(int64_t change)
{
    return atomic_fetch_add_explicit(&heap.total, change, memory_order_relaxed) + change;
}

/* Records an allocation, and stores size + 1 in the table, because a block of 0 bytes also has an
 * address and the table cannot store 0. Between windows only adds the block to the table, because
 * it may be released in a window. */
static void record_allocation(HeapSampler *sampler, const void *address, size_t size,
                              const void *caller)
{
    const StrobeHost *host = present_host();
    uint64_t before;
    if (!host || size < heap.threshold)
        return;
    double weight = heap_sampling_weight(sampler, size, heap.interval);
    if (weight <= 0)
        return;
    if (!strobe_blocks_add((uintptr_t)address, size + 1, &before)) {
        report_loss(host, &heap.n_without_room);
        return;
    }
    int64_t total = add_total((int64_t)size - (before ? (int64_t)before - 1 : 0));
    if (is_recorded())
        record_block(host, address, (int64_t)size, total, weight, caller);
}

static size_t record_release(const void *address)
{
    uint64_t found;
    if (!strobe_blocks_take((uintptr_t)address, &found))
        return 0;
    int64_t size = (int64_t)found - 1;
    int64_t total = add_total(-size);
    const StrobeHost *host = present_host();
    if (host && is_recorded())
        record_block(host, address, -size, total, 1, NULL);
    return (size_t)size;
}

static void record_drop(const void *address)
{
    uint64_t found;
    if (!strobe_blocks_take((uintptr_t)address, &found))
        return;
    int64_t total = add_total(1 - (int64_t)found);
    const StrobeHost *host = present_host();
    if (host && is_recorded() && !keep_late(host, address, 1 - (int64_t)found, total))
        host->lost(heap.self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
}

static const HeapHooks hooks = {
    .allocated = record_allocation, .released = record_release, .dropped = record_drop};

static void stop_in_child(void)
{
    if (heap.gate)
        atomic_store(&heap.gate->hooks, NULL);
    atomic_store(&heap.is_on, 0);
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, stop_in_child);
}

/* ---- the collector's calls ---- */

static HeapGate *find_gate(void)
{
    HeapGate *gate = dlsym(RTLD_DEFAULT, HEAP_GATE_SYMBOL);
    return gate && gate->struct_size >= sizeof *gate ? gate : NULL;
}

static void heap_probe(uint32_t question, StrobeProbe *answer)
{
    answer->available = question != STROBE_PROBE_PROCESS || find_gate() != NULL;
    answer->reason = answer->available ? NULL : "heap-preload.so is not in the process";
    answer->hint = answer->available ? NULL : "Record the program with \"strobe run\"";
}

/* Processes the startup events if this is the first session of the process and the events are
 * complete. */
static void take_startup(const HeapHooks *before)
{
    int64_t total;
    if (!before || before != heap.gate->startup_hooks)
        return;
    heap.startup =
        heap_startup_follow(heap.gate, heap.threshold, heap.interval, &heap.n_startup, &total);
    add_total(total);
}

#define BYTES_OF_A_BLOCK 16

/* Returns the maximum number of blocks for which the table may have room. If the address space is
 * limited, the table may use a sixteenth of it, because the program needs the rest. Divides by 4
 * because the parts of the table grow by a factor of four. */
static uint64_t limit_room(uint64_t n_blocks)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return n_blocks;
    uint64_t n_fitting = limit.rlim_cur / 16 / 4 / BYTES_OF_A_BLOCK;
    return n_fitting < n_blocks ? n_fitting : n_blocks;
}

static StrobeStatus heap_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    heap.gate = find_gate();
    if (!heap.gate)
        return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot record the heap: heap-preload.so is not in LD_PRELOAD, as it is "
                          "under \"strobe run\"");
    StrobeStatus status = host->kind(self, &heap_kind_block, &heap.block);
    if (status == STROBE_OK)
        status = host->kind(self, &heap_kind_cost, &heap.cost);
    if (status != STROBE_OK)
        return status;
    heap.self = self;
    heap.threshold = (uint64_t)host->option_int(self, "threshold");
    heap.interval = (uint64_t)host->option_int(self, "sampling");
    heap.depth = host->option_bool(self, "stacks") ? (uint32_t)host->option_int(self, "depth") : 0;
    if (heap.depth && !heap_code_place_is_known())
        return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                          "Cannot record call paths: they need a C library that finds code without "
                          "a lock (glibc 2.35 or later), for which this Strobe was not built; "
                          "leave out stacks=true");
    if (heap.depth && !heap_frames_prepare())
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                          "Cannot record call paths: there is no memory for their names");
    heap.room = strobe_blocks_prepare(limit_room((uint64_t)host->option_int(self, "blocks")));
    pthread_once(&once, prepare_process);
    atomic_store(&heap.host, host);
    take_startup(atomic_exchange(&heap.gate->hooks, &hooks));
    *state = &heap;
    return STROBE_OK;
}

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Records the startup blocks with the time of the window's begin, because no earlier window
 * exists. */
static void record_startup(const StrobeHost *host)
{
    StrobeWriter *writer = heap.n_startup ? host->writer(heap.self) : NULL;
    uint64_t begin = host->now();
    for (uint32_t i = 0; writer && i < heap.n_startup; i++) {
        const HeapStartupBlock *from = &heap.startup[i];
        struct heap_block block = {.address = from->address,
                                   .size = from->size,
                                   .total = from->total,
                                   .weight = from->weight};
        if (from->caller && heap.depth)
            block.stack = heap_frames_of(host, writer, from->caller);
        write_block(host, writer, heap.begin_ticks, &block);
    }
    if (writer)
        atomic_fetch_add_explicit(&heap.ticks, host->now() - begin, memory_order_relaxed);
    free(heap.startup);
    heap.startup = NULL;
    heap.n_startup = 0;
}

static StrobeStatus heap_start(void *state)
{
    heap.begin_ticks = present_host()->now();
    heap.begin_ns = monotonic_ns();
    atomic_store(&heap.n_allocations, 0);
    atomic_store(&heap.n_releases, 0);
    atomic_store(&heap.n_without_room, 0);
    atomic_store(&heap.ticks, 0);
    record_startup(present_host());
    atomic_store(&heap.is_on, 1);
    return STROBE_OK;
}

/* Records the cost of the window after its end, with the time of its begin. Ticks are converted to
 * ns at the rate of the clock in this window. */
static void record_cost(const StrobeHost *host)
{
    uint64_t begin = heap.begin_ticks, passed = host->now() - begin;
    StrobeWriter *writer = host->writer(heap.self);
    if (writer)
        write_late(host, writer);
    struct heap_cost *fields = writer ? host->reserve(writer, heap.cost, 0, 0, begin, begin) : NULL;
    if (!fields)
        return;
    fields->allocations = atomic_load(&heap.n_allocations);
    fields->releases = atomic_load(&heap.n_releases);
    fields->duration = passed ? (int64_t)((double)atomic_load(&heap.ticks) *
                                          (double)(monotonic_ns() - heap.begin_ns) / (double)passed)
                              : STROBE_ABSENT_I64;
    host->commit(writer);
}

static void tell_losses(const StrobeHost *host)
{
    uint64_t n = atomic_load(&heap.n_without_room);
    if (n)
        host->log(heap.self, STROBE_LOG_WARNING,
                  "%llu allocations and their releases are not recorded: there is room for %llu "
                  "blocks at once. Exclude small ones (threshold=), record only a sample "
                  "(sampling=), or make more room (blocks=)",
                  (unsigned long long)n, (unsigned long long)heap.room);
}

static StrobeStatus heap_stop(void *state)
{
    atomic_store(&heap.is_on, 0);
    return STROBE_OK;
}

static StrobeStatus heap_flush(void *state, StrobeTicks deadline)
{
    tell_losses(present_host());
    record_cost(present_host());
    return STROBE_OK;
}

/* Sets the hooks to NULL. From now on releases are not reported, so the table of blocks becomes
 * wrong. */
static void heap_close(void *state)
{
    atomic_store_explicit(&heap.gate->hooks, NULL, memory_order_release);
    atomic_store(&heap.host, NULL);
    free(heap.startup);
    heap.startup = NULL;
    heap.n_startup = 0;
}

const StrobeCollectorOps strobe_heap_ops = {
    .struct_size = sizeof(StrobeCollectorOps),
    .probe = heap_probe,
    .open = heap_open,
    .start = heap_start,
    .stop = heap_stop,
    .flush = heap_flush,
    .close = heap_close,
};
