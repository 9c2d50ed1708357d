/* SPDX-License-Identifier: Apache-2.0 */
/* Format of records in a thread's block and in a capture. docs/capture.md describes it for
 * readers. libc only. */
#ifndef STROBE_CORE_RECORD_FORMAT_H
#define STROBE_CORE_RECORD_FORMAT_H

#include <stdint.h>
#include <strobe/record.h>

/* A track, as stored in the pool and the capture. */
struct strobe_stored_track {
    uint32_t id;
    uint32_t type;
    uint32_t clock; /* STROBE_CLOCK_*; for the clock of a track: STROBE_CLOCK_OF_TRACK plus the id
                       of that track, or plus 0 for this track itself */
    int32_t device;
    uint64_t pid;
    uint64_t number;
    uint32_t name; /* string ids */
    uint32_t group;
};

_Static_assert(sizeof(struct strobe_stored_track) == 40, "capture format");

/* A span without a recorded end (STROBE_RECORD_UNFINISHED): header, begin, the time at which the
 * thread or the window ended, the track, and one word as its fields, the span's argument. */
#define STROBE_UNFINISHED_WORDS 5u

/* Kind id of an inline string, written when the string table is full. Its header's name is the
 * string's id (bit 31 set); its fields are a u32 length (bit 31: a stack) and the bytes. */
#define STROBE_KIND_STRING 0x7fffu
#define STROBE_STRING_INLINE 0x80000000u
/* Bit that is set, in addition to bit 31, in the id of an inline string that is the name of an
 * unfinished span. */
#define STROBE_STRING_OF_SPAN 0x40000000u
#define STROBE_STRING_IS_STACK 0x80000000u

/* Bit in word 0, above the kind: the span's times are in one word. The low half is the begin minus
 * the block's base, the high half the duration. A thread buffer uses this form if both numbers
 * fit. */
#define STROBE_RECORD_SHORT_TIMES UINT64_C(0x80000000)

static inline uint32_t strobe_record_kind(uint64_t head)
{
    return (uint32_t)(head >> 16) & 0x7fffu;
}

/* Returns the span's times in one word; *fits is 0 if they do not fit. */
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
