/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of its own for a source that may block. The sampler asks it to run; it never waits for
 * it. One that hangs for ever is left behind, and frees what it has when it ends after all. */
#ifndef STROBE_PLUGINS_WORKER_H
#define STROBE_PLUGINS_WORKER_H

#include <stdint.h>

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

#endif
