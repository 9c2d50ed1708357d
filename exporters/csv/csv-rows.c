/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-rows.h"

#include <errno.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>

#include "metric-columns.h"
#include "mode-rows.h"

#define MODULES_MAX 65536u

/* Where a column's cells come from. */
enum {
    SOURCE_OTHER = 0, /* the table driver */
    SOURCE_NAME,
    SOURCE_TEXT, /* a string field */
    SOURCE_LIST,
    SOURCE_STACK,
    SOURCE_METRICS,
    SOURCE_U32, /* whole numbers as they are */
    SOURCE_I64,
    SOURCE_BEGIN /* us with a TAB */
};

typedef struct Source {
    guint type;
    guint32 offset; /* of the field */
    guint column;   /* of the file; of metrics: the first */
    gsize absent;   /* length of the text for what is absent */
    gboolean is_optional;
    const AscendWord *word; /* NULL: none in this column has another name */
} Source;

struct CsvRows {
    CsvContext *context;
    CsvFile *file;
    const AscendFile *entry; /* NULL: generic */
    const CsvFile *unless;
    gint64 rank;
    StrobeColumn *columns;
    guint32 n_columns;
    guint32 *places;
    Source *sources;
    MetricColumns *metrics;
    guint32 metrics_offset; /* of their names */
    guint32 values;         /* where those of the metrics begin, and how many there are */
    guint n_values;
    ModeRows *modes;
    guint32 only_offset, order_offset;
    guint32 known_id; /* whether this string lets a record have a row is known */
    gboolean known_fits;
    gint64 known_number, known_order; /* text_order() of the last number */
    GHashTable *modules;              /* id of a name -> its place, for those without a number */
    gint64 last_module;               /* place of the last record's */
};

CsvFile *csv_rows_file(const CsvRows *rows)
{
    return rows->file;
}

void csv_rows_free(CsvRows *rows)
{
    metric_columns_free(rows->metrics);
    mode_rows_free(rows->modes);
    if (rows->modules)
        g_hash_table_unref(rows->modules);
    g_free(rows->columns);
    g_free(rows->places);
    g_free(rows->sources);
    g_free(rows);
}

/* ---- binding ---- */

static const StrobeFieldView *find_field(const StrobeKindView *kind, const char *name)
{
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, name))
            return &kind->fields[i];
    return NULL;
}

/* Numbers that every row has and that need no driver. */
static guint number_type(const StrobeColumn *column, const StrobeFieldView *field)
{
    if (column->cell == STROBE_CELL_US_TAB && !strcmp(column->field, STROBE_COLUMN_BEGIN))
        return SOURCE_BEGIN;
    if (column->cell != STROBE_CELL_AUTO && column->cell != STROBE_CELL_INT)
        return SOURCE_OTHER;
    if (field && field->type == STROBE_FIELD_U32)
        return SOURCE_U32;
    return field && field->type == STROBE_FIELD_I64 ? SOURCE_I64 : SOURCE_OTHER;
}

static guint source_type(const StrobeColumn *column, const StrobeFieldView *field)
{
    guint number = number_type(column, field);

    if (number)
        return number;
    if (column->cell != STROBE_CELL_TEXT && column->cell != STROBE_CELL_LIST &&
        column->cell != STROBE_CELL_AUTO)
        return SOURCE_OTHER;
    if (!strcmp(column->field, STROBE_COLUMN_NAME))
        return column->cell == STROBE_CELL_LIST ? SOURCE_OTHER : SOURCE_NAME;
    if (field && field->type == STROBE_FIELD_STRING)
        return column->cell == STROBE_CELL_LIST ? SOURCE_LIST : SOURCE_TEXT;
    if (field && field->type == STROBE_FIELD_STACK && column->cell == STROBE_CELL_LIST)
        return SOURCE_STACK;
    return SOURCE_OTHER;
}

