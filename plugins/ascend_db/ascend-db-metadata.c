/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-metadata.h"

#include <string.h>

#include "lookup.h"
#include "row-reader.h"

/* Sets `value` to the first value of the first row. Returns FALSE if there is no row or no such
 * table. */
static gboolean query_value(Import *import, const char *sql, gint64 *value)
{
    sqlite3_stmt *statement = db_file_prepare(import->file, NULL, sql);
    gboolean found =
        db_file_step(import->file, NULL, statement) && row_read_integer(statement, 0, value);

    sqlite3_finalize(statement);
    return found;
}

static gboolean has_any_row(Import *import, const char *sql)
{
    gint64 value;

    return query_value(import, sql, &value);
}

static gboolean has_column(const DbFile *file, const char *table, const char *column)
{
    return file && db_table_column(db_file_table(file, table), column) != NULL;
}

/* ---- generation and level ---- */

static gint schema_minor(Import *import)
{
    sqlite3_stmt *statement =
        db_file_prepare(import->file, NULL,
                        "SELECT value FROM main.META_DATA WHERE name = 'SCHEMA_VERSION' LIMIT 1");
    const char *text = NULL;
    gint minor = -1;

    if (db_file_step(import->file, NULL, statement))
        text = (const char *)sqlite3_column_text(statement, 0);
    if (text && g_str_has_prefix(text, "1."))
        minor = (gint)g_ascii_strtoll(text + 2, NULL, 10);
    if (text)
        import->host->metadata_text(import->self, "schema_version", text);
    sqlite3_finalize(statement);
    return minor;
}

/* Returns the generation of the formats, determined by columns that only one generation has,
 * otherwise by the schema version. */
static gint find_generation(Import *import)
{
    const DbFile *file = import->file;
    gint minor = schema_minor(import);

    if (has_column(file, "COMPUTE_TASK_INFO", "blockNum") ||
        has_column(file, "COMMUNICATION_TASK_INFO", "isMaster") ||
        has_column(file, "COMMUNICATION_OP", "deviceId") || minor >= 2)
        return 3;
    if (minor == 1 || has_column(import->analysis, "StepTraceTime", "deviceId"))
        return 2;
    if (minor < 0 &&
        has_any_row(import, "SELECT 1 FROM main.STRING_IDS WHERE value GLOB 'Enqueue@*' LIMIT 1"))
        return 3;
    return 1;
}

/* Returns the profiler's level: at level 0 the database has only the names of kernels; at level 2
 * it also has calls of the runtime. */
static gint find_level(Import *import)
{
    if (has_any_row(import, "SELECT 1 FROM main.CANN_API WHERE type = 5000 LIMIT 1"))
        return 2;
    if (has_any_row(import, "SELECT 1 FROM main.TASK_PMU_INFO LIMIT 1") ||
        has_any_row(import, "SELECT 1 FROM main.COMPUTE_TASK_INFO WHERE blockNum > 0 LIMIT 1") ||
        (!has_column(import->file, "COMPUTE_TASK_INFO", "blockNum") &&
         has_any_row(import, "SELECT 1 FROM main.COMPUTE_TASK_INFO WHERE blockDim > 0 LIMIT 1")))
        return 1;
    return has_any_row(import, "SELECT 1 FROM main.TASK LIMIT 1") ? 0 : -1;
}

static guint64 find_pid(Import *import)
{
    gint64 value;

    if (query_value(import, "SELECT globalPid FROM main.TASK LIMIT 1", &value) ||
        query_value(import, "SELECT globalTid >> 32 FROM main.PYTORCH_API LIMIT 1", &value) ||
        query_value(import, "SELECT globalTid >> 32 FROM main.CANN_API LIMIT 1", &value))
        return (guint64)value;
    return 0;
}

static gint find_device(Import *import)
{
    gint64 value;

    if ((query_value(import, "SELECT deviceId FROM main.RANK_DEVICE_MAP LIMIT 1", &value) ||
         query_value(import, "SELECT id FROM main.NPU_INFO LIMIT 1", &value) ||
         query_value(import, "SELECT deviceId FROM main.TASK LIMIT 1", &value)) &&
        value >= 0 && value <= G_MAXINT32)
        return (gint)value;
    return -1;
}

/* Returns the begin of the session; if there is no SESSION_TIME_INFO, the begin of the first
 * row. */
static gint64 find_begin(Import *import)
{
    gint64 value;

    if ((query_value(import, "SELECT min(startTimeNs) FROM main.SESSION_TIME_INFO", &value) ||
         query_value(import, "SELECT startNs FROM main.TASK LIMIT 1", &value) ||
         query_value(import, "SELECT startNs FROM main.PYTORCH_API LIMIT 1", &value)) &&
        value >= 0)
        return value;
    return 0;
}

void metadata_find(Import *import)
{
    import->generation = find_generation(import);
    import->level = find_level(import);
    import->pid = find_pid(import);
    import->device = find_device(import);
    import->begin_ns = find_begin(import);
}

/* ---- devices ---- */

static void emit_device(Import *import, gint64 device, StrobeStringId name, gint32 rank)
{
    struct strobe_device_info *fields;

    if (device < -1 || device > G_MAXINT32)
        return;
    fields = import_emit(import, &strobe_kind_device_info,
                         import_counter(import, (gint32)device, "device_info"), name,
                         import->begin_ns, import->begin_ns);
    if (!fields)
        return;
    fields->device = (gint32)device;
    fields->rank = rank;
}

