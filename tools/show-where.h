/* SPDX-License-Identifier: Apache-2.0 */
/* Which records of a table `strobe show --where` wants. */
#ifndef STROBE_TOOLS_SHOW_WHERE_H
#define STROBE_TOOLS_SHOW_WHERE_H

#include "show-choice.h"

typedef struct StrobeWhere StrobeWhere;

/* Each text is FIELD=VALUE: a number, or a text, which may have * and ?; nothing: the field is
 * absent. Conditions on one field are alternatives, those on different fields must all hold. NULL:
 * a text has another form, and *misuse says so (free it). */
StrobeWhere *strobe_where_new(char *const *texts, char **misuse);
void strobe_where_free(StrobeWhere *where); /* NULL is fine */

/* Finds the fields, at the first record of a run. FALSE: there is none of a name, see *misuse. */
gboolean strobe_where_bind(StrobeWhere *where, const StrobeColumnChoice *choice, char **misuse);
/* Do the conditions hold of this record? */
gboolean strobe_where_holds(StrobeWhere *where, const StrobeShowSource *source,
                            const StrobeView *record);

/* As it was written, for messages. Free it. */
char *strobe_where_text(const StrobeWhere *where);

#endif
