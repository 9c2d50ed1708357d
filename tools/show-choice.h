/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that a table of `strobe show` can have. They are known when the first record has been
 * seen. */
#ifndef STROBE_TOOLS_SHOW_CHOICE_H
#define STROBE_TOOLS_SHOW_CHOICE_H

#include "show-columns.h"
#include "show-consumer.h"

typedef struct StrobeColumnChoice {
    const char *table;      /* name of the table, which is the name of a kind */
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
/* Makes the columns without a record, so that names of columns can be checked even if there is no
 * record. FALSE: no kind with the table's name is known. */
gboolean strobe_choice_see_kind(StrobeColumnChoice *choice, const StrobeShowSource *source,
                                gboolean raw);

/* Returns the column whose field or title is `name`. NULL: there is none; *misuse has a message
 * (free it). */
const StrobeColumn *strobe_choice_find(const StrobeColumnChoice *choice, const char *name,
                                       char **misuse);
/* Returns the field of the kind that the column shows. NULL: the column does not show a field. */
const StrobeFieldView *strobe_choice_field(const StrobeColumnChoice *choice,
                                           const StrobeColumn *column);
gboolean strobe_choice_is_text(const StrobeColumnChoice *choice, const StrobeColumn *column);
/* Returns the unit of the column: "ns", "B" ...; "" if it has none. */
const char *strobe_choice_unit(const StrobeColumnChoice *choice, const StrobeColumn *column);

#endif