static gint32 rank_of(Import *import, sqlite3_stmt *ranks, gint64 device)
{
    gint64 rank;

    if (!lookup_find(ranks, device) || !row_read_integer(ranks, 1, &rank) || rank < -1 ||
        rank > G_MAXINT32)
        return STROBE_ABSENT_I32;
    if (rank >= 0 && import->rank < 0)
        import->rank = (gint)rank;
    /* CANN's exporter does not know the rank and writes -1, but the framework knows the rank */
    return rank < 0 ? (gint32)import->rank : (gint32)rank;
}

/* Emits one record for each device, with its name from NPU_INFO and its rank from
 * RANK_DEVICE_MAP. */
static void import_devices(Import *import)
{
    sqlite3_stmt *ranks = lookup_new(import->file, "RANK_DEVICE_MAP", "deviceId", "rankId");
    sqlite3_stmt *names = lookup_new(import->file, "NPU_INFO", "id", "name");
    DbTable *npus = db_file_table(import->file, "NPU_INFO");
    DbTable *map = db_file_table(import->file, "RANK_DEVICE_MAP");
    DbScan scan;

    if (npus && names) {
        npus->is_taken = TRUE;
        db_scan_init(&scan, import->file, "NPU_INFO", "id, name");
        while (!import->is_full && db_scan_next(&scan)) {
            const char *name = (const char *)sqlite3_column_text(scan.statement, 2);
            gint64 device = sqlite3_column_int64(scan.statement, 1);

            emit_device(import, device, import_intern(import, name ? name : ""),
                        rank_of(import, ranks, device));
        }
        import->host->found(import->self, "NPU_INFO", scan.n);
        db_scan_clear(&scan);
    }
    if (map && ranks) {
        map->is_taken = TRUE;
        db_scan_init(&scan, import->file, "RANK_DEVICE_MAP", "deviceId");
        while (!import->is_full && db_scan_next(&scan)) {
            gint64 device = sqlite3_column_int64(scan.statement, 1);

            if (!lookup_find(names, device))
                emit_device(import, device, 0, rank_of(import, ranks, device));
        }
        import->host->found(import->self, "RANK_DEVICE_MAP", scan.n);
        db_scan_clear(&scan);
    }
    sqlite3_finalize(ranks);
    sqlite3_finalize(names);
}

/* ---- metadata ---- */

static gboolean is_json(const char *text)
{
    return *text == '{' || *text == '[' || *text == '"';
}

static void emit_metadata(Import *import, const char *name, const char *value)
{
    const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_PROCESS, .device = -1};
    struct strobe_metadata *fields;

    fields = import_emit(import, &strobe_kind_metadata,
                         import->host->track(import->self, &track, import->pid),
                         import_intern(import, name), import->begin_ns, import->begin_ns);
    if (!fields)
        return;
    fields->value = import_intern(import, value);
    fields->is_json = is_json(value);
}

/* Emits the rows of META_DATA, except for the schema version, because an exporter writes its
 * own. */
static void import_metadata(Import *import)
{
    DbTable *table = db_file_table(import->file, "META_DATA");
    DbScan scan;

    if (!db_table_column(table, "name") || !db_table_column(table, "value"))
        return;
    table->is_taken = TRUE;
    db_scan_init(&scan, import->file, "META_DATA", "name, value");
    while (!import->is_full && db_scan_next(&scan)) {
        const char *name = (const char *)sqlite3_column_text(scan.statement, 1);
        const char *value = (const char *)sqlite3_column_text(scan.statement, 2);

        if (name && !g_str_has_prefix(name, "SCHEMA_VERSION"))
            emit_metadata(import, name, value ? value : "");
    }
    import->host->found(import->self, "META_DATA", scan.n);
    db_scan_clear(&scan);
}

static void import_host(Import *import)
{
    DbTable *table = db_file_table(import->file, "HOST_INFO");
    sqlite3_stmt *statement;

    if (!table)
        return;
    table->is_taken = TRUE;
    statement = db_file_prepare(import->file, "HOST_INFO",
                                "SELECT hostUid, hostName FROM main.HOST_INFO LIMIT 1");
    if (db_file_step(import->file, "HOST_INFO", statement)) {
        const char *uid = (const char *)sqlite3_column_text(statement, 0);
        const char *name = (const char *)sqlite3_column_text(statement, 1);

        if (uid)
            import->host->metadata_text(import->self, "host_uid", uid);
        if (name)
            import->host->metadata_text(import->self, "host", name);
        import->host->found(import->self, "HOST_INFO", 1);
    }
    sqlite3_finalize(statement);
}

static void import_session(Import *import)
{
    DbTable *table = db_file_table(import->file, "SESSION_TIME_INFO");
    sqlite3_stmt *statement;
    gint64 value;

    if (!table)
        return;
    table->is_taken = TRUE;
    if (query_value(import, "SELECT min(startTimeNs) FROM main.SESSION_TIME_INFO", &value))
        import->host->metadata_int(import->self, "session_begin_ns", value);
    if (query_value(import, "SELECT max(endTimeNs) FROM main.SESSION_TIME_INFO", &value))
        import->host->metadata_int(import->self, "session_end_ns", value);
    statement = db_file_prepare(import->file, "SESSION_TIME_INFO",
                                "SELECT count(*) FROM main.SESSION_TIME_INFO");
    if (db_file_step(import->file, "SESSION_TIME_INFO", statement))
        import->host->found(import->self, "SESSION_TIME_INFO",
                            (guint64)sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
}

void metadata_import(Import *import)
{
    import_session(import);
    import_host(import);
    import_devices(import);
    import_metadata(import);
    if (import->pid)
        import->host->metadata_int(import->self, "pid", (gint64)import->pid);
    if (import->rank >= 0)
        import->host->metadata_int(import->self, "rank", import->rank);
    import->host->metadata_int(import->self, "generation", import->generation);
    import->host->metadata_int(import->self, "level", import->level);
    import->host->metadata_int(import->self, "device", import->device);
}
