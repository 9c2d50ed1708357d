/* SPDX-License-Identifier: Apache-2.0 */
#include "metric-columns.h"

#include <ascend.h>
#include <math.h>
#include <strobe/helpers/cell-number.h>

#define COLUMNS_MAX 256u
#define NAMES_MAX 256u
#define TITLE_MAX 160u
#define TEXT_SIZE 8 /* size of a short text, which is copied as one word */

typedef struct MetricColumn {
    char *metric;
    guint32 form;
    double factor;
    /* text of the value 0, kept because 0 is frequent: a kernel has 0 for all metrics of a core
     * type that it does not use */
    char zero[TEXT_SIZE];
    gsize zero_length;
} MetricColumn;

struct MetricColumns {
    CsvFile *file;
    gint generation;
    char absent[TEXT_SIZE];
    gsize absent_length;
    GArray *columns; /* elements of type MetricColumn */
    guint32 plan_id; /* id of the names of metrics for which `plan` was made */
    gint8 *plan;     /* for each column: index of its value; -1: the record has none */
};

static void clear_column(gpointer column)
{
    g_free(((MetricColumn *)column)->metric);
}

MetricColumns *metric_columns_new(CsvFile *file, gint generation, const char *absent)
{
    MetricColumns *columns = g_new0(MetricColumns, 1);

    columns->file = file;
    columns->generation = generation;
    g_strlcpy(columns->absent, absent ? absent : "", sizeof columns->absent);
    columns->absent_length = strlen(columns->absent);
    columns->columns = g_array_new(FALSE, FALSE, sizeof(MetricColumn));
    g_array_set_clear_func(columns->columns, clear_column);
    columns->plan = g_new(gint8, COLUMNS_MAX);
    return columns;
}

void metric_columns_free(MetricColumns *columns)
{
    if (!columns)
        return;
    g_array_unref(columns->columns);
    g_free(columns->plan);
    g_free(columns);
}

static inline double in_unit(const MetricColumn *column, double value)
{
    return column->factor == 1 ? value : value / column->factor;
}

static gsize format_value(const MetricColumn *column, double value, char *out)
{
    switch (column->form) {
    case STROBE_CELL_INT:
        return strobe_format_trimmed(out, value, 0, 0);
    case STROBE_CELL_FIXED3:
        return strobe_format_fixed(out, in_unit(column, value), 3);
    default:
        return strobe_format_trimmed(out, in_unit(column, value), 3,
                                     column->form == STROBE_CELL_ROUND3);
    }
}

static void init_column(MetricColumn *column, const char *metric, gint generation)
{
    char text[STROBE_NUMBER_MAX] = "0";

    column->metric = g_strdup(metric);
    column->form = ascend_metric_form(metric, generation);
    column->factor = ascend_metric_factor(metric);
    /* in generation 1 the Ascend profiler writes a cube_utilization of 0 as "0", not as "0.0" */
    if (generation != 1 || strcmp(metric, "cube_utilization"))
        format_value(column, 0, text);
    column->zero_length = strlen(text);
    memcpy(column->zero, text, sizeof column->zero);
}

/* Returns the column of a metric, and adds it if necessary. Returns COLUMNS_MAX if there are too
 * many columns. */
static guint find_column(MetricColumns *columns, const char *metric)
{
    MetricColumn column;
    char title[TITLE_MAX];

    for (guint i = 0; i < columns->columns->len; i++)
        if (!strcmp(g_array_index(columns->columns, MetricColumn, i).metric, metric))
            return i;
    if (columns->columns->len == COLUMNS_MAX)
        return COLUMNS_MAX;
    init_column(&column, metric, columns->generation);
    g_array_append_val(columns->columns, column);
    ascend_metric_title(metric, title, sizeof title);
    csv_file_add_column(columns->file, title, CSV_COLUMN_ALWAYS);
    return columns->columns->len - 1;
}

/* Makes the plan, which maps columns to values, for records with these names of metrics. */
static void make_plan(MetricColumns *columns, StrobeText text)
{
    g_autofree char *valid = g_utf8_make_valid(text.bytes, (gssize)text.length);
    g_auto(GStrv) names = g_strsplit(valid, ";", NAMES_MAX);
    guint32 order[NAMES_MAX];
    guint32 n = MIN(g_strv_length(names), (guint)G_MAXINT8);

    n = ascend_metric_order((const char *const *)names, n, columns->generation, order);
    memset(columns->plan, -1, COLUMNS_MAX * sizeof *columns->plan);
    for (guint32 i = 0; i < n; i++) {
        guint column = find_column(columns, names[order[i]]);

        if (column < COLUMNS_MAX)
            columns->plan[column] = (gint8)order[i];
    }
}

/* Writes the text of the value to `at`, which must have room. Returns the end of the text. */
static inline char *put_value(const MetricColumns *columns, const MetricColumn *column,
                              double value, char *at)
{
    if (isnan(value)) {
        memcpy(at, columns->absent, sizeof columns->absent);
        return at + columns->absent_length;
    }
    if (value == 0) {
        memcpy(at, column->zero, sizeof column->zero);
        return at + column->zero_length;
    }
    return at + format_value(column, value, at);
}

void metric_columns_write(MetricColumns *columns, CsvCells *cells, const StrobeView *record,
                          guint32 id, StrobeText names, guint32 values, guint n)
{
    const MetricColumn *column;
    char *at;

    if (id && id != columns->plan_id) {
        make_plan(columns, names);
        columns->plan_id = id;
    }
    column = (const MetricColumn *)(void *)columns->columns->data;
    for (guint i = 0; i < columns->columns->len; i++, column++) {
        gint place = id ? columns->plan[i] : -1;
        double value = NAN;

        if (place >= 0 && place < (gint)n)
            value = strobe_view_f64(record, values + (guint32)place * (guint32)sizeof value);
        at = csv_cells_begin(cells, STROBE_NUMBER_MAX);
        csv_cells_end(cells, put_value(columns, column, value, at));
    }
}
