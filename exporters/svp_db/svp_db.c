/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the records of a board to tables of an SQLite database, in one transaction. The file
 * appears complete or not at all. */
#include "svp_db.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/storage.h>
#include <sys/stat.h>
#include <svp-rows.h>
#include <unistd.h>

#define FILE_NAME "svp_profile.db"
#define NEW_NAME ".svp_profile.db.new"
#define COUNTERS                                                                                   \
    "cycles, mac_busy, mac_ppen, vec_busy, vec_ppen, dstr, dtrans, dld, wld, ddr_read_bytes, "     \
    "ddr_write_bytes, icache_req, icache_miss"

static const char schema[] =
    "PRAGMA user_version = 1;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA journal_mode = OFF;"
    "PRAGMA synchronous = OFF;"
    "BEGIN;"
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE source_file(id INTEGER PRIMARY KEY, name TEXT, bytes INTEGER, records INTEGER,"
    " done INTEGER);"
    "CREATE TABLE model(device_id INTEGER, model_id INTEGER, name TEXT, batch_num INTEGER,"
    " input_pic_num INTEGER, PRIMARY KEY(device_id, model_id));"
    "CREATE TABLE capture(id INTEGER PRIMARY KEY, device_id INTEGER, model_id INTEGER,"
    " batch_num INTEGER, input_pic_num INTEGER, current_pic_count INTEGER, iter_id INTEGER,"
    " begin_ns INTEGER, end_ns INTEGER, first_capture INTEGER, complete INTEGER,"
    " FOREIGN KEY(device_id, model_id) REFERENCES model);"
    "CREATE TABLE layer(device_id INTEGER, model_id INTEGER, layer_id INTEGER, ori_name TEXT,"
    " name TEXT, type TEXT, PRIMARY KEY(device_id, model_id, layer_id));"
    "CREATE TABLE task(id INTEGER PRIMARY KEY, capture_id INTEGER REFERENCES capture(id),"
    " task_id INTEGER, layer_id INTEGER, stream_id INTEGER, name TEXT, task_type TEXT,"
    " begin_ns INTEGER, end_ns INTEGER);"
    "CREATE TABLE task_counter(task_pk INTEGER PRIMARY KEY REFERENCES task(id), " COUNTERS ");"
    "CREATE TABLE acl_call(id INTEGER PRIMARY KEY, device_id INTEGER, model_id INTEGER,"
    " capture_id INTEGER, name TEXT, type TEXT, begin_ns INTEGER, end_ns INTEGER, pid INTEGER,"
    " tid INTEGER, ret INTEGER);"
    "CREATE TABLE freq(device_id INTEGER, core INTEGER, mono_ns INTEGER, mhz REAL);"
    "CREATE TABLE lost(records INTEGER);";

static const char indices[] = "CREATE INDEX task_capture ON task(capture_id);"
                              "CREATE INDEX task_begin ON task(begin_ns);"
                              "CREATE INDEX capture_begin ON capture(begin_ns);"
                              "CREATE INDEX acl_call_begin ON acl_call(begin_ns);"
                              "COMMIT;";

typedef struct SvpDb {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    SvpRows *rows;
    sqlite3 *sql;
    char *new_path;
} SvpDb;

static StrobeStatus db_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    SvpDb *db = g_new0(SvpDb, 1);

    db->host = host;
    db->self = self;
    db->rows = svp_rows_new(host, self);
    db->new_path = g_strdup_printf("/proc/self/fd/%d/" NEW_NAME, host->metadata(self)->directory);
    *state = db;
    return STROBE_OK;
}

static void db_close(void *state)
{
    SvpDb *db = state;

    sqlite3_close_v2(db->sql);
    unlinkat(db->host->metadata(db->self)->directory, NEW_NAME, 0);
    svp_rows_free(db->rows);
    g_free(db->new_path);
    g_free(db);
}

static StrobeStatus db_batch(void *state, const StrobeView *records, size_t n)
{
    SvpDb *db = state;
    int error = svp_rows_take(db->rows, records, n);

    return error ? strobe_storage_fail(db->host, db->self, "the records of a board", error)
                 : STROBE_OK;
}

/* ---- rows ---- */

/* Inserts a row. `form` has a letter for each value: i: gint64; u: guint64, which becomes NULL if
 * absent; s: id of a string; t: text; d: double. */
