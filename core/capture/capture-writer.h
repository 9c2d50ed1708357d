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

/* A capture file that is being written, and the definitions that it already contains. */
typedef struct StrobeCaptureWriter {
    int fd;               /* descriptor of the file; -1: none */
    uint64_t bytes;       /* total size of the complete blocks */
    uint64_t reserve_at;  /* offset of the reserve; 0: none */
    uint64_t reserve_end; /* end of the reserve while it is in use, otherwise 0 */
    uint32_t window;
    StrobeClockPair pair, first_pair; /* the current pair, and the first pair of the file */
    int is_pair_written;
    StrobeClockTrend trend;                    /* trend of all pairs */
    StrobeClockPair idle[STROBE_WRITER_PAIRS]; /* pairs that no block contains yet */
    uint32_t n_idle;
    uint32_t kinds_done;   /* number of bytes of the pool's kind area that are in the file */
    uint32_t tracks_done;  /* value of the pool's n_tracks when all tracks were in the file */
    uint32_t strings_done; /* the file contains all strings with ids below this */
    uint64_t string_written[STROBE_POOL_STRINGS / 64];
    uint32_t track_written[STROBE_POOL_TRACKS]; /* the last id written for each entry */
    char *buffer;                               /* STROBE_WRITER_BUFFER bytes, allocated by
                                                 * capture_writer_init */
    StrobeCompression *compression;             /* NULL: blocks stay uncompressed */
    char *plain, *compressed; /* buffers for a block, STROBE_COMPRESSED_MAX bytes each */
} StrobeCaptureWriter;

/* Allocates the buffer. Returns 0 or ENOMEM. */
int strobe_capture_writer_init(StrobeCaptureWriter *writer);
/* Makes the writer compress definitions and records from now on. If there is no memory for this,
 * they stay uncompressed. */
void strobe_capture_writer_compress(StrobeCaptureWriter *writer);
void strobe_capture_writer_clear(StrobeCaptureWriter *writer);

/* Begins to write at the current end of `fd`, which the writer owns from now on. */
void strobe_capture_writer_begin(StrobeCaptureWriter *writer, int fd, uint32_t window);
/* Like strobe_capture_writer_begin, but continues `trend`, to which all earlier pairs of the
 * capture were added. `pair` is the next pair. */
void strobe_capture_writer_resume(StrobeCaptureWriter *writer, int fd, uint32_t window,
                                  const StrobeClockTrend *trend, const StrobeClockPair *pair);
/* Like strobe_capture_writer_begin, for a copy of another writer's capture: takes over all clock
 * pairs of that writer. */
void strobe_capture_writer_begin_copy(StrobeCaptureWriter *writer, int fd,
                                      const StrobeCaptureWriter *other);
void strobe_capture_writer_end(StrobeCaptureWriter *writer);

/* Call it in a forked child: frees the buffers, but leaves the file to the parent. */
void strobe_capture_writer_forget(StrobeCaptureWriter *writer);

/* Reads the clocks and uses this pair in the headers of the next blocks. Everything in these blocks
 * must have been recorded before this call. */
void strobe_capture_writer_take_pair(StrobeCaptureWriter *writer);
/* Uses the given pair in the headers of the next blocks. */
void strobe_capture_writer_set_pair(StrobeCaptureWriter *writer, const StrobeClockPair *pair);

/* Exchanges the two writers. */
void strobe_capture_writer_swap(StrobeCaptureWriter *one, StrobeCaptureWriter *other);

/* Appends the metadata of a segment, as JSON text. */
int strobe_capture_write_metadata(StrobeCaptureWriter *writer, const char *metadata,
                                  uint32_t segment);

/* Appends one block that belongs to no thread buffer. Returns 0 or an errno value; a partly
 * written block is removed again. */
int strobe_capture_write_block(StrobeCaptureWriter *writer, uint32_t type, const void *payload,
                               uint32_t bytes);

/* Appends committed bytes [from, to) of a thread buffer's block. */
int strobe_capture_write_records(StrobeCaptureWriter *writer, const struct pool_block *block,
                                 uint32_t from, uint32_t to);

/* Appends the kinds, tracks and strings that are new in the pool since the last call. */
int strobe_capture_write_definitions(StrobeCaptureWriter *writer, const struct pool_header *pool);

/* Appends the window's open spans in all thread buffers as unfinished records, in blocks of `type`.
 * `*n_lost` receives the number of spans that could not be written. */
int strobe_capture_write_unfinished(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                    uint32_t type, uint64_t end, uint64_t *n_lost);

void strobe_capture_read_losses(const struct pool_header *pool, StrobeLossCounts *seen);

/* Appends a loss record for each thread buffer and cause with unreported losses, and for losses
 * outside of thread buffers. In the reserve, which is small, appends only one record for each
 * cause. The caller must then record that `seen` is reported. */
int strobe_capture_write_losses(StrobeCaptureWriter *writer, const struct pool_header *pool,
                                uint32_t kind, uint64_t begin, uint64_t end,
                                const StrobeLossCounts *seen);

/* Appends the seal, with a summary of the clock pairs. */
enum { STROBE_SEAL_RECOVERED = 1, STROBE_SEAL_CONTINUED = 2 };
int strobe_capture_write_seal(StrobeCaptureWriter *writer, uint64_t begin, uint64_t end,
                              uint32_t flags);

/* Appends a block of reserve. If the disk becomes full, the blocks that are written between
 * strobe_capture_use_reserve and strobe_capture_close_reserve replace it; more than
 * STROBE_RESERVE_BYTES of them fail with ENOSPC. */
int strobe_capture_write_reserve(StrobeCaptureWriter *writer);
int strobe_capture_use_reserve(StrobeCaptureWriter *writer);
int strobe_capture_close_reserve(StrobeCaptureWriter *writer);

/* ---- only for the files of the capture writer ---- */

void strobe_capture_begin_clock(StrobeCaptureWriter *writer, const StrobeClockTrend *trend,
                                const StrobeClockPair *pair);
/* Appends a block with the pairs that no block contains yet. If this fails, a later call appends
 * them. */
void strobe_capture_write_idle_pairs(StrobeCaptureWriter *writer);

#endif
