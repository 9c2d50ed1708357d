/* SPDX-License-Identifier: Apache-2.0 */
/* Strings and stacks of a reader: those of the capture under their own ids, new ones behind them.
 */
#ifndef STROBE_CORE_STRING_TABLE_H
#define STROBE_CORE_STRING_TABLE_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct StrobeStringTable StrobeStringTable;

/* Ids below `first_free` are for strobe_string_table_set, the others are dealt out. */
StrobeStringTable *strobe_string_table_new(guint32 first_free);
void strobe_string_table_free(StrobeStringTable *table);

/* Gives a captured id its bytes (copied); a second time is ignored. Ids from `first_free` on may be
 * set too, one after the other, before the first id is dealt out. */
void strobe_string_table_set(StrobeStringTable *table, guint32 id, const char *bytes, gsize length,
                             gboolean is_stack);
/* Id of the bytes. Any thread, once nothing is set any more. */
guint32 strobe_string_table_intern(StrobeStringTable *table, const char *bytes, gsize length,
                                   gboolean is_stack);

/* Number of extra probe steps needed to find each id once. */
guint64 strobe_string_table_steps(StrobeStringTable *table);
/* One more than the highest id that has bytes. */
guint32 strobe_string_table_n_ids(const StrobeStringTable *table);
/* Appends to `frames` what a stack is to have in place of a frame. */
typedef void (*StrobeFrameExpand)(gpointer user, StrobeStringId frame, GArray *frames);
/* Every stack has the frames that `expand` makes of its frames; it may intern strings. Before
 * anybody has been given frames. */
void strobe_string_table_expand_frames(StrobeStringTable *table, StrobeFrameExpand expand,
                                       gpointer user);

/* All that was stored is set: the least id that none of it has, as each that is interned from now
 * on. Frames of stacks that are none of them become 0. */
guint32 strobe_string_table_end_stored(StrobeStringTable *table);

/* Any thread, while others intern: what an id stands for stays where it is. */
StrobeText strobe_string_table_text(const StrobeStringTable *table, guint32 id);
gsize strobe_string_table_stack(const StrobeStringTable *table, guint32 id,
                                const StrobeStringId **frames);

#endif
