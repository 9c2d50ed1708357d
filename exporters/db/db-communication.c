/* SPDX-License-Identifier: Apache-2.0 */
/* Writes COMMUNICATION_OP and COMMUNICATION_TASK_INFO. The row of a task names its operation, which
 * ends later, and the device's task. If the record of a task does not name its operation, the
 * operation is found by row and time. If it does not name the device's task, this task is found by
 * its begin, stream and ids. */
#include <math.h>

#include <strobe/helpers/record-log.h>

#include "kind-takes.h"

#define NO_NOTIFY 9223372036854775807
#define NO_NUMBER (-1)

/* A communication task that waits for its operation. */
typedef struct HeldTask {
    gint64 op;  /* number of the operation; -1: the record names no operation */
    gint64 row; /* row of the task's group in the trace; -1: unknown */
    gint64 begin;
    gint64 device;
    gint64 name; /* number of the operation's name, if the record has the name */
    guint32 stream, task_id, context;
    /* positions in the row of values that are set later; 0: the value is already set */
    guint32 name_place, op_place, task_place;
} HeldTask;

struct Communication {
    Db *db;
    StrobeRecordLog *held; /* elements of type HeldTask, each with its row */
    RowBuffer row;         /* the row that is made */
    HeldTask head;         /* the task to which `row` belongs */
    OutTable *places;      /* temporary table of operations by row and time; NULL: there is none */
    gint64 op;             /* number of the current operation */
    sqlite3_stmt *by_id, *by_place, *by_task;
};

Communication *communication_new(Db *db)
{
    Communication *c = g_new0(Communication, 1);

    c->db = db;
    c->held = strobe_record_log_new(db->host->storage(db->self));
    return c;
}

void communication_free(Communication *c)
{
    if (!c)
        return;
    strobe_record_log_free(c->held);
    g_free(c->row.bytes);
    g_free(c);
}

/* ---- operations ---- */

enum { OP_ID, OP_TYPE };

static const StrobeWantedField op_fields[] = {{"op", STROBE_FIELD_LINK},
                                              {"op_type", STROBE_FIELD_STRING}};

/* Writes the type of the operation. Records from traces have no type, but their names begin with
 * it, for example hcom_allReduce__865_0_1. */
static void put_op_type(Db *db, const DbKind *kind, const StrobeView *record, RowBuffer *rows)
{
    StrobeStringId type = strobe_field_u32(record, kind->known[OP_TYPE], 0);
    const char *name = db->host->string(db->self, record->name).bytes;
    const char *end = strstr(name, "__");
    g_autofree char *begin = end ? g_strndup(name, (gsize)(end + 1 - name)) : NULL;

    if (type || !begin)
        row_int(rows, string_ids_of(db->strings, STRING_DEVICE, type));
    else
        row_int(rows, string_ids_word(db->strings, STRING_DEVICE, begin));
}

static void put_op_special(Db *db, const RowMap *map, const AscendDbColumn *column,
                           const StrobeView *record, RowBuffer *rows)
{
    if (!strcmp(column->name, "opId"))
        row_int(rows, db->communication->op);
    else
        put_op_type(db, db_kind_of(db, record->kind), record, rows);
}

static void add_place(Communication *c, const StrobeView *record)
{
    const StrobeTrackView *track = db_track(c->db, record->track);
    RowBuffer *rows = out_db_rows(c->db->out);

    if (!track)
        return;
    if (!c->places)
        c->places = out_db_table(c->db->out, OUT_SCRATCH, "places",
                                 "CREATE TABLE places(device, place, begin, finish, op)", 5, -1);
    row_begin(rows, c->places);
    row_int(rows, track->device);
    row_int(rows, (gint64)track->number);
    row_int(rows, record->begin_ns);
    row_int(rows, record->end_ns);
    row_int(rows, c->op);
    db_row_done(c->db, rows);
}

void communication_take_op(Db *db, DbKind *kind, const StrobeView *record)
{
    Communication *c = db->communication;
    guint64 op;

    if (!kind->known) {
        db_kind_know(kind, op_fields, G_N_ELEMENTS(op_fields));
        row_map_by_code(db_kind_map(db, kind, 0, "COMMUNICATION_OP", put_op_special), "opId");
        row_map_by_code(kind->maps[0], "opType");
    }
    op = strobe_field_u64(record, kind->known[OP_ID], STROBE_ABSENT_U64);
    c->op = op == STROBE_ABSENT_U64 ? ++db->next_op : db_link(op);
    if (op == STROBE_ABSENT_U64)
        add_place(c, record);
    row_map_put(db, kind->maps[0], record);
}

/* ---- tasks ---- */

enum {
    TASK_OP,
    TASK_ID,
    TASK_NOTIFY,
    TASK_STREAM,
    TASK_NUMBER,
    TASK_CONTEXT,
    TASK_BANDWIDTH,
    TASK_OPERATION
};

