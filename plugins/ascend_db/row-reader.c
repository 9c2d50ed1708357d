/* SPDX-License-Identifier: Apache-2.0 */
#include "row-reader.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>

char *row_field_name(const char *column)
{
    g_autoptr(GString) name = g_string_new(NULL);

    for (const char *at = column; *at && name->len < 100; at++) {
        if (g_ascii_isupper(*at) && at > column && !g_ascii_isupper(at[-1]) && at[-1] != '_')
            g_string_append_c(name, '_');
        g_string_append_c(name, g_ascii_isalnum(*at) ? g_ascii_tolower(*at) : '_');
    }
    return g_strdup(name->len ? name->str : "_");
}

/* ---- columns and fields ---- */

/* Returns whether MindStudio Insight adds a column with this name to a database that it opens. */
static gboolean is_viewers(const char *column)
{
    return !strcmp(column, "depth") || !strcmp(column, "waitNs");
}

static void bind_slot(RowSlot *slot, const StrobeKind *kind)
{
    const char *field = slot->row ? slot->row->field : NULL;

    for (guint32 i = 0; kind && field && i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, field)) {
            slot->offset = strobe_kind_offset(kind, i);
            slot->type = kind->fields[i].type;
        }
}

static void add_slot(RowReader *r, const DbColumn *column)
{
    g_autofree char *quoted = db_quote(column->name);
    RowSlot slot = {.name = column->name,
                    .row = ascend_db_column(r->format, column->name, r->import->generation),
                    .at = r->slots->len + 1};

    bind_slot(&slot, r->kind);
    g_string_append_printf(r->columns, "%s%s", r->slots->len ? ", " : "", quoted);
    g_array_append_val(r->slots, slot);
    if (slot.row)
        return;
    g_autofree char *name = g_strdup_printf("%s.%s", r->format->name, column->name);
    r->import->host->unknown(r->import->self, r->file->name, name, 0);
}

/* Gives the reader its own copy of the kind, with room for more fields. Returns the copy. */
static StrobeKind *own_kind(RowReader *r)
{
    StrobeField *fields = g_new0(StrobeField, STROBE_KIND_FIELDS_MAX);
    StrobeKind *kind = g_memdup2(r->kind, sizeof *r->kind);

    memcpy(fields, kind->fields, kind->n_fields * sizeof *fields);
    kind->fields = fields;
    g_ptr_array_add(r->import->own_kinds, kind);
    r->kind = kind;
    return kind;
}

static guint add_text(Import *import, StrobeKind *kind, const char *name, const char *summary)
{
    StrobeField *fields = (StrobeField *)kind->fields;

    fields[kind->n_fields] =
        (StrobeField){.name = g_string_chunk_insert(import->names, name),
                      .type = STROBE_FIELD_STRING,
                      .unit = "",
                      .summary = g_string_chunk_insert(import->names, summary)};
    return strobe_kind_offset(kind, kind->n_fields++);
}

/* Adds a text field to the kind for each unknown column. */
static void extend_kind(RowReader *r)
{
    StrobeKind *kind = own_kind(r);

    for (guint i = 0; i < r->slots->len; i++) {
        RowSlot *slot = &g_array_index(r->slots, RowSlot, i);

        if (slot->row || kind->n_fields == STROBE_KIND_FIELDS_MAX)
            continue;
        g_autofree char *name = row_field_name(slot->name);
        g_autofree char *full = g_strconcat("ascend_db.", name, NULL);
        g_autofree char *place = g_strconcat(r->format->name, ".", slot->name, NULL);

        slot->offset = add_text(r->import, kind, full, place);
        slot->type = STROBE_FIELD_STRING;
    }
}

guint row_reader_add_text(RowReader *r, const char *name, const char *summary)
{
    StrobeKind *kind = own_kind(r);

    return kind->n_fields < STROBE_KIND_FIELDS_MAX ? add_text(r->import, kind, name, summary) : 0;
}

RowReader *row_reader_new(Import *import, DbFile *file, const AscendDbTable *format,
                          const StrobeKind *base)
{
    DbTable *table = db_file_table(file, format->name);
    gboolean has_unknown = FALSE;
    RowReader *r;

    if (!table)
        return NULL;
    table->is_taken = TRUE;
    r = g_new0(RowReader, 1);
    r->import = import;
    r->file = file;
    r->table = table;
    r->format = format;
    r->kind = base ? base : format->kind ? ascend_db_kind(format->kind) : NULL;
    r->slots = g_array_new(FALSE, FALSE, sizeof(RowSlot));
    r->columns = g_string_new(NULL);
    for (guint i = 0; i < table->columns->len && r->slots->len < DB_COLUMNS_MAX; i++) {
        const DbColumn *column = g_ptr_array_index(table->columns, i);

        if (is_viewers(column->name))
            continue;
        add_slot(r, column);
        has_unknown |= g_array_index(r->slots, RowSlot, r->slots->len - 1).row == NULL;
    }
    if (has_unknown && r->kind)
        extend_kind(r);
    return r;
}

