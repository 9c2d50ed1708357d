/* SPDX-License-Identifier: Apache-2.0 */
/* The writer thread: appends full blocks to the capture, partly filled ones at intervals, and keeps
 * the ledger of losses. libc only. */
#ifndef STROBE_CORE_DRAIN_H
#define STROBE_CORE_DRAIN_H

#include <pthread.h>
#include "capture-writer.h"
#include "recorder.h"

enum drain_request { DRAIN_NONE, DRAIN_END_WINDOW, DRAIN_STOP };

typedef struct StrobeDrain {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    enum drain_request request;
    int is_writing; /* a window's capture is open */
    int error;      /* first failed write of the window */
    int undefined;  /* why the definitions could not be written, the last time */
    struct pool_header *pool;
    int64_t flush_interval_ns;
    uint32_t sync;
    int64_t poll_ns;
    int64_t last_flush_ns;
    uint64_t last_flush_ticks;
    uint64_t begin, end; /* of the window that ends */
    unsigned n_stuck;    /* writers that have not left their bracket, in the window that ends */
    StrobeCaptureWriter writer;

    StrobeLossCounts *seen;                   /* in the pool */
    uint64_t window_lost[STROBE_LOSS_CAUSES]; /* told in this window */
    struct drain_partial {
        uint32_t block, used;
    } partial[STROBE_POOL_LANES];
} StrobeDrain;

/* All return 0 or an errno value. */
int strobe_drain_start(StrobeDrain *drain, struct pool_header *pool,
                       const StrobeRecorderSettings *settings);
void strobe_drain_stop(StrobeDrain *drain);
/* Writes the head of a capture; the thread then fills it. `fd` is owned from now on. */
int strobe_drain_begin_window(StrobeDrain *drain, int fd, uint32_t window, const char *facts);
/* The gate is shut: writes everything that is left, seals, closes, and waits for that. */
int strobe_drain_end_window(StrobeDrain *drain, uint64_t begin, uint64_t end);
/* Losses of the present or last window. */
void strobe_drain_losses(StrobeDrain *drain, uint64_t lost[STROBE_LOSS_CAUSES]);

#endif
