/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-framework.h"

#include <string.h>

#include "lookup.h"
#include "ascend-db-tasks.h"

#define FRAMES_MAX 1024u
#define QUEUE_IDS ((gint64)5 << 28)

enum { API_OP = 50001, API_QUEUE = 50002, API_PYTHON = 50003, API_MARKER = 50004 };

typedef struct Framework {
    Import *import;
    RowReader *reader;
    sqlite3_stmt *connections; /* selects the row of CONNECTION_IDS with an id */
    sqlite3_stmt *chains;      /* selects the first row of PYTORCH_CALLCHAINS with an id */
    sqlite3_stmt *frames;      /* selects the rows of PYTORCH_CALLCHAINS from a given row on */
    guint64 n_orphans;
} Framework;

/* ---- stacks ---- */

/* Returns the stack of a chain, whose frames are consecutive rows of the table. */
static StrobeStackId stack_of(Framework *f, gint64 chain)
{
    StrobeStringId frames[FRAMES_MAX];
    guint n = 0;

    if (!lookup_find(f->chains, chain) || !f->frames) {
        f->n_orphans++;
        return 0;
    }
    sqlite3_reset(f->frames);
    sqlite3_bind_int64(f->frames, 1, sqlite3_column_int64(f->chains, 0));
    while (n < FRAMES_MAX && sqlite3_step(f->frames) == SQLITE_ROW &&
           sqlite3_column_type(f->frames, 1) == SQLITE_INTEGER &&
           sqlite3_column_int64(f->frames, 1) == chain) {
        gint64 text = sqlite3_column_int64(f->frames, 2);

        if (!texts_find(f->import->texts, text, NULL, &frames[n]))
            frames[n] = f->import->host->intern(f->import->self, "?", 1);
        n++;
    }
    return f->import->host->stack(f->import->self, frames, n);
}

/* ---- operators ---- */

/* Returns the list in a column without the line breaks that the tools add; free it with g_free. */
static char *list_of(Framework *f, sqlite3_stmt *statement, const char *column)
{
    gint64 id = row_reader_integer(f->reader, statement, column, NO_STRING);
    g_autofree char *text = id == NO_STRING ? NULL : texts_dup(f->import->texts, id);
    GString *list;

    if (!text)
        return NULL;
    list = g_string_new(text);
    g_string_replace(list, ";\r\n", ";", 0);
    return g_string_free(list, FALSE);
}

static gboolean has_words(const char *list)
{
    for (; list && *list; list++)
        if (g_ascii_isalpha(*list))
            return TRUE;
    return FALSE;
}

/* Sets shapes and types. Up to generation 2 the profiler writes the shapes into inputDtypes and the
 * types into inputShapes. If only the list for the shapes contains letters, the database has the
 * other order. */
static void fill_inputs(Framework *f, sqlite3_stmt *statement, struct strobe_cpu_op *fields)
{
    const gboolean is_swapped = f->import->generation < 3;
    g_autofree char *shapes = list_of(f, statement, is_swapped ? "inputDtypes" : "inputShapes");
    g_autofree char *types = list_of(f, statement, is_swapped ? "inputShapes" : "inputDtypes");

    if (has_words(shapes) && !has_words(types)) {
        char *other = shapes;

        shapes = types;
        types = other;
    }
    fields->shapes = shapes ? import_intern(f->import, shapes) : 0;
    fields->types = types ? import_intern(f->import, types) : 0;
}

static void fill_op(Framework *f, sqlite3_stmt *statement, struct strobe_cpu_op *fields)
{
    gint64 chain = row_reader_integer(f->reader, statement, "callchainId", -1);

    fields->sequence = row_reader_integer(f->reader, statement, "sequenceNumber", -1);
    fields->forward_thread = (guint64)row_reader_integer(f->reader, statement, "fwdThreadId", 0);
    fill_inputs(f, statement, fields);
    if (chain >= 0)
        fields->stack = stack_of(f, chain);
}

/* Returns the id of the task in the queue. In databases of newer tools QUEUE_IDS is added to the
 * id. */
static guint64 queue_id(const Framework *f, gint64 connection)
{
    gboolean has_offset = f->import->generation == 3 && connection >= QUEUE_IDS;

    return (guint64)(has_offset ? connection - QUEUE_IDS : connection);
}

static void fill_queue(Framework *f, sqlite3_stmt *statement, const char *name,
                       struct strobe_task_queue *fields)
{
    gint64 id = row_reader_integer(f->reader, statement, "connectionId", -1);
    gint64 connection;

    if (lookup_find(f->connections, id) && row_read_integer(f->connections, 1, &connection))
        fields->correlation = queue_id(f, connection);
    else
        f->n_orphans++;
    fields->is_dequeue = name && g_str_has_prefix(name, "Dequeue");
}

static const StrobeKind *kind_of(gint64 type)
{
    switch (type) {
    case API_QUEUE:
        return &strobe_kind_task_queue;
    case API_PYTHON:
        return &strobe_kind_python_call;
    case API_MARKER:
        return &strobe_kind_marker;
    default:
        return &strobe_kind_cpu_op;
    }
}

