/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one table that `strobe show` prints: kept while the records stream by. */
#ifndef STROBE_TOOLS_SHOW_ROWS_H
#define STROBE_TOOLS_SHOW_ROWS_H

#include <strobe/helpers/table.h>

#include "show-consumer.h"
#include "show-where.h"

#define STROBE_ROWS_MAX 100000u

/* What is wanted. */
typedef struct StrobeRowsRequest {
    const char *kind;
    const char *sort;            /* field or title; NULL: the table's own order */
    const char *const *columns;  /* fields or titles; NULL: all that hold anything */
    StrobeWhere *where;          /* which records; NULL: all */
    const char *const *group_by; /* fields or titles: groups of records are the rows; NULL: none */
    guint limit;                 /* 1..STROBE_ROWS_MAX */
    gboolean reverse;            /* turns the order round */
    int direction;               /* of sort: 1 ascending, -1 descending, 0: numbers largest first */
    /* For JSON: titles are field names, times in ns, those since the epoch counted from base_ns. */
    gboolean raw;
    gboolean is_scaled;  /* for people: each time and size in the unit that suits it */
    const char *measure; /* field of which shares are told; NULL: none */
} StrobeRowsRequest;

typedef struct StrobeRowsCell {
    char *text;
    gsize length;
    gboolean is_number, is_empty;
    gboolean is_bool; /* a number that is 0 or 1 */
} StrobeRowsCell;

typedef struct StrobeRows {
    StrobeRowsRequest request;
    GPtrArray *titles; /* of text, one a column that is shown */
    GArray *cells;     /* of StrobeRowsCell, row after row */
    guint n_rows;
    guint n_incomplete;        /* of these, touching a gap */
    guint64 n_seen;            /* records of the kind that are wanted */
    guint64 n_left_out;        /* those that are not */
    GArray *measures;          /* of double: the measure of each row; of groups their sum */
    double measure_total;      /* of all records */
    gint64 base_ns;            /* the window's begin, since the epoch */
    char *misuse;              /* the request names what there is not; NULL if all is well */
    struct StrobeSieve *sieve; /* while records come by */
} StrobeRows;

StrobeRows *strobe_rows_new(const StrobeRowsRequest *request);
void strobe_rows_free(StrobeRows *rows);

/* Leaves out each column that is empty in every row; not of JSON and of columns that a user named.
 */
void strobe_rows_drop_empty(StrobeRows *rows);

/* The table that keeps them; they must outlive the run. */
StrobeShowTable strobe_rows_table(StrobeRows *rows);

#endif
