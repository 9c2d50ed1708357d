/* SPDX-License-Identifier: Apache-2.0 */
/* Records as they lie in a thread's block and in a capture. docs/capture.md describes them for
 * readers. libc only. */
#ifndef STROBE_CORE_RECORD_FORMAT_H
#define STROBE_CORE_RECORD_FORMAT_H

#include <stdint.h>
#include <strobe/record.h>

/* A track, as the pool and the capture hold it. */
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

/* A span that was never ended (STROBE_RECORD_UNFINISHED): header, begin, the time at which the
 * thread or the window ended, the track, and as its fields one word, the span's argument. */
#define STROBE_UNFINISHED_WORDS 5u

/* Kind id of a string written beside its record, when the string table is full. Its header's name
 * is the string's id (bit 31 set), its fields a u32 length (bit 31: a stack) and the bytes. */
#define STROBE_KIND_STRING 0x7fffu
#define STROBE_STRING_INLINE 0x80000000u
#define STROBE_STRING_OF_SPAN 0x40000000u /* besides: dealt out with an unfinished span */
#define STROBE_STRING_IS_STACK 0x80000000u

/* In word 0, above the kind: the span's times are one word. Its low half is the begin less the
 * block's base, its high half the duration. Written by a thread buffer where both fit. */
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
