/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capture file: a sequence of blocks, each with its own framing and checksums.
 *
 * Every block can be found (magic), checked and understood by itself: its header names its lane,
 * track and window and carries a clock pair. Little endian. Blocks of definitions (facts, kinds,
 * tracks, strings) come before the first record that needs them. docs/capture.md is the description
 * for readers.
 */
#ifndef STROBE_CORE_CAPTURE_FORMAT_H
#define STROBE_CORE_CAPTURE_FORMAT_H

#include <stdint.h>
#include <strobe/record.h>
#include "clock-trend.h"

/* Names of the newest piece of a capture, of one that was put aside (from 1), and of one that is to
 * be the newest: without a head yet, or a dump that is being written. */
#define STROBE_CAPTURE_NAME "capture.strobe"
#define STROBE_PIECE_FORMAT "capture.%05u.strobe"
#define STROBE_CAPTURE_UNNAMED ".new"
#define STROBE_PIECE_NEW STROBE_CAPTURE_NAME STROBE_CAPTURE_UNNAMED
/* What others recorded in the same window, beside the pieces; see foreign-data.h. */
#define STROBE_FOREIGN_NAME "capture.foreign.strobe"

#define STROBE_BLOCK_MAGIC "StrobeB1"
#define STROBE_CAPTURE_VERSION 1
#define STROBE_PAYLOAD_MAX (64u << 20)

enum {
    STROBE_BLOCK_FACTS = 1,    /* JSON text: the session's facts and the configuration */
    STROBE_BLOCK_KINDS = 2,    /* kind definitions, see kind-table.h */
    STROBE_BLOCK_STRINGS = 3,  /* u32 id, u32 length (bit 31: a stack), bytes, padded to 4 */
    STROBE_BLOCK_TRACKS = 4,   /* struct strobe_stored_track each */
    STROBE_BLOCK_RECORDS = 5,  /* records as they lay in the lane */
    STROBE_BLOCK_SEAL = 6,     /* struct strobe_stored_seal: the window, or piece, is complete */
    STROBE_BLOCK_OPEN = 7,     /* RECORDS of spans open at a piece's end; the next ones tell more */
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
    uint32_t window;      /* number of the window in its session, from 1 */
    uint32_t lane;        /* STROBE_LANE_NONE: not from a lane */
    uint64_t sequence;    /* of the lane's block: (lane, sequence, offset) names these bytes; FACTS:
                             the number of the piece, from 0 */
    uint32_t offset;      /* of the payload in the lane's block */
    uint32_t track;       /* of the lane's thread */
    uint64_t base;        /* what the begins of short times count from, ticks */
    StrobeClockPair pair; /* taken after all that the block holds was recorded */
};

_Static_assert(sizeof(struct strobe_block_header) == 104, "capture format");

#define STROBE_LANE_NONE UINT32_MAX

/* A block of reserve with its header. */
#define STROBE_RESERVE_BYTES 4096u

struct strobe_stored_track {
    uint32_t id;
    uint32_t type;
    uint32_t clock; /* STROBE_CLOCK_*; from STROBE_CLOCK_OF_TRACK on, less that: the id of the track
                       whose clock it is, 0: its own */
    int32_t device;
    uint64_t pid;
    uint64_t number;
    uint32_t name; /* string ids */
    uint32_t group;
};

_Static_assert(sizeof(struct strobe_stored_track) == 40, "capture format");

/* A later seal replaces an earlier one, but one that says "continued" no other. */
struct strobe_stored_seal {
    uint64_t begin_ticks;
    uint64_t end_ticks;
    uint32_t recovered;       /* 1: by a later run, after the program died */
    uint32_t continued;       /* 1: the window goes on in the next piece */
    StrobeClockSummary clock; /* what the writer saw of it */
};

_Static_assert(sizeof(struct strobe_stored_seal) == 72, "capture format");

/* A kind's definition: this, then the NUL-terminated texts name and summary, then for each field
 * one byte of type and the texts name, unit and summary; padded to 8. */
struct strobe_stored_kind {
    uint32_t bytes; /* of the whole definition */
    uint32_t id;
    uint32_t shape;
    uint32_t n_fields;
};

/* An open span that nobody ended (STROBE_RECORD_UNFINISHED): header, begin, the time at which the
 * thread or the window ended, the track, and as its fields one word, the span's argument. */
#define STROBE_UNFINISHED_WORDS 5u

/* Kind id of a string written beside its record, when the string table is full. Its header's name
 * is the string's id (bit 31 set), its fields a u32 length (bit 31: a stack) and the bytes. */
#define STROBE_KIND_STRING 0x7fffu
#define STROBE_STRING_BESIDE 0x80000000u
#define STROBE_STRING_OF_SPAN 0x40000000u /* besides: dealt out with an unfinished span */
#define STROBE_STRING_IS_STACK 0x80000000u

/* In word 0, above the kind: the span's times are one word. Its low half is the begin less the
 * block's base, its high half the duration. Written by a lane where both fit. */
#define STROBE_RECORD_SHORT_TIMES UINT64_C(0x80000000)

static inline uint32_t strobe_record_kind(uint64_t head)
{
    return (uint32_t)(head >> 16) & 0x7fffu;
}

/* The span's times as one word; 0 in *fits where they are no such. */
static inline uint64_t strobe_short_times(uint64_t base, uint64_t begin, uint64_t end, int *fits)
{
    uint64_t after = begin - base, lasts = end - begin;

    *fits = (after | lasts) >> 32 == 0;
    return lasts << 32 | after;
}

static inline uint64_t strobe_short_begin(uint64_t base, uint64_t times)
{
    return base + (uint32_t)times;
}

static inline uint64_t strobe_short_end(uint64_t base, uint64_t times)
{
    return strobe_short_begin(base, times) + (times >> 32);
}

#endif
