/* SPDX-License-Identifier: Apache-2.0 */
/* The writer thread: appends full blocks to the capture, partly filled ones at intervals, and keeps
 * the ledger of losses. libc only. */
#ifndef STROBE_CORE_DRAIN_H
#define STROBE_CORE_DRAIN_H

#include <pthread.h>
#include "capture-writer.h"
#include "rotation.h"
#include "recorder.h"
#include "ring.h"

/* One window's way to the disk. The next one may begin while the rest of one is being written. */
typedef struct DrainWindow {
    uint32_t number; /* 0: none, this place is free */
    int is_ended;    /* the rest is to be written */
    int error;       /* first failed write; kept until the place is taken again */
    int undefined;   /* why the definitions could not be written, the last time */
    uint64_t begin, end;
    unsigned n_stuck; /* writers that have not left their bracket at its end */
    int has_strays;   /* blocks that are neither a lane's nor queued, see write_strays */
    int64_t last_flush_ns;
    uint64_t last_flush_ticks;
    StrobeCaptureWriter writer;
    StrobeRotation rotation;
} DrainWindow;

/* A copy of the ring that somebody waits for. */
struct drain_dump {
    int fd; /* owned */
    const char *facts;
    int error;
};

/* The first part is under the lock, and so are each window's first two members. Of the rest of a
 * window the control thread writes until it is in `next`, and what is told of its end; the writer
 * thread all else. */
typedef struct StrobeDrain {
    pthread_t thread;
    pthread_mutex_t lock; /* held for moments only */
    pthread_cond_t wake, done;
    int is_made, is_stopping;
    struct drain_dump *dump;                  /* NULL: none is asked for */
    int roll;                                 /* the next piece is asked for */
    DrainWindow *next;                        /* begins when the present one is sealed */
    int is_writing;                           /* there is a present one */
    uint64_t window_lost[STROBE_LOSS_CAUSES]; /* told in this window */
    DrainWindow windows[STROBE_POOL_WINDOWS];
    StrobeRotationLimits rotation_limits;

    struct pool_header *pool;
    enum strobe_policy policy;
    int64_t flush_interval_ns;
    int64_t ring_ns; /* how far back a dump reaches, 0: as far as the pool does */
    uint32_t sync;
    int64_t poll_ns;
    uint32_t deferred, deferred_last; /* blocks of the next window that came early: a list */
    DrainWindow *now;
    StrobeCaptureWriter
        other; /* for a dump, or the next piece; without a buffer if there are none */
    StrobeRing ring;

    int is_whole;             /* the present cycle has found and written everything so far */
    uint32_t n_threads_ended; /* before the last cycle */
    int64_t swept_ns;         /* the ring's ended threads */
    int64_t looked_ns;        /* whether the program is there; -1: it is gone */

    StrobeLossCounts *seen; /* in the pool: what is just being told */
    struct drain_partial {
        uint32_t block, used;
    } partial[STROBE_POOL_LANES];
} StrobeDrain;

/* All return 0 or an errno value. */
int strobe_drain_start(StrobeDrain *drain, struct pool_header *pool,
                       const StrobeRecorderSettings *settings);
void strobe_drain_stop(StrobeDrain *drain);
/* Writes the head of a capture; the thread then fills it. `fd` is owned from now on: the file that
 * lies at `path` with STROBE_CAPTURE_UNNAMED behind it, and at `path` from its head's end on. */
int strobe_drain_begin_window(StrobeDrain *drain, int fd, const char *path, uint32_t window,
                              const char *facts);
/* The gate is shut: what is lost from here on is not the threads'. The window goes on until
 * strobe_drain_end_window(). */
void strobe_drain_shut_window(StrobeDrain *drain, uint32_t window, uint64_t end);
/* The lanes have handed over: the thread writes everything that is left, seals
 * and closes. */
void strobe_drain_end_window(StrobeDrain *drain, uint32_t window, uint64_t begin, uint64_t end,
                             unsigned n_stuck, int has_strays);
/* Waits until that is done for the window, for `patience_ns` at most, -1: as long as it takes.
 * Returns its first error of writing, EINPROGRESS: not done. */
int strobe_drain_wait(StrobeDrain *drain, uint32_t window, int64_t patience_ns);
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
/* Which partly filled blocks there are, and how far. */
void strobe_flush_note_partial(StrobeDrain *drain);

/* Writes the ring's content and what belongs to it into the writer's capture; up to the seal if it
 * is not the window's own, whose lanes have handed over: then what it lost is in drain->seen.
 * `lost`: the records that could not be written are counted there. */
int strobe_dump_ring(StrobeDrain *drain, StrobeCaptureWriter *writer, uint64_t end,
                     _Atomic uint64_t *lost);
/* Serves a request. */
void strobe_dump_serve(StrobeDrain *drain, struct drain_dump *dump);
/* Notes a clock pair for later dumps, now and then. */
void strobe_dump_note_pair(StrobeDrain *drain);

/* Begins the next piece. */
void strobe_rotation_roll(StrobeDrain *drain);

#endif
