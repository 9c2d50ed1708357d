/* SPDX-License-Identifier: Apache-2.0 */
/* A call into a library that may not come back: on a thread of its own, waited for so long and no
 * longer. What the thread uses has to last for as long as the process. */
#ifndef STROBE_PLUGINS_NPU_TASK_BOUNDED_CALL_H
#define STROBE_PLUGINS_NPU_TASK_BOUNDED_CALL_H

#include <stdatomic.h>
#include <stdint.h>

#include <strobe/helpers/worker.h>

typedef struct NpuCall {
    void (*run)(void *user);
    void *user;
    StrobeWorker *worker; /* NULL: no call runs, or no thread waits for it any more */
    _Atomic int is_over;  /* the last one */
} NpuCall;

/* Begins it, all signals blocked. 0, or -1: there is no thread to be had. */
int npu_call_begin(NpuCall *call, void (*run)(void *user), void *user);

/* Has it come back? Any thread. */
int npu_call_is_over(const NpuCall *call);

/* Waits for it. 0, or -1: the time is over, and its thread is left behind. */
int npu_call_await(NpuCall *call, int64_t patience_ns);

#endif
