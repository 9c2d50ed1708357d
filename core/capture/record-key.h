/* SPDX-License-Identifier: Apache-2.0 */
/* What records are put in order by: their ends, inner spans before outer ones. */
#ifndef STROBE_CORE_RECORD_KEY_H
#define STROBE_CORE_RECORD_KEY_H

#include <glib.h>
#include "capture-format.h"

/* What a record says of itself, once its head and times are filled in: the same as was said when it
 * was added. */
typedef struct StrobeRecordKey {
    gint64 begin, end;
    guint32 words;
} StrobeRecordKey;

#define STROBE_SORTED_KINDS 256u

/* By kind: 1 for spans, which have an end of their own. */
typedef guint8 StrobeKindEnds[STROBE_SORTED_KINDS];

static inline StrobeRecordKey strobe_record_key(const guint8 *ends, const guint64 *record)
{
    guint has_end = ends[strobe_record_kind(record[0]) % STROBE_SORTED_KINDS];

    return (StrobeRecordKey){.begin = (gint64)record[1],
                             .end = (gint64)record[1 + has_end],
                             .words = record[0] & STROBE_RECORD_WORDS_MASK};
}

/* FALSE of two with the same times: the one that came first goes first. */
static inline gboolean strobe_record_is_before(const StrobeRecordKey *a, const StrobeRecordKey *b)
{
    return a->end < b->end || (a->end == b->end && a->begin > b->begin);
}

#endif