void row_reader_keep_unknown(RowReader *r)
{
    for (guint i = 0; i < r->slots->len; i++)
        if (!g_array_index(r->slots, RowSlot, i).row)
            r->table->is_taken = FALSE;
}

void row_reader_free(RowReader *r)
{
    if (!r)
        return;
    g_array_unref(r->slots);
    g_string_free(r->columns, TRUE);
    g_free(r);
}

/* ---- values ---- */

gboolean row_read_integer(sqlite3_stmt *statement, guint at, gint64 *value)
{
    const char *text;
    double real;

    switch (sqlite3_column_type(statement, (int)at)) {
    case SQLITE_INTEGER:
        *value = sqlite3_column_int64(statement, (int)at);
        return TRUE;
    case SQLITE_FLOAT:
        real = sqlite3_column_double(statement, (int)at);
        if (!(fabs(real) < 9.2e18))
            return FALSE;
        *value = llround(real);
        return TRUE;
    case SQLITE_TEXT:
        text = (const char *)sqlite3_column_text(statement, (int)at);
        return text && g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, value, NULL);
    default:
        return FALSE;
    }
}

static void report_damage(RowReader *r, sqlite3_stmt *statement, const RowSlot *slot,
                          const char *reason)
{
    db_file_damage(r->file, r->format->name, sqlite3_column_int64(statement, 0), slot->name,
                   reason);
}

/* Converts a whole number of the database. Ids and addresses from 2^63 on are negative in the
 * database, and 2^32-1 means that there is none. */
static void put_whole(StrobeCellValue *value, gint64 whole, guint type)
{
    gboolean is_link = type == STROBE_FIELD_LINK || type == STROBE_FIELD_U64;

    *value = (StrobeCellValue){.type = STROBE_CELL_WHOLE, .whole = whole, .real = (double)whole};
    if (whole < 0 && is_link) {
        value->is_unsigned = 1;
        value->real = (double)(guint64)whole;
    }
    if (whole == NO_STRING && (type == STROBE_FIELD_LINK || type == STROBE_FIELD_I32))
        value->type = STROBE_CELL_ABSENT;
    if (whole == -1 && type == STROBE_FIELD_U32)
        value->type = STROBE_CELL_ABSENT;
}

static gboolean read_number(sqlite3_stmt *statement, const RowSlot *slot, StrobeCellValue *value)
{
    static const StrobeColumn any = {"", "", STROBE_CELL_REPR, NULL};

    switch (sqlite3_column_type(statement, (int)slot->at)) {
    case SQLITE_INTEGER:
        put_whole(value, sqlite3_column_int64(statement, (int)slot->at), slot->type);
        return TRUE;
    case SQLITE_FLOAT:
        *value = (StrobeCellValue){.type = STROBE_CELL_REAL,
                                   .real = sqlite3_column_double(statement, (int)slot->at)};
        return TRUE;
    case SQLITE_TEXT:
        return strobe_cell_read(&any, (const char *)sqlite3_column_text(statement, (int)slot->at),
                                (gsize)sqlite3_column_bytes(statement, (int)slot->at), value) == 0;
    default:
        return FALSE;
    }
}

/* Returns the string id of a value of any type, converted to text. */
static StrobeStringId any_text(RowReader *r, sqlite3_stmt *statement, const RowSlot *slot)
{
    const char *text = (const char *)sqlite3_column_text(statement, (int)slot->at);
    gsize length = (gsize)sqlite3_column_bytes(statement, (int)slot->at);

    return text ? r->import->host->intern(r->import->self, text, length) : 0;
}

