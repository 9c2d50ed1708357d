/* SPDX-License-Identifier: Apache-2.0 */
#include "show-rows.h"

#include <string.h>
#include <strobe/kinds.h>

#include "error.h"
#include "show-columns.h"
#include "show-tables.h"

#define SPARE_MIN                                                                                  \
    1024 /* rows kept beyond the limit before the order is made and the rest dropped */

/* A kind of the wanted name; plugins may extend it, so there can be several. */
typedef struct Bound {
    const StrobeKindView *kind;
    guint32 offsets[STROBE_TABLE_COLUMNS_MAX];
    guint32 sort_offset;
    gsize size; /* of the fields */
} Bound;

typedef struct Row {
    StrobeView view; /* .fields is the row's own copy */
    const Bound *bound;
    guint64 number;
} Row;

typedef struct Sieve {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeRows *rows;
    StrobeTable table;
    GArray *fields;         /* of StrobeFieldView: of all kinds of the name, each once */
    StrobeKindView kind;    /* the first record's, with those fields */
    StrobeColumns *columns; /* all of them */
    StrobeColumns *plain;   /* the same, as they are stored */
    StrobeColumn chosen[STROBE_TABLE_COLUMNS_MAX]; /* the columns of `table` */
    StrobeColumn sort;                             /* .field is NULL: no order */
    gboolean largest_first;
    GPtrArray *bounds;
    GArray *kept; /* of Row */
} Sieve;

/* A consumer is given no pointer of its own, and this command runs one pipeline at a time. */
static struct {
    StrobeRows *rows;
    const StrobePipeline *pipeline;
} watched;

StrobeRows *strobe_rows_new(const StrobeRowsRequest *request)
{
    StrobeRows *rows = g_new0(StrobeRows, 1);

    rows->request = *request;
    rows->titles = g_ptr_array_new_with_free_func(g_free);
    rows->cells = g_array_new(FALSE, FALSE, sizeof(StrobeRowsCell));
    return rows;
}

void strobe_rows_free(StrobeRows *rows)
{
    if (!rows)
        return;
    for (guint i = 0; i < rows->cells->len; i++)
        g_free(g_array_index(rows->cells, StrobeRowsCell, i).text);
    g_array_unref(rows->cells);
    g_ptr_array_unref(rows->titles);
    g_free(rows->misuse);
    g_free(rows);
}

/* ---- columns ---- */

/* Finds a column by field or title. NULL and rows->misuse if there is none. */
static const StrobeColumn *find_column(StrobeRows *rows, const StrobeTable *tables, guint n_tables,
                                       const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (guint t = 0; t < n_tables; t++)
        for (guint32 i = 0; i < tables[t].n_columns; i++) {
            const StrobeColumn *column = &tables[t].columns[i];
            if (g_ascii_strcasecmp(strobe_column_name(column), name) == 0 ||
                g_ascii_strcasecmp(column->title, name) == 0)
                return column;
            if (!g_ptr_array_find_with_equal_func(names, strobe_column_name(column), g_str_equal,
                                                  NULL))
                g_ptr_array_add(names, (gpointer)strobe_column_name(column));
        }
    g_ptr_array_add(names, NULL);
    g_autofree char *hint = strobe_nearest_hint(name, (const char *const *)names->pdata);
    g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
    rows->misuse = g_strdup_printf("Unknown column \"%s\" of table \"%s\"%s (columns: %s)", name,
                                   rows->request.kind, hint, all);
    return NULL;
}

static gboolean is_text_column(const StrobeColumn *column, const StrobeKindView *kind)
{
    if (strcmp(column->field, STROBE_COLUMN_NAME) == 0 ||
        strcmp(column->field, STROBE_COLUMN_TRACK_NAME) == 0)
        return TRUE;
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (strcmp(kind->fields[i].name, column->field) == 0)
            return kind->fields[i].type == STROBE_FIELD_STRING;
    return FALSE;
}

/* Texts go from A to Z, numbers from the largest to the smallest, if nothing else is asked for. */
static gboolean is_largest_first(const StrobeRowsRequest *request, const StrobeColumn *column,
                                 const StrobeKindView *kind)
{
    gboolean descends = request->direction ? request->direction < 0 : !is_text_column(column, kind);

    return descends != request->reverse;
}

static void add_fields(GArray *fields, const StrobeKindView *kind)
{
    for (guint32 i = 0; i < kind->n_fields; i++) {
        guint known = 0;
        while (known < fields->len && strcmp(g_array_index(fields, StrobeFieldView, known).name,
                                             kind->fields[i].name) != 0)
            known++;
        if (known == fields->len)
            g_array_append_val(fields, kind->fields[i]);
    }
}

/* Plugins extend kinds, and the first record need not be of the one with the most fields. */
static void merge_kinds(Sieve *sieve, const StrobeView *record)
{
    const StrobeKindView *kind;

    add_fields(sieve->fields, record->kind);
    for (guint32 i = 0; (kind = strobe_pipeline_kind(watched.pipeline, i)); i++)
        if (!record->kind->derived && strcmp(kind->name, record->kind->name) == 0)
            add_fields(sieve->fields, kind);
    sieve->kind = *record->kind;
    sieve->kind.fields = (const StrobeFieldView *)(gpointer)sieve->fields->data;
    sieve->kind.n_fields = sieve->fields->len;
}

