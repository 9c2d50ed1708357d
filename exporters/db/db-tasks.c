/* SPDX-License-Identifier: Apache-2.0 */
/* Writes TASK, and the tables with further data of tasks. */
#include "kind-takes.h"

enum { IS_KERNEL, OP_TYPE, COPY_BYTES, STREAM, TASK_TYPE, HOST_TYPE };
enum { MAP_TASK, MAP_COMPUTE, MAP_SCHEDULE, MAP_COPY };

static const StrobeWantedField fields[] = {
    {"is_kernel", STROBE_FIELD_BOOL},   {"op_type", STROBE_FIELD_STRING},
    {"copy_bytes", STROBE_FIELD_U64},   {"stream", STROBE_FIELD_U32},
    {"task_type", STROBE_FIELD_STRING}, {"host_type", STROBE_FIELD_STRING},
};

/* Writes the type of the task. This is the host's name of the type. A trace has no such name: for a
 * kernel from a trace the device's name of the type is written, for any other task the record's
 * name. */
static void put_type(Db *db, const RowMap *map, const AscendDbColumn *column,
                     const StrobeView *record, RowBuffer *rows)
{
    const DbKind *kind = db_kind_of(db, record->kind);
    StrobeStringId type = strobe_field_u32(record, kind->known[HOST_TYPE], 0);

    if (!type && !strobe_field_u8(record, kind->known[IS_KERNEL], 0) &&
        !strobe_field_u32(record, kind->known[OP_TYPE], 0))
        type = record->name;
    if (!type)
        type = strobe_field_u32(record, kind->known[TASK_TYPE], 0);
    row_int(rows, string_ids_of(db->strings, STRING_DEVICE, type));
}

/* Returns whether the record is not a task: an importer made it from a row of another table that
 * belongs to a missing task. */
static gboolean is_orphan(const DbKind *kind, const StrobeView *record)
{
    return !record->track &&
           strobe_field_u32(record, kind->known[STREAM], STROBE_ABSENT_U32) == STROBE_ABSENT_U32;
}

void tasks_take(Db *db, DbKind *kind, const StrobeView *record)
{
    if (!kind->known) {
        db_kind_know(kind, fields, G_N_ELEMENTS(fields));
        row_map_by_code(db_kind_map(db, kind, MAP_TASK, "TASK", put_type), "taskType");
    }
    if (!is_orphan(kind, record))
        row_map_put(db, kind->maps[MAP_TASK], record);
    if (strobe_field_u8(record, kind->known[IS_KERNEL], 0))
        row_map_put(db, db_kind_map(db, kind, MAP_COMPUTE, "COMPUTE_TASK_INFO", NULL), record);
    else if (strobe_field_u32(record, kind->known[OP_TYPE], 0))
        row_map_put(db,
                    db_kind_map(db, kind, MAP_SCHEDULE, "COMMUNICATION_SCHEDULE_TASK_INFO", NULL),
                    record);
    if (strobe_field_u64(record, kind->known[COPY_BYTES], STROBE_ABSENT_U64) != STROBE_ABSENT_U64)
        row_map_put(db, db_kind_map(db, kind, MAP_COPY, "MEMCPY_INFO", NULL), record);
}
