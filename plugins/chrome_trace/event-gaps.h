/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands between the values of an event, learned: keys, blanks and punctuation are the same
 * from event to event, so that one comparison of some bytes replaces their scan.
 *
 * A gap reaches from an event's brace, or from behind a value, to the next value or behind the
 * event. It is only followed from the gap before it, and is learned where the scan went; so what
 * is recognized is what the scan would find there.
 */
#ifndef STROBE_CHROME_TRACE_EVENT_GAPS_H
#define STROBE_CHROME_TRACE_EVENT_GAPS_H

#include "slice.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define GAP_BYTES 64u
#define GAPS_MAX (SLICE_TAGS / 2) /* there are two tables */
#define GAP_NEXT_MAX 8u

/* What follows a gap. */
enum {
    GAP_MEMBER = 0, /* the value of a member that the event has a place for */
    GAP_OTHER = 1,  /* of another member */
    GAP_ARGUMENT = 2,
    GAP_END = 3 /* the event is over */
};

/* What a scan found between two values. */
typedef struct GapEnd {
    guint8 type;
    guint8 in_args; /* the value is an argument's */
    guint16 member; /* offset of its place in the event */
    Slice key;
} GapEnd;

typedef struct Gap {
    char text[GAP_BYTES];
    guint32 mask, more_mask; /* bits of the text's bytes, and of those beyond 32 */
    guint16 length, key_at, key_length, member;
    guint8 type, in_args, has_escapes;
    guint8 n_next;
    guint16 next[GAP_NEXT_MAX];
} Gap;

typedef struct GapTable {
    Gap gaps[GAPS_MAX]; /* 0 is what comes before an event */
    guint n;
} GapTable;

void gap_table_init(GapTable *table);
/* The gap from `p` to `end` that follows `from`; its number, 0 if it is not kept. */
guint gap_table_learn(GapTable *table, guint from, const char *p, const char *end,
                      const GapEnd *found);

#if defined(__SSE2__)
/* A bit for each of 32 bytes that differ. */
static inline guint32 gap_difference(const char *a, const char *b)
{
    const __m128i *x = (const __m128i *)(const void *)a, *y = (const __m128i *)(const void *)b;
    __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(x), _mm_loadu_si128(y));
    __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128(x + 1), _mm_loadu_si128(y + 1));

    return ~((guint32)_mm_movemask_epi8(low) | (guint32)_mm_movemask_epi8(high) << 16);
}
#endif

/* GAP_BYTES may be read at `p`. No loop whose length is to be guessed. */
static inline gboolean gap_is_at(const Gap *gap, const char *p)
{
#if defined(__SSE2__)
    if (gap_difference(gap->text, p) & gap->mask)
        return FALSE;
    return gap->length <= 32 || !(gap_difference(gap->text + 32, p + 32) & gap->more_mask);
#else
    return memcmp(gap->text, p, gap->length) == 0;
#endif
}

/* Which of the known gaps stands at `p` behind `from`; 0 if none does. */
static inline guint gap_table_find(const GapTable *table, guint from, const char *p)
{
    const Gap *gap = &table->gaps[from];

    for (guint i = 0; i < gap->n_next; i++)
        if (gap_is_at(&table->gaps[gap->next[i]], p))
            return gap->next[i];
    return 0;
}

#endif
