/* SPDX-License-Identifier: Apache-2.0 */
#include "row-map.h"

#include <math.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>

#define EXTRA_PREFIX "ascend_db."

enum {
    FROM_NOWHERE,
    FROM_FIELD,
    FROM_BEGIN,
    FROM_END,
    FROM_NAME,
    FROM_DEVICE,
    FROM_TID,
    FROM_PID,
    FROM_SPECIAL
};

/* ---- binding ---- */

guint32 row_field(const StrobeKindView *view, const char *name, guint8 *type)
{
    for (guint32 i = 0; i < view->n_fields; i++)
        if (!strcmp(view->fields[i].name, name)) {
            *type = (guint8)view->fields[i].type;
            return view->fields[i].offset;
        }
    return STROBE_FIELD_MISSING;
}

/* Returns the form of the column's texts, which depends on the program that writes the table in the
 * Ascend profiler. */
static guint8 form_of(const AscendDbTable *format, const AscendDbColumn *column)
{
    if (!strcmp(column->name, "eventName"))
        return STRING_QOS;
    if (!strcmp(format->name, "MEMORY_RECORD") || !strcmp(format->name, "OP_MEMORY"))
        return STRING_MEMORY;
    return format->flags & ASCEND_DB_FRAMEWORK ? STRING_FRAMEWORK : STRING_DEVICE;
}

static guint8 source_of(const AscendDbColumn *column)
{
    const char *field = column->field;

    if (!field || column->holds == ASCEND_DB_SPECIAL)
        return FROM_SPECIAL;
    if (field[0] != '@')
        return FROM_FIELD;
    if (column->holds == ASCEND_DB_GLOBAL_TID)
        return FROM_TID;
    if (column->holds == ASCEND_DB_GLOBAL_PID)
        return FROM_PID;
    return !strcmp(field, STROBE_COLUMN_BEGIN)    ? FROM_BEGIN
           : !strcmp(field, STROBE_COLUMN_END)    ? FROM_END
           : !strcmp(field, STROBE_COLUMN_NAME)   ? FROM_NAME
           : !strcmp(field, STROBE_COLUMN_DEVICE) ? FROM_DEVICE
                                                  : FROM_NOWHERE;
}

static void bind_slot(RowMap *map, RowSlot *slot, const AscendDbColumn *column)
{
    slot->column = column;
    slot->from = source_of(column);
    slot->form = form_of(map->format, column);
    slot->absent_text = -1;
    if (column->absent && column->holds == ASCEND_DB_NUMBER)
        slot->has_absent = g_ascii_string_to_signed(column->absent, 10, G_MININT64, G_MAXINT64,
                                                    &slot->absent, NULL);
    if (slot->from != FROM_FIELD)
        return;
    slot->offset = row_field(map->view, column->field, &slot->type);
    if (slot->offset == STROBE_FIELD_MISSING)
        slot->type = 0;
}

/* If the field is a column of the source that is not in the formats, returns the column's name;
 * else NULL. The summary of such a field is "TABLE.column". */
static const char *extra_column(const RowMap *map, const StrobeFieldView *field)
{
    gsize length = strlen(map->format->name);
    const char *summary = field->summary;

    if (!g_str_has_prefix(field->name, EXTRA_PREFIX) || field->type != STROBE_FIELD_STRING ||
        !summary || strncmp(summary, map->format->name, length) || summary[length] != '.' ||
        !summary[length + 1])
        return NULL;
    return summary + length + 1;
}

RowMap *row_map_new(Db *db, const AscendDbTable *format, const StrobeKindView *view,
                    RowSpecial special)
{
    const AscendDbColumn *columns[64];
    guint n = db_columns(db, format, columns);
    RowMap *map = g_new0(RowMap, 1);

    map->format = format;
    map->view = view;
    map->special = special;
    map->slots = g_new0(RowSlot, n + view->n_fields);
    for (guint i = 0; i < n; i++)
        bind_slot(map, &map->slots[map->n_slots++], columns[i]);
    for (guint32 i = 0; i < view->n_fields; i++)
        if (extra_column(map, &view->fields[i]))
            map->slots[map->n_slots++] = (RowSlot){
                .from = FROM_FIELD, .type = STROBE_FIELD_STRING, .offset = view->fields[i].offset};
    return map;
}

