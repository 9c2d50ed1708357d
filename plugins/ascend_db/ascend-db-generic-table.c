/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-generic-table.h"

#include <string.h>

#define TABLES_MAX 100u

typedef struct Generic {
    Import *import;
    DbFile *file;
    const DbTable *table;
    StrobeKind *kind;
    StrobeField fields[STROBE_KIND_FIELDS_MAX];
    GString *columns;
    /* indexes of columns in the statement; -1: there is no such column */
    gint begin_at, end_at, name_at, device_at, tid_at;
} Generic;

/* Returns whether formats/ describes the table although it has no standard kind. Such a table is
 * imported like an unknown one, but is not reported as unknown. */
static gboolean is_described(const char *table)
{
    const AscendDbTable *format = ascend_db_table(table);

    return format && format->kind && g_str_has_prefix(format->kind, "ascend_db.");
}

/* Returns whether the column contains ids of texts. */
static gboolean is_of_texts(const Generic *g, const char *column)
{
    const AscendDbColumn *row =
        is_described(g->table->name)
            ? ascend_db_column(ascend_db_table(g->table->name), column, g->import->generation)
            : NULL;

    return row && row->holds == ASCEND_DB_STRING;
}

/* Returns whether MindStudio Insight adds a table with this name to a database that it opens. */
static gboolean is_viewers(const char *table)
{
    return !strcmp(table, "status_info") || !strcmp(table, "connectionCats") ||
           !strcmp(table, "OVERLAP_ANALYSIS");
}

/* ---- the kind ---- */

static char *unique_name(const Generic *g, guint n, const char *column)
{
    g_autofree char *name = row_field_name(column);
    guint copies = 0;

    for (guint i = 0; i < n; i++)
        copies += !strcmp(g->fields[i].name, name) || (g_str_has_prefix(g->fields[i].name, name) &&
                                                       g->fields[i].name[strlen(name)] == '.');
    return copies ? g_strdup_printf("%s.%u", name, copies) : g_steal_pointer(&name);
}

/* Returns the field type for the declared type of a column, used if the column has no values. */
static guint32 declared_type(const DbColumn *column)
{
    return !g_ascii_strcasecmp(column->type, "INTEGER") ? STROBE_FIELD_I64
           : !g_ascii_strcasecmp(column->type, "NUMERIC") ||
                   !g_ascii_strcasecmp(column->type, "REAL")
               ? STROBE_FIELD_F64
               : STROBE_FIELD_STRING;
}

/* Returns the field type of a column, determined by its values: integer, real number, or text for
 * all other values. */
static guint32 type_of(Generic *g, const DbColumn *column, const char *quoted)
{
    g_autofree char *table = db_quote(g->table->name);
    g_autofree char *sql = g_strdup_printf(
        "SELECT coalesce(sum(typeof(%s) = 'integer'), 0), coalesce(sum(typeof(%s) = 'real'), 0), "
        "coalesce(sum(typeof(%s) IN ('text', 'blob')), 0) FROM main.%s",
        quoted, quoted, quoted, table);
    sqlite3_stmt *statement = db_file_prepare(g->file, NULL, sql);
    guint32 type = is_of_texts(g, column->name) ? STROBE_FIELD_STRING : declared_type(column);

    if (is_of_texts(g, column->name)) {
        sqlite3_finalize(statement);
        return type;
    }
    if (db_file_step(g->file, NULL, statement) && sqlite3_column_int64(statement, 2) == 0) {
        if (sqlite3_column_int64(statement, 1))
            type = STROBE_FIELD_F64;
        else if (sqlite3_column_int64(statement, 0))
            type = STROBE_FIELD_I64;
    } else {
        type = STROBE_FIELD_STRING;
    }
    sqlite3_finalize(statement);
    return type;
}

static gint *role_of(Generic *g, const char *column)
{
    static const char *const begins[] = {"startNs", "timestampNs", "timestamp", "startTime"};

    for (guint i = 0; i < G_N_ELEMENTS(begins); i++)
        if (!strcmp(column, begins[i]))
            return &g->begin_at;
    return !strcmp(column, "endNs")                                     ? &g->end_at
           : !strcmp(column, "name") || !strcmp(column, "opName")       ? &g->name_at
           : !strcmp(column, "deviceId") || !strcmp(column, "deviceid") ? &g->device_at
           : !strcmp(column, "globalTid")                               ? &g->tid_at
                                                                        : NULL;
}

static void add_columns(Generic *g)
{
    guint n = MIN(g->table->columns->len, STROBE_KIND_FIELDS_MAX);

    for (guint i = 0; i < n; i++) {
        const DbColumn *column = g_ptr_array_index(g->table->columns, i);
        g_autofree char *quoted = db_quote(column->name);
        g_autofree char *name = unique_name(g, i, column->name);
        gint *role = role_of(g, column->name);

        if (role && *role < 0)
            *role = (gint)i + 1;
        g->fields[i] = (StrobeField){.name = g_string_chunk_insert(g->import->names, name),
                                     .type = type_of(g, column, quoted),
                                     .unit = "",
                                     .summary = column->name};
        g_string_append_printf(g->columns, "%s%s", i ? ", " : "", quoted);
    }
    if (g->table->columns->len > n)
        db_file_damage(g->file, g->table->name, G_MININT64, NULL,
                       "only the first 64 columns are read");
    g->kind->n_fields = n;
}

/* Returns a unique name for the kind. A table's name may have characters that are not allowed in
 * the name of a kind. */
