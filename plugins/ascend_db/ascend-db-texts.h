/* SPDX-License-Identifier: Apache-2.0 */
/* STRING_IDS and the enumerations of a database. */
#ifndef STROBE_ASCEND_DB_TEXTS_H
#define STROBE_ASCEND_DB_TEXTS_H

#include "ascend-db-emit.h"

Texts *texts_new(Import *import);
void texts_free(Texts *texts);

/* String id of the host for the text with this id, 0 and FALSE if there is none. The text without
 * characters has the id NO_STRING. `absent` (may be NULL) is a text that gives 0. */
gboolean texts_find(Texts *texts, gint64 id, const char *absent, StrobeStringId *string);

/* The bytes of the text, to be freed; NULL if there is none. */
char *texts_dup(Texts *texts, gint64 id);

/* Name of an enumeration's entry: as this database says, else as its generation has it, NULL if
 * neither knows it. Valid as long as `texts`. */
const char *texts_enum(Texts *texts, const char *enumeration, gint64 id);

#endif
