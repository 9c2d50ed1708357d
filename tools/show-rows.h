/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one table of `strobe show`, kept while the records are read. */
#ifndef STROBE_TOOLS_SHOW_ROWS_H
#define STROBE_TOOLS_SHOW_ROWS_H

#include <strobe/helpers/table.h>

#include "show-consumer.h"
#include "show-where.h"

#define STROBE_ROWS_MAX 100000u

/* The request: which rows and columns the table should have. */
typedef struct StrobeRowsRequest {
    const char *kind;
    const char *sort;            /* field or title; NULL: the table's own order */
    const char *const *columns;  /* fields or titles; NULL: all that have values */
    StrobeWhere *where;          /* selects the records; NULL: all */
    const char *const *group_by; /* fields or titles: the rows are groups of records; NULL: none */
    guint limit;                 /* 1..STROBE_ROWS_MAX */
    gboolean reverse;            /* turns the order round */
    int direction;               /* of sort: 1 ascending, -1 descending, 0: numbers in descending
                                  * order */
    /* For JSON: titles are field names, times in ns, points in time relative to base_ns. */
    gboolean raw;
    gboolean is_scaled;  /* for people: each time and size in a suitable unit */
    const char *measure; /* field of the shares; NULL: none */
} StrobeRowsRequest;

typedef struct StrobeRowsCell {
    char *text;
    gsize length;
    gboolean is_number, is_empty;
    gboolean is_bool; /* a number that is 0 or 1 */
} StrobeRowsCell;

typedef struct StrobeRows {
    StrobeRowsRequest request;
    GPtrArray *titles; /* of text, one for each shown column */
    GArray *cells;     /* of StrobeRowsCell, row after row */
    guint n_rows;
    guint n_incomplete;        /* number of rows that touch a gap */
    guint64 n_seen;            /* number of wanted records of the kind */
    guint64 n_left_out;        /* number of the other records */
    GArray *measures;          /* of double: the measure of each row; for groups their sum */
    double measure_total;      /* of all records */
    gint64 base_ns;            /* the window's begin, since the epoch */
    char *misuse;              /* the request names something unknown; NULL if all is well */
    struct StrobeSieve *sieve; /* while records are read */
} StrobeRows;

StrobeRows *strobe_rows_new(const StrobeRowsRequest *request);
void strobe_rows_free(StrobeRows *rows);

/* Removes each column that is empty in every row; not for JSON or for columns that a user named. */
void strobe_rows_drop_empty(StrobeRows *rows);

/* The table that keeps the rows; they must outlive the run. */
StrobeShowTable strobe_rows_table(StrobeRows *rows);

#endif