static const StrobeWantedField task_fields[] = {
    {"op", STROBE_FIELD_LINK},
    {"task", STROBE_FIELD_LINK},
    {"notify", STROBE_FIELD_STRING},
    {"stream", STROBE_FIELD_U32},
    {"task_id", STROBE_FIELD_U32},
    {"context", STROBE_FIELD_U32},
    {"bandwidth", STROBE_FIELD_F64},
    /* name of the operation, if the source does not contain the operation itself */
    {"ascend_db.operation_name", STROBE_FIELD_STRING},
};

/* Returns the number of the notify. The largest number means that there is no notify: in a trace
 * the largest number of 64 bits, in a database the largest one of 63 bits. */
static gint64 notify_of(Db *db, StrobeStringId notify)
{
    StrobeText text = db->host->string(db->self, notify);
    guint64 value;

    if (!notify || !g_ascii_string_to_unsigned(text.bytes, 10, 0, G_MAXUINT64, &value, NULL))
        return NO_NUMBER;
    return value > (guint64)NO_NOTIFY ? NO_NOTIFY : (gint64)value;
}

/* Converts the bandwidth of the record from GB/s to B/s and writes it. Rounds it to 15 digits,
 * unless this changes the value in GB/s. */
static void put_bandwidth(RowBuffer *rows, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    double bytes = value * 1e9, rounded;

    if (isnan(value)) {
        row_null(rows);
        return;
    }
    rounded = g_ascii_strtod(g_ascii_formatd(digits, sizeof digits, "%.15g", bytes), NULL);
    row_real(rows, rounded / 1e9 == value ? rounded : bytes);
}

static void put_special(Db *db, const RowMap *map, const AscendDbColumn *column,
                        const StrobeView *record, RowBuffer *rows)
{
    const DbKind *kind = db_kind_of(db, record->kind);
    HeldTask *head = &db->communication->head;

    if (!strcmp(column->name, "name"))
        head->name_place = row_nothing(rows);
    else if (!strcmp(column->name, "notifyId"))
        row_int(rows, notify_of(db, strobe_field_u32(record, kind->known[TASK_NOTIFY], 0)));
    else if (!strcmp(column->name, "opId") && head->op < 0)
        head->op_place = row_nothing(rows);
    else if (!strcmp(column->name, "opId"))
        row_int(rows, head->op);
    else if (!strcmp(column->name, "bandwidth"))
        put_bandwidth(rows, kind->known[TASK_BANDWIDTH] == STROBE_FIELD_MISSING
                                ? NAN
                                : strobe_view_f64(record, kind->known[TASK_BANDWIDTH]));
    else {
        guint64 task = strobe_field_u64(record, kind->known[TASK_ID], STROBE_ABSENT_U64);

        if (task == STROBE_ABSENT_U64)
            head->task_place = row_nothing(rows);
        else
            row_int(rows, db_link(task));
    }
}

static void fill_head(Db *db, const DbKind *kind, const StrobeView *record)
{
    const StrobeTrackView *track = db_track(db, record->track);
    guint64 op = strobe_field_u64(record, kind->known[TASK_OP], STROBE_ABSENT_U64);
    guint8 type = 0;
    guint32 plane_at = row_field(kind->view, "plane", &type);
    guint32 plane = type == STROBE_FIELD_U32 ? strobe_view_u32(record, plane_at) : 0;
    StrobeStringId name = strobe_field_u32(record, kind->known[TASK_OPERATION], 0);
    HeldTask *head = &db->communication->head;

    *head = (HeldTask){
        .op = op == STROBE_ABSENT_U64 ? -1 : db_link(op),
        /* the number of a plane's track is the number of the group's track, plus 1, plus the
         * plane */
        .row = track ? (gint64)track->number - 1 - plane : -1,
        .begin = record->begin_ns,
        .device = track ? track->device : -1,
        .name = string_ids_of(db->strings, STRING_DEVICE, name),
        .stream = strobe_field_u32(record, kind->known[TASK_STREAM], STROBE_ABSENT_U32),
        .task_id = strobe_field_u32(record, kind->known[TASK_NUMBER], STROBE_ABSENT_U32),
        .context = strobe_field_u32(record, kind->known[TASK_CONTEXT], STROBE_ABSENT_U32),
    };
}

void communication_take_task(Db *db, DbKind *kind, const StrobeView *record)
{
    static const char *const by_code[] = {"globalTaskId", "opId", "bandwidth"};
    Communication *c = db->communication;
    HeldTask *held;

    if (!kind->known) {
        db_kind_know(kind, task_fields, G_N_ELEMENTS(task_fields));
        db_kind_map(db, kind, 0, "COMMUNICATION_TASK_INFO", put_special);
        for (guint i = 0; i < G_N_ELEMENTS(by_code); i++)
            row_map_by_code(kind->maps[0], by_code[i]);
    }
    fill_head(db, kind, record);
    c->row.used = 0;
    row_begin(&c->row, row_map_table(db, kind->maps[0]));
    row_map_fill(db, kind->maps[0], record, &c->row);
    row_end(&c->row);
    held = strobe_record_log_reserve(c->held, sizeof *held + c->row.used);
    if (held) {
        *held = c->head;
        memcpy(held + 1, c->row.bytes, c->row.used);
    }
    db_strings_done(db);
}