void row_map_free(RowMap *map)
{
    if (!map)
        return;
    g_free(map->slots);
    g_free(map);
}

void row_map_by_code(RowMap *map, const char *column)
{
    for (guint i = 0; i < map->n_slots; i++)
        if (map->slots[i].column && !strcmp(map->slots[i].column->name, column))
            map->slots[i].from = FROM_SPECIAL;
}

/* Returns the table. If this call makes the table, the table also gets the columns of this kind
 * that are not in the formats. */
OutTable *row_map_table(Db *db, RowMap *map)
{
    g_autoptr(GString) extra = g_string_new(NULL);
    guint n = 0;

    if (map->table)
        return map->table;
    for (guint32 i = 0; i < map->view->n_fields; i++) {
        const char *name = extra_column(map, &map->view->fields[i]);

        if (!name)
            continue;
        g_autofree char *quoted = db_quote(name);
        g_string_append_printf(extra, ",%s NUMERIC", quoted);
        n++;
    }
    map->table = db_table(db, map->format, extra->str, n);
    if (map->n_slots > out_table_n_columns(map->table))
        map->n_slots = out_table_n_columns(map->table);
    return map->table;
}

/* ---- values ---- */

void row_put_text(RowBuffer *rows, StrobeText text)
{
    g_autoptr(GString) valid = g_string_sized_new(text.length + 1);

    string_append_valid(valid, text.bytes, text.length);
    row_text(rows, valid->str, valid->len);
}

static void put_absent(const RowSlot *slot, RowBuffer *rows)
{
    if (slot->has_absent)
        row_int(rows, slot->absent);
    else
        row_null(rows);
}

static void put_string(Db *db, RowSlot *slot, StrobeStringId string, RowBuffer *rows)
{
    gint64 id = string_ids_of(db->strings, slot->form, string);

    if (id == STRING_IDS_NONE && slot->column->absent) {
        if (slot->absent_text < 0)
            slot->absent_text = string_ids_word(db->strings, slot->form, slot->column->absent);
        id = slot->absent_text;
    }
    row_int(rows, id);
}

/* Returns the number of the name in the enumeration; -1: it has none. In the enumerations HCCL_*,
 * an empty name has the number of INVALID_TYPE; in all others it has none. */
static gint64 find_enum(Db *db, const RowSlot *slot, StrobeStringId string)
{
    static const StrobeText invalid = {"INVALID_TYPE", sizeof "INVALID_TYPE" - 1};
    StrobeText name = db->host->string(db->self, string);
    gint64 id;

    if (!name.length && !g_str_has_prefix(slot->column->enumeration, "HCCL_"))
        return -1;
    if (enum_ids_of(db->enums, slot->column->enumeration, name.length ? name : invalid, &id))
        return id;
    db->n_dropped_names++;
    return -1;
}

static void put_enum(Db *db, RowSlot *slot, StrobeStringId string, RowBuffer *rows)
{
    guint at = string % ROW_RECENT;

    if (!slot->recent[at].is_known || slot->recent[at].name != string) {
        slot->recent[at].name = string;
        slot->recent[at].is_known = TRUE;
        slot->recent[at].id = find_enum(db, slot, string);
    }
    if (slot->recent[at].id >= 0)
        row_int(rows, slot->recent[at].id);
    else
        row_null(rows);
}

static void put_text(Db *db, const RowSlot *slot, StrobeStringId string, RowBuffer *rows)
{
    /* if there is no text, a column of the formats gets an empty text, any other column gets
     * NULL */
    if (string || slot->column)
        row_put_text(rows, db->host->string(db->self, string));
    else
        row_null(rows);
}

static void put_whole(const RowSlot *slot, gint64 value, RowBuffer *rows)
{
    char digits[STROBE_NUMBER_MAX];

    if (slot->column && slot->column->holds == ASCEND_DB_TEXT)
        row_text(rows, digits, strobe_format_int(digits, value));
    else
        row_int(rows, value);
}