static StrobeStringId string_of(RowReader *r, sqlite3_stmt *statement, const RowSlot *slot)
{
    int type = sqlite3_column_type(statement, (int)slot->at);
    StrobeStringId string = 0;
    const char *name;
    gint64 id;

    if (type == SQLITE_NULL)
        return 0;
    if (!slot->row || slot->row->holds == ASCEND_DB_TEXT || type == SQLITE_TEXT)
        return any_text(r, statement, slot);
    if (!row_read_integer(statement, slot->at, &id)) {
        report_damage(r, statement, slot, "expected the number of a text");
        return 0;
    }
    if (slot->row->holds == ASCEND_DB_ENUM) {
        name = texts_enum(r->import->texts, slot->row->enumeration, id);
        return name ? import_intern(r->import, name) : any_text(r, statement, slot);
    }
    if (!texts_find(r->import->texts, id, slot->row->absent, &string)) {
        report_damage(r, statement, slot, "STRING_IDS has no text of this number");
        return any_text(r, statement, slot);
    }
    return string;
}

/* ---- rows ---- */

static gboolean take_time(RowReader *r, sqlite3_stmt *statement, const RowSlot *slot, gint64 *ns)
{
    gint64 value;

    if (row_read_integer(statement, slot->at, &value) && value >= 0) {
        *ns = value;
        return TRUE;
    }
    report_damage(r, statement, slot, "expected a time");
    return FALSE;
}

static void take_place(RowReader *r, sqlite3_stmt *statement, const RowSlot *slot, RowPlace *place)
{
    const char *field = slot->row->field;
    gint64 value;

    if (!strcmp(field, STROBE_COLUMN_BEGIN)) {
        place->has_begin = take_time(r, statement, slot, &place->begin_ns);
    } else if (!strcmp(field, STROBE_COLUMN_END)) {
        place->has_end = take_time(r, statement, slot, &place->end_ns);
    } else if (!strcmp(field, STROBE_COLUMN_NAME)) {
        place->name = string_of(r, statement, slot);
    } else if (!row_read_integer(statement, slot->at, &value)) {
        if (sqlite3_column_type(statement, (int)slot->at) != SQLITE_NULL)
            report_damage(r, statement, slot, "expected a number");
    } else if (slot->row->holds == ASCEND_DB_GLOBAL_TID) {
        place->has_tid = TRUE;
        place->global_tid = (guint64)value;
    } else if (slot->row->holds == ASCEND_DB_GLOBAL_PID) {
        place->has_tid = TRUE;
        place->global_tid = (guint64)value << 32;
    } else if (value >= -1 && value <= G_MAXINT32) {
        place->has_device = TRUE;
        place->device = (gint32)value;
    }
}

void row_reader_place(RowReader *r, sqlite3_stmt *statement, RowPlace *place)
{
    *place = (RowPlace){.begin_ns = r->import->begin_ns, .device = r->import->device};
    for (guint i = 0; i < r->slots->len; i++) {
        const RowSlot *slot = &g_array_index(r->slots, RowSlot, i);
        const char *field = slot->row ? slot->row->field : NULL;

        if (field && (field[0] == '@' || !strcmp(field, "device")))
            take_place(r, statement, slot, place);
    }
    if (place->has_begin && place->has_end && place->end_ns < place->begin_ns)
        db_file_damage(r->file, r->format->name, sqlite3_column_int64(statement, 0), NULL,
                       "ends before it begins");
    place->end_ns = MAX(place->end_ns, place->begin_ns);
}

void row_reader_fill(RowReader *r, sqlite3_stmt *statement, void *fields)
{
    for (guint i = 0; i < r->slots->len; i++) {
        const RowSlot *slot = &g_array_index(r->slots, RowSlot, i);
        void *at = (char *)fields + slot->offset;
        StrobeCellValue value;
        StrobeStringId string;

        if (slot->type == 0 || sqlite3_column_type(statement, (int)slot->at) == SQLITE_NULL)
            continue;
        if (slot->type == STROBE_FIELD_STRING) {
            string = string_of(r, statement, slot);
            memcpy(at, &string, sizeof string);
        } else if (!read_number(statement, slot, &value)) {
            report_damage(r, statement, slot, "expected a number");
        } else if (strobe_cell_store(&value, slot->type, at)) {
            report_damage(r, statement, slot, "the number is out of range");
        }
    }
}

gint row_reader_at(const RowReader *r, const char *column)
{
    for (guint i = 0; i < r->slots->len; i++) {
        const RowSlot *slot = &g_array_index(r->slots, RowSlot, i);

        if (!strcmp(slot->name, column))
            return (gint)slot->at;
    }
    return -1;
}

gint64 row_reader_integer(const RowReader *r, sqlite3_stmt *statement, const char *column,
                          gint64 absent)
{
    gint at = row_reader_at(r, column);
    gint64 value;

    return at >= 0 && row_read_integer(statement, (guint)at, &value) ? value : absent;
}
