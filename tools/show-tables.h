/* SPDX-License-Identifier: Apache-2.0 */
/* How `strobe show` presents the tables that it knows better than by their fields. */
#ifndef STROBE_TOOLS_SHOW_TABLES_H
#define STROBE_TOOLS_SHOW_TABLES_H

#include <glib.h>
#include <strobe/helpers/table.h>

typedef struct StrobePresentation {
    StrobeTable table;
    const char *sort; /* the order when none is asked for; NULL: as recorded */
    const char
        *marked; /* table of what it is made of, which marks of the program make; NULL: none */
    const char *empty; /* why that has no rows then */
} StrobePresentation;

/* NULL: none, the kind's fields are the columns. */
const StrobePresentation *strobe_presentation_find(const char *kind);

#endif
