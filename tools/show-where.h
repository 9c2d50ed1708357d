/* SPDX-License-Identifier: Apache-2.0 */
/* Selects records of a table for `strobe show --where`. */
#ifndef STROBE_TOOLS_SHOW_WHERE_H
#define STROBE_TOOLS_SHOW_WHERE_H

#include "show-choice.h"

typedef struct StrobeWhere StrobeWhere;

/* Reads the conditions. Each text is FIELD=VALUE. VALUE is a number or a text, in which * and ? are
 * wildcards; an empty VALUE means that the field is absent. A record is selected if it meets, for
 * each field in the conditions, at least one of the conditions on that field. NULL: a text has
 * another form; *misuse has a message (free it). */
StrobeWhere *strobe_where_new(char *const *texts, char **misuse);
void strobe_where_free(StrobeWhere *where); /* NULL is fine */

/* Finds the fields of the conditions. Call this at the first record of a run. FALSE: a name is
 * unknown; *misuse has a message (free it). */
gboolean strobe_where_bind(StrobeWhere *where, const StrobeColumnChoice *choice, char **misuse);
/* Whether the record meets the conditions. */
gboolean strobe_where_holds(StrobeWhere *where, const StrobeShowSource *source,
                            const StrobeView *record);

/* Returns the original texts of the conditions, for messages. Free it. */
char *strobe_where_text(const StrobeWhere *where);

#endif
