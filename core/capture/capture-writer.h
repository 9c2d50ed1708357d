/* SPDX-License-Identifier: Apache-2.0 */
/* Appends blocks to a capture file; used by the writer and by recovery. libc only. */
#ifndef STROBE_CORE_CAPTURE_WRITER_H
#define STROBE_CORE_CAPTURE_WRITER_H

#include <strobe/helpers/compression.h>
#include <sys/uio.h>
#include "capture-format.h"
#include "pool.h"

#define STROBE_WRITER_BUFFER (2u << 20)
#define STROBE_WRITER_PAIRS 256u

/* One capture file being written, and how far definitions have been written into it. */
typedef struct StrobeCaptureWriter {
    int fd;               /* -1: none */
    uint64_t bytes;       /* of good blocks */
    uint64_t reserve_at;  /* 0: none */
    uint64_t reserve_end; /* while it is being used, else 0 */
    uint32_t window;
    StrobeClockPair pair, first_pair; /* the present one, the file's first */
    int is_pair_written;
    StrobeClockTrend trend;                    /* of all pairs */
    StrobeClockPair idle[STROBE_WRITER_PAIRS]; /* no block was written with them yet */
    uint32_t n_idle;
    uint32_t kinds_done;   /* bytes of the pool's kind area */
    uint32_t tracks_done;  /* of the pool's count of published tracks */
    uint32_t strings_done; /* all ids below this one */
    uint64_t string_written[STROBE_POOL_STRINGS / 64];
    uint32_t track_written[STROBE_POOL_TRACKS]; /* the id last written of each place */
    char *buffer;                   /* STROBE_WRITER_BUFFER bytes, from capture_writer_init */
    StrobeCompression *compression; /* NULL: blocks stay plain */
    char *plain, *compressed;       /* of a block, STROBE_COMPRESSED_MAX bytes each */
} StrobeCaptureWriter;

/* Allocates the buffer. Returns 0 or ENOMEM. */
int strobe_capture_writer_init(StrobeCaptureWriter *writer);
/* Compresses definitions and records from now on; they stay plain where there is no memory for
 * that.
 */
void strobe_capture_writer_compress(StrobeCaptureWriter *writer);
void strobe_capture_writer_clear(StrobeCaptureWriter *writer);

/* Begins writing to `fd` (owned from now on), at its present end. */
void strobe_capture_writer_begin(StrobeCaptureWriter *writer, int fd, uint32_t window);
/* The same, where the clock was followed before: by `trend`, and `pair` is the next. */
void strobe_capture_writer_resume(StrobeCaptureWriter *writer, int fd, uint32_t window,
                                  const StrobeClockTrend *trend, const StrobeClockPair *pair);
/* The same for a copy of what another one is to write: it knows that one's clock from its begin. */
void strobe_capture_writer_begin_copy(StrobeCaptureWriter *writer, int fd,
                                      const StrobeCaptureWriter *other);
void strobe_capture_writer_end(StrobeCaptureWriter *writer);

/* In a forked child: frees the buffers and forgets the file. */
void strobe_capture_writer_forget(StrobeCaptureWriter *writer);

/* Takes the clock pair that goes into the headers of the following blocks. Whatever these blocks
 * hold must have been recorded before. */
void strobe_capture_writer_take_pair(StrobeCaptureWriter *writer);
/* The same with a pair that is given. */
void strobe_capture_writer_set_pair(StrobeCaptureWriter *writer, const StrobeClockPair *pair);

/* Makes each the other. */
void strobe_capture_writer_swap(StrobeCaptureWriter *one, StrobeCaptureWriter *other);

/* Appends the metadata, JSON text, of a segment. */
int strobe_capture_write_metadata(StrobeCaptureWriter *writer, const char *metadata,
                                  uint32_t segment);

/* Appends one block that belongs to no thread buffer. Returns 0 or an errno value; a block that
 * could not be written whole is cut off again. */
int strobe_capture_write_block(StrobeCaptureWriter *writer, uint32_t type, const void *payload,
                               uint32_t bytes);

/* Appends committed bytes [from, to) of a thread buffer's block. */
int strobe_capture_write_records(StrobeCaptureWriter *writer, const struct pool_block *block,
                                 uint32_t from, uint32_t to);

/* Appends the kinds, tracks and strings that were added to the pool since the last call. */
int strobe_capture_write_definitions(StrobeCaptureWriter *writer, const struct pool_header *pool);

/* Appends the open spans of all thread buffers of the window as unfinished records, in blocks of
 * `type`.
 * `*n_lost` is how many of them could not be written. */
int strobe_capture_write_unfinished(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                    uint32_t type, uint64_t end, uint64_t *n_lost);

void strobe_capture_read_losses(const struct pool_header *pool, StrobeLossCounts *seen);

/* Appends a loss record for every thread buffer and cause with losses that are not reported yet,
 * and for the losses of no thread buffer. In the reserve, which is small, one for every cause. The
 * caller must remember `seen` as reported. */
int strobe_capture_write_losses(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                uint32_t kind, uint64_t begin, uint64_t end,
                                const StrobeLossCounts *seen);

/* Appends the seal, with what the clock pairs say. */
enum { STROBE_SEAL_RECOVERED = 1, STROBE_SEAL_CONTINUED = 2 };
int strobe_capture_write_seal(StrobeCaptureWriter *writer, uint64_t begin, uint64_t end,
                              uint32_t flags);

/* Appends a block of reserve. Where the disk is full in the end, what is written between use and
 * close goes into that block's place: at most STROBE_RESERVE_BYTES, else ENOSPC. */
int strobe_capture_write_reserve(StrobeCaptureWriter *writer);
int strobe_capture_use_reserve(StrobeCaptureWriter *writer);
int strobe_capture_close_reserve(StrobeCaptureWriter *writer);

/* ---- between the writer's files ---- */

void strobe_capture_begin_clock(StrobeCaptureWriter *writer, const StrobeClockTrend *trend,
                                const StrobeClockPair *pair);
/* Appends the pairs that no block was written with. Where that fails they wait for the next block.
 */
void strobe_capture_write_idle_pairs(StrobeCaptureWriter *writer);

#endif
