/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV files that have a form of their own: all of it is data, in mappings.c. */
#ifndef STROBE_CSV_MAPPINGS_H
#define STROBE_CSV_MAPPINGS_H

#include <glib.h>
#include <strobe/helpers/table.h>

typedef struct CsvMapping {
    StrobeTable table;
    gboolean by_begin;       /* rows in order of begin, else as records come */
    const char *skip_prefix; /* records of such a name have no row; NULL: all have one */
} CsvMapping;

extern const CsvMapping csv_mappings[];
extern const guint n_csv_mappings;

/* Kinds that get a file only when they are asked for by name; NULL-terminated. */
extern const char *const csv_kinds_on_request[];

#endif
