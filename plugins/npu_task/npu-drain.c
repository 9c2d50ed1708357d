/* SPDX-License-Identifier: Apache-2.0 */
#include "npu-drain.h"

#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include <time.h>

#include "buffers.h"
#include "npu-clock.h"

#define PASS_NS 25000000  /* time between two passes while a window is drained */
#define OUT_NS 1000000000 /* maximum wait for an earlier buffer that was not handed over */
/* number of records after which the reader checks whether another thread wants the lock */
#define CHUNK 4096
#define SKEW_NS 1000000000u /* a device's time may be ahead of the host's by this */

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- buffers ---- */

static void take_buffer(NpuDrain *drain)
{
    NpuRecords *records = drain->records;

    if (drain->walk.at == 0) {
        NpuFilled filled = npu_buffers_filled(drain->buffer);
        drain->look_at_clock();
        npu_epochs_resolve(drain->clock, &filled, drain->library->struct_size);
    }
    records->latest = npu_clock_now(drain->clock) + SKEW_NS;
    if (!npu_records_take(records, &drain->walk, CHUNK))
        return;
    npu_buffers_release(drain->buffer);
    drain->buffer = NULL;
}

/* Finds the next buffer to read, in the order in which buffers were given out. With `waits`: if an
 * earlier buffer is missing, finds no buffer and sets `is_out`. */
static void look_for_buffer(NpuDrain *drain, int waits, int *is_out)
{
    size_t valid = 0;

    drain->buffer = npu_buffers_next(&valid, waits, is_out);
    drain->walk = (MsptiWalk){drain->buffer, valid, 0, drain->library->struct_size};
}

/* Finds a buffer to read. Returns 0 if there is none. The order of records shows which call
 * launched a task, so buffers are read in the order in which they were given out. If an earlier
 * buffer is missing, waits for it for OUT_NS; while such a buffer stays overdue, waits for no other
 * buffer. */
static int has_buffer(NpuDrain *drain)
{
    int is_out;

    if (drain->buffer)
        return 1;
    look_for_buffer(drain, !npu_buffers_have_overdue(), &is_out);
    if (is_out && drain->out_since_ns && now_ns() - drain->out_since_ns >= OUT_NS) {
        /* the missing buffer was not handed over within OUT_NS */
        drain->records->counts.n_overdue++;
        look_for_buffer(drain, 0, &is_out);
    }
    if (!is_out)
        drain->out_since_ns = 0;
    else if (!drain->out_since_ns)
        drain->out_since_ns = now_ns();
    return drain->buffer != NULL;
}

int npu_drain_take(NpuDrain *drain)
{
    int has_more;

    if (drain->phase != NPU_IDLE)
        npu_emitter_begin(&drain->records->emitter);
    while ((has_more = has_buffer(drain))) {
        take_buffer(drain);
        if (atomic_load(&drain->is_wanted))
            break;
    }
    npu_emitter_end(&drain->records->emitter);
    return !has_more && !drain->out_since_ns;
}

void npu_drain_lock(NpuDrain *drain)
{
    atomic_fetch_add(&drain->is_wanted, 1);
    pthread_mutex_lock(&drain->lock);
    atomic_fetch_sub(&drain->is_wanted, 1);
}

void npu_drain_unlock(NpuDrain *drain)
{
    pthread_mutex_unlock(&drain->lock);
}

static void take_unless_drained(NpuDrain *drain)
{
    pthread_mutex_lock(&drain->lock);
    if (drain->phase != NPU_DRAINING && !atomic_load(&drain->is_ending))
        npu_drain_take(drain);
    pthread_mutex_unlock(&drain->lock);
}

/* ---- passes ---- */

static void sleep_briefly(void)
{
    const struct timespec pause = {0, 1000000};

    nanosleep(&pause, NULL);
}

int npu_drain_hold_library(NpuDrain *drain, int64_t patience_ns)
{
    int64_t until = now_ns() + patience_ns;

    while (pthread_mutex_trylock(&drain->library_lock) != 0) {
        if (now_ns() >= until)
            return -1;
        sleep_briefly();
    }
    return 0;
}

void npu_drain_give_library(NpuDrain *drain)
{
    pthread_mutex_unlock(&drain->library_lock);
}

static void ask_for_dropped(NpuDrain *drain)
{
    size_t n = 0;

    if (drain->library->take_dropped && drain->library->take_dropped(NULL, 0, &n) == MSPTI_SUCCESS)
        atomic_fetch_add(&drain->n_dropped, n);
}

/* Flushes the library. In this call MSPTI also joins its own threads, so the call is made between
 * windows as well. */
static void ask_library(NpuDrain *drain)
{
    atomic_fetch_add(&drain->n_begun, 1);
    pthread_mutex_lock(&drain->library_lock);
    if (!atomic_load(&drain->is_ending)) {
        int64_t since_ns = now_ns();
        atomic_store(&drain->asked_ns, since_ns);
        int32_t code = drain->library->flush_all(1);
        atomic_store(&drain->code, code);
        atomic_store(&drain->asked_ns, 0);
        if (code == MSPTI_SUCCESS)
            atomic_store(&drain->answered_ns, since_ns);
        ask_for_dropped(drain);
    }
    pthread_mutex_unlock(&drain->library_lock);
    atomic_fetch_add(&drain->n_passes, 1);
}

static void *run_thread(void *user)
{
    NpuDrain *drain = user;
    int64_t last_ns = now_ns();

    prctl(PR_SET_NAME, "strobe-npu");
    while (!atomic_load(&drain->is_ending)) {
        take_unless_drained(drain);
        int64_t every = atomic_load(&drain->is_hurried) ? PASS_NS : drain->flush_interval_ns;
        int64_t left = last_ns + every - now_ns();
        if (left > 0) {
            npu_buffers_wait((uint64_t)left);
            continue;
        }
        ask_library(drain);
        last_ns = now_ns();
    }
    atomic_store(&drain->is_running, 0);
    return NULL;
}

int npu_drain_start(NpuDrain *drain)
{
    atomic_store(&drain->is_ending, 0);
    atomic_store(&drain->code, MSPTI_SUCCESS);
    atomic_store(&drain->is_running, 1);
    if (strobe_thread_start(&drain->thread, run_thread, drain) == 0)
        return 0;
    atomic_store(&drain->is_running, 0);
    return -1;
}

int npu_drain_end(NpuDrain *drain, int waits)
{
    int64_t until = waits ? now_ns() + NPU_LIBRARY_PATIENCE_NS : 0;

    atomic_store(&drain->is_ending, 1);
    npu_buffers_wake();
    while (atomic_load(&drain->is_running) && now_ns() < until)
        sleep_briefly();
    if (atomic_load(&drain->is_running)) {
        pthread_detach(drain->thread);
        return -1;
    }
    pthread_join(drain->thread, NULL);
    return 0;
}