static void bind_sources(CsvRows *rows, const StrobeKindView *kind, const AscendColumn **marks)
{
    const StrobeTable table = {.columns = rows->columns, .n_columns = rows->n_columns};

    rows->places = g_new0(guint32, rows->n_columns + 1);
    rows->sources = g_new0(Source, rows->n_columns + 1);
    strobe_table_bind(&table, kind, rows->places);
    for (guint32 i = 0; i < rows->n_columns; i++) {
        const StrobeColumn *column = &rows->columns[i];
        const StrobeFieldView *field = find_field(kind, column->field);
        Source *source = &rows->sources[i];

        source->type = source_type(column, field);
        source->offset = field ? field->offset : 0;
        source->absent = column->absent ? strlen(column->absent) : 0;
        source->is_optional = marks && (marks[i]->flags & ASCEND_COLUMN_OPTIONAL);
        source->word = marks ? marks[i]->word : NULL;
        if (marks && (marks[i]->flags & ASCEND_COLUMN_METRICS))
            source->type = SOURCE_METRICS;
    }
}

/* The values lie one behind the other in fields of their own. */
static void bind_metrics(CsvRows *rows, const StrobeKindView *kind, const StrobeColumn *column)
{
    char name[16];

    rows->metrics = metric_columns_new(rows->file, rows->context->generation, column->absent);
    rows->values = strobe_field_offset(kind, "value_00", STROBE_FIELD_F64);
    for (guint n = 0; n < STROBE_KIND_FIELDS_MAX; n++) {
        g_snprintf(name, sizeof name, "value_%02u", n);
        if (strobe_field_offset(kind, name, STROBE_FIELD_F64) != rows->values + 8 * n)
            break;
        rows->n_values = n + 1;
    }
}

/* Columns of the file, in the same order for every entry of it. */
static void add_columns(CsvRows *rows, const AscendColumn **marks, gboolean is_first)
{
    gint optional = CSV_COLUMN_ALWAYS;
    guint at = 0;

    for (guint32 i = 0; i < rows->n_columns; i++) {
        const guint flags = marks[i]->flags;
        gint with = CSV_COLUMN_ALWAYS;

        rows->sources[i].column = at;
        if (flags & ASCEND_COLUMN_METRICS)
            continue;
        if (flags & ASCEND_COLUMN_OPTIONAL)
            with = optional = (gint)at;
        else if (flags & ASCEND_COLUMN_FOLLOWS)
            with = optional;
        at++;
        if (is_first)
            csv_file_add_column(rows->file, rows->columns[i].title, with);
        if (flags & (ASCEND_COLUMN_OPTIONAL | ASCEND_COLUMN_METRICS))
            csv_file_hold(rows->file);
    }
}

static void bind_order(CsvRows *rows, const StrobeKindView *kind)
{
    static const struct {
        guint order;
        const char *field;
        guint32 type;
    } fields[] = {{ASCEND_ORDER_DEVICE_BEGIN, "device", STROBE_FIELD_I32},
                  {ASCEND_ORDER_MODULE_BEGIN, "module", STROBE_FIELD_U32},
                  {ASCEND_ORDER_RELEASE, "release_time", STROBE_FIELD_I64}};
    const AscendFile *entry = rows->entry;

    rows->order_offset = rows->only_offset = STROBE_FIELD_MISSING;
    for (gsize i = 0; i < G_N_ELEMENTS(fields); i++)
        if (fields[i].order == entry->order)
            rows->order_offset = strobe_field_offset(kind, fields[i].field, fields[i].type);
    if (entry->order != ASCEND_ORDER_NONE || rows->rank)
        csv_file_hold(rows->file);
    if (entry->only_field)
        rows->only_offset = strobe_field_offset(kind, entry->only_field, STROBE_FIELD_STRING);
}

static CsvRows *new_rows(CsvContext *context, CsvFile *file)
{
    CsvRows *rows = g_new0(CsvRows, 1);

    rows->context = context;
    rows->file = file;
    rows->columns = g_new0(StrobeColumn, STROBE_TABLE_COLUMNS_MAX);
    return rows;
}

CsvRows *csv_rows_new_ascend(CsvContext *context, const AscendFile *entry, CsvFile *file,
                             const CsvFile *unless, gint64 rank, gboolean is_first,
                             const StrobeKindView *kind)
{
    CsvRows *rows = new_rows(context, file);
    g_autofree const AscendColumn **marks = g_new0(const AscendColumn *, STROBE_TABLE_COLUMNS_MAX);

    rows->entry = entry;
    rows->unless = unless;
    rows->rank = rank;
    rows->n_columns =
        ascend_file_columns(entry, context->generation, context->level, rows->columns, marks);
    bind_order(rows, kind);
    bind_sources(rows, kind, marks);
    add_columns(rows, marks, is_first);
    for (guint32 i = 0; i < rows->n_columns; i++)
        if (rows->sources[i].type == SOURCE_METRICS) {
            csv_file_hold(file);
            bind_metrics(rows, kind, &rows->columns[i]);
            rows->metrics_offset = strobe_field_offset(kind, "metrics", STROBE_FIELD_STRING);
        }
    if (entry->n_modes)
        rows->modes = mode_rows_new(file, entry, rows->columns, rows->n_columns);
    return rows;
}

