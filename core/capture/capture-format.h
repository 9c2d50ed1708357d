/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capture file: a sequence of blocks, each with its own framing and checksums.
 *
 * Every block can be found (magic), checked and understood by itself: its header names its thread
 * buffer, track and window and carries a clock pair. Little endian. Blocks of definitions
 * (metadata, kinds, tracks, strings) come before the first record that needs them. docs/capture.md
 * is the description for readers.
 */
#ifndef STROBE_CORE_CAPTURE_FORMAT_H
#define STROBE_CORE_CAPTURE_FORMAT_H

#include <stdint.h>
#include <strobe/record.h>
#include "clock-trend.h"
#include "record-format.h"

/* Names of the newest segment of a capture, of one that was put aside (from 1), and of one that is
 * to be the newest: without a head yet, or a dump that is being written. */
#define STROBE_CAPTURE_NAME "capture.strobe"
#define STROBE_SEGMENT_FORMAT "capture.%05u.strobe"
#define STROBE_CAPTURE_UNNAMED ".new"
#define STROBE_SEGMENT_NEW STROBE_CAPTURE_NAME STROBE_CAPTURE_UNNAMED
/* What others recorded in the same window, beside the segments; see external-data.h. */
#define STROBE_EXTERNAL_NAME "capture.external.strobe"

#define STROBE_BLOCK_MAGIC "StrobeB1"
#define STROBE_CAPTURE_VERSION 1
#define STROBE_PAYLOAD_MAX (64u << 20)
/* Plain bytes of a compressed block: what unpacking it may take. */
#define STROBE_COMPRESSED_MAX (2u << 20)

/* In a block's type: its payload is one frame of zstd that states its plain size. */
#define STROBE_BLOCK_COMPRESSED 0x80000000u

enum {
    STROBE_BLOCK_METADATA = 1, /* JSON text: the session's metadata and the configuration */
    STROBE_BLOCK_KINDS = 2,    /* kind definitions, see kind-table.h */
    STROBE_BLOCK_STRINGS = 3,  /* u32 id, u32 length (bit 31: a stack), bytes, padded to 4 */
    STROBE_BLOCK_TRACKS = 4,   /* struct strobe_stored_track each */
    STROBE_BLOCK_RECORDS = 5,  /* records as they lay in the thread buffer */
    STROBE_BLOCK_SEAL = 6,     /* struct strobe_stored_seal: the window, or segment, is complete */
    STROBE_BLOCK_OPEN = 7, /* RECORDS of spans open at a segment's end; the next ones tell more */
    STROBE_BLOCK_RESERVE = 8,  /* nothing: room for losses and seal, should the disk be full */
    STROBE_BLOCK_CLOCK = 9,    /* StrobeClockPair each: taken when there was nothing to write */
    STROBE_BLOCK_RECOVERY = 10 /* nothing: what follows is a recovery's, void without a seal */
};

struct strobe_block_header {
    char magic[8];
    uint32_t header_crc; /* of this header with 0 in this place */
    uint32_t payload_crc;
    uint32_t type;
    uint32_t payload_bytes;
    uint32_t window;        /* number of the window in its session, from 1 */
    uint32_t thread_buffer; /* STROBE_THREAD_BUFFER_NONE: not from a thread buffer */
    uint64_t sequence;      /* of the thread buffer's block: (thread buffer, sequence, offset)
                               identifies these bytes; METADATA: number of the segment, from 0 */
    uint32_t offset;        /* of the payload in the thread buffer's block */
    uint32_t track;         /* of the thread buffer's thread */
    uint64_t base;          /* what the begins of short times count from, ticks */
    StrobeClockPair pair;   /* taken after all that the block holds was recorded */
};

_Static_assert(sizeof(struct strobe_block_header) == 104, "capture format");

#define STROBE_THREAD_BUFFER_NONE UINT32_MAX

/* A block of reserve with its header. */
#define STROBE_RESERVE_BYTES 4096u

/* A later seal replaces an earlier one, but a seal with `continued` replaces none without it. */
struct strobe_stored_seal {
    uint64_t begin_ticks;
    uint64_t end_ticks;
    uint32_t recovered;       /* 1: by a later run: the writer had ended too */
    uint32_t continued;       /* 1: the window goes on in the next segment */
    StrobeClockSummary clock; /* what the writer saw of it */
};

_Static_assert(sizeof(struct strobe_stored_seal) == 72, "capture format");

#endif