/* ---- the end ---- */

static sqlite3_stmt *prepare_statement(Communication *c, guint file, const char *query)
{
    sqlite3 *sql = out_db_wait(c->db->out, file);
    sqlite3_stmt *statement = NULL;

    if (sql && sqlite3_prepare_v2(sql, query, -1, &statement, NULL))
        out_db_fail(c->db->out, file);
    return statement;
}

static gboolean find_value(Communication *c, guint file, sqlite3_stmt *statement, gint64 *value)
{
    int code = sqlite3_step(statement);
    gboolean found = code == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_INTEGER;

    if (found)
        *value = sqlite3_column_int64(statement, 0);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        out_db_fail(c->db->out, file);
    sqlite3_reset(statement);
    return found;
}

/* Sets the values of the row that were not in the task's record. Tasks usually come in the order of
 * their times, so the look-ups are fast. */
static void complete_task(Communication *c, HeldTask *task, guint8 *row)
{
    gint64 value;

    if (task->op_place && c->by_place) {
        sqlite3_bind_int64(c->by_place, 1, task->device);
        sqlite3_bind_int64(c->by_place, 2, task->row);
        sqlite3_bind_int64(c->by_place, 3, task->begin);
        if (find_value(c, OUT_SCRATCH, c->by_place, &task->op))
            row_patch(row, task->op_place, task->op);
    }
    value = task->name;
    if (c->by_id) {
        sqlite3_bind_int64(c->by_id, 1, task->op);
        find_value(c, OUT_PROFILER, c->by_id, &value);
    }
    row_patch(row, task->name_place, value);
    if (!task->task_place || !c->by_task)
        return;
    sqlite3_bind_int64(c->by_task, 1, task->begin);
    sqlite3_bind_int64(c->by_task, 2, task->stream);
    sqlite3_bind_int64(c->by_task, 3, task->task_id);
    sqlite3_bind_int64(c->by_task, 4, task->context);
    if (find_value(c, OUT_PROFILER, c->by_task, &value))
        row_patch(row, task->task_place, value);
}

static void open_lookups(Communication *c)
{
    const AscendDbTable *ops = ascend_db_table("COMMUNICATION_OP");
    const AscendDbTable *tasks = ascend_db_table("TASK");

    if (db_has_table(c->db, ops))
        c->by_id = prepare_statement(c, OUT_PROFILER,
                                     "SELECT opName FROM COMMUNICATION_OP WHERE opId = ?1");
    if (db_has_table(c->db, tasks))
        c->by_task =
            prepare_statement(c, OUT_PROFILER,
                              "SELECT globalTaskId FROM TASK WHERE startNs = ?1 AND streamId = ?2 "
                              "AND taskId = ?3 ORDER BY contextId = ?4 DESC LIMIT 1");
    if (!c->places)
        return;
    out_db_run(c->db->out, OUT_SCRATCH, "CREATE INDEX of_places ON places(device, place, begin)");
    c->by_place =
        prepare_statement(c, OUT_SCRATCH,
                          "SELECT CASE WHEN finish >= ?3 THEN op END FROM places WHERE "
                          "device = ?1 AND place = ?2 AND begin <= ?3 ORDER BY begin DESC LIMIT 1");
}

static int put_held(Communication *c)
{
    StrobeRecordLogReader *reader = strobe_record_log_read(c->held);
    HeldTask *task;
    size_t length;
    int error;

    while ((task = strobe_record_log_next(reader, &length))) {
        RowBuffer *rows = out_db_rows(c->db->out);

        complete_task(c, task, (guint8 *)(task + 1));
        memcpy(row_room(rows, length - sizeof *task), task + 1, length - sizeof *task);
        /* Waits until a full block is inserted, because only one thread at a time may use the
         * database. */
        if (rows->used >= OUT_BLOCK_BYTES)
            out_db_wait(c->db->out, OUT_PROFILER);
    }
    error = strobe_record_log_reader_error(reader);
    strobe_record_log_reader_free(reader);
    return error;
}

void communication_end(Communication *c)
{
    int error;

    if (!strobe_record_log_count(c->held))
        return;
    db_make_index(c->db, "TASK");
    open_lookups(c);
    error = put_held(c);
    if (error)
        strobe_storage_fail(c->db->host, c->db->self, "communication tasks", error);
    sqlite3_finalize(c->by_id);
    sqlite3_finalize(c->by_place);
    sqlite3_finalize(c->by_task);
}
