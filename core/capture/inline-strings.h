/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline strings, which the recorder writes when its table is full. Their number is unlimited. A
 * reader that keeps ids puts all inline strings into the string table; any other reader stores only
 * the most recent strings.
 */
#ifndef STROBE_CORE_INLINE_STRINGS_H
#define STROBE_CORE_INLINE_STRINGS_H

#include <json-glib/json-glib.h>
#include "string-table.h"

typedef struct StrobeInlineStrings StrobeInlineStrings;

/* Makes an empty set of inline strings, and resolves the names of the table's frames
 * (frame-names.h). */
StrobeInlineStrings *strobe_inline_strings_new(StrobeStringTable *table, JsonObject *metadata);
void strobe_inline_strings_free(StrobeInlineStrings *strings);

/* Makes strobe_inline_strings_take put every further string into the table. */
void strobe_inline_strings_keep(StrobeInlineStrings *strings);

/* Adds the text to the table, unless the table contains it, and returns its id in the table. */
StrobeStringId strobe_inline_strings_intern(StrobeInlineStrings *strings, const char *bytes,
                                            gsize length);

/* Stores an inline string with the id that a record will use. */
void strobe_inline_strings_take(StrobeInlineStrings *strings, guint32 id, const char *bytes,
                                guint32 length, gboolean is_stack);

/* Returns the number of ids in the capture's table: only string ids below this number are in the
 * table. */
guint32 strobe_inline_strings_n_stored(const StrobeInlineStrings *strings);

/* Is the inline string with this id stored, and not yet overwritten? */
gboolean strobe_inline_strings_knows(const StrobeInlineStrings *strings, guint32 id);

/* Converts an id in a record: the id of a kept inline string to its id in the table, or 0 if the
 * string is not known. Any other id stays unchanged, or becomes 0 if the capture does not contain
 * it. */
guint32 strobe_inline_strings_resolve(const StrobeInlineStrings *strings, guint32 id);

/* Return the text or the frames of a resolved id, or of an inline string that is not in the table.
 * The text or frames of such an inline string are valid until the next strobe_inline_strings_take.
 * If strings are kept, several threads may call this at the same time. */
StrobeText strobe_inline_strings_text(const StrobeInlineStrings *strings, guint32 id);
gsize strobe_inline_strings_stack(const StrobeInlineStrings *strings, guint32 id,
                                  const StrobeStringId **frames);

#endif
