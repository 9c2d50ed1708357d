/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-tasks.h"

#include <string.h>

#include "lookup.h"

/* A table with further columns of some of the tasks. */
typedef struct More {
    RowReader *reader; /* NULL: there is no such table */
    sqlite3_stmt *lookup;
    guint64 n;
} More;

typedef struct Tasks {
    Import *import;
    RowReader *reader;
    More compute, schedule, copy;
    const StrobeKind *kind;
} Tasks;

guint64 task_link(gint64 id)
{
    return id == NO_STRING || id == -1 ? STROBE_ABSENT_U64 : (guint64)id;
}

static void open_more(Tasks *t, More *more, const char *table)
{
    DbFile *file = t->import->file;

    more->reader = row_reader_new(t->import, file, ascend_db_table(table), t->kind);
    if (!more->reader)
        return;
    t->kind = more->reader->kind;
    if (more->reader->slots->len)
        more->lookup = lookup_new(file, table, "globalTaskId", more->reader->columns->str);
}

static void close_more(Tasks *t, More *more)
{
    if (more->reader)
        t->import->host->found(t->import->self, more->reader->format->name, more->n);
    sqlite3_finalize(more->lookup);
    row_reader_free(more->reader);
}

/* Sets `name`, and fills `fields` unless it is NULL, from the table's row for the task. Returns
 * FALSE if there is no such row. */
static gboolean take_more(More *more, gint64 task, StrobeStringId *name, void *fields)
{
    RowPlace place;

    if (!lookup_find(more->lookup, task))
        return FALSE;
    if (fields) {
        row_reader_fill(more->reader, more->lookup, fields);
        more->n++;
        return TRUE;
    }
    row_reader_place(more->reader, more->lookup, &place);
    if (place.name)
        *name = place.name;
    return TRUE;
}

static void fill_more(Tasks *t, gint64 task, gint64 duration, struct strobe_device_task *fields)
{
    StrobeStringId name;

    if (take_more(&t->compute, task, &name, fields))
        fields->is_kernel = 1;
    else
        take_more(&t->schedule, task, &name, fields);
    if (take_more(&t->copy, task, &name, fields) && duration > 0 &&
        fields->copy_bytes != STROBE_ABSENT_U64)
        fields->copy_bandwidth = (double)fields->copy_bytes / (double)duration;
}

static void take_task(Tasks *t, sqlite3_stmt *statement)
{
    gint64 task = row_reader_integer(t->reader, statement, "globalTaskId", -1);
    gint64 stream = row_reader_integer(t->reader, statement, "streamId", 0);
    gint at = row_reader_at(t->reader, "taskType");
    gint64 type;
    RowPlace place;
    StrobeStringId name = 0;
    void *fields;

    row_reader_place(t->reader, statement, &place);
    if (!take_more(&t->compute, task, &name, NULL))
        take_more(&t->schedule, task, &name, NULL);
    if (!name && at >= 0 && row_read_integer(statement, (guint)at, &type))
        texts_find(t->import->texts, type, NULL, &name);
    fields =
        import_emit(t->import, t->kind,
                    import_stream(t->import, place.global_tid >> 32, place.device, (guint64)stream),
                    name, place.begin_ns, place.end_ns);
    if (!fields)
        return;
    row_reader_fill(t->reader, statement, fields);
    fill_more(t, task, place.end_ns - place.begin_ns, fields);
}

/* Emits records for the rows of tasks that are not in TASK. These rows have no time, so the records
 * get the begin of the session as their time. */
static void take_orphans(Tasks *t, More *more)
{
    sqlite3_stmt *tasks = lookup_new(t->import->file, "TASK", "globalTaskId", "globalTaskId");
    DbScan scan;

    if (!more->reader || !more->lookup)
        goto done;
    db_scan_init(&scan, t->import->file, more->reader->format->name, more->reader->columns->str);
    while (!t->import->is_full && db_scan_next(&scan)) {
        gint64 task = row_reader_integer(more->reader, scan.statement, "globalTaskId", -1);
        RowPlace place;
        void *fields;

        if (lookup_find(tasks, task))
            continue;
        row_reader_place(more->reader, scan.statement, &place);
        fields = import_emit(t->import, more->reader->kind, 0, place.name, t->import->begin_ns,
                             t->import->begin_ns);
        if (!fields)
            break;
        row_reader_fill(more->reader, scan.statement, fields);
        ((struct strobe_device_task *)fields)->is_kernel = more == &t->compute;
        more->n++;
    }
    db_scan_clear(&scan);
done:
    sqlite3_finalize(tasks);
}

