/* SPDX-License-Identifier: Apache-2.0 */
#include "row-sources.h"

#include <strobe/helpers/fields.h>

/* prefix of the fields that contain imported columns which formats/ does not know */
#define UNKNOWN_PREFIX "ascend_text."

void row_sources_free(RowSources *row)
{
    metric_columns_free(row->metrics);
    g_free(row->columns);
    g_free(row->sources);
    g_free(row);
}

const StrobeColumn *row_sources_columns(const RowSources *row, guint32 *n)
{
    *n = row->n_columns;
    return row->columns;
}

static const StrobeFieldView *find_field(const StrobeKindView *kind, const char *name)
{
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, name))
            return &kind->fields[i];
    return NULL;
}

/* Returns the source of a column with a number that row-cells.c can write itself. */
static guint number_source(const StrobeColumn *column, const StrobeFieldView *field)
{
    static const guint8 types[] = {
        [STROBE_FIELD_U8] = SOURCE_U8,        [STROBE_FIELD_BOOL] = SOURCE_U8,
        [STROBE_FIELD_U32] = SOURCE_U32,      [STROBE_FIELD_I32] = SOURCE_I32,
        [STROBE_FIELD_U64] = SOURCE_U64,      [STROBE_FIELD_LINK] = SOURCE_U64,
        [STROBE_FIELD_I64] = SOURCE_I64,      [STROBE_FIELD_F64] = SOURCE_F64,
        [STROBE_FIELD_STRING] = SOURCE_OTHER, [STROBE_FIELD_STACK] = SOURCE_OTHER,
        [STROBE_FIELD_TRACK] = SOURCE_OTHER,
    };

    if (!strcmp(column->field, STROBE_COLUMN_BEGIN))
        return SOURCE_BEGIN;
    if (!strcmp(column->field, STROBE_COLUMN_DURATION))
        return SOURCE_DURATION;
    if (!strcmp(column->field, STROBE_COLUMN_TRACK))
        return SOURCE_TRACK;
    return field && field->type < G_N_ELEMENTS(types) ? types[field->type] : SOURCE_OTHER;
}

/* Returns whether put_whole() or put_real() can write a number in this form. */
static gboolean is_known_form(guint source, guint32 form)
{
    const gboolean is_large = source == SOURCE_U64 || source == SOURCE_TRACK;

    switch (form) {
    case STROBE_CELL_AUTO:
        return TRUE;
    case STROBE_CELL_INT:
        return source != SOURCE_F64;
    case STROBE_CELL_REPR:
        return source == SOURCE_F64;
    case STROBE_CELL_US_TAB:
    case STROBE_CELL_US_REPR:
    case STROBE_CELL_DEVICE:
    case STROBE_CELL_MB:
    case STROBE_CELL_KB:
        return source != SOURCE_F64 && !is_large;
    default:
        return FALSE;
    }
}

static guint text_source(const StrobeColumn *column, const StrobeFieldView *field)
{
    if (column->cell != STROBE_CELL_TEXT && column->cell != STROBE_CELL_LIST &&
        column->cell != STROBE_CELL_AUTO)
        return SOURCE_OTHER;
    if (!strcmp(column->field, STROBE_COLUMN_NAME))
        return column->cell == STROBE_CELL_LIST ? SOURCE_OTHER : SOURCE_NAME;
    if (field && field->type == STROBE_FIELD_STRING)
        return SOURCE_TEXT;
    if (field && field->type == STROBE_FIELD_STACK && column->cell == STROBE_CELL_LIST)
        return SOURCE_TEXT;
    return SOURCE_OTHER;
}

static guint8 cache_of(const StrobeColumn *column, const StrobeFieldView *field)
{
    if (field && field->type == STROBE_FIELD_STACK)
        return CELL_CACHE_STACK;
    return column->cell == STROBE_CELL_LIST ? CELL_CACHE_LIST : CELL_CACHE_TEXT;
}

static guint source_type(const StrobeColumn *column, const StrobeFieldView *field)
{
    const guint number = number_source(column, field);

    if (column->absent && strlen(column->absent) > ABSENT_SIZE)
        return SOURCE_OTHER;
    if (number != SOURCE_OTHER && is_known_form(number, column->cell))
        return number;
    return text_source(column, field);
}

static void bind_sources(RowSources *row, const StrobeKindView *kind, const AscendColumn **marks)
{
    const StrobeTable table = {.columns = row->columns, .n_columns = row->n_columns};
    g_autofree guint32 *places = g_new0(guint32, row->n_columns + 1);

    row->sources = g_new0(Source, row->n_columns + 1);
    row->room = (gsize)(row->n_columns + 1) * CELL_ROOM;
    strobe_table_bind(&table, kind, places);
    for (guint32 i = 0; i < row->n_columns; i++) {
        const StrobeColumn *column = &row->columns[i];
        const StrobeFieldView *field = find_field(kind, column->field);
        Source *source = &row->sources[i];

        source->type = (guint8)source_type(column, field);
        source->cache = cache_of(column, field);
        source->form = column->cell;
        source->offset = field ? field->offset : 0;
        source->place = places[i];
        if (column->absent && source->type != SOURCE_OTHER) {
            source->n_absent = (guint)strlen(column->absent);
            memcpy(source->absent, column->absent, source->n_absent);
        }
        if (source->type == SOURCE_NAME && row->entry && row->entry->name_prefix)
            source->type = SOURCE_PREFIXED;
        if (source->type == SOURCE_TEXT && marks && marks[i]->word)
            source->type = SOURCE_WORD;
        source->is_optional = marks && (marks[i]->flags & ASCEND_COLUMN_OPTIONAL);
        source->word = marks ? marks[i]->word : NULL;
        if (marks && (marks[i]->flags & ASCEND_COLUMN_METRICS))
            source->type = SOURCE_METRICS;
    }
}

