/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-rows.h"

#include <errno.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>

#include "mode-rows.h"
#include "row-cells.h"

#define MODULES_MAX 65536u

struct CsvRows {
    CsvContext *context;
    CsvFile *file;
    const AscendFile *entry; /* NULL: the rows have all fields of the kind */
    const CsvFile *unless;
    gint64 rank;
    RowSources *cells;
    ModeRows *modes;
    guint32 only_offset, order_offset;
    /* the last string that decided whether a record has a row; known_fits is the decision */
    guint32 known_id;
    gboolean known_fits;
    gint64 known_number, known_order; /* the last argument of text_order() and its result */
    /* positions of modules without a number: id of the module's name -> position */
    GHashTable *modules;
    gint64 last_module; /* position of the last record's module */
};

CsvFile *csv_rows_file(const CsvRows *rows)
{
    return rows->file;
}

void csv_rows_free(CsvRows *rows)
{
    row_sources_free(rows->cells);
    mode_rows_free(rows->modes);
    if (rows->modules)
        g_hash_table_unref(rows->modules);
    g_free(rows);
}

/* ---- binding ---- */

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

CsvRows *csv_rows_new_ascend(CsvContext *context, const AscendFile *entry, CsvFile *file,
                             const CsvFile *unless, gint64 rank, gboolean is_first,
                             const StrobeKindView *kind)
{
    CsvRows *rows = g_new0(CsvRows, 1);
    const StrobeColumn *columns;
    guint32 n_columns;

    rows->context = context;
    rows->file = file;
    rows->entry = entry;
    rows->unless = unless;
    rows->rank = rank;
    bind_order(rows, kind);
    rows->cells = row_sources_new_ascend(context, entry, file, kind, is_first);
    columns = row_sources_columns(rows->cells, &n_columns);
    if (entry->n_modes)
        rows->modes = mode_rows_new(file, entry, columns, n_columns);
    return rows;
}

CsvRows *csv_rows_new_generic(CsvContext *context, CsvFile *file, const StrobeKindView *kind,
                              gboolean with_device)
{
    CsvRows *rows = g_new0(CsvRows, 1);

    rows->context = context;
    rows->file = file;
    rows->cells = row_sources_new_generic(context, file, kind, with_device);
    return rows;
}

/* ---- rows ---- */

/* Returns whether the record has a row in this file. An entry may have rows only for records with a
 * certain text in a field. The decision for the last text is cached. */
static gboolean is_row_wanted(CsvRows *rows, const StrobeView *record)
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
                ? csv_context_has_text(rows->context, id, entry->only_text)
                : !g_str_has_prefix(rows->context->host->string(rows->context->self, id).bytes,
                                    entry->skip_prefix);
    }
    return rows->known_fits;
}

/* Returns a sort key by which numbers sort like their texts, as in the Ascend profiler: the first 7
 * bytes of the text. The last result is cached, because there are few devices. */
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

/* Returns the position of the module. A module with a number has the position of this number. A
 * module without a number comes after the module whose record preceded its own first record. */
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

static StrobeSortKey row_key(CsvRows *rows, const StrobeView *record)
{
    const AscendFile *entry = rows->entry;
    StrobeSortKey key = {rows->rank, record->begin_ns};

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
        key.major = !csv_context_has_text(rows->context, record->name, entry->first_name);
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

int csv_rows_add(CsvRows *rows, const StrobeView *record)
{
    int error;

    if ((rows->unless && csv_file_n_rows(rows->unless)) || !is_row_wanted(rows, record))
        return 0;
    if (rows->modes) {
        mode_rows_add(rows->modes, record);
        return 0;
    }
    error = row_cells_compose(rows->cells, rows->context, csv_file_begin_row(rows->file), record);
    return error ? error : csv_file_end_row(rows->file, row_key(rows, record));
}

int csv_rows_end(CsvRows *rows)
{
    return rows->modes ? mode_rows_end(rows->modes) : 0;
}
