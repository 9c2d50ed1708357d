/* SPDX-License-Identifier: Apache-2.0 */
/* What operators are linked to: values by the number of the operator, in the order in which they
 * were added. A limited number is kept in memory, more go into a table of the scratch database. */
#ifndef STROBE_DB_LINKS_H
#define STROBE_DB_LINKS_H

#include "out-db.h"

typedef struct Links Links;

Links *links_new(OutDb *out);
void links_free(Links *links);

void links_add(Links *links, guint32 op, gint64 value);

/* No more are added. */
void links_sort(Links *links);
/* The next value of the operator, FALSE if it has no more. Operators are asked for in rising order.
 * Meanwhile no row may go into the scratch database; a failure to read it is the databases'. */
gboolean links_next(Links *links, guint32 op, gint64 *value);

#endif
