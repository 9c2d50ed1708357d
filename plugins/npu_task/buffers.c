/* SPDX-License-Identifier: Apache-2.0 */
#include "buffers.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define BUFFERS_MAX 1024u

enum { FREE, TAKEN, FILLED, MOVING };

/* A buffer of the pool. The library may hand a buffer over to another client, which then frees it.
 * So each buffer is a separate allocation, and a buffer that was not handed back is neither used
 * nor freed. */
typedef struct Buffer {
    _Atomic uint32_t state;
    uint8_t *_Atomic bytes; /* NULL: the buffer was never requested */
    _Atomic int is_gone;    /* another client has taken the buffer */
    /* number of the buffer in the order in which buffers were given to the library, from 1 */
    _Atomic uint64_t order;
    size_t valid;
    int64_t asked_ns, handed_ns; /* times of CLOCK_MONOTONIC */
} Buffer;

static struct {
    size_t size; /* size of a buffer; 0: the pool was not made yet */
    uint32_t n;
    Buffer buffer[BUFFERS_MAX];
    _Atomic uint64_t last_order;
    uint64_t passed; /* `order` of the buffer that was released last */
    _Atomic int is_open;
    _Atomic uint64_t n_refused, n_external, n_size;
    sem_t filled;
} pool;

int npu_buffers_make(uint32_t n, size_t bytes)
{
    if (pool.size)
        return 0;
    /* the other buffers are allocated when the library requests them */
    uint8_t *first = malloc(bytes);
    if (!first || sem_init(&pool.filled, 0, 0) != 0) {
        free(first);
        return -1;
    }
    pool.buffer[0].bytes = first;
    pool.size = bytes;
    pool.n = n < BUFFERS_MAX ? n : BUFFERS_MAX;
    return 0;
}

void npu_buffers_open(int is_open)
{
    atomic_store(&pool.is_open, is_open);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void increment_counter(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Allocates the buffer's memory if it has none. The buffer's state must be MOVING. Returns 0 if out
 * of memory. */
static int has_bytes(Buffer *buffer)
{
    if (!atomic_load(&buffer->bytes))
        atomic_store(&buffer->bytes, malloc(pool.size));
    return atomic_load(&buffer->bytes) != NULL;
}

void npu_buffers_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    uint32_t n = atomic_load(&pool.is_open) ? pool.n : 0;

    *buffer = NULL;
    *size = 0;
    *max_records = 0;
    for (uint32_t i = 0; i < n; i++) {
        Buffer *free_one = &pool.buffer[i];
        uint32_t free = FREE;
        if (!atomic_compare_exchange_strong(&free_one->state, &free, MOVING))
            continue;
        if (!has_bytes(free_one)) {
            atomic_store(&free_one->state, FREE);
            break;
        }
        free_one->asked_ns = now_ns();
        free_one->is_gone = 0;
        atomic_store(&free_one->order, atomic_fetch_add(&pool.last_order, 1) + 1);
        atomic_store(&free_one->state, TAKEN);
        *buffer = free_one->bytes;
        *size = pool.size;
        return;
    }
    if (n)
        increment_counter(&pool.n_refused);
}

/* Returns the number of the buffer at this address; pool.n: there is none. If another client freed
 * a buffer, malloc may have given the same address to a later buffer; the function then returns the
 * buffer that was given out last. */
static uint32_t number_of(const uint8_t *buffer)
{
    uint32_t best = pool.n;

    for (uint32_t i = 0; i < pool.n; i++)
        if (atomic_load(&pool.buffer[i].bytes) == buffer &&
            (best == pool.n ||
             atomic_load(&pool.buffer[i].order) > atomic_load(&pool.buffer[best].order)))
            best = i;
    return best;
}

void npu_buffers_complete(uint8_t *buffer, size_t size, size_t valid)
{
    uint32_t taken = TAKEN;

    if (!buffer) /* MSPTI passes NULL if npu_buffers_request gave no buffer */
        return;
    uint32_t number = number_of(buffer);
    if (number == pool.n ||
        !atomic_compare_exchange_strong(&pool.buffer[number].state, &taken, MOVING)) {
        increment_counter(&pool.n_external);
        return;
    }
    if (size != pool.size || valid > pool.size)
        increment_counter(&pool.n_size);
    pool.buffer[number].handed_ns = now_ns();
    pool.buffer[number].valid = valid < pool.size ? valid : pool.size;
    atomic_store_explicit(&pool.buffer[number].state, FILLED, memory_order_release);
    sem_post(&pool.filled);
}

/* Returns the number of the buffer with the lowest `order`; pool.n: there is none. With `is_out`,
 * considers only buffers that the library still has and that were given out after the last released
 * one; otherwise considers only filled buffers. */
static uint32_t first_of(int is_out)
{
    uint32_t best = pool.n;

    for (uint32_t i = 0; i < pool.n; i++) {
        uint32_t state = atomic_load_explicit(&pool.buffer[i].state, memory_order_acquire);
        uint64_t order = atomic_load(&pool.buffer[i].order);
        int is_away = (state == TAKEN || state == MOVING) && order > pool.passed;
        int fits = is_out ? is_away && !atomic_load(&pool.buffer[i].is_gone) : state == FILLED;
        if (fits && (best == pool.n || order < atomic_load(&pool.buffer[best].order)))
            best = i;
    }
    return best;
}

int npu_buffers_have_overdue(void)
{
    for (uint32_t i = 0; i < pool.n; i++)
        if (atomic_load(&pool.buffer[i].state) == TAKEN &&
            atomic_load(&pool.buffer[i].order) < pool.passed)
            return 1;
    return 0;
}

uint32_t npu_buffers_gone(int64_t before_ns)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < pool.n; i++) {
        Buffer *buffer = &pool.buffer[i];
        if (atomic_load(&buffer->state) != TAKEN || atomic_load(&buffer->order) < pool.passed ||
            buffer->asked_ns >= before_ns || buffer->is_gone)
            continue;
        buffer->is_gone = 1;
        n++;
    }
    return n;
}