/* "host_self(ns)"; the name and times of a generic table have their unit already. */
static void add_generic_column(CsvRows *rows, const StrobeKindView *kind, guint32 at)
{
    const StrobeColumn *column = &rows->columns[at];
    const StrobeFieldView *field = find_field(kind, column->field);
    g_autofree char *title = field && field->unit && *field->unit
                                 ? g_strdup_printf("%s(%s)", column->title, field->unit)
                                 : g_strdup(column->title);

    csv_file_add_column(rows->file, title, CSV_COLUMN_ALWAYS);
}

CsvRows *csv_rows_new_generic(CsvContext *context, CsvFile *file, const StrobeKindView *kind)
{
    CsvRows *rows = new_rows(context, file);

    rows->n_columns = strobe_table_generic(kind, rows->columns);
    for (guint32 i = 0; i < rows->n_columns; i++) {
        if (!strcmp(rows->columns[i].field, STROBE_COLUMN_BEGIN))
            rows->columns[i].cell = STROBE_CELL_US_TAB;
        add_generic_column(rows, kind, i);
    }
    bind_sources(rows, kind, NULL);
    return rows;
}

/* ---- rows ---- */

static gboolean has_text(const CsvRows *rows, guint32 id, const char *text)
{
    StrobeText name = rows->context->host->string(rows->context->self, id);

    return name.length == strlen(text) && memcmp(name.bytes, text, name.length) == 0;
}

/* Has the record a row here? What decides is one string, remembered. */
static gboolean fits(CsvRows *rows, const StrobeView *record)
{
    const AscendFile *entry = rows->entry;
    guint32 id;

    if (!entry || (!entry->only_field && !entry->skip_prefix))
        return TRUE;
    id = entry->only_field ? strobe_field_u32(record, rows->only_offset, 0) : record->name;
    if (!id)
        return !entry->only_field;
    if (id != rows->known_id) {
        rows->known_id = id;
        rows->known_fits =
            entry->only_field
                ? has_text(rows, id, entry->only_text)
                : !g_str_has_prefix(rows->context->host->string(rows->context->self, id).bytes,
                                    entry->skip_prefix);
    }
    return rows->known_fits;
}

/* Bytes of a number's text in the order of the texts, as the original sorts. The last one is
 * remembered: devices are few. */
static gint64 text_order(CsvRows *rows, gint64 number)
{
    char text[STROBE_NUMBER_MAX] = "";
    gint64 order = 0;

    if (number == rows->known_number && rows->known_order)
        return rows->known_order;
    strobe_format_int(text, number);
    for (guint i = 0; i < 7; i++)
        order = order << 8 | (guchar)text[i];
    rows->known_number = number;
    rows->known_order = order;
    return order;
}

/* The number of the module; one that the source has no number for stands behind the one that came
 * before it when it came first. */
static gint64 module_order(CsvRows *rows, const StrobeView *record)
{
    guint32 module = strobe_field_u32(record, rows->order_offset, STROBE_ABSENT_U32);
    gpointer place;

    if (module != STROBE_ABSENT_U32)
        return rows->last_module = (gint64)(module + 1) * MODULES_MAX;
    if (!rows->modules)
        rows->modules = g_hash_table_new(g_direct_hash, g_direct_equal);
    if (g_hash_table_lookup_extended(rows->modules, GUINT_TO_POINTER(record->name), NULL, &place))
        return rows->last_module = (gint64)GPOINTER_TO_SIZE(place);
    if (g_hash_table_size(rows->modules) < MODULES_MAX)
        g_hash_table_insert(rows->modules, GUINT_TO_POINTER(record->name),
                            GSIZE_TO_POINTER((gsize)rows->last_module + 1));
    return ++rows->last_module;
}

