/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that a table of `strobe show` can have, known from its first record on. */
#ifndef STROBE_TOOLS_SHOW_CHOICE_H
#define STROBE_TOOLS_SHOW_CHOICE_H

#include "show-columns.h"
#include "show-consumer.h"

typedef struct StrobeColumnChoice {
    const char *table;      /* its name */
    GArray *fields;         /* of StrobeFieldView: of all kinds of that name, each once */
    StrobeKindView kind;    /* the first record's, with those fields */
    StrobeColumns *columns; /* NULL: no record has been seen */
    StrobeColumns *plain;   /* the same, as they are stored */
    StrobeTable tables[3];  /* as presented, with all fields, as stored */
} StrobeColumnChoice;

/* `table` must outlive it. */
void strobe_choice_init(StrobeColumnChoice *choice, const char *table);
void strobe_choice_clear(StrobeColumnChoice *choice);

/* At the first record. `raw` as in StrobeRowsRequest. */
void strobe_choice_see(StrobeColumnChoice *choice, const StrobeShowSource *source,
                       const StrobeView *record, gboolean raw);
/* Where there is no record, but a name may be wrong all the same. FALSE: no kind of the table's
 * name is known. */
gboolean strobe_choice_see_kind(StrobeColumnChoice *choice, const StrobeShowSource *source,
                                gboolean raw);

/* Finds a column by field or title. NULL: there is none, and *misuse says so (free it). */
const StrobeColumn *strobe_choice_find(const StrobeColumnChoice *choice, const char *name,
                                       char **misuse);
/* The column's field of the kind, NULL: it has another source. */
const StrobeFieldView *strobe_choice_field(const StrobeColumnChoice *choice,
                                           const StrobeColumn *column);
gboolean strobe_choice_is_text(const StrobeColumnChoice *choice, const StrobeColumn *column);
/* "ns", "B", ...; "" where it has none. */
const char *strobe_choice_unit(const StrobeColumnChoice *choice, const StrobeColumn *column);

#endif
