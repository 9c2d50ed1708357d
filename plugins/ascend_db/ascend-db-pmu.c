/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-pmu.h"

#include <string.h>

#include "lookup.h"
#include "ascend-db-tasks.h"
#include "ascend-db-texts.h"

#define METRICS_MAX 48u

G_STATIC_ASSERT(sizeof((struct strobe_device_pmu *)0)->value / sizeof(double) == METRICS_MAX);

/* State of the import, with the metrics of the current task. */
typedef struct Pmu {
    Import *import;
    sqlite3_stmt *tasks, *names;
    gint64 task;
    gint64 metrics[METRICS_MAX]; /* ids of the metrics' names in STRING_IDS */
    double values[METRICS_MAX];
    guint n;
    gint64 joined_of[METRICS_MAX]; /* the metrics whose names are in `joined` */
    guint n_joined;
    StrobeStringId joined;
    guint64 n_rows;
} Pmu;

/* Returns the metrics' names, joined. Most tasks have the same metrics as the previous task, so the
 * last result is cached. */
static StrobeStringId join_names(Pmu *p)
{
    g_autoptr(GString) joined = g_string_new(NULL);

    if (p->n == p->n_joined && !memcmp(p->metrics, p->joined_of, p->n * sizeof *p->metrics))
        return p->joined;
    for (guint i = 0; i < p->n; i++) {
        g_autofree char *name = texts_dup(p->import->texts, p->metrics[i]);

        if (i)
            g_string_append_c(joined, ';');
        if (name)
            g_string_append(joined, name);
        else
            g_string_append_printf(joined, "%" G_GINT64_FORMAT, p->metrics[i]);
    }
    memcpy(p->joined_of, p->metrics, sizeof p->metrics);
    p->n_joined = p->n;
    p->joined = import_intern(p->import, joined->str);
    return p->joined;
}

static StrobeStringId name_of(Pmu *p)
{
    StrobeStringId name = 0;
    gint64 id;

    if (lookup_find(p->names, p->task) && row_read_integer(p->names, 1, &id))
        texts_find(p->import->texts, id, NULL, &name);
    return name;
}

static void finish_task(Pmu *p)
{
    TaskMetadata metadata = {.begin_ns = p->import->begin_ns, .end_ns = p->import->begin_ns};
    StrobeTrackId track = 0;
    struct strobe_device_pmu *fields;

    if (p->n == 0)
        return;
    if (task_metadata_find(p->tasks, p->task, &metadata))
        track = import_stream(p->import, metadata.pid, metadata.device, metadata.stream);
    fields = import_emit(p->import, &strobe_kind_device_pmu, track, name_of(p), metadata.begin_ns,
                         metadata.end_ns);
    if (fields) {
        fields->task = task_link(p->task);
        fields->metrics = join_names(p);
        memcpy(fields->value, p->values, p->n * sizeof *p->values);
    }
    p->n = 0;
}

/* Adds a metric. If the task already has this metric, or has METRICS_MAX metrics, begins another
 * record of the task. */
static void take_metric(Pmu *p, gint64 task, gint64 metric, double value)
{
    gboolean is_new = p->n == METRICS_MAX || task != p->task;

    for (guint i = 0; i < p->n; i++)
        is_new |= p->metrics[i] == metric;
    if (is_new)
        finish_task(p);
    p->task = task;
    p->metrics[p->n] = metric;
    p->values[p->n++] = value;
    p->n_rows++;
}

static void take_row(Pmu *p, sqlite3_stmt *statement)
{
    int type = sqlite3_column_type(statement, 3);
    gint64 task, metric;

    if (!row_read_integer(statement, 1, &task) || !row_read_integer(statement, 2, &metric) ||
        (type != SQLITE_INTEGER && type != SQLITE_FLOAT))
        db_file_damage(p->import->file, "TASK_PMU_INFO", sqlite3_column_int64(statement, 0), NULL,
                       "expected three numbers");
    else
        take_metric(p, task, metric, sqlite3_column_double(statement, 3));
}

/* Reads the table, which has one row for each metric, sorted by task. If the table is damaged and
 * cannot be sorted, each metric becomes a separate record. */
static void read_sorted(Pmu *p)
{
    DbFile *file = p->import->file;
    sqlite3_stmt *statement =
        db_file_prepare(file, NULL,
                        "SELECT rowid, globalTaskId, name, value FROM main.TASK_PMU_INFO "
                        "ORDER BY globalTaskId, rowid");
    int code = SQLITE_ERROR;
    DbScan scan;

    while (statement && !p->import->is_full && (code = sqlite3_step(statement)) == SQLITE_ROW)
        take_row(p, statement);
    if (code != SQLITE_DONE && p->n_rows)
        db_file_damage(file, "TASK_PMU_INFO", G_MININT64, NULL, sqlite3_errmsg(file->sql));
    sqlite3_finalize(statement);
    if (code == SQLITE_DONE || p->n_rows || p->import->is_full)
        return;
    db_scan_init(&scan, file, "TASK_PMU_INFO", "globalTaskId, name, value");
    while (!p->import->is_full && db_scan_next(&scan)) {
        take_row(p, scan.statement);
        finish_task(p);
    }
    db_scan_clear(&scan);
}

void pmu_import(Import *import)
{
    DbTable *table = db_file_table(import->file, "TASK_PMU_INFO");
    Pmu pmu = {.import = import};
    RowReader *columns;

    if (!table)
        return;
    columns = row_reader_new(import, import->file, ascend_db_table("TASK_PMU_INFO"), NULL);
    pmu.tasks = task_metadata_new(import);
    pmu.names = lookup_new(import->file, "COMPUTE_TASK_INFO", "globalTaskId", "name");
    read_sorted(&pmu);
    finish_task(&pmu);
    import->host->found(import->self, "TASK_PMU_INFO", pmu.n_rows);
    sqlite3_finalize(pmu.tasks);
    sqlite3_finalize(pmu.names);
    row_reader_keep_unknown(columns);
    row_reader_free(columns);
}
