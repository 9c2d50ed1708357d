/* SPDX-License-Identifier: Apache-2.0 */
#include "report-tables.h"

#include <math.h>
#include <string.h>

#define COLUMNS_MAX 64u
#define ROWS_KEPT 3u
#define NOT_FOUND G_MAXUINT32

/* The kinds that are shown, and the field by which the rows of a kind are ranked. NULL: rows are
 * ranked by duration; "": the first rows are kept, in their order. */
static const struct {
    const char *kind;
    const char *weight;
} shown[] = {
    {"finding", ""},
    {"step_part", "duration"},
    /* these kinds have few and important texts, so they come before kinds that may use up the room
     * for texts */
    {"loss", "count"},
    {"diagnostic", ""},
    {"metadata", ""},
    {"sampling", ""},
    {"correlation", ""},
    {"device_clock", ""},
    {"operator_average", "host_self"},
    {"op_statistic", "total"},
    {"api_statistic", "total"},
    {"function", "self_share"},
    {"step_trace", "stage"},
    {"communication_time", "elapse"},
    {"heap_path", "peak_bytes"},
    {"memory_block", "size"},
};

typedef struct ReportColumn {
    char *name, *unit, *summary;
    guint32 type;
    double rest; /* sum over the rows that are not kept */
    gboolean has_rest;
} ReportColumn;

typedef struct ReportRow {
    double weight;
    guint64 number; /* number of records that came before this row */
    gint64 begin_ns, end_ns;
    StrobeStringId name;
    guint32 flags;
    ReportCell *cells;
} ReportRow;

typedef struct ReportTable {
    const StrobeKindView *kind; /* the kind whose fields are the columns */
    ReportColumn *columns;
    /* number of columns, and index of the column by which rows are ranked */
    guint n_columns, weight;
    gboolean is_ordered;
    GArray *rows; /* elements of type ReportRow */
    guint64 n_seen;
} ReportTable;

struct ReportTables {
    ReportTable tables[G_N_ELEMENTS(shown)];
};

static void free_row(gpointer data)
{
    g_free(((ReportRow *)data)->cells);
}

ReportTables *report_tables_new(void)
{
    ReportTables *tables = g_new0(ReportTables, 1);

    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        tables->tables[i].rows = g_array_new(FALSE, FALSE, sizeof(ReportRow));
        g_array_set_clear_func(tables->tables[i].rows, free_row);
    }
    return tables;
}

void report_tables_free(ReportTables *tables)
{
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        ReportTable *table = &tables->tables[i];

        for (guint k = 0; k < table->n_columns; k++) {
            g_free(table->columns[k].name);
            g_free(table->columns[k].unit);
            g_free(table->columns[k].summary);
        }
        g_free(table->columns);
        g_array_unref(table->rows);
    }
    g_free(tables);
}

/* Sets the table's columns to the fields of `kind`, which is the first kind of the table. Kinds
 * with the same name may have different fields if a plugin extended one of them. */
static void take_columns(ReportTable *table, guint place, const StrobeKindView *kind)
{
    table->kind = kind;
    table->n_columns = MIN(kind->n_fields, COLUMNS_MAX);
    table->columns = g_new0(ReportColumn, table->n_columns);
    table->weight = NOT_FOUND;
    table->is_ordered = shown[place].weight && !*shown[place].weight;
    for (guint i = 0; i < table->n_columns; i++) {
        const StrobeFieldView *field = &kind->fields[i];

        table->columns[i] = (ReportColumn){.name = g_strdup(field->name),
                                           .unit = g_strdup(field->unit),
                                           .summary = g_strdup(field->summary),
                                           .type = field->type};
        if (shown[place].weight && !strcmp(field->name, shown[place].weight))
            table->weight = i;
    }
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const ReportRow *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void sum_row(ReportTable *table, const ReportRow *row)
{
    for (guint i = 0; i < table->n_columns; i++) {
        double number;

        if (!report_cell_number(&row->cells[i], &number))
            continue;
        table->columns[i].rest += number;
        table->columns[i].has_rest = TRUE;
    }
}

/* Keeps the `most` rows with the largest values; adds the others to the sums. */
static void trim_rows(ReportTable *table, guint most)
{
    g_array_sort(table->rows, compare_rows);
    for (guint i = most; i < table->rows->len; i++)
        sum_row(table, &g_array_index(table->rows, ReportRow, i));
    if (table->rows->len > most)
        g_array_set_size(table->rows, most);
}

static const StrobeFieldView *find_field(const StrobeKindView *kind, guint place, const char *name)
{
    if (place < kind->n_fields && !strcmp(kind->fields[place].name, name))
        return &kind->fields[place];
    for (guint i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, name))
            return &kind->fields[i];
    return NULL;
}

