/* SPDX-License-Identifier: Apache-2.0 */
/* Finds texts in STRING_IDS, and names in the enumerations of a database. */
#ifndef STROBE_ASCEND_DB_TEXTS_H
#define STROBE_ASCEND_DB_TEXTS_H

#include "ascend-db-emit.h"

Texts *texts_new(Import *import);
void texts_free(Texts *texts);

/* Sets the host's string id of the text with this id; 0, and returns FALSE, if there is no such
 * text. The empty text has the id NO_STRING. `absent` (may be NULL) is a text for which the result
 * is 0. */
gboolean texts_find(Texts *texts, gint64 id, const char *absent, StrobeStringId *string);

/* Returns a copy of the text, which the caller frees; NULL if there is none. */
char *texts_dup(Texts *texts, gint64 id);

/* Returns the name of an enumeration's entry: from this database, or else the one of its
 * generation; NULL if neither has it. Valid as long as `texts`. */
const char *texts_enum(Texts *texts, const char *enumeration, gint64 id);

#endif