static guint64 scan_tasks(Tasks *t)
{
    DbScan scan;

    db_scan_init(&scan, t->import->file, "TASK", t->reader->columns->str);
    while (!t->import->is_full && db_scan_next(&scan)) {
        take_task(t, scan.statement);
        if (scan.n % 65536 == 0)
            t->import->host->progress(t->import->self, MIN(scan.n, 1u << 31), 1u << 31);
    }
    db_scan_clear(&scan);
    return scan.n;
}

void tasks_import(Import *import)
{
    Tasks tasks = {.import = import, .kind = &strobe_kind_device_task};

    tasks.reader = row_reader_new(import, import->file, ascend_db_table("TASK"), NULL);
    if (tasks.reader)
        tasks.kind = tasks.reader->kind;
    open_more(&tasks, &tasks.compute, "COMPUTE_TASK_INFO");
    open_more(&tasks, &tasks.schedule, "COMMUNICATION_SCHEDULE_TASK_INFO");
    open_more(&tasks, &tasks.copy, "MEMCPY_INFO");
    if (tasks.reader && tasks.reader->slots->len)
        import->host->found(import->self, "TASK", scan_tasks(&tasks));
    take_orphans(&tasks, &tasks.compute);
    take_orphans(&tasks, &tasks.schedule);
    take_orphans(&tasks, &tasks.copy);
    close_more(&tasks, &tasks.compute);
    close_more(&tasks, &tasks.schedule);
    close_more(&tasks, &tasks.copy);
    row_reader_free(tasks.reader);
}

/* ---- one task ---- */

enum {
    METADATA_ENTRY_BEGIN = 1,
    METADATA_ENTRY_END,
    METADATA_ENTRY_PID,
    METADATA_ENTRY_CONNECTION,
    METADATA_ENTRY_STREAM,
    METADATA_ENTRY_TASK,
    METADATA_ENTRY_CONTEXT,
    METADATA_ENTRY_MODEL,
    METADATA_ENTRY_DEVICE
};

sqlite3_stmt *task_metadata_new(Import *import)
{
    return lookup_new(import->file, "TASK", "globalTaskId",
                      "startNs, endNs, globalPid, connectionId, streamId, taskId, contextId, "
                      "modelId, deviceId");
}

gboolean task_metadata_find(sqlite3_stmt *lookup, gint64 task, TaskMetadata *metadata)
{
    gint64 value;

    if (!lookup_find(lookup, task) ||
        !row_read_integer(lookup, METADATA_ENTRY_BEGIN, &metadata->begin_ns) ||
        !row_read_integer(lookup, METADATA_ENTRY_END, &metadata->end_ns))
        return FALSE;
    if (metadata->begin_ns < 0 || metadata->end_ns < metadata->begin_ns)
        metadata->end_ns = metadata->begin_ns = MAX(metadata->begin_ns, 0);
    metadata->pid = (guint64)sqlite3_column_int64(lookup, METADATA_ENTRY_PID);
    metadata->connection = row_read_integer(lookup, METADATA_ENTRY_CONNECTION, &value)
                               ? task_link(value)
                               : STROBE_ABSENT_U64;
    metadata->stream = (guint32)sqlite3_column_int64(lookup, METADATA_ENTRY_STREAM);
    metadata->task_id = (guint32)sqlite3_column_int64(lookup, METADATA_ENTRY_TASK);
    metadata->context = (guint32)sqlite3_column_int64(lookup, METADATA_ENTRY_CONTEXT);
    metadata->model = (guint32)sqlite3_column_int64(lookup, METADATA_ENTRY_MODEL);
    metadata->device =
        (gint32)CLAMP(sqlite3_column_int64(lookup, METADATA_ENTRY_DEVICE), -1, G_MAXINT32);
    return TRUE;
}