static void add_row(ReportTable *table, const StrobeView *record)
{
    ReportRow row = {.number = table->n_seen++,
                     .begin_ns = record->begin_ns,
                     .end_ns = record->end_ns,
                     .name = record->name,
                     .flags = record->flags,
                     .cells = g_new0(ReportCell, MAX(table->n_columns, 1))};

    for (guint i = 0; i < table->n_columns; i++) {
        const StrobeFieldView *field = find_field(record->kind, i, table->columns[i].name);

        if (field && field->type == table->columns[i].type)
            row.cells[i] = report_cell_read(record, field);
    }
    if (!table->is_ordered &&
        (table->weight == NOT_FOUND || !report_cell_number(&row.cells[table->weight], &row.weight)))
        row.weight = (double)(record->end_ns - record->begin_ns);
    g_array_append_val(table->rows, row);
    if (table->rows->len >= 2 * REPORT_ROWS_MAX)
        trim_rows(table, REPORT_ROWS_MAX);
}

void report_tables_add(ReportTables *tables, const StrobeView *record)
{
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        ReportTable *table = &tables->tables[i];

        if (strcmp(record->kind->name, shown[i].kind) != 0)
            continue;
        if (!table->columns)
            take_columns(table, i, record->kind);
        add_row(table, record);
    }
}

/* ---- out ---- */

static void write_columns(const ReportTable *table, StrobeJsonWriter *json)
{
    strobe_json_key(json, "columns");
    strobe_json_begin_array(json);
    for (guint i = 0; i < table->n_columns; i++) {
        strobe_json_begin_object(json);
        strobe_json_key(json, "name");
        strobe_json_string(json, table->columns[i].name);
        strobe_json_key(json, "unit");
        strobe_json_string(json, table->columns[i].unit);
        strobe_json_key(json, "summary");
        strobe_json_string(json, table->columns[i].summary);
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
}

/* Writes [name, begin ns, end ns, incomplete, fields ...]. The times are relative to the window's
 * begin. */
static void write_row(const ReportTable *table, const ReportRow *row, const ReportSource *source,
                      StrobeJsonWriter *json)
{
    gint64 origin_ns = source->host->metadata(source->self)->window_begin_ns;

    strobe_json_begin_array(json);
    report_write_text(source, source->host->string(source->self, row->name), json);
    strobe_json_int(json, row->begin_ns - origin_ns);
    strobe_json_int(json, row->end_ns - origin_ns);
    strobe_json_bool(json, (row->flags & STROBE_VIEW_INCOMPLETE) != 0);
    for (guint i = 0; i < table->n_columns; i++)
        report_cell_write(&row->cells[i], source, json);
    strobe_json_end_array(json);
}

static void write_rest(const ReportTable *table, StrobeJsonWriter *json)
{
    strobe_json_key(json, "rest");
    strobe_json_begin_array(json);
    for (guint i = 0; i < table->n_columns; i++)
        if (table->columns[i].has_rest)
            strobe_json_double(json, table->columns[i].rest);
        else
            strobe_json_null(json);
    strobe_json_end_array(json);
}

/* Returns the maximum number of rows of a table. It is halved only after the other limits have been
 * halved ROWS_KEPT times. */
static guint limit_rows(const ReportSource *source)
{
    guint n = source->budget->n_halvings;

    return REPORT_ROWS_MAX >> (n > ROWS_KEPT ? n - ROWS_KEPT : 0);
}

static void write_table(ReportTable *table, const ReportSource *source, StrobeJsonWriter *json)
{
    trim_rows(table, limit_rows(source));
    strobe_json_begin_object(json);
    strobe_json_key(json, "total_rows");
    strobe_json_uint(json, table->n_seen);
    write_columns(table, json);
    strobe_json_key(json, "rows");
    strobe_json_begin_array(json);
    for (guint i = 0; i < table->rows->len; i++)
        write_row(table, &g_array_index(table->rows, ReportRow, i), source, json);
    strobe_json_end_array(json);
    write_rest(table, json);
    strobe_json_end_object(json);
}

void report_tables_write(ReportTables *tables, const ReportSource *source, StrobeJsonWriter *json)
{
    strobe_json_begin_object(json);
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        if (!tables->tables[i].columns)
            continue;
        strobe_json_key(json, shown[i].kind);
        write_table(&tables->tables[i], source, json);
    }
    strobe_json_end_object(json);
}
