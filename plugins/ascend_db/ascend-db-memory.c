/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-db-memory.h"

#include <string.h>

enum { ACTION_ALLOCATION = 0, ACTION_RELEASE = 1, ACTION_STATE = 3 };

/* Returns "allocate" or "release". `type` is the id of a text; in older databases it is the id of
 * an entry of ENUM_MEMORY. */
static char *action_word(Import *import, gint64 type)
{
    const char *name = texts_enum(import->texts, "MEMORY", type);

    return name ? g_strdup(name) : texts_dup(import->texts, type);
}

static void fill_action(Import *import, RowReader *reader, sqlite3_stmt *statement,
                        struct strobe_memory_event *fields)
{
    gint64 type = row_reader_integer(reader, statement, "type", NO_STRING);
    gint64 size = row_reader_integer(reader, statement, "size", STROBE_ABSENT_I64);
    g_autofree char *word = action_word(import, type);

    if (!g_strcmp0(word, "release"))
        fields->action = ACTION_RELEASE;
    else if (!g_strcmp0(word, "allocate"))
        fields->action = ACTION_ALLOCATION;
    else
        db_file_damage(import->file, reader->format->name, sqlite3_column_int64(statement, 0),
                       "type", "expected allocate or release");
    fields->size = fields->action == ACTION_RELEASE && size > 0 ? -size : size;
}

static void read_operations(Import *import)
{
    RowReader *reader = row_reader_new(import, import->file, ascend_db_table("NPU_OP_MEM"), NULL);
    DbScan scan;

    if (!reader)
        return;
    db_scan_init(&scan, import->file, "NPU_OP_MEM", reader->columns->str);
    while (!import->is_full && db_scan_next(&scan)) {
        RowPlace place;
        void *fields;

        row_reader_place(reader, scan.statement, &place);
        fields = import_emit(import, reader->kind, import_thread(import, place.global_tid, "CANN"),
                             place.name, place.begin_ns, place.begin_ns);
        if (!fields)
            break;
        row_reader_fill(reader, scan.statement, fields);
        fill_action(import, reader, scan.statement, fields);
    }
    import->host->found(import->self, "NPU_OP_MEM", scan.n);
    db_scan_clear(&scan);
    row_reader_free(reader);
}

/* ---- states ---- */

/* Returns whether a row has measured values. The rows of GE are not measured if its operations are
 * known, from which they can be computed; the sums can be computed from the rows of PTA and GE. */
static gboolean is_measured(const char *component, gboolean has_operations)
{
    return component && strcmp(component, "PTA+GE") && (strcmp(component, "GE") || !has_operations);
}

static void fill_state(RowReader *reader, sqlite3_stmt *statement,
                       struct strobe_memory_event *fields)
{
    static const struct {
        const char *column;
        gsize offset;
    } totals[] = {
        {"totalAllocated", G_STRUCT_OFFSET(struct strobe_memory_event, total_allocated)},
        {"totalReserved", G_STRUCT_OFFSET(struct strobe_memory_event, total_reserved)},
        {"totalActive", G_STRUCT_OFFSET(struct strobe_memory_event, total_active)},
    };

    for (guint i = 0; i < G_N_ELEMENTS(totals); i++) {
        gint64 value = row_reader_integer(reader, statement, totals[i].column, STROBE_ABSENT_I64);

        memcpy((char *)fields + totals[i].offset, &value, sizeof value);
    }
    fields->action = ACTION_STATE;
    fields->stream = (guint64)row_reader_integer(reader, statement, "streamPtr", -1);
}

static void take_state(Import *import, RowReader *reader, sqlite3_stmt *statement,
                       gboolean has_operations)
{
    gint64 id = row_reader_integer(reader, statement, "component", NO_STRING);
    g_autofree char *component = texts_dup(import->texts, id);
    struct strobe_memory_event *fields;
    RowPlace place;

    if (!is_measured(component, has_operations))
        return;
    row_reader_place(reader, statement, &place);
    fields = import_emit(import, &strobe_kind_memory_event,
                         import_counter(import, place.device, "memory_event"), 0, place.begin_ns,
                         place.begin_ns);
    if (!fields)
        return;
    fill_state(reader, statement, fields);
    fields->device = place.device;
    fields->component = import_intern(import, component);
}

static void read_states(Import *import)
{
    RowReader *reader =
        row_reader_new(import, import->file, ascend_db_table("MEMORY_RECORD"), NULL);
    gboolean has_operations = db_file_table(import->file, "NPU_OP_MEM") != NULL;
    DbScan scan;

    if (!reader)
        return;
    db_scan_init(&scan, import->file, "MEMORY_RECORD", reader->columns->str);
    while (!import->is_full && db_scan_next(&scan))
        take_state(import, reader, scan.statement, has_operations);
    import->host->found(import->self, "MEMORY_RECORD", scan.n);
    db_scan_clear(&scan);
    row_reader_keep_unknown(reader);
    row_reader_free(reader);
}

void memory_import(Import *import)
{
    read_operations(import);
    if (!import->is_full)
        read_states(import);
}
