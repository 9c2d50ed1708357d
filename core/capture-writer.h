/* SPDX-License-Identifier: Apache-2.0 */
/* Appends blocks to a capture file; used by the writer thread and by recovery. libc only. */
#ifndef STROBE_CORE_CAPTURE_WRITER_H
#define STROBE_CORE_CAPTURE_WRITER_H

#include <sys/uio.h>
#include "pool.h"

#define STROBE_WRITER_BUFFER (2u << 20)
#define STROBE_WRITER_PAIRS 64u

/* One capture file being written, and how far definitions have been written into it. */
typedef struct StrobeCaptureWriter {
    int fd;         /* -1: none */
    uint64_t bytes; /* of good blocks */
    uint32_t window;
    StrobeClockPair pair;
    int is_pair_written;
    StrobeClockTrend trend; /* of all pairs of this file */
    /* Pairs that no block was written with, to go ahead of the next block. */
    StrobeClockPair idle[STROBE_WRITER_PAIRS];
    uint32_t n_idle;
    int64_t idle_distance_ns;
    uint32_t kinds_done;   /* bytes of the pool's kind area */
    uint32_t tracks_done;  /* all ids up to this one */
    uint32_t strings_done; /* all ids below this one */
    uint64_t string_written[STROBE_POOL_STRINGS / 64];
    uint64_t track_written[STROBE_POOL_TRACKS / 64 + 1];
    char *buffer; /* STROBE_WRITER_BUFFER bytes, from capture_writer_init */
} StrobeCaptureWriter;

/* Allocates the buffer. Returns 0 or ENOMEM. */
int strobe_capture_writer_init(StrobeCaptureWriter *writer);
void strobe_capture_writer_clear(StrobeCaptureWriter *writer);

/* Begins writing to `fd` (owned from now on), at its present end. */
void strobe_capture_writer_begin(StrobeCaptureWriter *writer, int fd, uint32_t window);
/* The same, where the clock was followed before: by `trend`, and `pair` is the next. */
void strobe_capture_writer_resume(StrobeCaptureWriter *writer, int fd, uint32_t window,
                                  const StrobeClockTrend *trend, const StrobeClockPair *pair);
void strobe_capture_writer_end(StrobeCaptureWriter *writer);

/* In a forked child: frees the buffer and forgets the file. */
void strobe_capture_writer_forget(StrobeCaptureWriter *writer);

/* Takes the clock pair that goes into the headers of the following blocks. Whatever these blocks
 * hold must have been recorded before. */
void strobe_capture_writer_take_pair(StrobeCaptureWriter *writer);
/* The same with a pair that is given. */
void strobe_capture_writer_set_pair(StrobeCaptureWriter *writer, const StrobeClockPair *pair);

/* Appends one block that belongs to no lane. Returns 0 or an errno value; a block that could not be
 * written whole is cut off again. */
int strobe_capture_write_block(StrobeCaptureWriter *writer, uint32_t type, const void *payload,
                               uint32_t bytes);

/* Appends committed bytes [from, to) of a lane's block. */
int strobe_capture_write_records(StrobeCaptureWriter *writer, const struct pool_block *block,
                                 uint32_t from, uint32_t to);

/* Appends the kinds, tracks and strings that were added to the pool since the last call. */
int strobe_capture_write_definitions(StrobeCaptureWriter *writer, const struct pool_header *pool);

/* Appends the open spans of all lanes of the window as unfinished records. */
int strobe_capture_write_unfinished(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                    uint64_t end);

/* Counts of losses at one moment. */
typedef struct StrobeLossCounts {
    uint64_t core[STROBE_LOSS_CAUSES];
    uint64_t lanes[STROBE_POOL_LANES][STROBE_LOSS_CAUSES];
} StrobeLossCounts;

/* Appends a loss record for every lane and cause that lost more than has been told, and for the
 * losses that are of no lane. `seen` is set to the counts that were written; to remember them as
 * told is the caller's business. */
int strobe_capture_write_losses(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                uint32_t kind, uint64_t begin, uint64_t end,
                                StrobeLossCounts *seen);

/* Appends the seal, with what the clock pairs say. */
int strobe_capture_write_seal(StrobeCaptureWriter *writer, uint64_t begin, uint64_t end,
                              uint32_t recovered);

/* Number of records in [from, to) of a block. */
uint64_t strobe_capture_count_records(const struct pool_block *block, uint32_t from, uint32_t to);

#endif
