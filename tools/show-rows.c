/* SPDX-License-Identifier: Apache-2.0 */
#include "show-rows.h"

#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>

#include "show-choice.h"
#include "show-scale.h"
#include "show-tables.h"
#include "terminal.h"

/* least number of rows above the limit that are kept before the rows are sorted and those above the
 * limit dropped */
#define SPARE_MIN 1024

/* A kind with the name of the table, and the offsets of its fields. There may be several such
 * kinds, because plugins may extend a kind. */
typedef struct Bound {
    const StrobeKindView *kind;
    guint32 offsets[STROBE_TABLE_COLUMNS_MAX];
    guint32 sort_offset, measure_offset;
    gsize size; /* number of bytes of a record's fields */
} Bound;

typedef struct Row {
    StrobeView view; /* the record; `fields` is a copy that belongs to the row */
    const Bound *bound;
    guint64 number;
} Row;

typedef struct StrobeSieve {
    const StrobeShowSource *source;
    StrobeRows *rows;
    StrobeColumnChoice choice;
    StrobeTable table;
    StrobeColumn chosen[STROBE_TABLE_COLUMNS_MAX]; /* the columns of `table` */
    /* column by which rows are sorted; field NULL: they are not sorted */
    StrobeColumn sort;
    /* column of the measure; field NULL: there is no measure */
    StrobeColumn measure;
    gboolean largest_first;
    GPtrArray *bounds;
    GArray *kept; /* of Row */
} Sieve;

StrobeRows *strobe_rows_new(const StrobeRowsRequest *request)
{
    StrobeRows *rows = g_new0(StrobeRows, 1);

    rows->request = *request;
    rows->titles = g_ptr_array_new_with_free_func(g_free);
    rows->cells = g_array_new(FALSE, FALSE, sizeof(StrobeRowsCell));
    rows->measures = g_array_new(FALSE, FALSE, sizeof(double));
    return rows;
}

void strobe_rows_free(StrobeRows *rows)
{
    if (!rows)
        return;
    for (guint i = 0; i < rows->cells->len; i++)
        g_free(g_array_index(rows->cells, StrobeRowsCell, i).text);
    g_array_unref(rows->cells);
    g_array_unref(rows->measures);
    g_ptr_array_unref(rows->titles);
    g_free(rows->misuse);
    g_free(rows);
}

/* ---- columns ---- */

/* Whether the rows are sorted by `column` in descending order. */
static gboolean is_largest_first(const Sieve *sieve, const StrobeColumn *column)
{
    const StrobeRowsRequest *request = &sieve->rows->request;
    gboolean descends = request->direction ? request->direction < 0
                                           : !strobe_choice_is_text(&sieve->choice, column);

    return descends != request->reverse;
}

/* Chooses the requested columns. FALSE: a name is unknown or is given twice; rows->misuse has the
 * message. */
static gboolean choose_named(Sieve *sieve)
{
    StrobeRows *rows = sieve->rows;
    guint32 n = 0;

    for (const char *const *name = rows->request.columns; *name; name++) {
        const StrobeColumn *column = strobe_choice_find(&sieve->choice, *name, &rows->misuse);
        if (!column)
            return FALSE;
        for (guint32 i = 0; i < n; i++)
            if (strcmp(strobe_column_name(&sieve->chosen[i]), strobe_column_name(column)) == 0) {
                rows->misuse = g_strdup_printf("--columns names \"%s\" twice", *name);
                return FALSE;
            }
        if (n < STROBE_TABLE_COLUMNS_MAX)
            sieve->chosen[n++] = *column;
    }
    sieve->table = (StrobeTable){NULL, rows->request.kind, sieve->chosen, n};
    return TRUE;
}

/* Chooses the columns, the order and the measure. Called when sieve->choice knows the possible
 * columns. FALSE: rows->misuse has the message. */
