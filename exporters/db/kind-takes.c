/* SPDX-License-Identifier: Apache-2.0 */
#include "kind-takes.h"

#include "db-framework.h"
#include "merge.h"

/* Kinds whose rows need special code. */
static const struct {
    const char *kind;
    KindTake take;
} takers[] = {
    {"cpu_op", framework_take_op},
    {"task_queue", framework_take_queue},
    {"python_call", framework_take_python},
    {"api_call", framework_take_api},
    {"step", framework_take_step},
    {"device_task", tasks_take},
    {"device_pmu", pmu_take},
    {"comm_op", communication_take_op},
    {"comm_task", communication_take_task},
    {"memory_event", memory_take_event},
    {"memory_total", memory_take_total},
    {"memory_block", memory_take_block},
    {"marker", markers_take},
    {"marker_instant", markers_take},
    {"metadata", metadata_take_metadata},
    {"device_info", metadata_take_device},
    {"step_trace", analysis_take_step},
    {"communication_time", analysis_take_time},
    {"communication_bandwidth", analysis_take_bandwidth},
    {"communication_matrix", analysis_take_matrix},
    /* no rows for flow events, because the connections already contain them */
    {"flow_point", NULL},
};

/* Kinds that passes compute from other kinds. They have no table unless an option requests it. */
static const char *const derived[] = {
    "kernel_detail",    "operator_device",
    "kernel_link",      "step_range",
    "op_statistic",     "api_statistic",
    "operator_detail",  "operator_link",
    "operator_average", "step_summary",
    "stack_total",      "correlation",
    "device_clock",     NULL,
};

/* ---- kinds with a table that need no special code ---- */

/* Writes the number of the module that the record names. Uses the name, because a trace has only
 * names, and the same number may stand for different modules in different generations. */
static void put_module(Db *db, const StrobeView *record, RowBuffer *rows)
{
    DbModule *recent = &db->modules[record->name % G_N_ELEMENTS(db->modules)];
    StrobeText name;
    guint32 offset;

    if (!recent->is_known || recent->name != record->name) {
        name = db->host->string(db->self, record->name);
        recent->name = record->name;
        recent->is_known = name.length && enum_ids_of(db->enums, "MODULE", name, &recent->number);
    }
    if (recent->is_known) {
        row_int(rows, recent->number);
        return;
    }
    offset = strobe_field_offset(record->kind, "module", STROBE_FIELD_U32);
    if (offset == STROBE_FIELD_MISSING || strobe_view_u32(record, offset) == STROBE_ABSENT_U32)
        row_null(rows);
    else
        row_int(rows, strobe_view_u32(record, offset));
}

static void put_special(Db *db, const RowMap *map, const AscendDbColumn *column,
                        const StrobeView *record, RowBuffer *rows)
{
    const StrobeTrackView *track = db_track(db, record->track);

    if (!strcmp(column->name, "id"))
        row_int(rows, ++db->n_overlaps);
    else if (!strcmp(column->name, "moduleId"))
        put_module(db, record, rows);
    else if (track) /* garbage collections belong to the process, not to a thread */
        row_int(rows, (gint64)(track->pid << 32 | (track->pid & G_MAXUINT32)));
    else
        row_null(rows);
}

static void take_plain(Db *db, DbKind *kind, const StrobeView *record)
{
    row_map_put(db, kind->maps[0], record);
}

/* Adds a row for a record of a kind that has several tables. The record's name chooses the table:
 * for example, "CPU 3" belongs to the table of "CPU". */
static void take_named(Db *db, DbKind *kind, const StrobeView *record)
{
    StrobeText name = db->host->string(db->self, record->name);

    for (guint i = 0; i < KIND_MAPS_MAX && kind->maps[i]; i++) {
        const char *word = kind->maps[i]->format->only_text;
        gsize length = strlen(word);

        if (g_str_has_prefix(name.bytes, word) &&
            (name.length == length || name.bytes[length] == ' ')) {
            row_map_put(db, kind->maps[i], record);
            return;
        }
    }
}

/* Returns whether the table is omitted. Viewers make it themselves in databases of older
 * generations. */
static gboolean is_viewers(const Db *db, const AscendDbTable *table)
{
    return !strcmp(table->name, "OVERLAP_ANALYSIS") && db->generation != 3;
}

static gboolean bind_tables(Db *db, DbKind *kind)
{
    gboolean is_known = FALSE;
    guint n = 0;

    for (guint32 i = 0; i < n_ascend_db_tables && n < KIND_MAPS_MAX; i++) {
        const AscendDbTable *table = &ascend_db_tables[i];

        if (!table->kind || strcmp(table->kind, kind->view->name))
            continue;
        is_known = TRUE;
        if (is_viewers(db, table))
            continue;
        kind->maps[n++] = row_map_new(db, table, kind->view, put_special);
        kind->take = table->only_text ? take_named : take_plain;
    }
    if (n && !strcmp(kind->maps[0]->format->name, "NPU_MODULE_MEM"))
        row_map_by_code(kind->maps[0], "moduleId");
    if (n && kind->view->shape == STROBE_SHAPE_COUNTER) {
        kind->merge = merge_new(kind, kind->take);
        kind->take = merge_take;
        g_ptr_array_add(db->merging, kind->merge);
    }
    return is_known;
}

void db_kinds_end(Db *db)
{
    for (guint i = 0; i < db->merging->len; i++)
        merge_end(db, g_ptr_array_index(db->merging, i));
}

/* ---- all ---- */

static void bind_kind(Db *db, DbKind *kind)
{
    const char *name = kind->view->name;
    gboolean is_asked = g_strv_contains((const char *const *)db->also, name);

    for (guint i = 0; i < G_N_ELEMENTS(takers); i++)
        if (!strcmp(takers[i].kind, name)) {
            kind->take = takers[i].take;
            return;
        }
    if (bind_tables(db, kind) || (g_strv_contains(derived, name) && !is_asked))
        return;
    if (generic_prepare(db, kind))
        kind->take = generic_take;
    else
        db->n_skipped++;
}

/* Removes a kind from the merging list. This is necessary when the address of its view belongs to
 * another kind. */
static void forget_kind(Db *db, DbKind *kind)
{
    if (kind && kind->merge)
        g_ptr_array_remove(db->merging, kind->merge);
}

void db_kind_free(gpointer data)
{
    DbKind *kind = data;

    for (guint i = 0; i < KIND_MAPS_MAX; i++)
        row_map_free(kind->maps[i]);
    if (kind->merge)
        merge_free(kind->merge);
    g_free(kind->known);
    g_free(kind->own);
    g_free(kind);
}

static DbKind *add_kind(Db *db, const StrobeKindView *view)
{
    DbKind *kind = g_new0(DbKind, 1);

    kind->view = view;
    kind->fields = view->fields;
    kind->n_fields = view->n_fields;
    kind->id = view->id;
    forget_kind(db, g_hash_table_lookup(db->kinds, view));
    db->last_kind = NULL;
    g_hash_table_replace(db->kinds, (gpointer)view, kind);
    bind_kind(db, kind);
    db->last_kind = kind;
    return kind;
}

void db_take_record(Db *db, const StrobeView *record)
{
    DbKind *kind = db_kind_of(db, record->kind);

    if (G_UNLIKELY(!kind))
        kind = add_kind(db, record->kind);
    if (kind->take)
        kind->take(db, kind, record);
}
