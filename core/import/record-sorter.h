/* SPDX-License-Identifier: Apache-2.0 */
/* Puts records in the order of their ends, inner spans before outer ones, whatever order they come
 * in: in memory up to a limit, beyond it in sorted runs of a packed file without a name. */
#ifndef STROBE_CORE_RECORD_SORTER_H
#define STROBE_CORE_RECORD_SORTER_H

#include <glib.h>

typedef struct StrobeRecordSorter StrobeRecordSorter;

/* `folder` of the file, where none was set for the process (memory-limit.h); NULL: the system's.
 * Copied. `ends` (StrobeKindEnds) is lent until the end, and says of a kind what holds before its
 * first record. */
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