static gboolean choose_columns(Sieve *sieve)
{
    StrobeRows *rows = sieve->rows;
    const StrobeRowsRequest *request = &rows->request;
    const StrobePresentation *known = strobe_presentation_find(request->kind);
    const char *sort = request->sort ? request->sort : known ? known->sort : NULL;

    sieve->table = sieve->choice.tables[0];
    if (request->columns && !choose_named(sieve))
        return FALSE;
    if (sort) {
        const StrobeColumn *column = strobe_choice_find(&sieve->choice, sort, &rows->misuse);
        if (!column)
            return FALSE;
        sieve->sort = *column;
        sieve->largest_first = is_largest_first(sieve, column);
    }
    if (request->measure)
        sieve->measure = (StrobeColumn){request->measure, request->measure, STROBE_CELL_AUTO};
    return !request->where || strobe_where_bind(request->where, &sieve->choice, &rows->misuse);
}

static const Bound *bind_kind(Sieve *sieve, const StrobeView *record)
{
    const StrobeKindView *kind = record->kind;

    for (guint i = 0; i < sieve->bounds->len; i++) {
        const Bound *bound = g_ptr_array_index(sieve->bounds, i);
        if (bound->kind == kind)
            return bound;
    }
    if (!sieve->choice.columns) {
        strobe_choice_see(&sieve->choice, sieve->source, record, sieve->rows->request.raw);
        if (!choose_columns(sieve))
            return NULL;
    }
    Bound *bound = g_new0(Bound, 1);
    bound->kind = kind;
    bound->size = strobe_view_field_bytes(kind);
    strobe_table_bind(&sieve->table, kind, bound->offsets);
    if (sieve->sort.field) {
        const StrobeTable order = {NULL, sieve->table.kind, &sieve->sort, 1};
        strobe_table_bind(&order, kind, &bound->sort_offset);
    }
    if (sieve->measure.field) {
        const StrobeTable measure = {NULL, sieve->table.kind, &sieve->measure, 1};
        strobe_table_bind(&measure, kind, &bound->measure_offset);
    }
    g_ptr_array_add(sieve->bounds, bound);
    return bound;
}

/* ---- the rows that are kept ---- */

static int compare_rows(gconstpointer a, gconstpointer b, gpointer user)
{
    const Row *first = a, *second = b;
    const Sieve *sieve = user;
    int order = 0;

    if (sieve->sort.field)
        order = strobe_table_compare(sieve->source->host, sieve->source->self, &sieve->sort,
                                     first->bound->sort_offset, &first->view,
                                     second->bound->sort_offset, &second->view);
    if (order != 0)
        return sieve->largest_first ? -order : order;
    return first->number < second->number ? -1 : first->number > second->number;
}

static void drop_beyond(Sieve *sieve, guint limit)
{
    g_array_sort_with_data(sieve->kept, compare_rows, sieve);
    for (guint i = limit; i < sieve->kept->len; i++)
        g_free((gpointer)g_array_index(sieve->kept, Row, i).view.fields);
    if (sieve->kept->len > limit)
        g_array_set_size(sieve->kept, limit);
}

static void keep_row(Sieve *sieve, const StrobeView *record, const Bound *bound)
{
    guint limit = sieve->rows->request.limit;
    Row row = {*record, bound, sieve->rows->n_seen++};

    if (!sieve->sort.field && sieve->kept->len >= limit)
        return;
    /* for a kind without fields g_memdup2 returns NULL */
    row.view.fields = g_memdup2(record->fields, bound->size);
    g_array_append_val(sieve->kept, row);
    if (sieve->kept->len >= limit + MAX(limit, SPARE_MIN))
        drop_beyond(sieve, limit);
}

/* ---- the table ---- */

static void sieve_open(void *table, const StrobeShowSource *source)
{
    StrobeRows *rows = table;
    Sieve *sieve = g_new0(Sieve, 1);

    rows->base_ns = source->host->metadata(source->self)->window_begin_ns;
    rows->sieve = sieve;
    sieve->source = source;
    sieve->rows = rows;
    strobe_choice_init(&sieve->choice, rows->request.kind);
    sieve->bounds = g_ptr_array_new_with_free_func(g_free);
    sieve->kept = g_array_new(FALSE, FALSE, sizeof(Row));
}

