/* SPDX-License-Identifier: Apache-2.0 */
/* Puts records in the order of their ends, inner spans before outer ones, whatever order they come
 * in: in memory up to a limit, beyond it in sorted runs of a packed file without a name. */
#ifndef STROBE_CORE_RECORD_SORTER_H
#define STROBE_CORE_RECORD_SORTER_H

#include <glib.h>

typedef struct StrobeRecordSorter StrobeRecordSorter;

/* What a record says of itself, once it is filled in: the same as was said when it was added. */
typedef struct StrobeRecordKey {
    gint64 begin, end;
    guint32 words;
} StrobeRecordKey;
typedef StrobeRecordKey (*StrobeRecordKeyOf)(gconstpointer user, const guint64 *record);

/* `folder` of the file, where none was set for the process (resources.h); NULL: the system's.
 * Copied. `key_of` needs the first three words of a record at most, and fewer if it has fewer. */
StrobeRecordSorter *strobe_record_sorter_new(const char *folder, gsize memory_bytes,
                                             StrobeRecordKeyOf key_of, gconstpointer user);
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
