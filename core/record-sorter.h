/* SPDX-License-Identifier: Apache-2.0 */
/* Puts records in the order of their ends, inner spans before outer ones, whatever order they come
 * in: in memory up to a limit, beyond it in sorted runs of a packed file without a name. */
#ifndef STROBE_CORE_RECORD_SORTER_H
#define STROBE_CORE_RECORD_SORTER_H

#include <glib.h>
#include "capture-format.h"

typedef struct StrobeRecordSorter StrobeRecordSorter;

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

/* `folder` of the file, where none was set for the process (resources.h); NULL: the system's.
 * Copied. `ends` is lent until the end, and says of a kind what holds before its first record. */
StrobeRecordSorter *strobe_record_sorter_new(const char *folder, gsize memory_bytes,
                                             const guint8 *ends);
void strobe_record_sorter_free(StrobeRecordSorter *sorter);

/* Room for a record of `words` (at most 128), to be filled in before the next call. NULL with the
 * error set when the file cannot be written. Equal times keep their order. */
guint64 *strobe_record_sorter_add(StrobeRecordSorter *sorter, gint64 begin, gint64 end,
                                  guint32 words, GError **error);

/* Next record in order, valid until the next call; NULL at the end or on an error. The first call
 * ends the adding. */
const guint64 *strobe_record_sorter_next(StrobeRecordSorter *sorter, guint32 *words,
                                         GError **error);

#endif
