/* SPDX-License-Identifier: Apache-2.0 */
/* A call into a library that may not return. The call runs on its own thread, and the caller waits
 * for a limited time. The data that the thread uses must live as long as the process. */
#ifndef STROBE_PLUGINS_NPU_TASK_BOUNDED_CALL_H
#define STROBE_PLUGINS_NPU_TASK_BOUNDED_CALL_H

#include <stdatomic.h>
#include <stdint.h>

#include <strobe/helpers/worker.h>

typedef struct NpuCall {
    void (*run)(void *user);
    void *user;
    StrobeWorker *worker; /* NULL: no call runs, or the worker of the last call was abandoned */
    _Atomic int is_over;  /* the last call has returned */
} NpuCall;

/* Begins the call, with all signals blocked. Returns 0; -1: no thread could be started. */
int npu_call_begin(NpuCall *call, void (*run)(void *user), void *user);

/* Returns whether the call has returned. Any thread may call this function. */
int npu_call_is_over(const NpuCall *call);

/* Waits for the call for at most `patience_ns`. Returns 0; -1: the call did not return in time, and
 * its thread was abandoned. */
int npu_call_await(NpuCall *call, int64_t patience_ns);

#endif