static gboolean read_times(Framework *f, sqlite3_stmt *statement, gint64 *begin, gint64 *end)
{
    gint begin_at = row_reader_at(f->reader, "startNs");
    gint end_at = row_reader_at(f->reader, "endNs");

    if (begin_at >= 0 && end_at >= 0 && row_read_integer(statement, (guint)begin_at, begin) &&
        row_read_integer(statement, (guint)end_at, end) && *begin >= 0 && *end >= *begin)
        return TRUE;
    db_file_damage(f->import->file, f->reader->format->name, sqlite3_column_int64(statement, 0),
                   NULL, "expected startNs and endNs, in this order");
    *begin = *end = f->import->begin_ns;
    return FALSE;
}

static void take_call(Framework *f, sqlite3_stmt *statement)
{
    gint64 type = row_reader_integer(f->reader, statement, "type", API_OP);
    gint64 name_id = row_reader_integer(f->reader, statement, "name", NO_STRING);
    guint64 tid = (guint64)row_reader_integer(f->reader, statement, "globalTid", 0);
    const StrobeKind *kind = kind_of(type);
    g_autofree char *name = NULL;
    StrobeStringId name_string = 0;
    gint64 begin, end;
    void *fields;

    read_times(f, statement, &begin, &end);
    if (!texts_find(f->import->texts, name_id, NULL, &name_string))
        db_file_damage(f->import->file, f->reader->format->name, sqlite3_column_int64(statement, 0),
                       "name", "STRING_IDS has no text of this number");
    if (kind == &strobe_kind_task_queue)
        name = texts_dup(f->import->texts, name_id);
    if (kind == &strobe_kind_cpu_op && type != API_OP) {
        g_autofree char *what = g_strdup_printf("PYTORCH_API type %" G_GINT64_FORMAT, type);

        f->import->host->unknown(f->import->self, f->import->file->name, what, 1);
    }
    fields =
        import_emit(f->import, kind, import_thread(f->import, tid, NULL), name_string, begin, end);
    if (fields && kind == &strobe_kind_cpu_op)
        fill_op(f, statement, fields);
    else if (fields && kind == &strobe_kind_task_queue)
        fill_queue(f, statement, name, fields);
}

static void read_calls(Framework *f)
{
    DbScan scan;

    db_scan_init(&scan, f->import->file, "PYTORCH_API", f->reader->columns->str);
    while (!f->import->is_full && db_scan_next(&scan))
        take_call(f, scan.statement);
    f->import->host->found(f->import->self, "PYTORCH_API", scan.n);
    db_scan_clear(&scan);
    if (f->n_orphans) {
        g_autofree char *reason = g_strdup_printf(
            "%" G_GUINT64_FORMAT " connections or call chains that are missing", f->n_orphans);

        db_file_damage(f->import->file, "PYTORCH_API", G_MININT64, NULL, reason);
    }
}

/* ---- garbage collection ---- */

static void read_gc(Import *import)
{
    RowReader *reader = row_reader_new(import, import->file, ascend_db_table("GC_RECORD"), NULL);
    DbScan scan;

    if (!reader)
        return;
    db_scan_init(&scan, import->file, "GC_RECORD", reader->columns->str);
    while (!import->is_full && db_scan_next(&scan)) {
        RowPlace place;
        guint64 tid = (guint64)row_reader_integer(reader, scan.statement, "globalTid", 0);
        void *fields;

        row_reader_place(reader, scan.statement, &place);
        fields = import_emit(import, reader->kind, import_thread(import, tid, "Python GC"),
                             import_intern(import, "GC"), place.begin_ns, place.end_ns);
        if (fields)
            row_reader_fill(reader, scan.statement, fields);
    }
    import->host->found(import->self, "GC_RECORD", scan.n);
    db_scan_clear(&scan);
    row_reader_free(reader);
}

static void count_rows(Import *import, const char *name)
{
    DbTable *table = db_file_table(import->file, name);
    g_autofree char *sql = g_strdup_printf("SELECT count(*) FROM main.%s", name);
    sqlite3_stmt *statement = table ? db_file_prepare(import->file, name, sql) : NULL;

    if (!table)
        return;
    table->is_taken = TRUE;
    if (db_file_step(import->file, name, statement))
        import->host->found(import->self, name, (guint64)sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
}

void framework_import(Import *import)
{
    Framework f = {.import = import};

    f.reader = row_reader_new(import, import->file, ascend_db_table("PYTORCH_API"), NULL);
    f.connections = lookup_new(import->file, "CONNECTION_IDS", "id", "connectionId");
    f.chains = lookup_new(import->file, "PYTORCH_CALLCHAINS", "id", "id");
    f.frames = db_file_prepare(import->file, NULL,
                               "SELECT rowid, id, stack FROM main.PYTORCH_CALLCHAINS "
                               "WHERE rowid >= ?1 ORDER BY rowid");
    if (f.reader && f.reader->slots->len)
        read_calls(&f);
    if (f.reader)
        row_reader_keep_unknown(f.reader);
    count_rows(import, "CONNECTION_IDS");
    count_rows(import, "PYTORCH_CALLCHAINS");
    if (!import->is_full)
        read_gc(import);
    sqlite3_finalize(f.connections);
    sqlite3_finalize(f.chains);
    sqlite3_finalize(f.frames);
    row_reader_free(f.reader);
}