static void put_field(Db *db, RowSlot *slot, const StrobeView *record, RowBuffer *rows)
{
    guint64 wide;
    guint32 narrow;
    double real;

    switch (slot->type) {
    case STROBE_FIELD_U8:
    case STROBE_FIELD_BOOL:
        put_whole(slot, strobe_view_u8(record, slot->offset), rows);
        return;
    case STROBE_FIELD_STRING:
        narrow = strobe_view_u32(record, slot->offset);
        if (slot->column && slot->column->holds == ASCEND_DB_STRING)
            put_string(db, slot, narrow, rows);
        else if (slot->column && slot->column->holds == ASCEND_DB_ENUM)
            put_enum(db, slot, narrow, rows);
        else
            put_text(db, slot, narrow, rows);
        return;
    case STROBE_FIELD_F64:
        real = strobe_view_f64(record, slot->offset);
        if (isnan(real))
            put_absent(slot, rows);
        else
            row_real(rows, real);
        return;
    case STROBE_FIELD_I32:
    case STROBE_FIELD_U32:
    case STROBE_FIELD_STACK:
    case STROBE_FIELD_TRACK:
        narrow = strobe_view_u32(record, slot->offset);
        if (slot->type == STROBE_FIELD_I32 ? (gint32)narrow == STROBE_ABSENT_I32
                                           : narrow == STROBE_ABSENT_U32)
            put_absent(slot, rows);
        else
            put_whole(slot, slot->type == STROBE_FIELD_I32 ? (gint32)narrow : (gint64)narrow, rows);
        return;
    case STROBE_FIELD_I64:
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        wide = strobe_view_u64(record, slot->offset);
        if (slot->type == STROBE_FIELD_I64 ? (gint64)wide == STROBE_ABSENT_I64
                                           : wide == STROBE_ABSENT_U64)
            put_absent(slot, rows);
        else
            put_whole(slot, slot->type == STROBE_FIELD_LINK ? db_link(wide) : (gint64)wide, rows);
        return;
    default:
        if (slot->column && slot->column->holds == ASCEND_DB_STRING)
            put_string(db, slot, 0, rows);
        else
            put_absent(slot, rows);
    }
}

static void put_track_number(Db *db, const RowSlot *slot, const StrobeView *record, RowBuffer *rows)
{
    const StrobeTrackView *track = db_track(db, record->track);

    if (!track)
        row_null(rows);
    else if (slot->from == FROM_DEVICE)
        row_int(rows, track->device);
    else if (slot->from == FROM_PID)
        row_int(rows, (gint64)track->pid);
    else
        row_int(rows, db_global_tid(db, record->track));
}

void row_map_fill(Db *db, RowMap *map, const StrobeView *record, RowBuffer *rows)
{
    for (guint i = 0; i < map->n_slots; i++) {
        RowSlot *slot = &map->slots[i];

        switch (slot->from) {
        case FROM_FIELD:
            put_field(db, slot, record, rows);
            break;
        case FROM_BEGIN:
            row_int(rows, record->begin_ns);
            break;
        case FROM_END:
            row_int(rows, record->end_ns);
            break;
        case FROM_NAME:
            if (slot->column->holds == ASCEND_DB_STRING)
                put_string(db, slot, record->name, rows);
            else
                put_text(db, slot, record->name, rows);
            break;
        case FROM_SPECIAL:
            map->special(db, map, slot->column, record, rows);
            break;
        case FROM_NOWHERE:
            row_null(rows);
            break;
        default:
            put_track_number(db, slot, record, rows);
        }
    }
    for (guint i = map->n_slots; i < out_table_n_columns(map->table); i++)
        row_null(rows);
}

void row_map_put(Db *db, RowMap *map, const StrobeView *record)
{
    OutTable *table = row_map_table(db, map);
    RowBuffer *rows = out_db_rows(db->out);

    row_begin(rows, table);
    row_map_fill(db, map, record, rows);
    db_row_done(db, rows);
}
