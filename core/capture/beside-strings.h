/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings that were written beside their records, because the recorder's table was full. Their
 * number has no limit. Whoever keeps ids has them put into the string table; for others the last
 * ones are enough.
 */
#ifndef STROBE_CORE_BESIDE_STRINGS_H
#define STROBE_CORE_BESIDE_STRINGS_H

#include "string-table.h"

typedef struct StrobeBesideStrings StrobeBesideStrings;

/* Has the table's frames named as they are to be told (frame-names.h). */
StrobeBesideStrings *strobe_beside_strings_new(StrobeStringTable *table);
void strobe_beside_strings_free(StrobeBesideStrings *strings);

/* From now on every string goes into the table. */
void strobe_beside_strings_keep(StrobeBesideStrings *strings);

/* Id of a string in the table itself. */
StrobeStringId strobe_beside_strings_intern(StrobeBesideStrings *strings, const char *bytes,
                                            gsize length);

/* Takes a string under the id that a record names. */
void strobe_beside_strings_take(StrobeBesideStrings *strings, guint32 id, const char *bytes,
                                guint32 length, gboolean is_stack);

/* Ids below are of the table as it was stored, all other ones of records are not in it. */
guint32 strobe_beside_strings_n_stored(const StrobeBesideStrings *strings);

/* Was it taken, and is it not forgotten yet? */
gboolean strobe_beside_strings_knows(const StrobeBesideStrings *strings, guint32 id);

/* The table's id of a kept string, 0 if it is forgotten; any other id of a record as it is, 0 if it
 * is not stored. */
guint32 strobe_beside_strings_resolve(const StrobeBesideStrings *strings, guint32 id);

/* Text and frames by such an id, or by one that was not kept; these live until the next take. Where
 * strings are kept, other threads may call meanwhile. */
StrobeText strobe_beside_strings_text(const StrobeBesideStrings *strings, guint32 id);
gsize strobe_beside_strings_stack(const StrobeBesideStrings *strings, guint32 id,
                                  const StrobeStringId **frames);

#endif
