/* SPDX-License-Identifier: Apache-2.0 */
#include "plain-table.h"

#include <ascend-trace.h>
#include <string.h>

#define API_TYPES_MAX 16u

typedef struct Plain {
    Import *import;
    RowReader *reader;
    const char *group; /* the counters' layer in the trace, which is their track's group */
    StrobeStringId name;
    gint type_at; /* index of the column with a call's layer, by its type */
} Plain;

/* Returns the layer of the kind's counters in the trace; if there is none, the kind's name. */
static const char *layer_of(const AscendDbTable *format)
{
    const char *of_any_name = NULL; /* the layer of counters with any name */

    for (guint32 i = 0; i < n_ascend_counters; i++) {
        const AscendCounter *counter = &ascend_counters[i];

        if (strcmp(counter->kind, format->kind))
            continue;
        if (!format->only_text || !g_strcmp0(counter->only_name, format->only_text))
            return counter->layer;
        if (!counter->only_name && !of_any_name)
            of_any_name = counter->layer;
    }
    if (of_any_name)
        return of_any_name;
    for (guint32 i = 0; i < n_ascend_layers; i++)
        if (ascend_layers[i].name && !g_ascii_strcasecmp(ascend_layers[i].name, format->name))
            return ascend_layers[i].name;
    return format->kind;
}

static StrobeTrackId track_of(const Plain *p, const RowPlace *place)
{
    const char *kind = p->reader->format->kind;
    StrobeTrack track = {.struct_size = sizeof track, .device = -1};

    if (!strcmp(kind, "api_call"))
        return import_thread(p->import, place->global_tid, "CANN");
    if (!strcmp(kind, "os_call"))
        return import_thread(p->import, place->global_tid, "OS Runtime API");
    if (!strcmp(kind, "usage"))
        return import_counter(p->import, -1, p->group);
    if (strcmp(kind, "step"))
        return import_counter(p->import, place->device, p->group);
    track.type = STROBE_TRACK_STEPS;
    track.name = "Steps";
    return p->import->host->track(p->import->self, &track, p->import->pid);
}

/* Returns the name without "QoS ", as in the trace. */
static StrobeStringId without_prefix(Plain *p, sqlite3_stmt *statement, StrobeStringId name)
{
    gint at = row_reader_at(p->reader, "eventName");
    gint64 id;

    if (at < 0 || !row_read_integer(statement, (guint)at, &id))
        return name;
    g_autofree char *text = texts_dup(p->import->texts, id);
    return text && g_str_has_prefix(text, "QoS ") ? import_intern(p->import, text + 4) : name;
}

/* Returns the name OPERATION@GROUP. */
static StrobeStringId with_group(Plain *p, sqlite3_stmt *statement, StrobeStringId name)
{
    gint op_at = row_reader_at(p->reader, "hccl_op_name");
    gint group_at = row_reader_at(p->reader, "group_name");
    const char *op = op_at >= 0 ? (const char *)sqlite3_column_text(statement, op_at) : NULL;
    const char *group =
        group_at >= 0 ? (const char *)sqlite3_column_text(statement, group_at) : NULL;

    if (!op || !group || !*group)
        return name;
    g_autofree char *both = g_strdup_printf("%s@%s", op, group);
    return import_intern(p->import, both);
}

static StrobeStringId name_of(Plain *p, sqlite3_stmt *statement, const RowPlace *place)
{
    const AscendDbTable *format = p->reader->format;
    const char *text = NULL;
    char step[64];

    if (g_str_has_prefix(format->kind, "communication_"))
        return with_group(p, statement, place->name);
    if (!strcmp(format->kind, "qos"))
        return without_prefix(p, statement, place->name);
    if (!strcmp(format->kind, "module_memory"))
        text = texts_enum(p->import->texts, "MODULE",
                          row_reader_integer(p->reader, statement, "moduleId", -1));
    if (!strcmp(format->kind, "step")) {
        g_snprintf(step, sizeof step, "ProfilerStep#%" G_GINT64_FORMAT,
                   row_reader_integer(p->reader, statement, "id", 0));
        text = step;
    }
    return text ? import_intern(p->import, text) : place->name ? place->name : p->name;
}

static gint64 step_of(Plain *p, sqlite3_stmt *statement)
{
    gint at = row_reader_at(p->reader, "step");
    const char *text = at >= 0 ? (const char *)sqlite3_column_text(statement, at) : NULL;
    gint64 step;

    if (text && g_str_has_prefix(text, "step") &&
        g_ascii_string_to_signed(text + strlen("step"), 10, 0, G_MAXINT64, &step, NULL))
        return step;
    return STROBE_ABSENT_I64;
}

/* Sets the fields that follow from the name of a derived table. */
static void finish_derived(Plain *p, sqlite3_stmt *statement, void *fields)
{
    const char *kind = p->reader->format->kind;

    if (!strcmp(kind, "step_trace")) {
        struct strobe_step_trace *trace = fields;

        trace->is_exact = 1;
        if (trace->device == STROBE_ABSENT_I32)
            trace->device = p->import->device;
    } else if (!strcmp(kind, "communication_time")) {
        ((struct strobe_communication_time *)fields)->step = step_of(p, statement);
        ((struct strobe_communication_time *)fields)->device = p->import->device;
    } else if (!strcmp(kind, "communication_bandwidth")) {
        ((struct strobe_communication_bandwidth *)fields)->step = step_of(p, statement);
        ((struct strobe_communication_bandwidth *)fields)->device = p->import->device;
    } else if (!strcmp(kind, "communication_matrix")) {
        ((struct strobe_communication_matrix *)fields)->step = step_of(p, statement);
        ((struct strobe_communication_matrix *)fields)->device = p->import->device;
    } else if (!strcmp(kind, "memory_block")) {
        struct strobe_memory_block *block = fields;

        /* Only the framework's allocator reports active memory. */
        block->component =
            import_intern(p->import, block->allocation_active == STROBE_ABSENT_I64 ? "GE" : "PTA");
    }
}