StrobeRowKey csv_rows_key(CsvRows *rows, const StrobeView *record)
{
    const AscendFile *entry = rows->entry;
    StrobeRowKey key = {rows->rank, record->begin_ns};

    switch (entry ? entry->order : ASCEND_ORDER_NONE) {
    case ASCEND_ORDER_BEGIN:
        break;
    case ASCEND_ORDER_DEVICE_BEGIN:
        key.major = text_order(rows, strobe_field_i32(record, rows->order_offset, -1));
        break;
    case ASCEND_ORDER_MODULE_BEGIN:
        key.major = module_order(rows, record);
        break;
    case ASCEND_ORDER_FIRST_BEGIN:
        key.major = !has_text(rows, record->name, entry->first_name);
        break;
    case ASCEND_ORDER_RELEASE:
        key.minor = strobe_field_i64(record, rows->order_offset, STROBE_ABSENT_I64);
        if (key.minor == STROBE_ABSENT_I64)
            key.minor = G_MAXINT64;
        break;
    default:
        key.minor = 0;
    }
    return key;
}

static void put_absent(CsvRows *rows, CsvCells *cells, guint32 at)
{
    csv_cells_put(cells, rows->sources[at].absent ? rows->columns[at].absent : "",
                  rows->sources[at].absent);
}

/* A name with something before it. */
static void put_prefixed(const CsvRows *rows, CsvContext *context, CsvCells *cells, guint32 id)
{
    StrobeText name = context->host->string(context->self, id);
    g_autofree char *valid = g_utf8_make_valid(name.bytes, (gssize)name.length);
    g_autofree char *text = g_strconcat(rows->entry->name_prefix, valid, NULL);

    csv_cells_text(cells, text, strlen(text));
}

static inline void mark(CsvRows *rows, guint32 at)
{
    if (G_UNLIKELY(rows->sources[at].is_optional))
        csv_file_mark(rows->file, rows->sources[at].column);
}

static int put_cached(CsvRows *rows, CsvContext *context, CsvCells *cells, guint32 at, guint kind,
                      guint32 id, const StrobeView *record)
{
    const CachedCell *cell;

    if (!id) {
        put_absent(rows, cells, at);
        return 0;
    }
    cell = cell_cache_find(context->cache, kind, id);
    if (G_UNLIKELY(!cell))
        cell =
            cell_cache_make(context->cache, kind, id, &rows->columns[at], rows->places[at], record);
    if (!cell)
        return ENOMEM;
    csv_cells_put_padded(cells, cell->bytes, cell->length);
    mark(rows, at);
    return 0;
}

/* By the table driver; most of what comes here are numbers. */
static int put_other(CsvRows *rows, CsvContext *context, CsvCells *cells, guint32 at,
                     const StrobeView *record)
{
    const StrobeColumn *column = &rows->columns[at];
    StrobeCell *cell = &context->cell;
    char *place = csv_cells_begin(cells, STROBE_NUMBER_MAX);
    int length =
        strobe_table_number(context->host, context->self, column, rows->places[at], record, place);

    if (length > 0) {
        csv_cells_end(cells, place + length);
        mark(rows, at);
        return 0;
    }
    cells->n--; /* once more, with room for a text */
    if (length == 0) {
        put_absent(rows, cells, at);
        return 0;
    }
    if (strobe_table_cell(context->host, context->self, column, rows->places[at], record, cell))
        return ENOMEM;
    csv_cells_text(cells, cell->bytes, cell->length);
    if (!cell->is_empty)
        mark(rows, at);
    return 0;
}

static gint64 widen(guint32 value)
{
    return value == STROBE_ABSENT_U32 ? STROBE_ABSENT_I64 : (gint64)value;
}

static void put_integer(CsvRows *rows, CsvCells *cells, guint32 at, gint64 value)
{
    char *place;

    if (value == STROBE_ABSENT_I64) {
        put_absent(rows, cells, at);
        return;
    }
    place = csv_cells_begin(cells, STROBE_NUMBER_MAX);
    csv_cells_end(cells, place + strobe_format_int(place, value));
    mark(rows, at);
}

static void put_begin(CsvRows *rows, CsvCells *cells, guint32 at, gint64 ns)
{
    char *place;
    gsize length;

    if (ns == STROBE_ABSENT_I64) {
        put_absent(rows, cells, at);
        return;
    }
    place = csv_cells_begin(cells, STROBE_NUMBER_MAX);
    length = strobe_format_us_fixed(place, ns);
    place[length] = '\t';
    csv_cells_end(cells, place + length + 1);
    mark(rows, at);
}