/* The columns asked for, each once. */
static gboolean choose_named(Sieve *sieve, const StrobeTable *tables, guint n_tables)
{
    StrobeRows *rows = sieve->rows;
    guint32 n = 0;

    for (const char *const *name = rows->request.columns; *name; name++) {
        const StrobeColumn *column = find_column(rows, tables, n_tables, *name);
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

/* Chooses the columns and the order at the first record. */
static gboolean choose_columns(Sieve *sieve, const StrobeView *record)
{
    const StrobeKindView *kind = &sieve->kind;
    StrobeRows *rows = sieve->rows;
    const StrobeRowsRequest *request = &rows->request;
    const StrobePresentation *known = request->raw ? NULL : strobe_presentation_find(request->kind);
    StrobeTable choice[3];

    merge_kinds(sieve, record);
    sieve->columns = strobe_columns_new(sieve->host, sieve->self, kind, record, request->raw);
    sieve->plain = strobe_columns_new(sieve->host, sieve->self, kind, record, TRUE);
    choice[1] = strobe_columns_table(sieve->columns, request->kind);
    choice[2] = strobe_columns_table(sieve->plain, request->kind);
    choice[0] = known ? known->table : choice[1];
    sieve->table = choice[0];
    if (request->columns && !choose_named(sieve, choice, G_N_ELEMENTS(choice)))
        return FALSE;
    known = strobe_presentation_find(request->kind);
    const char *sort = request->sort ? request->sort : known ? known->sort : NULL;
    if (sort) {
        const StrobeColumn *column = find_column(rows, choice, G_N_ELEMENTS(choice), sort);
        if (!column)
            return FALSE;
        sieve->sort = *column;
        sieve->largest_first = is_largest_first(request, column, kind);
    }
    return TRUE;
}

static gsize fields_size(const StrobeKindView *kind)
{
    gsize size = 0;

    for (guint32 i = 0; i < kind->n_fields; i++)
        size = MAX(size, kind->fields[i].offset + strobe_field_size(kind->fields[i].type));
    return size;
}

static const Bound *bind_kind(Sieve *sieve, const StrobeView *record)
{
    const StrobeKindView *kind = record->kind;

    for (guint i = 0; i < sieve->bounds->len; i++) {
        const Bound *bound = g_ptr_array_index(sieve->bounds, i);
        if (bound->kind == kind)
            return bound;
    }
    if (sieve->bounds->len == 0 && !choose_columns(sieve, record))
        return NULL;
    Bound *bound = g_new0(Bound, 1);
    bound->kind = kind;
    bound->size = fields_size(kind);
    strobe_table_bind(&sieve->table, kind, bound->offsets);
    if (sieve->sort.field) {
        const StrobeTable order = {NULL, sieve->table.kind, &sieve->sort, 1};
        strobe_table_bind(&order, kind, &bound->sort_offset);
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
        order =
            strobe_table_compare(sieve->host, sieve->self, &sieve->sort, first->bound->sort_offset,
                                 &first->view, second->bound->sort_offset, &second->view);
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
    /* memdup2 gives NULL for nothing, which a view without fields may have. */
    row.view.fields = g_memdup2(record->fields, bound->size);
    g_array_append_val(sieve->kept, row);
    if (sieve->kept->len >= limit + MAX(limit, SPARE_MIN))
        drop_beyond(sieve, limit);
}

/* ---- the consumer ---- */

static StrobeStatus sieve_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Sieve *sieve = g_new0(Sieve, 1);

    sieve->host = host;
    sieve->self = self;
    sieve->rows = watched.rows;
    sieve->fields = g_array_new(FALSE, FALSE, sizeof(StrobeFieldView));
    sieve->bounds = g_ptr_array_new_with_free_func(g_free);
    sieve->kept = g_array_new(FALSE, FALSE, sizeof(Row));
    *state = sieve;
    return STROBE_OK;
}

static StrobeStatus sieve_batch(void *state, const StrobeView *records, size_t n)
{
    Sieve *sieve = state;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(records[i].kind->name, sieve->rows->request.kind) != 0)
            continue;
        const Bound *bound = bind_kind(sieve, &records[i]);
        if (!bound)
            return sieve->host->fail(sieve->self, STROBE_ERROR_ARGUMENT, __FILE__, __LINE__, "%s",
                                     sieve->rows->misuse ? sieve->rows->misuse : "no columns");
        strobe_columns_see(sieve->columns, &records[i]);
        keep_row(sieve, &records[i], bound);
    }
    return STROBE_OK;
}

