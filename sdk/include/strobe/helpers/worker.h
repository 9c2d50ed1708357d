/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread for a source that may block. The caller asks it for a run and never waits for it. A
 * thread that hangs is left behind, and releases what it has when it ends. libc and pthread only.
 * Any thread may call, one at a time. Since 1.0.
 */
#ifndef STROBE_HELPERS_WORKER_H
#define STROBE_HELPERS_WORKER_H

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeWorker StrobeWorker;

/* `run` is called once a request, `release` when no run comes any more, on whichever thread is the
 * last to need `user`. NULL: no thread can be had (`release` is not called). */
StrobeWorker *strobe_worker_start(void (*run)(void *user), void (*release)(void *user), void *user);

/* Asks for one run. Returns for how many ns the last one has been under way: 0, it was done and the
 * new one is on its way. */
uint64_t strobe_worker_ask(StrobeWorker *worker);

/* No further run. Returns when the one that was asked for is done, or after `patience_ns` without
 * it: 1. */
int strobe_worker_end(StrobeWorker *worker, uint64_t patience_ns);

#if defined(__cplusplus)
}
#endif

#endif
