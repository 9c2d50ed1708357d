/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings that were written beside their records, because the recorder's table was full. Their
 * number has no limit. A reader that keeps ids puts them all into the string table; else only the
 * last ones are remembered.
 */
#ifndef STROBE_CORE_INLINE_STRINGS_H
#define STROBE_CORE_INLINE_STRINGS_H

#include "string-table.h"

typedef struct StrobeInlineStrings StrobeInlineStrings;

/* Also resolves the names of the table's frames (frame-names.h). */
StrobeInlineStrings *strobe_inline_strings_new(StrobeStringTable *table);
void strobe_inline_strings_free(StrobeInlineStrings *strings);

/* From now on every string goes into the table. */
void strobe_inline_strings_keep(StrobeInlineStrings *strings);

/* Id of a string in the table itself. */
StrobeStringId strobe_inline_strings_intern(StrobeInlineStrings *strings, const char *bytes,
                                            gsize length);

/* Takes a string under the id that a record names. */
void strobe_inline_strings_take(StrobeInlineStrings *strings, guint32 id, const char *bytes,
                                guint32 length, gboolean is_stack);

/* Ids below are of the table as it was stored, all other ones of records are not in it. */
guint32 strobe_inline_strings_n_stored(const StrobeInlineStrings *strings);

/* Was it taken, and is it not forgotten yet? */
gboolean strobe_inline_strings_knows(const StrobeInlineStrings *strings, guint32 id);

/* The table's id of a kept string, 0 if it is forgotten; any other id of a record as it is, 0 if it
 * is not stored. */
guint32 strobe_inline_strings_resolve(const StrobeInlineStrings *strings, guint32 id);

/* Text and frames by such an id, or by one that was not kept; these live until the next take. Where
 * strings are kept, other threads may call meanwhile. */
StrobeText strobe_inline_strings_text(const StrobeInlineStrings *strings, guint32 id);
gsize strobe_inline_strings_stack(const StrobeInlineStrings *strings, guint32 id,
                                  const StrobeStringId **frames);

#endif