static char *kind_name(const Generic *g)
{
    g_autofree char *name = row_field_name(g->table->name);
    g_autofree char *full = g_strconcat("ascend_db.", name, NULL);
    guint copies = 0;

    for (guint i = 0; i < g->import->own_kinds->len; i++) {
        const StrobeKind *other = g_ptr_array_index(g->import->own_kinds, i);

        copies += g_str_has_prefix(other->name, full);
    }
    return copies ? g_strdup_printf("%s.%u", full, copies) : g_steal_pointer(&full);
}

static void make_kind(Generic *g)
{
    g_autofree char *name = kind_name(g);

    g->kind = g_new0(StrobeKind, 1);
    add_columns(g);
    g->kind->struct_size = sizeof *g->kind;
    g->kind->shape = g->begin_at >= 0 && g->end_at >= 0 ? STROBE_SHAPE_SPAN : STROBE_SHAPE_INSTANT;
    g->kind->name = g_string_chunk_insert(g->import->names, name);
    g->kind->summary = g->table->name;
    g->kind->fields = g_memdup2(g->fields, sizeof g->fields);
    g_ptr_array_add(g->import->own_kinds, g->kind);
}

/* ---- rows ---- */

static StrobeStringId text_at(Generic *g, sqlite3_stmt *statement, gint at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);

    return text ? g->import->host->intern(g->import->self, text,
                                          (gsize)sqlite3_column_bytes(statement, at))
                : 0;
}

static StrobeStringId text_of_number(Generic *g, sqlite3_stmt *statement, gint at)
{
    StrobeStringId text;
    gint64 id;

    if (sqlite3_column_type(statement, at) != SQLITE_TEXT &&
        row_read_integer(statement, (guint)at, &id) &&
        texts_find(g->import->texts, id, NULL, &text))
        return text;
    return text_at(g, statement, at);
}

static void fill_row(Generic *g, sqlite3_stmt *statement, char *fields)
{
    for (guint32 i = 0; i < g->kind->n_fields; i++) {
        char *at = fields + strobe_kind_offset(g->kind, i);
        gint column = (gint)i + 1;
        StrobeStringId text;
        gint64 whole;
        double real;

        if (sqlite3_column_type(statement, column) == SQLITE_NULL)
            continue;
        switch (g->kind->fields[i].type) {
        case STROBE_FIELD_I64:
            whole = sqlite3_column_int64(statement, column);
            memcpy(at, &whole, sizeof whole);
            break;
        case STROBE_FIELD_F64:
            real = sqlite3_column_double(statement, column);
            memcpy(at, &real, sizeof real);
            break;
        default:
            text = is_of_texts(g, g->kind->fields[i].summary) ? text_of_number(g, statement, column)
                                                              : text_at(g, statement, column);
            memcpy(at, &text, sizeof text);
        }
    }
}

static StrobeStringId name_of(Generic *g, sqlite3_stmt *statement)
{
    StrobeStringId name = 0;
    gint64 id;

    if (g->name_at >= 0 && sqlite3_column_type(statement, g->name_at) == SQLITE_TEXT)
        return text_at(g, statement, g->name_at);
    if (g->name_at >= 0 && g->file == g->import->file &&
        row_read_integer(statement, (guint)g->name_at, &id))
        texts_find(g->import->texts, id, NULL, &name);
    return name ? name : import_intern(g->import, g->table->name);
}

static StrobeTrackId track_of(Generic *g, sqlite3_stmt *statement)
{
    gint64 value;

    if (g->tid_at >= 0 && row_read_integer(statement, (guint)g->tid_at, &value))
        return import_thread(g->import, (guint64)value, g->kind->name);
    if (g->device_at >= 0 && row_read_integer(statement, (guint)g->device_at, &value) &&
        value >= -1 && value <= G_MAXINT32)
        return import_counter(g->import, (gint32)value, g->kind->name);
    return import_counter(g->import, -1, g->kind->name);
}

static void take_row(Generic *g, sqlite3_stmt *statement)
{
    gint64 begin, end;
    void *fields;

    if (g->begin_at < 0 || !row_read_integer(statement, (guint)g->begin_at, &begin) || begin < 0)
        begin = g->import->begin_ns;
    if (g->end_at < 0 || !row_read_integer(statement, (guint)g->end_at, &end))
        end = begin;
    if (end < begin) {
        db_file_damage(g->file, g->table->name, sqlite3_column_int64(statement, 0), NULL,
                       "ends before it begins");
        end = begin;
    }
    fields =
        import_emit(g->import, g->kind, track_of(g, statement), name_of(g, statement), begin, end);
    if (fields)
        fill_row(g, statement, fields);
}

static void import_table(Import *import, DbFile *file, DbTable *table)
{
    Generic generic = {.import = import,
                       .file = file,
                       .table = table,
                       .columns = g_string_new(NULL),
                       .begin_at = -1,
                       .end_at = -1,
                       .name_at = -1,
                       .device_at = -1,
                       .tid_at = -1};
    DbScan scan;

    make_kind(&generic);
    if (generic.kind->n_fields) {
        db_scan_init(&scan, file, table->name, generic.columns->str);
        while (!import->is_full && db_scan_next(&scan))
            take_row(&generic, scan.statement);
        import->host->found(import->self, table->name, scan.n);
        if (!is_described(table->name))
            import->host->unknown(import->self, file->name, table->name, scan.n);
        db_scan_clear(&scan);
    }
    g_string_free(generic.columns, TRUE);
}

void generic_tables_import(Import *import, DbFile *file)
{
    guint n = 0;

    for (guint i = 0; i < file->tables->len && !import->is_full; i++) {
        DbTable *table = g_ptr_array_index(file->tables, i);

        if (table->is_taken || is_viewers(table->name))
            continue;
        if (n++ < TABLES_MAX)
            import_table(import, file, table);
        else
            db_file_damage(file, table->name, G_MININT64, NULL,
                           "there are too many unknown tables: not read");
    }
}