static StrobeStatus fail_table(const Sieve *sieve, StrobeStatus status, const char *text)
{
    const StrobeShowSource *source = sieve->source;

    return source->host->fail(source->self, status, __FILE__, __LINE__, "%s",
                              text ? text : "no columns");
}

/* Returns the measure of a record; 0: the record has no measure. */
static double measure_of(const Sieve *sieve, const Bound *bound, const StrobeView *record)
{
    const StrobeShowSource *source = sieve->source;
    double number;

    if (!sieve->measure.field || !strobe_table_double(source->host, source->self, &sieve->measure,
                                                      bound->measure_offset, record, &number))
        return 0;
    return MAX(number, 0);
}

static StrobeStatus sieve_add(void *table, const StrobeView *record)
{
    StrobeRows *rows = table;
    Sieve *sieve = rows->sieve;
    const Bound *bound = bind_kind(sieve, record);

    if (!bound)
        return fail_table(sieve, STROBE_ERROR_ARGUMENT, rows->misuse);
    if (rows->request.where && !strobe_where_holds(rows->request.where, sieve->source, record)) {
        rows->n_left_out++;
        return STROBE_OK;
    }
    strobe_columns_see(sieve->choice.columns, record);
    rows->measure_total += measure_of(sieve, bound, record);
    keep_row(sieve, record, bound);
    return STROBE_OK;
}

void strobe_rows_drop_empty(StrobeRows *rows)
{
    guint n = rows->titles->len;

    if (rows->n_rows == 0 || rows->request.raw ||
        (rows->request.columns && !rows->request.is_scaled))
        return;
    g_autofree gboolean *is_used = g_new0(gboolean, n);
    GArray *used = g_array_new(FALSE, FALSE, sizeof(StrobeRowsCell));

    for (guint i = 0; i < rows->cells->len; i++)
        is_used[i % n] |= !g_array_index(rows->cells, StrobeRowsCell, i).is_empty;
    for (guint i = 0; i < rows->cells->len; i++) {
        StrobeRowsCell *cell = &g_array_index(rows->cells, StrobeRowsCell, i);
        if (is_used[i % n])
            g_array_append_vals(used, cell, 1);
        else
            g_free(cell->text);
    }
    for (guint i = n; i > 0; i--)
        if (!is_used[i - 1])
            g_ptr_array_remove_index(rows->titles, i - 1);
    g_array_unref(rows->cells);
    rows->cells = used;
}

/* Replaces a time since the epoch in `cell` by the time since rows->base_ns, which a double can
 * hold exactly. */
static void write_offset(const StrobeRows *rows, StrobeCell *cell)
{
    const gint64 time = g_ascii_strtoll(cell->bytes, NULL, 10);
    gint64 offset;

    if (!__builtin_sub_overflow(time, rows->base_ns, &offset))
        cell->length = strobe_format_int(cell->bytes, offset);
}

/* Returns a text for the cell in readable form (free it): a point in time relative to the begin of
 * the window, another time or a size in a suitable unit. NULL: the cell is used as it is. */
static char *scale_cell(const Sieve *sieve, const StrobeColumn *column, guint32 offset,
                        const StrobeView *record)
{
    const StrobeShowSource *source = sieve->source;
    double number;

    if (!strobe_table_double(source->host, source->self, column, offset, record, &number))
        return NULL;
    if (strcmp(column->field, STROBE_COLUMN_BEGIN) == 0)
        return strobe_text_duration(record->begin_ns - sieve->rows->base_ns);
    if (strobe_column_is_instant(column))
        return strobe_text_duration((gint64)number - sieve->rows->base_ns);
    return strobe_scale_text(number, strobe_choice_unit(&sieve->choice, column));
}

