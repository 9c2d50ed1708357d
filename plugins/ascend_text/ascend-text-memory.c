/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-text-memory.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/csv-scanner.h>

#include "blocks.h"

#define NOWHERE G_MAXUINT

enum { COMPONENT, TIME, ALLOCATED, RESERVED, ACTIVE, STREAM, DEVICE, COLUMNS };

/* Fields of the kind memory_total. Their titles are in formats/. */
static const char *const fields[COLUMNS] = {
    STROBE_COLUMN_NAME, STROBE_COLUMN_BEGIN, "allocated", "reserved", "active", "stream", "device"};

typedef struct Records {
    Import *import;
    const char *file;
    StrobeCsvScanner *scanner;
    guint n_columns, at[COLUMNS];
    const StrobeColumn *forms[COLUMNS];
    Blocks *blocks; /* NULL: there is no operator_memory.csv */
    guint64 n_rows;
} Records;

static void report_damage(Records *r, const char *reason)
{
    import_damage(r->import, r->file, "row", strobe_csv_scanner_row(r->scanner), reason);
}

static const AscendFile *find_file(void)
{
    for (guint32 i = 0; i < n_ascend_files; i++)
        if (!strcmp(ascend_files[i].kind, "memory_total"))
            return &ascend_files[i];
    g_assert_not_reached();
}

static gboolean take_header(Records *r)
{
    const StrobeCsvCell *cells;
    gsize n;

    if (strobe_csv_scanner_next(r->scanner, &cells, &n) != STROBE_CSV_ROW)
        return FALSE;
    r->n_columns = (guint)n;
    for (guint i = 0; i < COLUMNS; i++)
        r->at[i] = NOWHERE;
    for (guint i = 0; i < n; i++) {
        const AscendColumn *row = ascend_file_column(find_file(), cells[i].bytes, cells[i].length);

        if (!row)
            r->import->host->unknown(r->import->self, r->file, cells[i].bytes, 0);
        for (guint k = 0; row && k < COLUMNS; k++)
            if (!strcmp(fields[k], row->column.field)) {
                r->at[k] = i;
                r->forms[k] = &row->column;
            }
    }
    return r->at[COMPONENT] != NOWHERE && r->at[TIME] != NOWHERE;
}

static gboolean read_cell(Records *r, const StrobeCsvCell *cells, guint which, gint64 *number)
{
    const StrobeCsvCell *cell = r->at[which] == NOWHERE ? NULL : &cells[r->at[which]];
    StrobeCellValue value;

    *number = STROBE_ABSENT_I64;
    if (!cell)
        return FALSE;
    if (strobe_cell_read(r->forms[which], cell->bytes, cell->length, &value) ||
        strobe_cell_store(&value, STROBE_FIELD_I64, number)) {
        report_damage(r, r->forms[which]->title);
        return FALSE;
    }
    return value.type != STROBE_CELL_ABSENT;
}

/* ---- records ---- */

static void emit_event(Import *import, const BlockEvent *event, const char *component)
{
    struct strobe_memory_event *out =
        text_import_emit(import, &strobe_kind_memory_event,
                         text_import_counter(import, event->device, "memory_event"), event->name,
                         event->time_ns, event->time_ns);

    if (!out)
        return;
    out->block = event->number;
    out->size = event->size;
    out->total_allocated = event->allocated;
    out->total_reserved = event->reserved;
    out->total_active = event->active;
    out->stream = event->stream;
    out->action = event->action;
    out->device = event->device;
    out->component = text_import_intern(import, component);
}

/* Emits a sample of the device's own counter, unless the trace has these samples. */
static void emit_usage(Import *import, const BlockEvent *row)
{
    struct strobe_memory_usage *out;

    if (import->has_app_memory)
        return;
    out = text_import_emit(import, &strobe_kind_memory_usage,
                           text_import_counter(import, row->device, "NPU MEM"),
                           text_import_intern(import, "app"), row->time_ns, row->time_ns);
    if (!out)
        return;
    out->hbm = row->reserved;
    out->device = row->device;
}

/* Emits the state after an event. Adds the data of the event if operator_memory.csv contains it. */
static void emit_state(Records *r, BlockEvent *row, const char *component)
{
    gboolean is_ge = strcmp(component, "GE") == 0;
    BlockEvent event;

    if ((is_ge || !strcmp(component, "PTA")) &&
        blocks_take(r->blocks, is_ge, row->device, row->time_ns, &event)) {
        row->number = event.number;
        row->size = event.size;
        row->action = event.action;
        row->name = event.name;
    }
    emit_event(r->import, row, component);
}

static void take_row(Records *r, const StrobeCsvCell *cells)
{
    const char *component = cells[r->at[COMPONENT]].bytes;
    BlockEvent row = {.number = STROBE_ABSENT_U64,
                      .size = STROBE_ABSENT_I64,
                      .stream = STROBE_ABSENT_U64,
                      .action = BLOCK_STATE};
    gint64 device, stream;

    if (!read_cell(r, cells, TIME, &row.time_ns)) {
        report_damage(r, "Timestamp(us) is not a time");
        return;
    }
    r->n_rows++;
    read_cell(r, cells, DEVICE, &device);
    row.device = (gint32)CLAMP(device, -1, G_MAXINT32);
    read_cell(r, cells, ALLOCATED, &row.allocated);
    read_cell(r, cells, RESERVED, &row.reserved);
    read_cell(r, cells, ACTIVE, &row.active);
    if (read_cell(r, cells, STREAM, &stream))
        row.stream = (guint64)stream;
    if (!strcmp(component, "APP"))
        emit_usage(r->import, &row);
    else if (strcmp(component, "PTA+GE")) /* the sum of the other components is skipped */
        emit_state(r, &row, component);
}

static void read_records(Records *r)
{
    const StrobeCsvCell *cells;
    gsize n;
    int status;

    if (!take_header(r)) {
        report_damage(r, "expected a header with Component and Timestamp(us)");
        return;
    }
    while (!r->import->is_full && (status = strobe_csv_scanner_next(r->scanner, &cells, &n)) &&
           status != STROBE_CSV_IO) {
        if (status == STROBE_CSV_DAMAGED)
            report_damage(r, strobe_csv_scanner_error(r->scanner));
        else if (n != r->n_columns)
            report_damage(r, "another number of cells than the header has");
        else
            take_row(r, cells);
    }
    r->import->host->found(r->import->self, r->file, r->n_rows);
}

void text_memory_import(Import *import, int records, const char *records_name, int blocks,
                        const char *blocks_name)
{
    Records r = {.import = import, .file = records_name};
    BlockEvent event;

    if (blocks >= 0)
        r.blocks = blocks_new(import, blocks, blocks_name);
    if (records >= 0) {
        r.scanner = strobe_csv_scanner_new(records);
        read_records(&r);
        strobe_csv_scanner_free(r.scanner);
    }
    while (!import->is_full && blocks_next(r.blocks, &event))
        emit_event(import, &event, event.is_ge ? "GE" : "PTA");
    /* number of rows of operator_memory.csv, because higher event numbers belong to no block */
    if (r.blocks)
        import->host->metadata_int(import->self, "memory_blocks", (gint64)blocks_n_rows(r.blocks));
    if (r.blocks)
        import->host->found(import->self, blocks_name, blocks_n_rows(r.blocks));
    blocks_free(r.blocks);
}
