/* SPDX-License-Identifier: Apache-2.0 */
/* Presentations of tables in `strobe show`, other than by their fields. */
#ifndef STROBE_TOOLS_SHOW_TABLES_H
#define STROBE_TOOLS_SHOW_TABLES_H

#include <glib.h>
#include <strobe/helpers/table.h>

typedef struct StrobePresentation {
    StrobeTable table;
    const char *sort;   /* the default order; NULL: as recorded */
    const char *marked; /* table of its input, which the program's marks create; NULL: none */
    const char *empty;  /* the reason if that table is empty */
} StrobePresentation;

/* NULL: none, the kind's fields are the columns. */
const StrobePresentation *strobe_presentation_find(const char *kind);

#endif
