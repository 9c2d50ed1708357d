/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of one table of `strobe show`, which are collected while the records are read. */
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
    guint limit;                 /* maximum number of rows, 1..STROBE_ROWS_MAX */
    gboolean reverse;            /* the order of the rows is reversed */
    /* direction in which rows are sorted by `sort`: 1: ascending; -1: descending; 0: descending for
     * numbers, ascending for texts */
    int direction;
    /* the rows are for JSON: titles are names of fields, times are in ns, and points in time are
     * relative to base_ns */
    gboolean raw;
    gboolean is_scaled;  /* the rows are for people: each time and size is in a suitable unit */
    const char *measure; /* field of which shares are computed; NULL: none */
} StrobeRowsRequest;

typedef struct StrobeRowsCell {
    char *text;
    gsize length;
    gboolean is_number, is_empty;
    gboolean is_bool; /* the value is a Boolean: 0 or 1 */
} StrobeRowsCell;

typedef struct StrobeRows {
    StrobeRowsRequest request;
    GPtrArray *titles; /* of text: the titles of the shown columns */
    GArray *cells;     /* of StrobeRowsCell, row after row */
    guint n_rows;
    guint n_incomplete; /* number of rows that touch a gap */
    guint64 n_seen;     /* number of records of the kind that `where` selects */
    guint64 n_left_out; /* number of records of the kind that `where` does not select */
    /* of double: for each row its measure; for a group the sum over its records */
    GArray *measures;
    double measure_total;      /* sum of the measure over all records */
    gint64 base_ns;            /* begin of the window, in ns since the epoch */
    char *misuse;              /* message if the request names something unknown, else NULL */
    struct StrobeSieve *sieve; /* state that exists only while records are read */
} StrobeRows;

StrobeRows *strobe_rows_new(const StrobeRowsRequest *request);
void strobe_rows_free(StrobeRows *rows);

/* Removes the columns that are empty in every row. Does nothing for JSON, or if the user named the
 * columns. */
void strobe_rows_drop_empty(StrobeRows *rows);

/* Returns the table that collects the rows. `rows` must outlive the run. */
StrobeShowTable strobe_rows_table(StrobeRows *rows);

#endif
