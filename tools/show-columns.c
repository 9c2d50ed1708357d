/* SPDX-License-Identifier: Apache-2.0 */
#include "show-columns.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#define METRICS "metrics"
#define VALUE_PREFIX "value_"

struct StrobeColumns {
    StrobeColumn columns[STROBE_TABLE_COLUMNS_MAX];
    guint32 n_columns;
    GPtrArray *titles; /* of text: the titles that these functions have made */
    StrobeStringId metrics;
    /* is_mixed: not all records have the metrics of the first one */
    gboolean has_metrics, is_mixed;
};

static const StrobeFieldView *field_of(const StrobeKindView *kind, const char *name)
{
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (strcmp(kind->fields[i].name, name) == 0)
            return &kind->fields[i];
    return NULL;
}

static StrobeStringId metrics_of(const StrobeView *record)
{
    return strobe_field_u32(record, strobe_field_offset(record->kind, METRICS, STROBE_FIELD_STRING),
                            0);
}

/* Changes a column to a form for people: adds the unit to the title, and limits the number of
 * digits. */
static void present_column(StrobeColumns *columns, StrobeColumn *column,
                           const StrobeFieldView *field)
{
    if (strcmp(column->field, STROBE_COLUMN_INCOMPLETE) == 0)
        column->cell = STROBE_CELL_MARK;
    if (!field)
        return;
    if (field->type == STROBE_FIELD_F64)
        column->cell = STROBE_CELL_TRIM6;
    if (field->unit && *field->unit) {
        column->title = g_strdup_printf("%s(%s)", field->name, field->unit);
        g_ptr_array_add(columns->titles, (gpointer)column->title);
    }
}

/* Gives the columns of values (value_0, value_1 ...) the names of the metrics as titles. Removes
 * the columns of values without a name, and the column with the list of names. */
static void name_metrics(StrobeColumns *columns, const char *names)
{
    g_auto(GStrv) words = g_strsplit(names, ";", STROBE_TABLE_COLUMNS_MAX);
    guint n_words = g_strv_length(words), kept = 0;

    for (guint i = 0; i < columns->n_columns; i++) {
        StrobeColumn column = columns->columns[i];

        if (strcmp(column.field, METRICS) == 0)
            continue;
        if (g_str_has_prefix(column.field, VALUE_PREFIX)) {
            guint64 at = g_ascii_strtoull(column.field + strlen(VALUE_PREFIX), NULL, 10);
            if (at >= n_words)
                continue;
            column.title = g_strdup(words[at]);
            g_ptr_array_add(columns->titles, (gpointer)column.title);
        }
        columns->columns[kept++] = column;
    }
    columns->n_columns = kept;
}

StrobeColumns *strobe_columns_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                  const StrobeKindView *kind, const StrobeView *record,
                                  gboolean raw)
{
    StrobeColumns *columns = g_new0(StrobeColumns, 1);
    guint32 n = strobe_table_generic(kind, columns->columns);

    columns->titles = g_ptr_array_new_with_free_func(g_free);
    for (guint32 i = 0; i < n; i++) {
        StrobeColumn column = columns->columns[i];
        const StrobeFieldView *field = field_of(kind, strobe_column_name(&column));

        /* A field of the kind takes precedence over a built-in column of the same name, such as
         * "duration". */
        if (column.field[0] == '@' && field)
            continue;
        if (!raw)
            present_column(columns, &column, field);
        else if (column.cell != STROBE_CELL_TEXT)
            column.cell = STROBE_CELL_AUTO;
        columns->columns[columns->n_columns++] = column;
    }
    columns->metrics = metrics_of(record);
    columns->has_metrics = !raw && columns->metrics;
    if (columns->has_metrics)
        name_metrics(columns, host->string(self, columns->metrics).bytes);
    return columns;
}

void strobe_columns_free(StrobeColumns *columns)
{
    if (!columns)
        return;
    g_ptr_array_unref(columns->titles);
    g_free(columns);
}

StrobeTable strobe_columns_table(const StrobeColumns *columns, const char *kind)
{
    return (StrobeTable){NULL, kind, columns->columns, columns->n_columns};
}

void strobe_columns_see(StrobeColumns *columns, const StrobeView *record)
{
    StrobeStringId metrics = columns->has_metrics ? metrics_of(record) : 0;

    columns->is_mixed |= metrics && metrics != columns->metrics;
}

const char *strobe_columns_title(const StrobeColumns *columns, const StrobeColumn *column)
{
    gboolean is_value = columns->has_metrics && g_str_has_prefix(column->field, VALUE_PREFIX);

    return is_value && columns->is_mixed ? column->field : column->title;
}

gboolean strobe_column_is_instant(const StrobeColumn *column)
{
    static const char *const fields[] = {
        STROBE_COLUMN_BEGIN, STROBE_COLUMN_END,     "to_begin", "host_begin",
        "release_time",      "active_release_time", NULL};

    return g_strv_contains(fields, column->field);
}