static void put_metrics(CsvRows *rows, CsvCells *cells, const StrobeView *record)
{
    guint32 id = strobe_field_u32(record, rows->metrics_offset, 0);

    metric_columns_write(rows->metrics, cells, record, id,
                         rows->context->host->string(rows->context->self, id), rows->values,
                         rows->n_values);
}

/* The text by its name in this generation; FALSE: it is another one. */
static gboolean put_word(CsvRows *rows, CsvCells *cells, const AscendWord *word, guint32 id)
{
    const gboolean is_older =
        (word->generations & ascend_generation_bit(rows->context->generation)) != 0;
    const char *text = is_older ? word->older : word->newer;

    if (!has_text(rows, id, word->older) && !has_text(rows, id, word->newer))
        return FALSE;
    csv_cells_put(cells, text, strlen(text));
    return TRUE;
}

static inline int put_cell(CsvRows *rows, CsvContext *context, CsvCells *cells, guint32 at,
                           const StrobeView *record)
{
    const Source *source = &rows->sources[at];

    switch (source->type) {
    case SOURCE_NAME:
        if (rows->entry && rows->entry->name_prefix) {
            put_prefixed(rows, context, cells, record->name);
            return 0;
        }
        return put_cached(rows, context, cells, at, CELL_CACHE_TEXT, record->name, record);
    case SOURCE_TEXT:
        if (source->word &&
            put_word(rows, cells, source->word, strobe_view_u32(record, source->offset)))
            return 0;
        return put_cached(rows, context, cells, at, CELL_CACHE_TEXT,
                          strobe_view_u32(record, source->offset), record);
    case SOURCE_LIST:
        return put_cached(rows, context, cells, at, CELL_CACHE_LIST,
                          strobe_view_u32(record, source->offset), record);
    case SOURCE_STACK:
        return put_cached(rows, context, cells, at, CELL_CACHE_STACK,
                          strobe_view_u32(record, source->offset), record);
    case SOURCE_METRICS:
        put_metrics(rows, cells, record);
        return 0;
    case SOURCE_U32:
        put_integer(rows, cells, at, widen(strobe_view_u32(record, source->offset)));
        return 0;
    case SOURCE_I64:
        put_integer(rows, cells, at, strobe_view_i64(record, source->offset));
        return 0;
    case SOURCE_BEGIN:
        put_begin(rows, cells, at, record->begin_ns);
        return 0;
    default:
        return put_other(rows, context, cells, at, record);
    }
}

gboolean csv_rows_waits(const CsvRows *rows, const StrobeView *record)
{
    if (rows->modes)
        return TRUE;
    return rows->metrics && !metric_columns_are_planned(
                                rows->metrics, strobe_field_u32(record, rows->metrics_offset, 0));
}

gboolean csv_rows_takes(CsvRows *rows, const StrobeView *record)
{
    return !(rows->unless && csv_file_has_rows(rows->unless)) && fits(rows, record);
}

int csv_rows_compose(CsvRows *rows, CsvContext *context, CsvCells *cells, const StrobeView *record)
{
    for (guint32 i = 0; i < rows->n_columns; i++) {
        int error = put_cell(rows, context, cells, i, record);

        if (error)
            return error;
    }
    return 0;
}

int csv_rows_add(CsvRows *rows, const StrobeView *record)
{
    int error;

    if (!csv_rows_takes(rows, record))
        return 0;
    if (rows->modes) {
        mode_rows_add(rows->modes, record);
        return 0;
    }
    error = csv_rows_compose(rows, rows->context, csv_file_begin_row(rows->file), record);
    return error ? error : csv_file_end_row(rows->file, csv_rows_key(rows, record));
}

int csv_rows_end(CsvRows *rows)
{
    return rows->modes ? mode_rows_end(rows->modes) : 0;
}

/* ---- contexts ---- */

CsvContext *csv_context_copy(const CsvContext *context, guint n_copies)
{
    CsvContext *copy = g_memdup2(context, sizeof *context);

    copy->cache = cell_cache_new(context->host, context->self, n_copies);
    copy->cell = (StrobeCell){NULL};
    return copy;
}

void csv_context_free(CsvContext *context)
{
    cell_cache_free(context->cache);
    strobe_cell_clear(&context->cell);
    g_free(context);
}
