/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline strings, which the recorder writes when its table is full. Their number is unlimited. A
 * reader that keeps ids puts all of them into the string table; otherwise only the last ones are
 * remembered.
 */
#ifndef STROBE_CORE_INLINE_STRINGS_H
#define STROBE_CORE_INLINE_STRINGS_H

#include <json-glib/json-glib.h>
#include "string-table.h"

typedef struct StrobeInlineStrings StrobeInlineStrings;

/* Also resolves the names of the table's frames (frame-names.h). */
StrobeInlineStrings *strobe_inline_strings_new(StrobeStringTable *table, JsonObject *metadata);
void strobe_inline_strings_free(StrobeInlineStrings *strings);

/* From now on every string is put into the table. */
void strobe_inline_strings_keep(StrobeInlineStrings *strings);

/* Id of a string in the table itself. */
StrobeStringId strobe_inline_strings_intern(StrobeInlineStrings *strings, const char *bytes,
                                            gsize length);

/* Takes a string under the id that a record uses. */
void strobe_inline_strings_take(StrobeInlineStrings *strings, guint32 id, const char *bytes,
                                guint32 length, gboolean is_stack);

/* Ids below this number are in the table as stored; other ids of records are not in it. */
guint32 strobe_inline_strings_n_stored(const StrobeInlineStrings *strings);

/* Was it taken and not forgotten yet? */
gboolean strobe_inline_strings_knows(const StrobeInlineStrings *strings, guint32 id);

/* The table's id of a kept string, 0 if it is forgotten. Any other id of a record stays
 * unchanged, or becomes 0 if it is not stored. */
guint32 strobe_inline_strings_resolve(const StrobeInlineStrings *strings, guint32 id);

/* Text and frames of such an id, or of one that was not kept; the latter live until the next
 * take. If strings are kept, other threads may call at the same time. */
StrobeText strobe_inline_strings_text(const StrobeInlineStrings *strings, guint32 id);
gsize strobe_inline_strings_stack(const StrobeInlineStrings *strings, guint32 id,
                                  const StrobeStringId **frames);

#endif
