/* SPDX-License-Identifier: Apache-2.0 */
/* The writer thread: appends full blocks to the capture, partly filled ones at intervals, and keeps
 * the ledger of losses. libc only. */
#ifndef STROBE_CORE_DRAIN_H
#define STROBE_CORE_DRAIN_H

#include <pthread.h>
#include "capture-writer.h"
#include "piece.h"
#include "recorder.h"
#include "ring.h"

enum drain_request { DRAIN_NONE, DRAIN_END_WINDOW, DRAIN_STOP };

/* A copy of the ring that somebody waits for. */
struct drain_dump {
    int fd; /* owned */
    const char *facts;
    int error;
};

/* While `is_writing`, all but the first part belongs to the thread. */
typedef struct StrobeDrain {
    pthread_t thread;
    pthread_mutex_t lock; /* held for moments only */
    pthread_cond_t wake, done;
    enum drain_request request;
    struct drain_dump *dump; /* NULL: none is asked for */
    int roll;                /* the next piece is asked for */
    int is_writing;          /* a window's capture is open */
    int error;               /* first failed write of the window */
    uint64_t window_lost[STROBE_LOSS_CAUSES]; /* told in this window */

    struct pool_header *pool;
    enum strobe_policy policy;
    int64_t flush_interval_ns;
    int64_t ring_ns; /* how far back a dump reaches, 0: as far as the pool does */
    uint32_t sync;
    int64_t poll_ns;
    int64_t last_flush_ns;
    uint64_t last_flush_ticks;
    uint64_t begin, end; /* of the window that ends */
    unsigned n_stuck;    /* writers that have not left their bracket, in the window that ends */
    StrobeCaptureWriter writer;
    StrobeCaptureWriter other; /* for a dump, or the next piece; without a buffer if there are none */
    StrobeRing ring;
    StrobePieces pieces;

    StrobeLossCounts seen;
    StrobeClockPair *pairs; /* of the window, while nothing is written: for the dumps */
    unsigned n_pairs;
    int64_t pair_distance_ns;
    struct drain_partial {
        uint32_t block, used;
    } partial[STROBE_POOL_LANES];
} StrobeDrain;

/* All return 0 or an errno value. */
int strobe_drain_start(StrobeDrain *drain, struct pool_header *pool,
                       const StrobeRecorderSettings *settings);
void strobe_drain_stop(StrobeDrain *drain);
/* Writes the head of a capture; the thread then fills it. `fd` is owned from now on, `path` is the
 * capture's. */
int strobe_drain_begin_window(StrobeDrain *drain, int fd, const char *path, uint32_t window,
                              const char *facts);
/* The gate is shut: the thread writes everything that is left, seals and closes. */
void strobe_drain_end_window(StrobeDrain *drain, uint64_t begin, uint64_t end, unsigned n_stuck);
/* Waits for that, for `patience_ns` at most, -1: as long as it takes. EINPROGRESS: not done. */
int strobe_drain_wait(StrobeDrain *drain, int64_t patience_ns);
/* Writes what the ring holds into a capture of its own, while recording goes on; waits for it. `fd`
 * is owned from now on. */
int strobe_drain_dump(StrobeDrain *drain, int fd, const char *facts);
/* Lets the next piece of the capture begin soon. */
void strobe_drain_roll(StrobeDrain *drain);
/* In a forked child: gives up what is the parent's. */
void strobe_drain_forget(StrobeDrain *drain);
/* Losses of the present or last window. */
void strobe_drain_losses(StrobeDrain *drain, uint64_t lost[STROBE_LOSS_CAUSES]);

/* ---- between the drain's files; in its thread ---- */

/* Writes full blocks, or keeps the ring tidy. */
void strobe_flush_full(StrobeDrain *drain);
/* Writes everything committed so far, and the losses. */
void strobe_flush_all(StrobeDrain *drain);
void strobe_flush_end_window(StrobeDrain *drain);
void strobe_flush_remember(StrobeDrain *drain, int error);
/* The losses in drain->seen have been written, or failed to be. */
void strobe_flush_tell(StrobeDrain *drain, int error);
/* Which partly filled blocks there are, and how far. */
void strobe_flush_note_partial(StrobeDrain *drain);

#define STROBE_DUMP_PAIRS 512

/* Writes the ring's content and what belongs to it into the writer's capture, to the seal. `lost`:
 * the records that could not be written are counted there. */
int strobe_dump_ring(StrobeDrain *drain, StrobeCaptureWriter *writer, uint64_t end,
                     _Atomic uint64_t *lost);
/* Serves a request. */
void strobe_dump_serve(StrobeDrain *drain, struct drain_dump *dump);
/* Notes a clock pair for later dumps, now and then. */
void strobe_dump_note_pair(StrobeDrain *drain);

/* Begins the next piece. */
void strobe_piece_roll(StrobeDrain *drain);

#endif
