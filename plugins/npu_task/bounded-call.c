/* SPDX-License-Identifier: Apache-2.0 */
#include "bounded-call.h"

#include <time.h>

#define NAP_NS 1000000

static void run_once(void *user)
{
    NpuCall *call = user;

    call->run(call->user);
    atomic_store_explicit(&call->is_over, 1, memory_order_release);
}

static void keep_call(void *user)
{
}

int npu_call_begin(NpuCall *call, void (*run)(void *user), void *user)
{
    call->run = run;
    call->user = user;
    atomic_store(&call->is_over, 0);
    call->worker = strobe_worker_start(run_once, keep_call, call);
    if (!call->worker) {
        atomic_store(&call->is_over, 1);
        return -1;
    }
    strobe_worker_ask(call->worker);
    return 0;
}

int npu_call_is_over(const NpuCall *call)
{
    return atomic_load_explicit(&call->is_over, memory_order_acquire);
}

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int npu_call_await(NpuCall *call, int64_t patience_ns)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    /* the clock ends the wait, not the number of sleeps, because sleeps take longer than
     * requested */
    int64_t until_ns = monotonic_ns() + patience_ns;

    while (!npu_call_is_over(call) && monotonic_ns() < until_ns)
        nanosleep(&nap, NULL);
    /* A worker whose call has returned ends at once; a worker that still runs is abandoned. */
    if (call->worker)
        strobe_worker_end(call->worker, npu_call_is_over(call) ? 1000000000u : 0);
    call->worker = NULL;
    return npu_call_is_over(call) ? 0 : -1;
}
