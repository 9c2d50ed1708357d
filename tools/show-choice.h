/* SPDX-License-Identifier: Apache-2.0 */
/* The possible columns of a table of `strobe show`, known from its first record on. */
#ifndef STROBE_TOOLS_SHOW_CHOICE_H
#define STROBE_TOOLS_SHOW_CHOICE_H

#include "show-columns.h"
#include "show-consumer.h"

typedef struct StrobeColumnChoice {
    const char *table;      /* its name */
    GArray *fields;         /* of StrobeFieldView: the fields of all kinds with that name, each
                             * once */
    StrobeKindView kind;    /* the first record's, with those fields */
    StrobeColumns *columns; /* NULL: no record has been seen */
    StrobeColumns *plain;   /* the same, as stored */
    StrobeTable tables[3];  /* as presented, with all fields, as stored */
} StrobeColumnChoice;

/* `table` must outlive it. */
void strobe_choice_init(StrobeColumnChoice *choice, const char *table);
void strobe_choice_clear(StrobeColumnChoice *choice);

/* Call it at the first record. `raw` as in StrobeRowsRequest. */
void strobe_choice_see(StrobeColumnChoice *choice, const StrobeShowSource *source,
                       const StrobeView *record, gboolean raw);
/* Call it if there is no record: names must still be checked. FALSE: no kind with the table's
 * name is known. */
gboolean strobe_choice_see_kind(StrobeColumnChoice *choice, const StrobeShowSource *source,
                                gboolean raw);

/* Finds a column by field or title. NULL: there is none, with the reason in *misuse (free it). */
const StrobeColumn *strobe_choice_find(const StrobeColumnChoice *choice, const char *name,
                                       char **misuse);
/* The column's field of the kind, NULL: it has another source. */
const StrobeFieldView *strobe_choice_field(const StrobeColumnChoice *choice,
                                           const StrobeColumn *column);
gboolean strobe_choice_is_text(const StrobeColumnChoice *choice, const StrobeColumn *column);
/* "ns", "B", ...; "" if it has none. */
const char *strobe_choice_unit(const StrobeColumnChoice *choice, const StrobeColumn *column);

#endif
