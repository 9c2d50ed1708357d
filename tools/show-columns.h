/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the columns of a table without a presentation: titles with units, and the names of metrics
 * if a kind has a list of metrics. */
#ifndef STROBE_TOOLS_SHOW_COLUMNS_H
#define STROBE_TOOLS_SHOW_COLUMNS_H

#include <glib.h>
#include <strobe/helpers/table.h>

typedef struct StrobeColumns StrobeColumns;

/* Makes all columns of `kind`, which is the kind of the first record or one with more fields, and
 * must outlive the result. `raw`: stored values, for JSON. */
StrobeColumns *strobe_columns_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  const StrobeKindView *kind, const StrobeView *record,
                                  gboolean raw);
void strobe_columns_free(StrobeColumns *columns); /* NULL is fine */

/* Returns a table with the columns. It is valid as long as `columns`. */
StrobeTable strobe_columns_table(const StrobeColumns *columns, const char *kind);

/* Notes whether a later record has the same metrics as the first one. Call this for each record
 * after the first one. */
void strobe_columns_see(StrobeColumns *columns, const StrobeView *record);

/* Returns the title of a column, after the last record. Metrics are named only if all records have
 * the same metrics. */
const char *strobe_columns_title(const StrobeColumns *columns, const StrobeColumn *column);

/* Whether the column is a time since the epoch, according to the field names of the standard
 * kinds. */
gboolean strobe_column_is_instant(const StrobeColumn *column);

/* Returns the name of a column: its field without a '@' at the start. */
static inline const char *strobe_column_name(const StrobeColumn *column)
{
    return column->field[0] == '@' ? column->field + 1 : column->field;
}

#endif