static char *title_of(const Sieve *sieve, const StrobeColumn *column)
{
    if (sieve->rows->request.raw)
        return g_strdup(strobe_column_name(column));
    const char *title = strobe_columns_title(sieve->choice.columns, column);
    return sieve->rows->request.is_scaled ? strobe_scale_title(title) : g_strdup(title);
}

static StrobeStatus write_cells(Sieve *sieve, const Row *row)
{
    StrobeCell cell = {0};

    for (guint32 i = 0; i < sieve->table.n_columns; i++) {
        const StrobeColumn *column = &sieve->table.columns[i];
        if (strobe_table_cell(sieve->source->host, sieve->source->self, column,
                              row->bound->offsets[i], &row->view, &cell) != 0) {
            strobe_cell_clear(&cell);
            return STROBE_ERROR_MEMORY;
        }
        if (sieve->rows->request.raw && cell.is_number && strobe_column_is_instant(column))
            write_offset(sieve->rows, &cell);
        g_autofree char *scaled =
            sieve->rows->request.is_scaled
                ? scale_cell(sieve, column, row->bound->offsets[i], &row->view)
                : NULL;
        StrobeRowsCell copy = {.length = scaled ? strlen(scaled) : cell.length,
                               .is_number = cell.is_number != 0,
                               .is_empty = cell.is_empty != 0,
                               .is_bool = strcmp(column->field, STROBE_COLUMN_INCOMPLETE) == 0};
        copy.text = g_strndup(scaled ? scaled : cell.bytes, copy.length);
        g_array_append_val(sieve->rows->cells, copy);
    }
    strobe_cell_clear(&cell);
    return STROBE_OK;
}

/* If there was no record, chooses the columns by the kind alone, so that an unknown column in the
 * request is reported. */
static void check_names(Sieve *sieve)
{
    if (!sieve->choice.columns &&
        strobe_choice_see_kind(&sieve->choice, sieve->source, sieve->rows->request.raw))
        choose_columns(sieve);
}

/* Makes the titles and the texts of the cells, because the strings of the source are freed before
 * `close`. */
static StrobeStatus sieve_end(void *table)
{
    StrobeRows *rows = table;
    Sieve *sieve = rows->sieve;

    check_names(sieve);
    drop_beyond(sieve, rows->request.limit);
    for (guint32 i = 0; i < sieve->table.n_columns; i++)
        g_ptr_array_add(rows->titles, title_of(sieve, &sieve->table.columns[i]));
    for (guint i = 0; i < sieve->kept->len; i++) {
        const Row *row = &g_array_index(sieve->kept, Row, i);
        const double measure = measure_of(sieve, row->bound, &row->view);
        StrobeStatus status = write_cells(sieve, row);
        g_array_append_val(rows->measures, measure);
        rows->n_incomplete += (row->view.flags & STROBE_VIEW_INCOMPLETE) != 0;
        if (status != STROBE_OK)
            return fail_table(sieve, status, "Out of memory");
    }
    rows->n_rows = sieve->kept->len;
    strobe_rows_drop_empty(rows);
    return STROBE_OK;
}

static void sieve_close(void *table)
{
    StrobeRows *rows = table;
    Sieve *sieve = g_steal_pointer(&rows->sieve);

    for (guint i = 0; i < sieve->kept->len; i++)
        g_free((gpointer)g_array_index(sieve->kept, Row, i).view.fields);
    g_array_unref(sieve->kept);
    g_ptr_array_unref(sieve->bounds);
    strobe_choice_clear(&sieve->choice);
    g_free(sieve);
}

StrobeShowTable strobe_rows_table(StrobeRows *rows)
{
    return (StrobeShowTable){.kind = rows->request.kind,
                             .table = rows,
                             .open = sieve_open,
                             .add = sieve_add,
                             .end = sieve_end,
                             .close = sieve_close};
}
