/* SPDX-License-Identifier: Apache-2.0 */
/* Finds texts in STRING_IDS, and names in the enumerations of a database. */
#ifndef STROBE_ASCEND_DB_TEXTS_H
#define STROBE_ASCEND_DB_TEXTS_H

#include "ascend-db-emit.h"

Texts *texts_new(Import *import);
void texts_free(Texts *texts);

/* Sets `string` to the host's string id of the text with this id. If there is no such text, sets
 * `string` to 0 and returns FALSE. NO_STRING is the id of the empty text. If the text equals
 * `absent` (may be NULL), sets `string` to 0. */
gboolean texts_find(Texts *texts, gint64 id, const char *absent, StrobeStringId *string);

/* Returns a copy of the text, which the caller frees; NULL: there is no such text. */
char *texts_dup(Texts *texts, gint64 id);

/* Returns the name of an enumeration's entry from this database or, if the database does not have
 * it, from the table for the database's generation. Returns NULL if neither has the entry. Valid as
 * long as `texts`. */
const char *texts_enum(Texts *texts, const char *enumeration, gint64 id);

#endif
