/* SPDX-License-Identifier: Apache-2.0 */
/* Strings and stacks of a reader. The capture's strings keep their ids; new strings get the ids
 * after these. */
#ifndef STROBE_CORE_STRING_TABLE_H
#define STROBE_CORE_STRING_TABLE_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct StrobeStringTable StrobeStringTable;

/* Makes an empty table. Ids below `first_free` are for strobe_string_table_set; the table assigns
 * all other ids. */
StrobeStringTable *strobe_string_table_new(guint32 first_free);
void strobe_string_table_free(StrobeStringTable *table);

/* Sets the bytes (copied) of a captured id; ignores a second call. Ids from `first_free` on may
 * be set too, in order, before the table assigns the first id. */
void strobe_string_table_set(StrobeStringTable *table, guint32 id, const char *bytes, gsize length,
                             gboolean is_stack);
/* Returns the id of the bytes; adds them if necessary. Any thread, after the last
 * strobe_string_table_set. */
guint32 strobe_string_table_intern(StrobeStringTable *table, const char *bytes, gsize length,
                                   gboolean is_stack);

/* Returns the number of probe steps, beyond one for each id, that a search for each id takes
 * together. */
guint64 strobe_string_table_steps(StrobeStringTable *table);
/* Returns one more than the highest id that has bytes. */
guint32 strobe_string_table_n_ids(const StrobeStringTable *table);
/* Appends to `frames` the frames that replace a frame of a stack. */
typedef void (*StrobeFrameExpand)(gpointer user, StrobeStringId frame, GArray *frames);
/* Replaces the frames of every stack by the frames that `expand` appends; `expand` may intern
 * strings. Call it before any frames are read. */
void strobe_string_table_expand_frames(StrobeStringTable *table, StrobeFrameExpand expand,
                                       gpointer user);

/* Call it when all stored strings are set. Returns the lowest free id, from which on the table
 * assigns ids. Unknown frames of stacks become 0. */
guint32 strobe_string_table_end_stored(StrobeStringTable *table);

/* Returns the text of an id. Any thread, also while other threads intern, because the bytes of an
 * id do not move. */
StrobeText strobe_string_table_text(const StrobeStringTable *table, guint32 id);
gsize strobe_string_table_stack(const StrobeStringTable *table, guint32 id,
                                const StrobeStringId **frames);

#endif