/* A column that is empty in every row is left out, unless it was asked for. */
static void drop_empty_columns(StrobeRows *rows)
{
    guint n = rows->titles->len;
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

static StrobeStatus write_cells(Sieve *sieve, const Row *row)
{
    StrobeCell cell = {0};

    for (guint32 i = 0; i < sieve->table.n_columns; i++) {
        const StrobeColumn *column = &sieve->table.columns[i];
        if (strobe_table_cell(sieve->host, sieve->self, column, row->bound->offsets[i], &row->view,
                              &cell) != 0) {
            strobe_cell_clear(&cell);
            return STROBE_ERROR_MEMORY;
        }
        StrobeRowsCell copy = {.length = cell.length,
                               .is_number = cell.is_number != 0,
                               .is_empty = cell.is_empty != 0,
                               .is_bool = strcmp(column->field, STROBE_COLUMN_INCOMPLETE) == 0};
        copy.text = g_malloc(cell.length + 1);
        if (cell.length)
            memcpy(copy.text, cell.bytes, cell.length);
        copy.text[cell.length] = '\0';
        g_array_append_val(sieve->rows->cells, copy);
    }
    strobe_cell_clear(&cell);
    return STROBE_OK;
}

/* A kind of the table's name: recorded, though without records, or a standard one, whose fields the
 * array is given. NULL: none is known. */
static const StrobeKindView *known_kind(const char *name, StrobeKindView *view, GArray *fields)
{
    const StrobeKindView *recorded;

    for (guint32 i = 0; (recorded = strobe_pipeline_kind(watched.pipeline, i)); i++)
        if (strcmp(recorded->name, name) == 0)
            return recorded;
    for (const StrobeKind *const *kind = strobe_standard_kinds; *kind; kind++) {
        if (strcmp((*kind)->name, name) != 0)
            continue;
        for (guint32 i = 0; i < (*kind)->n_fields; i++) {
            const StrobeField *field = &(*kind)->fields[i];
            const StrobeFieldView copy = {.name = field->name,
                                          .unit = field->unit,
                                          .summary = field->summary,
                                          .type = field->type,
                                          .offset = i * (guint32)sizeof(guint64)};
            g_array_append_val(fields, copy);
        }
        *view = (StrobeKindView){.name = name,
                                 .fields = (const StrobeFieldView *)(gpointer)fields->data,
                                 .n_fields = fields->len,
                                 .shape = (*kind)->shape};
        return view;
    }
    return NULL;
}

/* There is no row, but a name may be wrong all the same. */
static void check_names(Sieve *sieve)
{
    g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(StrobeFieldView));
    StrobeKindView view;
    const StrobeKindView *kind = known_kind(sieve->rows->request.kind, &view, fields);

    if (!kind)
        return;
    g_autofree char *nothing = g_malloc0(MAX(fields_size(kind), 1));
    const StrobeView record = {.kind = kind, .fields = nothing};
    choose_columns(sieve, &record);
}

/* Texts are made here: the strings behind them are gone after close. */
static StrobeStatus sieve_end(void *state)
{
    Sieve *sieve = state;
    StrobeRows *rows = sieve->rows;

    if (rows->n_seen == 0)
        check_names(sieve);
    drop_beyond(sieve, rows->request.limit);
    for (guint32 i = 0; i < sieve->table.n_columns; i++) {
        const StrobeColumn *column = &sieve->table.columns[i];
        g_ptr_array_add(rows->titles,
                        g_strdup(rows->request.raw ? strobe_column_name(column)
                                                   : strobe_columns_title(sieve->columns, column)));
    }
    for (guint i = 0; i < sieve->kept->len; i++) {
        const Row *row = &g_array_index(sieve->kept, Row, i);
        StrobeStatus status = write_cells(sieve, row);
        rows->n_incomplete += (row->view.flags & STROBE_VIEW_INCOMPLETE) != 0;
        if (status != STROBE_OK)
            return sieve->host->fail(sieve->self, status, __FILE__, __LINE__, "Out of memory");
    }
    rows->n_rows = sieve->kept->len;
    if (rows->n_rows > 0 && !rows->request.columns && !rows->request.raw)
        drop_empty_columns(rows);
    return STROBE_OK;
}

static void sieve_close(void *state)
{
    Sieve *sieve = state;

    for (guint i = 0; i < sieve->kept->len; i++)
        g_free((gpointer)g_array_index(sieve->kept, Row, i).view.fields);
    g_array_unref(sieve->kept);
    g_ptr_array_unref(sieve->bounds);
    g_array_unref(sieve->fields);
    strobe_columns_free(sieve->columns);
    strobe_columns_free(sieve->plain);
    g_free(sieve);
}

gboolean strobe_rows_watch(StrobeRows *rows, StrobePipeline *pipeline, GError **error)
{
    static const char *wants[] = {NULL, NULL};
    static const StrobeConsumerOps ops = {.struct_size = sizeof ops,
                                          .open = sieve_open,
                                          .batch = sieve_batch,
                                          .end = sieve_end,
                                          .close = sieve_close};
    static const StrobeComponent component = {.struct_size = sizeof component,
                                              .type = STROBE_COMPONENT_EXPORTER,
                                              .name = "show",
                                              .summary = "The rows of one table.",
                                              .wants = wants,
                                              .ops = &ops};

    watched.rows = rows;
    watched.pipeline = pipeline;
    wants[0] = rows->request.kind;
    return strobe_pipeline_add_consumer(pipeline, &component, error);
}