static void take_row(Plain *p, sqlite3_stmt *statement)
{
    RowReader *reader = p->reader;
    RowPlace place;
    void *fields;

    row_reader_place(reader, statement, &place);
    fields = import_emit(p->import, reader->kind, track_of(p, &place),
                         name_of(p, statement, &place), place.begin_ns, place.end_ns);
    if (!fields)
        return;
    row_reader_fill(reader, statement, fields);
    finish_derived(p, statement, fields);
}

/* Reads the rows and returns their number. `type` selects one layer of calls; -1: all rows. */
static guint64 scan_rows(Plain *p, gint64 type)
{
    guint64 n = 0;
    DbScan scan;
    gint64 found;

    db_scan_init(&scan, p->reader->file, p->reader->format->name, p->reader->columns->str);
    while (!p->import->is_full && db_scan_next(&scan)) {
        if (type >= 0 &&
            (!row_read_integer(scan.statement, (guint)p->type_at, &found) || found != type))
            continue;
        take_row(p, scan.statement);
        n++;
    }
    db_scan_clear(&scan);
    return n;
}

/* Emits calls layer by layer, the innermost layer first: if calls have equal times, the inner ones
 * must come first. */
static guint64 scan_calls(Plain *p)
{
    DbFile *file = p->reader->file;
    sqlite3_stmt *statement = db_file_prepare(
        file, NULL,
        "SELECT type, count(*), typeof(type) FROM main.CANN_API GROUP BY type, typeof(type) "
        "ORDER BY type");
    gint64 types[API_TYPES_MAX];
    guint n_types = 0;
    gboolean is_plain = statement != NULL;
    guint64 n = 0;

    while (is_plain && sqlite3_step(statement) == SQLITE_ROW) {
        is_plain = n_types < API_TYPES_MAX && sqlite3_column_type(statement, 0) == SQLITE_INTEGER &&
                   sqlite3_column_int64(statement, 0) >= 0;
        if (is_plain)
            types[n_types++] = sqlite3_column_int64(statement, 0);
    }
    is_plain = is_plain && sqlite3_errcode(file->sql) == SQLITE_DONE;
    sqlite3_finalize(statement);
    if (!is_plain || p->type_at < 0)
        return scan_rows(p, -1);
    for (guint i = 0; i < n_types; i++)
        n += scan_rows(p, types[i]);
    return n;
}

void plain_table_import(Import *import, DbFile *file, const AscendDbTable *format)
{
    Plain plain = {.import = import, .reader = row_reader_new(import, file, format, NULL)};
    guint64 n;

    if (!plain.reader)
        return;
    plain.group = layer_of(format);
    plain.name = format->only_text ? import_intern(import, format->only_text) : 0;
    plain.type_at = row_reader_at(plain.reader, "type");
    if (plain.reader->slots->len == 0)
        n = 0;
    else if (!strcmp(format->kind, "api_call"))
        n = scan_calls(&plain);
    else
        n = scan_rows(&plain, -1);
    /* the rows of MEMORY_RECORD are counted where its measured rows are read */
    if (strcmp(format->name, "MEMORY_RECORD"))
        import->host->found(import->self, format->name, n);
    row_reader_free(plain.reader);
}

void plain_tables_import(Import *import)
{
    static const char *const others[] = {
        "device_task", "device_pmu",   "comm_op",      "comm_task",
        "device_info", "memory_event", "memory_total", "gc",
    };

    for (guint32 i = 0; i < n_ascend_db_tables && !import->is_full; i++) {
        const AscendDbTable *format = &ascend_db_tables[i];
        gboolean is_other = !format->kind || g_str_has_prefix(format->kind, "ascend_db.") ||
                            format->is_analysis || (format->flags & ASCEND_FILE_DERIVED);

        for (guint k = 0; k < G_N_ELEMENTS(others) && !is_other; k++)
            is_other = !strcmp(format->kind, others[k]);
        if (!is_other)
            plain_table_import(import, import->file, format);
    }
}

/* ---- derived ---- */

/* Returns whether MindStudio Insight made the table: it adds a table with this name to older
 * databases. */
static gboolean is_viewers(const DbFile *file, const AscendDbTable *format)
{
    const DbTable *table = db_file_table(file, format->name);

    return table && !strcmp(format->name, "OVERLAP_ANALYSIS") &&
           strstr(table->sql, "AUTOINCREMENT") != NULL;
}

void derived_tables_import(Import *import)
{
    for (guint32 i = 0; i < n_ascend_db_tables && !import->is_full; i++) {
        const AscendDbTable *format = &ascend_db_tables[i];
        DbFile *file = format->is_analysis ? import->analysis : import->file;
        DbTable *table = file ? db_file_table(file, format->name) : NULL;

        if (!table ||
            (!(format->flags & ASCEND_FILE_DERIVED) && strcmp(format->name, "MEMORY_RECORD")))
            continue;
        if (import->wants_derived && !is_viewers(file, format))
            plain_table_import(import, file, format);
        if (format->flags & ASCEND_FILE_DERIVED)
            table->is_taken = TRUE;
    }
}
