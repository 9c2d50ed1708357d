/* SPDX-License-Identifier: Apache-2.0 */
/* The presentation of the tables whose columns in `strobe show` differ from the fields of their
 * records. */
#ifndef STROBE_TOOLS_SHOW_TABLES_H
#define STROBE_TOOLS_SHOW_TABLES_H

#include <glib.h>
#include <strobe/helpers/table.h>

typedef struct StrobePresentation {
    StrobeTable table;
    const char *sort; /* the default order; NULL: the order of the records */
    /* the table from which this one is derived, and which has rows only if the program makes marks;
     * NULL: none */
    const char *marked;
    const char *empty; /* text that explains why `marked` may be empty */
} StrobePresentation;

/* Returns the presentation of a kind. NULL: it has none, and its fields are the columns. */
const StrobePresentation *strobe_presentation_find(const char *kind);

#endif
