/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that makes calls which may block. The caller requests a run and does not wait for it. If
 * a call hangs, strobe_worker_end() leaves the thread running; the thread frees its data when it
 * ends. libc and pthread only. Any thread may call these functions, one at a time. Since 1.0.
 */
#ifndef STROBE_HELPERS_WORKER_H
#define STROBE_HELPERS_WORKER_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeWorker StrobeWorker;

/* Starts a worker, whose thread calls `run` once for each request. `release` is called once after
 * the last run, on the thread or in strobe_worker_end(). NULL: no memory or no thread (`release` is
 * not called). */
StrobeWorker *strobe_worker_start(void (*run)(void *user), void (*release)(void *user), void *user);

/* Requests one run and returns 0. If the last requested run has not ended, makes no request, and
 * returns the ns since that run was requested. */
uint64_t strobe_worker_ask(StrobeWorker *worker);

/* Ends the worker. Returns 0 when a requested run is done and the thread has ended, or 1 if this
 * takes more than `patience_ns`. */
int strobe_worker_end(StrobeWorker *worker, uint64_t patience_ns);

#if defined(__cplusplus)
}
#endif

#endif
