/* SPDX-License-Identifier: Apache-2.0 */
/* Selects records of a table for `strobe show --where`. */
#ifndef STROBE_TOOLS_SHOW_WHERE_H
#define STROBE_TOOLS_SHOW_WHERE_H

#include "show-choice.h"

typedef struct StrobeWhere StrobeWhere;

/* Each text is FIELD=VALUE: a number, or a text with the wildcards * and ?; empty: the field is
 * absent. Conditions on one field are alternatives, those on different fields must all hold. NULL:
 * a text has another form, with the reason in *misuse (free it). */
StrobeWhere *strobe_where_new(char *const *texts, char **misuse);
void strobe_where_free(StrobeWhere *where); /* NULL is fine */

/* Finds the fields at the first record of a run. FALSE: an unknown name, see *misuse. */
gboolean strobe_where_bind(StrobeWhere *where, const StrobeColumnChoice *choice, char **misuse);
/* Does the record meet the conditions? */
gboolean strobe_where_holds(StrobeWhere *where, const StrobeShowSource *source,
                            const StrobeView *record);

/* The original text, for messages. Free it. */
char *strobe_where_text(const StrobeWhere *where);

#endif
