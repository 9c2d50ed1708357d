/* SPDX-License-Identifier: Apache-2.0 */
/* The writer: appends full blocks to the capture, and partly filled blocks at intervals, writes the
 * losses, and seals the capture. It runs in a separate process, or in a thread of the program if no
 * process can be started. In both cases it uses only data in the pool. libc only. */
#ifndef STROBE_CORE_WRITER_LOOP_H
#define STROBE_CORE_WRITER_LOOP_H

#include <limits.h>
#include "capture-writer.h"
#include "ring.h"

/* A rotating capture: the newest segment is always capture.strobe, the earlier segments are
 * capture.00001.strobe and so on. If the program has given the capture another name, NAME, the
 * earlier segments are NAME.slice_0 and so on; while NAME is hidden, the capture does not rotate.
 * Each segment repeats all definitions. */
typedef struct StrobeRotation {
    StrobeRotationLimits limits;
    int folder;      /* descriptor of the capture's folder, -1: no rotation */
    char name[256];  /* name of the newest segment in the folder */
    char *metadata;  /* the capture's metadata, which each segment contains */
    uint32_t number; /* number of the current segment, from 0 */
    int64_t begun_ns;
    uint64_t due_bytes; /* size of the current segment at which the next begins */
} StrobeRotation;

/* State of a window that is being written. */
typedef struct LoopWindow {
    uint32_t number; /* 0: no window */
    int undefined;   /* last error of writing the definitions */
    uint64_t begin, end;
    unsigned n_stuck; /* number of threads that were in a critical section at the window's end */
    int has_strays;   /* 1: there are blocks that are neither in a thread buffer nor queued, see
                         write_strays */
    int is_joined;    /* program.begin was called, program.end not */
    unsigned n_stuck_here; /* number of threads of this process that were in a critical section at
                              the window's end */
    int64_t last_flush_ns;
    uint64_t last_flush_ticks;
    StrobeCaptureWriter writer;
    StrobeRotation rotation;
} LoopWindow;

/* Callbacks about the program; each may be NULL. */
typedef struct StrobeWriterLoopProgram {
    /* Called regularly. Returns 1 if the program has ended, so that it records nothing more;
     * otherwise 0. */
    int (*is_gone)(void *user);
    /* Completes a window of a program that has ended; `writer` describes how far the window's
     * capture is written. Returns 0 or an errno value. */
    int (*finish)(void *user, const StrobeCaptureWriter *writer);
    /* Makes a result directory for a dump and calls strobe_dump_serve() for its capture. `why`
     * is a STROBE_DUMP_*. Returns 0 and the directory's path, or an errno value; EAGAIN: the
     * configuration allows no dump now. */
    StrobeMakeDump *make_dump;
    /* A segment of a rotating capture is complete, and has this name in the capture's folder. */
    void (*segment_done)(void *user, const char *name);
    /* Collectors in the writer's process begin or end recording in a window. `end` returns the
     * number of threads that are stuck inside a critical section. */
    void (*begin)(void *user, uint32_t window, const char *capture);
    unsigned (*end)(void *user, uint64_t end);
    void *user;
} StrobeWriterLoopProgram;

typedef struct StrobeWriterLoop {
    struct pool_header *pool;
    struct pool_control *control;
    struct pool_settings settings; /* a copy of the pool's settings */
    StrobeRing *ring;              /* NULL: the policy is not ring */
    StrobeWriterLoopProgram program;
    int64_t poll_ns;
    uint32_t deferred, deferred_last; /* list of blocks of the next window that arrived early */
    LoopWindow window;
    StrobeCaptureWriter
        other; /* writer of a dump, or of the next segment; has no buffer if neither is possible */

    int is_whole;             /* 1: the current cycle has found and written everything so far */
    uint32_t n_threads_ended; /* number of threads that had ended before the last cycle */
    int64_t swept_ns;         /* when the tracks of ended threads were last freed, for the ring */

    StrobeLossCounts *seen; /* the losses that are being written; in the pool */
    struct written_part {
        uint32_t block, used;
    } partial[STROBE_POOL_THREAD_BUFFERS];
} StrobeWriterLoop;

/* Initialises the loop. Returns 0 or ENOMEM. */
int strobe_writer_loop_init(StrobeWriterLoop *loop, struct pool_header *pool,
                            const StrobeWriterLoopProgram *program);
void strobe_writer_loop_clear(StrobeWriterLoop *loop);
/* Runs until the program has requested the end, or is gone, and all windows are written. */
void strobe_writer_loop_run(StrobeWriterLoop *loop);

/* ---- only for the files of the writer ---- */

/* Returns the current window's entry in the pool. */
static inline struct pool_window *strobe_writer_loop_place(const StrobeWriterLoop *loop)
{
    return strobe_pool_window(loop->pool, loop->window.number);
}

/* Writes full blocks, or tidies the ring. */
void strobe_flush_full(StrobeWriterLoop *loop);
/* Writes everything that is committed so far, and the losses. */
void strobe_flush_all(StrobeWriterLoop *loop);
void strobe_flush_end_window(StrobeWriterLoop *loop);
void strobe_flush_remember(StrobeWriterLoop *loop, int error);
/* Stores in loop->partial which blocks are partly filled, and how many bytes are committed in
 * each. */
void strobe_flush_note_partial(StrobeWriterLoop *loop);

/* Writes the ring's records with their definitions, clock pairs and losses into the writer's
 * capture. For a dump, also writes the seal. For the window's own capture, whose thread buffers
 * must have handed over their blocks, writes no seal, and leaves the losses in loop->seen. Adds the
 * number of records that could not be written to `lost`. */
int strobe_dump_ring(StrobeWriterLoop *loop, StrobeCaptureWriter *writer, uint64_t end,
                     _Atomic uint64_t *lost);
/* Writes the ring's records after the metadata of the capture at `path`. Returns 0 or an errno
 * value. */
int strobe_dump_serve(StrobeWriterLoop *loop, const char *path);
/* Makes the dumps that the program requests. `is_recording`: a window records, so that the ring
 * contains its records. */
void strobe_dump_answer(StrobeWriterLoop *loop, int is_recording);
/* Stores a clock pair for later dumps, at intervals. */
void strobe_dump_note_pair(StrobeWriterLoop *loop);

int strobe_rotation_limits_any(const StrobeRotationLimits *limits);
/* Initialises the rotation for a window whose capture is `path`. Returns 0 or an errno value. */
int strobe_rotation_begin(StrobeRotation *rotation, const StrobeRotationLimits *limits,
                          const char *path, const char *metadata);
void strobe_rotation_end(StrobeRotation *rotation);
/* Sets the limits of a segment that has just begun, and whose head has `head_bytes` bytes. */
void strobe_rotation_begin_segment(StrobeRotation *rotation, uint64_t head_bytes, int64_t now_ns);
/* Must the current segment, which has `bytes` bytes, end? */
int strobe_rotation_is_due(const StrobeRotation *rotation, uint64_t bytes, int64_t now_ns);
/* Begins the next segment. */
void strobe_rotation_roll(StrobeWriterLoop *loop);

#endif
