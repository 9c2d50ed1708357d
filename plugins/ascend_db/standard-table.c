/* SPDX-License-Identifier: Apache-2.0 */
#include "standard-table.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>

#include "row-reader.h"

/* The columns that precede the fields. */
enum { AT_ROW, AT_NAME, AT_BEGIN, AT_END, AT_TID, AT_DEVICE, AT_FIELDS };
static const char *const places[] = {"name", "startNs", "endNs", "globalTid", "deviceId"};

#define FRAMES_MAX 1024

/* Returns whether the table has exactly the columns that Strobe's exporter writes for the kind. If
 * not, the exporter did not write the table. */
static gboolean is_of_kind(const DbTable *table, const StrobeKind *kind)
{
    if (table->columns->len != G_N_ELEMENTS(places) + kind->n_fields)
        return FALSE;
    for (guint i = 0; i < table->columns->len; i++) {
        const DbColumn *column = g_ptr_array_index(table->columns, i);
        const char *expected =
            i < G_N_ELEMENTS(places) ? places[i] : kind->fields[i - G_N_ELEMENTS(places)].name;

        if (!g_str_has_prefix(column->name, expected))
            return FALSE;
    }
    return TRUE;
}

static StrobeStringId text_at(Import *import, sqlite3_stmt *statement, gint at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);

    return text ? import->host->intern(import->self, text,
                                       (gsize)sqlite3_column_bytes(statement, at))
                : 0;
}

static StrobeStackId stack_at(Import *import, sqlite3_stmt *statement, gint at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    g_auto(GStrv) frames = g_strsplit(text ? text : "", ";\r\n", FRAMES_MAX);
    StrobeStringId ids[FRAMES_MAX];
    guint n = 0;

    for (; frames[n]; n++)
        ids[n] = import_intern(import, frames[n]);
    return n ? import->host->stack(import->self, ids, n) : 0;
}

/* Fills a field that contains an id. Returns FALSE if the field contains a number. */
static gboolean fill_id(Import *import, guint32 type, sqlite3_stmt *statement, gint at, void *out)
{
    guint32 id;

    if (type == STROBE_FIELD_STRING)
        id = text_at(import, statement, at);
    else if (type == STROBE_FIELD_STACK)
        id = stack_at(import, statement, at);
    else if (type == STROBE_FIELD_TRACK)
        id = import_thread(import, (guint64)sqlite3_column_int64(statement, at), NULL);
    else
        return FALSE;
    memcpy(out, &id, sizeof id);
    return TRUE;
}

static void fill_field(Import *import, const DbTable *table, const StrobeField *field,
                       sqlite3_stmt *statement, gint at, void *out)
{
    StrobeCellValue value = {.type = STROBE_CELL_WHOLE};
    int type = sqlite3_column_type(statement, at);

    if (type == SQLITE_NULL || fill_id(import, field->type, statement, at, out))
        return;
    value.whole = sqlite3_column_int64(statement, at);
    value.real = sqlite3_column_double(statement, at);
    if (field->type == STROBE_FIELD_F64)
        value.type = STROBE_CELL_REAL;
    if (value.whole < 0 && (field->type == STROBE_FIELD_U64 || field->type == STROBE_FIELD_LINK))
        value.is_unsigned = 1;
    if (type == SQLITE_TEXT || type == SQLITE_BLOB || strobe_cell_store(&value, field->type, out))
        db_file_damage(import->file, table->name, sqlite3_column_int64(statement, AT_ROW),
                       field->name, "expected a number of the field's type");
}

static StrobeTrackId track_of(Import *import, const StrobeKind *kind, sqlite3_stmt *statement)
{
    gint64 value;

    if (row_read_integer(statement, AT_TID, &value))
        return import_thread(import, (guint64)value, NULL);
    if (row_read_integer(statement, AT_DEVICE, &value) && value >= -1 && value <= G_MAXINT32)
        return import_counter(import, (gint32)value, kind->name);
    return 0;
}

static void take_row(Import *import, const DbTable *table, const StrobeKind *kind,
                     sqlite3_stmt *statement)
{
    gint64 begin, end;
    char *fields;

    if (!row_read_integer(statement, AT_BEGIN, &begin) || begin < 0)
        begin = import->begin_ns;
    if (!row_read_integer(statement, AT_END, &end))
        end = begin;
    if (end < begin) {
        db_file_damage(import->file, table->name, sqlite3_column_int64(statement, 0), NULL,
                       "ends before it begins");
        end = begin;
    }
    fields = import_emit(import, kind, track_of(import, kind, statement),
                         text_at(import, statement, AT_NAME), begin, end);
    for (guint32 i = 0; fields && i < kind->n_fields; i++)
        fill_field(import, table, &kind->fields[i], statement, (gint)(AT_FIELDS + i),
                   fields + strobe_kind_offset(kind, i));
}

static void import_table(Import *import, DbTable *table, const StrobeKind *kind)
{
    g_autoptr(GString) columns = g_string_new(NULL);
    DbScan scan;

    for (guint i = 0; i < table->columns->len; i++) {
        const DbColumn *column = g_ptr_array_index(table->columns, i);
        g_autofree char *quoted = db_quote(column->name);

        g_string_append_printf(columns, "%s%s", i ? ", " : "", quoted);
    }
    table->is_taken = TRUE;
    db_scan_init(&scan, import->file, table->name, columns->str);
    while (!import->is_full && db_scan_next(&scan))
        take_row(import, table, kind, scan.statement);
    import->host->found(import->self, table->name, scan.n);
    db_scan_clear(&scan);
}

void standard_tables_import(Import *import)
{
    for (guint i = 0; strobe_standard_kinds[i] && !import->is_full; i++) {
        const StrobeKind *kind = strobe_standard_kinds[i];
        DbTable *table = db_file_table(import->file, kind->name);

        if (table && !table->is_taken && is_of_kind(table, kind))
            import_table(import, table, kind);
    }
}
