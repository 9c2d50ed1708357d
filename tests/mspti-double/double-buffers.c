/* SPDX-License-Identifier: Apache-2.0 */
#include "double-buffers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faults.h"
#include "late-objects.h"

#define THREADS_MAX 4096
#define LATE_MAX 65536

MsptiDoubleState mspti_double_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Held while a buffer is passed on, so that a buffer which is passed on twice is not requested in
 * between. */
static pthread_mutex_t giving = PTHREAD_MUTEX_INITIALIZER;
static MsptiDoubleRequest request;
static MsptiDoubleComplete complete;
static struct {
    uint8_t *bytes;
    size_t size, used;
} current;
static pthread_t threads[THREADS_MAX];
static int n_threads;

/* The sizes of records, by kind. */
static const size_t sizes[] = {0, 56, 56, 48, 56, 64, 56, 56, 24, 72, 48, 48, 48};

size_t double_size_of(uint32_t kind)
{
    return kind < sizeof sizes / sizeof *sizes ? sizes[kind] : 0;
}

void double_hold(void)
{
    pthread_mutex_lock(&lock);
}

void double_give(void)
{
    pthread_mutex_unlock(&lock);
}

void double_set_callbacks(MsptiDoubleRequest new_request, MsptiDoubleComplete new_complete)
{
    request = new_request;
    complete = new_complete;
}

uint64_t double_now_ns(int is_realtime)
{
    struct timespec now;

    clock_gettime(is_realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- passing buffers on ---- */

typedef struct Handed {
    uint8_t *bytes;
    size_t size, valid;
} Handed;

static void hand_over(const Handed *handed)
{
    static _Alignas(8) uint8_t own[65536];
    uint64_t begin;

    pthread_mutex_lock(&giving);
    begin = double_now_ns(0);
    if (fault("oversize"))
        complete(handed->bytes, handed->size * 2, handed->size * 2);
    else
        complete(handed->bytes, handed->size, handed->valid);
    uint64_t took = double_now_ns(0) - begin;
    __atomic_add_fetch(&mspti_double_state.handing_ns, took, __ATOMIC_RELAXED);
    if (took > __atomic_load_n(&mspti_double_state.slowest_ns, __ATOMIC_RELAXED))
        __atomic_store_n(&mspti_double_state.slowest_ns, took, __ATOMIC_RELAXED);
    if (fault("twice"))
        complete(handed->bytes, handed->size, handed->valid);
    pthread_mutex_unlock(&giving);
    if (fault("external"))
        complete(own, sizeof own, sizeof own);
    __atomic_add_fetch(&mspti_double_state.n_handed, 1, __ATOMIC_RELAXED);
}

static void *hand_over_alone(void *user)
{
    static int n;

    if (fault("swap") && __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED) % 2 == 0)
        nanosleep(&(const struct timespec){0, 200000000}, NULL);
    hand_over(user);
    free(user);
    return NULL;
}

/* Adds bytes after the last record of a buffer, which are no record of a known kind (fault
 * "unknown"). */
static void add_unknown(void)
{
    const uint32_t kind = 77;

    if (!fault("unknown") || current.used + 64 > current.size)
        return;
    memset(current.bytes + current.used, 0xee, 64);
    memcpy(current.bytes + current.used, &kind, 4);
    current.used += 64;
}

/* Adds a record of a kind that only the library knows at the begin of a buffer (fault "newer"). */
static void add_newer(void)
{
    const uint32_t kind = DOUBLE_NEWER_KIND;

    if (!fault("newer"))
        return;
    memset(current.bytes, 0xee, DOUBLE_NEWER_BYTES);
    memcpy(current.bytes, &kind, 4);
    current.used = DOUBLE_NEWER_BYTES;
}

static void retire_buffer(int in_thread)
{
    static int n_kept;
    Handed handed;

    add_unknown();
    handed = (Handed){current.bytes, current.size, current.used};
    current.bytes = NULL;
    if (fault("keep") && n_kept++ % 2 == 0)
        return;
    if (!in_thread || n_threads == THREADS_MAX) {
        hand_over(&handed);
        return;
    }
    Handed *copy = malloc(sizeof *copy);
    if (!copy)
        abort();
    *copy = handed;
    if (pthread_create(&threads[n_threads], NULL, hand_over_alone, copy) == 0)
        n_threads++;
    else
        hand_over_alone(copy);
}

static size_t n_not_fitting;

size_t double_take_dropped(void)
{
    size_t n = n_not_fitting;

    n_not_fitting = 0;
    return n;
}

static int is_dropped(void)
{
    static int n_records;
    const char *every = fault("drop");

    return every && ++n_records % atoi(every) == 0;
}

/* Writes a record into the current buffer. As in the original, a record is lost if there is no
 * buffer for it. */
static void put_record(const uint8_t *record, size_t size)
{
    size_t max = 0;

    if (!current.bytes) {
        pthread_mutex_lock(&giving);
        request(&current.bytes, &current.size, &max);
        pthread_mutex_unlock(&giving);
        current.used = 0;
        if (!current.bytes) {
            complete(NULL, 0, 0);
            mspti_double_state.n_dropped++;
            return;
        }
        add_newer();
    }
    if (is_dropped()) {
        n_not_fitting++;
        return;
    }
    memcpy(current.bytes + current.used, record, size);
    current.used += size;
    mspti_double_state.n_reported++;
    if (current.used >= current.size / 10 * (fault("half") ? 5 : 8))
        retire_buffer(1);
}

/* ---- records that are reported late ---- */

static struct {
    uint8_t bytes[72];
    size_t size;
    uint64_t at_ns;
} late[LATE_MAX];
static uint32_t late_first, late_end;

static void tell_late(void)
{
    uint64_t now = double_now_ns(0);

    for (; late_first != late_end && late[late_first % LATE_MAX].at_ns <= now; late_first++)
        put_record(late[late_first % LATE_MAX].bytes, late[late_first % LATE_MAX].size);
}

void double_tell(const uint8_t *record, int kind)
{
    const char *lag = fault("lag");

    if (!mspti_double_state.is_subscribed || !request ||
        !(mspti_double_state.enabled >> kind & 1)) {
        mspti_double_state.n_dropped++;
        return;
    }
    late_object_use(LATE_RECORDS + kind);
    if (lag && (kind == 2 || kind == 4 || kind == 9) && late_end - late_first < LATE_MAX) {
        memcpy(late[late_end % LATE_MAX].bytes, record, sizes[kind]);
        late[late_end % LATE_MAX].size = sizes[kind];
        late[late_end++ % LATE_MAX].at_ns = double_now_ns(0) + (uint64_t)atoi(lag) * 1000000u;
    } else {
        put_record(record, sizes[kind]);
    }
}

void double_flush(void)
{
    __atomic_add_fetch(&mspti_double_state.n_flushes, 1, __ATOMIC_RELAXED);
    tell_late();
    if (current.bytes && current.used)
        retire_buffer(fault("thread") != NULL);
    while (n_threads > 0)
        pthread_join(threads[--n_threads], NULL);
}
