/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a table without a presentation: titles with units, and the names of metrics if
 * a kind has a list of them. */
#ifndef STROBE_TOOLS_SHOW_COLUMNS_H
#define STROBE_TOOLS_SHOW_COLUMNS_H

#include <glib.h>
#include <strobe/helpers/table.h>

typedef struct StrobeColumns StrobeColumns;

/* All columns of `kind`, which is the first record's or one with more fields and must outlive
 * them. `raw`: for JSON, stored values. */
StrobeColumns *strobe_columns_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  const StrobeKindView *kind, const StrobeView *record,
                                  gboolean raw);
void strobe_columns_free(StrobeColumns *columns); /* NULL is fine */

/* A table of them; valid as long as they are. */
StrobeTable strobe_columns_table(const StrobeColumns *columns, const char *kind);

/* One more record: does it have the metrics of the first? */
void strobe_columns_see(StrobeColumns *columns, const StrobeView *record);

/* A column's title after all records: metrics are named only if all records have the same. */
const char *strobe_columns_title(const StrobeColumns *columns, const StrobeColumn *column);

/* Is it a time since the epoch, by the standard kinds' field names? */
gboolean strobe_column_is_instant(const StrobeColumn *column);

/* "@name" is called "name". */
static inline const char *strobe_column_name(const StrobeColumn *column)
{
    return column->field[0] == '@' ? column->field + 1 : column->field;
}

#endif