/* Binds the column to the fields value_00, value_01 ... with the values of metrics. These fields
 * must follow each other in the record. */
static void bind_metrics(RowSources *row, gint generation, const StrobeKindView *kind,
                         const StrobeColumn *column)
{
    char name[16];

    csv_file_hold(row->file);
    row->metrics_offset = strobe_field_offset(kind, "metrics", STROBE_FIELD_STRING);
    row->metrics = metric_columns_new(row->file, generation, column->absent);
    row->values = strobe_field_offset(kind, "value_00", STROBE_FIELD_F64);
    for (guint n = 0; n < STROBE_KIND_FIELDS_MAX; n++) {
        g_snprintf(name, sizeof name, "value_%02u", n);
        if (strobe_field_offset(kind, name, STROBE_FIELD_F64) != row->values + 8 * n)
            break;
        row->n_values = n + 1;
    }
}

/* Assigns the columns of the file to the sources, and adds the columns to the file if the file has
 * none (`is_first`). All entries of a file have the same columns in the same order. */
static void add_columns(RowSources *row, const AscendColumn **marks, gboolean is_first)
{
    gint optional = CSV_COLUMN_ALWAYS;
    guint at = 0;

    for (guint32 i = 0; i < row->n_columns; i++) {
        const guint flags = marks[i]->flags;
        gint with = CSV_COLUMN_ALWAYS;

        row->sources[i].column = at;
        if (flags & ASCEND_COLUMN_METRICS)
            continue;
        if (flags & ASCEND_COLUMN_OPTIONAL)
            with = optional = (gint)at;
        else if (flags & ASCEND_COLUMN_FOLLOWS)
            with = optional;
        at++;
        if (is_first)
            csv_file_add_column(row->file, row->columns[i].title, with);
        if (flags & (ASCEND_COLUMN_OPTIONAL | ASCEND_COLUMN_METRICS))
            csv_file_hold(row->file);
    }
}

/* Appends the columns of the imported file that formats/ does not know, with the titles that they
 * have there. Does nothing for files that summarise samples. */
static void append_unknown(RowSources *row, const StrobeKindView *kind, const AscendColumn **marks)
{
    static const AscendColumn unknown;

    for (guint32 i = 0; i < kind->n_fields && !row->entry->n_modes; i++) {
        const StrobeFieldView *field = &kind->fields[i];

        if (!g_str_has_prefix(field->name, UNKNOWN_PREFIX) || field->type != STROBE_FIELD_STRING ||
            row->n_columns == STROBE_TABLE_COLUMNS_MAX)
            continue;
        marks[row->n_columns] = &unknown;
        row->columns[row->n_columns++] =
            (StrobeColumn){field->summary, field->name, STROBE_CELL_TEXT};
    }
}

static RowSources *new_row(CsvFile *file)
{
    RowSources *row = g_new0(RowSources, 1);

    row->file = file;
    row->columns = g_new0(StrobeColumn, STROBE_TABLE_COLUMNS_MAX);
    return row;
}

RowSources *row_sources_new_ascend(const CsvContext *context, const AscendFile *entry,
                                   CsvFile *file, const StrobeKindView *kind, gboolean is_first)
{
    RowSources *row = new_row(file);
    g_autofree const AscendColumn **marks = g_new0(const AscendColumn *, STROBE_TABLE_COLUMNS_MAX);

    row->entry = entry;
    row->n_columns =
        ascend_file_columns(entry, context->generation, context->level, row->columns, marks);
    append_unknown(row, kind, marks);
    bind_sources(row, kind, marks);
    add_columns(row, marks, is_first);
    for (guint32 i = 0; i < row->n_columns; i++)
        if (row->sources[i].type == SOURCE_METRICS)
            bind_metrics(row, context->generation, kind, &row->columns[i]);
    return row;
}

/* Adds a column for a field, for example "host_self(ns)". The names of generic columns already
 * contain their unit. */
static void add_generic_column(RowSources *row, const StrobeKindView *kind, guint32 at)
{
    const StrobeColumn *column = &row->columns[at];
    const StrobeFieldView *field = find_field(kind, column->field);
    const gboolean has_unit = field && field->unit && *field->unit;
    const gboolean is_formula =
        row->escapes && csv_is_formula(column->title, strlen(column->title));
    g_autofree char *title = g_strconcat(is_formula ? "'" : "", column->title, has_unit ? "(" : "",
                                         has_unit ? field->unit : "", has_unit ? ")" : "", NULL);

    csv_file_add_column(row->file, title, CSV_COLUMN_ALWAYS);
}

RowSources *row_sources_new_generic(const CsvContext *context, CsvFile *file,
                                    const StrobeKindView *kind, gboolean with_device)
{
    RowSources *row = new_row(file);

    row->escapes = !context->keeps_formulas;
    row->n_columns = strobe_table_generic(kind, row->columns);
    if (with_device && row->n_columns < STROBE_TABLE_COLUMNS_MAX)
        row->columns[row->n_columns++] =
            (StrobeColumn){"Device", STROBE_COLUMN_DEVICE, STROBE_CELL_INT};
    for (guint32 i = 0; i < row->n_columns; i++) {
        if (!strcmp(row->columns[i].field, STROBE_COLUMN_BEGIN))
            row->columns[i].cell = STROBE_CELL_US_TAB;
        add_generic_column(row, kind, i);
    }
    bind_sources(row, kind, NULL);
    return row;
}
