/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the numbers of names in the enumerations. A name that is not in its enumeration gets a new
 * number and a row in the enumeration's table. */
#ifndef STROBE_DB_ENUM_IDS_H
#define STROBE_DB_ENUM_IDS_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct EnumIds EnumIds;

EnumIds *enum_ids_new(gint32 generation);
void enum_ids_free(EnumIds *ids);

/* Sets `id` to the number of the name. Returns FALSE if the enumeration does not have the name and
 * has no room for more names. */
gboolean enum_ids_of(EnumIds *ids, const char *enumeration, StrobeText name, gint64 *id);

/* Returns whether the enumeration has entries, from this generation or new ones. */
gboolean enum_ids_has(const EnumIds *ids, const char *enumeration);

/* Calls `entry` for all entries of the enumeration, in the order of their numbers. */
typedef void (*EnumEntry)(gpointer user, gint64 id, const char *name);
void enum_ids_each(EnumIds *ids, const char *enumeration, EnumEntry entry, gpointer user);

#endif
