/* SPDX-License-Identifier: Apache-2.0 */
/* Writes TASK_PMU_INFO: a row for each metric of a task. */
#include <math.h>

#include "kind-takes.h"

#define METRICS_MAX 48u

enum { TASK, METRICS };

static const StrobeWantedField fields[] = {
    {"task", STROBE_FIELD_LINK},
    {"metrics", STROBE_FIELD_STRING},
};

/* The last list of metrics: the numbers of its names, and the offsets of their values. */
typedef struct Metrics {
    OutTable *table;
    StrobeStringId names;
    guint n;
    gint64 ids[METRICS_MAX];
    guint32 offsets[METRICS_MAX];
} Metrics;

static void find_values(const DbKind *kind, Metrics *metrics)
{
    for (guint i = 0; i < METRICS_MAX; i++) {
        char name[16];

        g_snprintf(name, sizeof name, "value_%02u", i);
        metrics->offsets[i] = strobe_field_offset(kind->view, name, STROBE_FIELD_F64);
    }
}

static void read_names(Db *db, Metrics *metrics, StrobeStringId names)
{
    StrobeText text = db->host->string(db->self, names);
    g_autoptr(GString) valid = g_string_new(NULL);

    string_append_valid(valid, text.bytes, text.length);
    g_auto(GStrv) words = g_strsplit(valid->str, ";", METRICS_MAX + 1);
    metrics->names = names;
    for (metrics->n = 0; metrics->n < METRICS_MAX && words[metrics->n]; metrics->n++)
        metrics->ids[metrics->n] = string_ids_word(db->strings, STRING_DEVICE, words[metrics->n]);
}

void pmu_take(Db *db, DbKind *kind, const StrobeView *record)
{
    StrobeStringId names;
    Metrics *metrics;
    guint64 task;

    if (!kind->known) {
        db_kind_know(kind, fields, G_N_ELEMENTS(fields));
        kind->own = g_new0(Metrics, 1);
        metrics = kind->own;
        metrics->table = db_table_named(db, "TASK_PMU_INFO");
        find_values(kind, metrics);
    }
    metrics = kind->own;
    names = strobe_field_u32(record, kind->known[METRICS], 0);
    if (names && names != metrics->names)
        read_names(db, metrics, names);
    task = strobe_field_u64(record, kind->known[TASK], STROBE_ABSENT_U64);
    for (guint i = 0; names && i < metrics->n; i++) {
        RowBuffer *rows = out_db_rows(db->out);
        double value = metrics->offsets[i] == STROBE_FIELD_MISSING
                           ? NAN
                           : strobe_view_f64(record, metrics->offsets[i]);

        if (isnan(value))
            continue;
        row_begin(rows, metrics->table);
        if (task == STROBE_ABSENT_U64)
            row_null(rows);
        else
            row_int(rows, db_link(task));
        row_int(rows, metrics->ids[i]);
        row_real(rows, value);
        db_row_done(db, rows);
    }
}
