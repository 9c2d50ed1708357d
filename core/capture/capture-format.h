/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capture file: a sequence of blocks, each with its own framing and checksums.
 *
 * Each block can be found (by its magic), checked and decoded separately: its header has its thread
 * buffer, track and window and a clock pair. Numbers are little endian. Blocks of definitions
 * (metadata, kinds, tracks, strings) come before the first record that needs the definitions.
 * docs/capture.md describes the format for authors of readers.
 */
#ifndef STROBE_CORE_CAPTURE_FORMAT_H
#define STROBE_CORE_CAPTURE_FORMAT_H

#include <stdint.h>
#include <strobe/record.h>
#include "clock-trend.h"
#include "record-format.h"

/* Names of files: the newest segment of a capture; an earlier segment, numbered from 1; and an
 * unfinished file, which is a segment without its first blocks or a dump that is being written. */
#define STROBE_CAPTURE_NAME "capture.strobe"
#define STROBE_SEGMENT_FORMAT "capture.%05u.strobe"
#define STROBE_CAPTURE_UNNAMED ".new"
#define STROBE_SEGMENT_NEW STROBE_CAPTURE_NAME STROBE_CAPTURE_UNNAMED
/* If a capture has another name than capture.strobe, this is appended to that name for its earlier
 * segments, numbered from 0. */
#define STROBE_SLICE_MARK ".slice_"
#define STROBE_SLICE_FORMAT STROBE_SLICE_MARK "%u"
/* External data of the same window, in the same folder; see external-data.h. */
#define STROBE_EXTERNAL_NAME "capture.external.strobe"

#define STROBE_BLOCK_MAGIC "StrobeB1"
#define STROBE_CAPTURE_VERSION 1
#define STROBE_PAYLOAD_MAX (64u << 20)
/* Maximum size of a compressed block after decompression. */
#define STROBE_COMPRESSED_MAX (2u << 20)

/* Flag in a block's type: its payload is one zstd frame that states its uncompressed size. */
#define STROBE_BLOCK_COMPRESSED 0x80000000u

enum {
    STROBE_BLOCK_METADATA = 1, /* JSON text: metadata of the session, with its configuration */
    STROBE_BLOCK_KINDS = 2,    /* kind definitions, see kind-table.h */
    STROBE_BLOCK_STRINGS = 3,  /* u32 id, u32 length (bit 31: a stack), bytes, padded to 4 */
    STROBE_BLOCK_TRACKS = 4,   /* struct strobe_stored_track each */
    STROBE_BLOCK_RECORDS = 5,  /* records as they were in the thread buffer */
    STROBE_BLOCK_SEAL = 6,     /* struct strobe_stored_seal: the window, or segment, is complete */
    STROBE_BLOCK_OPEN = 7,     /* like RECORDS, for spans that are open at a segment's end; later
                                  segments contain their ends */
    STROBE_BLOCK_RESERVE = 8,  /* empty: room for losses and seal if the disk becomes full */
    STROBE_BLOCK_CLOCK = 9, /* an array of StrobeClockPair, read while there was nothing to write */
    STROBE_BLOCK_RECOVERY = 10 /* empty: the following blocks come from a recovery; they are invalid
                                  if no seal follows */
};

struct strobe_block_header {
    char magic[8];
    uint32_t header_crc; /* CRC of this header, computed with 0 in this member */
    uint32_t payload_crc;
    uint32_t type;
    uint32_t payload_bytes;
    uint32_t window;        /* number of the window in its session, counted from 1 */
    uint32_t thread_buffer; /* STROBE_THREAD_BUFFER_NONE: not from a thread buffer */
    uint64_t sequence; /* sequence of the thread buffer's block: (thread buffer, sequence, offset)
                          identifies the payload; in METADATA: number of the segment, from 0 */
    uint32_t offset;   /* position of the payload in the thread buffer's block */
    uint32_t track;    /* track of the thread buffer's thread */
    uint64_t base;     /* ticks; begin of the records with short times is relative to it */
    StrobeClockPair pair; /* clock pair, read after everything in the block was recorded */
};

_Static_assert(sizeof(struct strobe_block_header) == 104, "capture format");

#define STROBE_THREAD_BUFFER_NONE UINT32_MAX

/* Size of a block of reserve, including its header. */
#define STROBE_RESERVE_BYTES 4096u

/* Payload of a SEAL block. A later seal replaces an earlier seal, except that a seal with
 * `continued` does not replace a seal without it. */
struct strobe_stored_seal {
    uint64_t begin_ticks;
    uint64_t end_ticks;
    uint32_t recovered; /* 1: recovery wrote the seal later, because the writer had ended too */
    uint32_t continued; /* 1: the window continues in the next segment */
    StrobeClockSummary clock; /* summary of the clock pairs that the writer read */
};

_Static_assert(sizeof(struct strobe_stored_seal) == 72, "capture format");

#endif