static gboolean insert_row(SvpDb *db, sqlite3_stmt *statement, const char *form, ...)
{
    va_list values;
    int column = 0;

    va_start(values, form);
    for (; *form; form++) {
        column++;
        if (*form == 'i') {
            sqlite3_bind_int64(statement, column, va_arg(values, gint64));
        } else if (*form == 'u') {
            const guint64 value = va_arg(values, guint64);

            if (value != STROBE_ABSENT_U64)
                sqlite3_bind_int64(statement, column, (gint64)value);
        } else if (*form == 'd') {
            sqlite3_bind_double(statement, column, va_arg(values, double));
        } else {
            const StrobeText text = *form == 's'
                                        ? db->host->string(db->self, va_arg(values, StrobeStringId))
                                        : (StrobeText){va_arg(values, const char *), 0};
            g_autofree char *valid =
                g_utf8_make_valid(text.bytes, *form == 's' ? (gssize)text.length : -1);

            if (*valid) /* an empty text means unknown and becomes NULL */
                sqlite3_bind_text(statement, column, valid, -1, SQLITE_TRANSIENT);
        }
    }
    va_end(values);
    const gboolean good = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return good;
}

static sqlite3_stmt *prepare_statement(SvpDb *db, const char *text)
{
    sqlite3_stmt *statement = NULL;

    return sqlite3_prepare_v2(db->sql, text, -1, &statement, NULL) == SQLITE_OK ? statement : NULL;
}

static gboolean put_captures(SvpDb *db)
{
    sqlite3_stmt *model = prepare_statement(db, "INSERT OR IGNORE INTO model VALUES(?,?,?,?,?)");
    sqlite3_stmt *row = prepare_statement(db, "INSERT INTO capture VALUES(?,?,?,?,?,?,?,?,?,?,?)");
    gboolean good = model && row;

    for (guint i = 0; good && i < svp_rows_n_captures(db->rows); i++) {
        const SvpCapture *capture = svp_rows_capture(db->rows, i);

        good = insert_row(db, model, "iisii", (gint64)capture->device, (gint64)capture->model,
                          capture->name, (gint64)capture->batch, (gint64)capture->pics) &&
               insert_row(db, row, "iiiiiuiiiii", (gint64)i + 1, (gint64)capture->device,
                          (gint64)capture->model, (gint64)capture->batch, (gint64)capture->pics,
                          capture->current_pic, (gint64)capture->number, capture->begin_ns,
                          capture->end_ns, (gint64)(capture->is_first != 0),
                          (gint64)(capture->is_reported && !svp_capture_is_cut(capture)));
    }
    sqlite3_finalize(model);
    sqlite3_finalize(row);
    return good;
}

static gboolean put_counters(SvpDb *db, sqlite3_stmt *statement, gint64 task,
                             const guint64 *counters)
{
    gboolean has_any = FALSE;

    sqlite3_bind_int64(statement, 1, task);
    for (guint i = 0; i < SVP_COUNTERS; i++)
        if (counters[i] != SVP_ABSENT) {
            sqlite3_bind_int64(statement, (int)i + 2, (gint64)counters[i]);
            has_any = TRUE;
        }
    const gboolean good = !has_any || sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return good;
}

