/* SPDX-License-Identifier: Apache-2.0 */
/* How `strobe show` presents tables that do not simply have their fields as columns. */
#ifndef STROBE_TOOLS_SHOW_TABLES_H
#define STROBE_TOOLS_SHOW_TABLES_H

#include <glib.h>
#include <strobe/helpers/table.h>

typedef struct StrobePresentation {
    StrobeTable table;
    const char *sort; /* the default order; NULL: the order of the records */
    /* the table from which it is derived, which the program's marks fill; NULL: none */
    const char *marked;
    const char *empty; /* text about why `marked` is empty */
} StrobePresentation;

/* Returns the presentation of a kind. NULL: it has none, and its fields are the columns. */
const StrobePresentation *strobe_presentation_find(const char *kind);

#endif