const uint8_t *npu_buffers_next(size_t *valid, int waits, int *is_out)
{
    /* must precede first_of(0), because the library may hand a buffer over in between */
    uint32_t out = first_of(1);
    uint32_t best = first_of(0);

    *is_out = 0;
    if (best == pool.n)
        return NULL;
    uint64_t order = atomic_load(&pool.buffer[best].order);
    if (out < pool.n && atomic_load(&pool.buffer[out].state) == FILLED &&
        /* the buffer was handed over after first_of(1) */
        atomic_load(&pool.buffer[out].order) < order) {
        best = out;
        order = atomic_load(&pool.buffer[best].order);
    }
    *is_out = waits && out < pool.n && atomic_load(&pool.buffer[out].order) < order &&
              atomic_load(&pool.buffer[out].state) != FILLED;
    if (*is_out)
        return NULL;
    *valid = pool.buffer[best].valid;
    return pool.buffer[best].bytes;
}

NpuFilled npu_buffers_filled(const uint8_t *buffer)
{
    uint32_t number = number_of(buffer);
    const Buffer *filled = &pool.buffer[number];

    return (NpuFilled){filled->bytes, filled->valid, filled->asked_ns, filled->handed_ns};
}

void npu_buffers_release(const uint8_t *buffer)
{
    Buffer *taken = &pool.buffer[number_of(buffer)];
    uint64_t order = atomic_load(&taken->order);

    pool.passed = order > pool.passed ? order : pool.passed;
    atomic_store_explicit(&taken->state, FREE, memory_order_release);
}

void npu_buffers_wait(uint64_t timeout_ns)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    timeout_ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(timeout_ns / 1000000000u);
    until.tv_nsec = (long)(timeout_ns % 1000000000u);
    if (sem_clockwait(&pool.filled, CLOCK_MONOTONIC, &until) != 0)
        return;
    while (sem_trywait(&pool.filled) == 0)
        ; /* one pass of the reader finds all filled buffers, so further wake-ups are not needed */
}

void npu_buffers_wake(void)
{
    if (pool.size)
        sem_post(&pool.filled);
}

NpuBufferFaults npu_buffers_take_faults(void)
{
    return (NpuBufferFaults){.n_refused = atomic_exchange(&pool.n_refused, 0),
                             .n_external = atomic_exchange(&pool.n_external, 0),
                             .n_size = atomic_exchange(&pool.n_size, 0)};
}

void npu_buffers_after_fork(void)
{
    atomic_store(&pool.is_open, 0);
}
