/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that a table of `strobe show` can have, known from its first record on. */
#ifndef STROBE_TOOLS_SHOW_CHOICE_H
#define STROBE_TOOLS_SHOW_CHOICE_H

#include "show-columns.h"
#include "show-consumer.h"

typedef struct StrobeColumnChoice {
    const char *table;      /* name of the table */
    GArray *fields;         /* of StrobeFieldView: the fields of all kinds with that name, each
                             * once */
    StrobeKindView kind;    /* kind of the first record, with the fields in `fields` */
    StrobeColumns *columns; /* NULL: no record has been seen */
    StrobeColumns *plain;   /* the columns with stored values */
    StrobeTable tables[3];  /* the table in three forms: as presented, with all fields, as stored */
} StrobeColumnChoice;

/* `table` must outlive `choice`. */
void strobe_choice_init(StrobeColumnChoice *choice, const char *table);
void strobe_choice_clear(StrobeColumnChoice *choice);

/* Makes the columns from the first record. `raw` as in StrobeRowsRequest. */
void strobe_choice_see(StrobeColumnChoice *choice, const StrobeShowSource *source,
                       const StrobeView *record, gboolean raw);
/* Makes the columns without a record, because the names of columns must still be checked. FALSE: no
 * kind with the table's name is known. */
gboolean strobe_choice_see_kind(StrobeColumnChoice *choice, const StrobeShowSource *source,
                                gboolean raw);

/* Finds a column by field or title. NULL: there is none; *misuse has the reason (free it). */
const StrobeColumn *strobe_choice_find(const StrobeColumnChoice *choice, const char *name,
                                       char **misuse);
/* Returns the column's field in the kind; NULL: the column is not a field. */
const StrobeFieldView *strobe_choice_field(const StrobeColumnChoice *choice,
                                           const StrobeColumn *column);
gboolean strobe_choice_is_text(const StrobeColumnChoice *choice, const StrobeColumn *column);
/* Returns the unit of the column: "ns", "B" ...; "" if it has none. */
const char *strobe_choice_unit(const StrobeColumnChoice *choice, const StrobeColumn *column);

#endif