static gboolean put_tasks(SvpDb *db)
{
    sqlite3_stmt *layer = prepare_statement(db, "INSERT OR IGNORE INTO layer VALUES(?,?,?,?,?,?)");
    sqlite3_stmt *row = prepare_statement(db, "INSERT INTO task VALUES(?,?,?,?,?,?,?,?,?)");
    sqlite3_stmt *counters =
        prepare_statement(db, "INSERT INTO task_counter VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    gboolean good = layer && row && counters;
    gint64 id = 0;
    const SvpTask *task;

    while (good && (task = svp_rows_next_task(db->rows))) {
        const SvpCapture *capture = svp_rows_capture(db->rows, task->capture);

        if (task->has_layer)
            good = insert_row(db, layer, "iiisss", (gint64)capture->device, (gint64)capture->model,
                              (gint64)task->layer_id, task->ori_name, task->name, task->type);
        good = good &&
               insert_row(
                   db, row, "iiiuissii", ++id, (gint64)task->capture + 1, (gint64)task->task_id,
                   task->has_layer ? (guint64)task->layer_id : STROBE_ABSENT_U64,
                   (gint64)task->stream, task->name, task->core, task->begin_ns, task->end_ns) &&
               put_counters(db, counters, id, task->counters);
    }
    sqlite3_finalize(layer);
    sqlite3_finalize(row);
    sqlite3_finalize(counters);
    return good && !svp_rows_error(db->rows);
}

static guint64 capture_of(const SvpDb *db, guint64 connection)
{
    for (guint i = 0; connection != STROBE_ABSENT_U64 && i < svp_rows_n_captures(db->rows); i++)
        if (svp_rows_capture(db->rows, i)->id == connection)
            return i + 1;
    return STROBE_ABSENT_U64;
}

static gboolean put_calls(SvpDb *db)
{
    sqlite3_stmt *row = prepare_statement(db, "INSERT INTO acl_call VALUES(?,?,?,?,?,?,?,?,?,?,?)");
    gboolean good = row != NULL;
    gint64 id = 0;
    const SvpCall *call;

    while (good && (call = svp_rows_next_call(db->rows)))
        good = insert_row(db, row, "iiiussiiuui", ++id, (gint64)call->device, (gint64)call->model,
                          capture_of(db, call->connection), call->name, call->mode, call->begin_ns,
                          call->end_ns, call->pid, call->tid, (gint64)call->status);
    sqlite3_finalize(row);
    return good && !svp_rows_error(db->rows);
}

static gboolean put_frequencies(SvpDb *db)
{
    const GArray *samples = svp_rows_frequencies(db->rows);
    sqlite3_stmt *row = prepare_statement(db, "INSERT INTO freq VALUES(?,?,?,?)");
    gboolean good = row != NULL;

    for (guint i = 0; good && i < samples->len; i++) {
        const SvpFrequency *sample = &g_array_index(samples, SvpFrequency, i);

        good = insert_row(db, row, "iiid", (gint64)sample->device, (gint64)sample->core,
                          sample->time_ns, sample->mhz);
    }
    sqlite3_finalize(row);
    return good;
}

/* ---- metadata ---- */

static gboolean put_files(SvpDb *db)
{
    sqlite3_stmt *row = prepare_statement(db, "INSERT INTO source_file VALUES(?,?,?,?,?)");
    gboolean good = row != NULL;

    for (guint i = 0; good; i++) {
        g_autofree char *key = g_strdup_printf("svp.file.%u", i);
        g_auto(GStrv) words = g_strsplit(db->host->metadata_value(db->self, key), " ", 4);

        if (g_strv_length(words) != 4)
            break;
        good = insert_row(db, row, "itiii", (gint64)i + 1, words[3],
                          g_ascii_strtoll(words[1], NULL, 10), g_ascii_strtoll(words[0], NULL, 10),
                          g_ascii_strtoll(words[2], NULL, 10));
    }
    sqlite3_finalize(row);
    return good;
}

static gboolean put_meta(SvpDb *db)
{
    static const char *const metadata[] = {"host",
                                           "pid",
                                           "command",
                                           "svp.job",
                                           "svp.state",
                                           "svp.soc",
                                           "svp.frequency_mhz",
                                           "svp.simulated",
                                           "svp.lost_captures",
                                           "monotonic_offset_ns",
                                           NULL};
    sqlite3_stmt *row = prepare_statement(db, "INSERT INTO meta VALUES(?,?)");
    sqlite3_stmt *lost = prepare_statement(db, "INSERT INTO lost VALUES(?)");
    gboolean good = row && lost;

    for (guint i = 0; good && metadata[i]; i++) {
        const char *value = db->host->metadata_value(db->self, metadata[i]);

        if (*value)
            good = insert_row(db, row, "tt", metadata[i], value);
    }
    if (good && db->host->metadata(db->self)->n_lost)
        good = insert_row(db, lost, "u", db->host->metadata(db->self)->n_lost);
    sqlite3_finalize(row);
    sqlite3_finalize(lost);
    return good;
}

/* ---- the file ---- */

static StrobeStatus fail_write(const SvpDb *db, const char *why)
{
    return db->host->fail(db->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                          "Cannot write " FILE_NAME ": folder=\"%s\": %s",
                          db->host->metadata(db->self)->directory_path, why);
}

static gboolean fill_tables(SvpDb *db)
{
    return sqlite3_exec(db->sql, schema, NULL, NULL, NULL) == SQLITE_OK && put_meta(db) &&
           put_files(db) && put_captures(db) && put_tasks(db) && put_calls(db) &&
           put_frequencies(db) && sqlite3_exec(db->sql, indices, NULL, NULL, NULL) == SQLITE_OK;
}

static StrobeStatus place_file(const SvpDb *db)
{
    const int directory = db->host->metadata(db->self)->directory;
    int file = openat(directory, NEW_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    gboolean good = file >= 0 && fchmod(file, 0640) == 0 && fsync(file) == 0 &&
                    renameat(directory, NEW_NAME, directory, FILE_NAME) == 0;
    const int number = errno;

    if (file >= 0)
        close(file);
    return good ? STROBE_OK : fail_write(db, g_strerror(number));
}

static StrobeStatus db_end(void *state)
{
    SvpDb *db = state;
    int error = svp_rows_join(db->rows);

    if (error)
        return strobe_storage_fail(db->host, db->self, "the records of a board", error);
    unlinkat(db->host->metadata(db->self)->directory, NEW_NAME, 0);
    if (sqlite3_open_v2(db->new_path, &db->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
            SQLITE_OK ||
        !fill_tables(db))
        return fail_write(db, sqlite3_errmsg(db->sql));
    sqlite3_close_v2(db->sql);
    db->sql = NULL;
    return place_file(db);
}

const StrobeConsumerOps svp_db_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = db_open,
    .batch = db_batch,
    .end = db_end,
    .close = db_close,
};
