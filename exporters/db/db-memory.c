/* SPDX-License-Identifier: Apache-2.0 */
/* Writes NPU_OP_MEM from the records of allocators, and MEMORY_RECORD and OP_MEMORY from the
 * records of passes. */
#include "kind-takes.h"

enum { ACTION_ALLOCATION = 0, ACTION_RELEASE = 1 };
enum { ACTION, SIZE, COMPONENT };

static const StrobeWantedField event_fields[] = {
    {"action", STROBE_FIELD_U32},
    {"size", STROBE_FIELD_I64},
    {"component", STROBE_FIELD_STRING},
};

static gboolean is_text(Db *db, StrobeStringId id, const char *text)
{
    return !strcmp(db->host->string(db->self, id).bytes, text);
}

/* Writes the size and the action. The size of a release is negative in the record but not in the
 * table, which has a column for the action. */
static void put_event(Db *db, const RowMap *map, const AscendDbColumn *column,
                      const StrobeView *record, RowBuffer *rows)
{
    const DbKind *kind = db_kind_of(db, record->kind);
    gboolean is_release = strobe_field_u32(record, kind->known[ACTION], 0) == ACTION_RELEASE;
    gint64 size = strobe_field_i64(record, kind->known[SIZE], STROBE_ABSENT_I64);

    if (!strcmp(column->name, "type"))
        row_int(rows,
                string_ids_word(db->strings, STRING_DEVICE, is_release ? "release" : "allocate"));
    else if (size == STROBE_ABSENT_I64)
        row_null(rows);
    else
        row_int(rows, is_release && size < 0 ? -size : size);
}

/* Adds a row for the event if it is of the graph engine. The events of the framework are in
 * OP_MEMORY. */
void memory_take_event(Db *db, DbKind *kind, const StrobeView *record)
{
    const StrobeTrackView *track = db_track(db, record->track);

    if (!kind->known)
        db_kind_know(kind, event_fields, G_N_ELEMENTS(event_fields));
    if (strobe_field_u32(record, kind->known[ACTION], ACTION_RELEASE + 1) > ACTION_RELEASE)
        return;
    if (is_text(db, strobe_field_u32(record, kind->known[COMPONENT], 0), "GE") ||
        (track && !strcmp(track->group, "CANN")))
        row_map_put(db, db_kind_map(db, kind, 0, "NPU_OP_MEM", put_event), record);
}

enum { TOTAL_ACTIVE, TOTAL_DEVICE };

static const StrobeWantedField total_fields[] = {
    [TOTAL_ACTIVE] = {"active", STROBE_FIELD_I64},
    [TOTAL_DEVICE] = {"device", STROBE_FIELD_I32},
};

static void put_active(Db *db, const RowMap *map, const AscendDbColumn *column,
                       const StrobeView *record, RowBuffer *rows)
{
    const DbKind *kind = db_kind_of(db, record->kind);
    gint64 active = strobe_field_i64(record, kind->known[TOTAL_ACTIVE], STROBE_ABSENT_I64);
    gint32 device = strobe_field_i32(record, kind->known[TOTAL_DEVICE], 0);

    if (active != STROBE_ABSENT_I64)
        row_int(rows, active);
    else if (device == -1) /* NULL: the host's allocator does not have this value */
        row_null(rows);
    else /* the graph engine has no such data; the Ascend profiler writes 0 */
        row_int(rows, 0);
}

/* Adds a row for the totals, unless they are those of the whole process, which only the CSV files
 * contain. */
void memory_take_total(Db *db, DbKind *kind, const StrobeView *record)
{
    if (!kind->known) {
        db_kind_know(kind, total_fields, G_N_ELEMENTS(total_fields));
        row_map_by_code(db_kind_map(db, kind, 0, "MEMORY_RECORD", put_active), "totalActive");
    }
    if (!is_text(db, record->name, "APP"))
        row_map_put(db, kind->maps[0], record);
}

enum { BLOCK_COMPONENT };

static const StrobeWantedField block_fields[] = {{"component", STROBE_FIELD_STRING}};

/* Writes the number of the name. The name of an operator of the graph engine is among the texts of
 * the device's program. */
static void put_name(Db *db, const RowMap *map, const AscendDbColumn *column,
                     const StrobeView *record, RowBuffer *rows)
{
    const DbKind *kind = db_kind_of(db, record->kind);
    StrobeStringId component = strobe_field_u32(record, kind->known[BLOCK_COMPONENT], 0);

    row_int(rows,
            string_ids_of(db->strings, is_text(db, component, "GE") ? STRING_DEVICE : STRING_MEMORY,
                          record->name));
}

/* Adds a row for the block, unless it is a block of the host, because no table of the Ascend
 * profiler has such blocks. */
void memory_take_block(Db *db, DbKind *kind, const StrobeView *record)
{
    if (!kind->known) {
        db_kind_know(kind, block_fields, G_N_ELEMENTS(block_fields));
        row_map_by_code(db_kind_map(db, kind, 0, "OP_MEMORY", put_name), "name");
    }
    if (!is_text(db, strobe_field_u32(record, kind->known[BLOCK_COMPONENT], 0), "CPU"))
        row_map_put(db, kind->maps[0], record);
}
